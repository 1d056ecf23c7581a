"""Decay parameters of the deployment and of users, every version kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, func, or_, select

from memorygraph.ledger.database import Database
from memorygraph.ledger.tables import decay_parameters

__all__ = ["DEPLOYMENT", "ParameterScope", "ParameterVersion", "Parameters"]


@dataclass(frozen=True)
class ParameterScope:
    """The deployment, or one user whose values override it."""

    end_user_id: str | None

    @property
    def name(self) -> Literal["deployment", "user"]:
        return "deployment" if self.end_user_id is None else "user"


DEPLOYMENT = ParameterScope(None)


@dataclass(frozen=True, kw_only=True)
class ParameterVersion:
    """One row of ``decay_parameters``."""

    version: int
    """One sequence over all scopes, from 1."""
    scope: ParameterScope
    values: Mapping[str, Any]
    actor: str
    at: int
    """Epoch ms of the engine's clock."""


class Parameters:
    """The ``decay_parameters`` table. What the values mean is not known here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def effective(self, end_user_id: str, *, upto: int | None = None) -> tuple[dict[str, Any], int] | None:
        """The deployment's newest values overlaid with the user's, and the higher of the two versions.

        ``upto`` leaves out what was saved after that version. None when neither was ever saved. Equal
        versions mean equal values, and a change moves the version up.
        """
        scopes = (DEPLOYMENT, ParameterScope(end_user_id))
        newest = or_(*(decay_parameters.c.version == _newest(scope, upto) for scope in scopes))
        statement = select(decay_parameters).where(newest).order_by(decay_parameters.c.scope)
        rows = await self._database.read_rows(statement)
        if not rows:
            return None
        values: dict[str, Any] = {}
        for row in rows:  # "deployment" sorts before "user"
            values |= row["values"]
        return values, max(row["version"] for row in rows)

    async def save(self, scope: ParameterScope, values: Mapping[str, Any], *, actor: str, at: int) -> int:
        """Put ``values`` in force for ``scope`` and answer their version. To revert, save an older version's values.

        Empty values of a user override nothing.
        """
        next_version = select(func.coalesce(func.max(decay_parameters.c.version), 0) + 1).scalar_subquery()
        statement = (
            self._database.insert(decay_parameters)
            .values(
                version=next_version,
                scope=scope.name,
                end_user_id=scope.end_user_id,
                values=dict(values),
                actor=actor,
                at=at,
            )
            .on_conflict_do_nothing(index_elements=[decay_parameters.c.version])
            .returning(decay_parameters.c.version)
        )

        while True:
            # Nothing comes back when somebody else just took the number: it is committed then, and the next is higher.
            for row in await self._database.write_rows(statement):
                return int(row["version"])

    async def history(self, scope: ParameterScope) -> list[ParameterVersion]:
        """Every version saved for exactly this scope, newest first."""
        statement = select(decay_parameters).where(_of(scope)).order_by(decay_parameters.c.version.desc())
        return [
            ParameterVersion(
                version=row["version"], scope=scope, values=row["values"], actor=row["actor"], at=row["at"]
            )
            for row in await self._database.read_rows(statement)
        ]


def _of(scope: ParameterScope) -> ColumnElement[bool]:
    if scope.end_user_id is None:
        return decay_parameters.c.end_user_id.is_(None)
    return decay_parameters.c.end_user_id == scope.end_user_id


def _newest(scope: ParameterScope, upto: int | None) -> ColumnElement[int]:
    newest = select(func.max(decay_parameters.c.version)).where(_of(scope))
    return (newest if upto is None else newest.where(decay_parameters.c.version <= upto)).scalar_subquery()
