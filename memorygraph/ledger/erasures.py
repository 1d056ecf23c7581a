"""What was erased, without what it was; and the rows of other tables that repeat it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from memorygraph.errors import NotFound
from memorygraph.ids import new_id
from memorygraph.ledger.database import Database
from memorygraph.ledger.tables import (
    erase_log,
    forgetting_cycle,
    forgetting_failure,
    forgetting_plan,
    idempotent_reply,
    job,
)

__all__ = ["ErasedThing", "Erasure", "Erasures"]

_ERASED = "erased"  # what stands where an error told of it
_log = erase_log.c


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedThing:
    """One thing that an erasure removes: a node by its id, or a value by its fingerprint, or both."""

    target_type: str
    target_id: str | None = None
    fingerprint: str | None = None
    normalisation_version: int | None = None  # of the fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One erasure and all that it removes. Times are epoch ms of the engine's clock."""

    id: str
    end_user_id: str
    actor: str
    at: int
    completed_at: int | None  # None: to be resumed
    things: tuple[ErasedThing, ...]


class Erasures:
    """The ``erase_log`` table, and what an erasure takes from the other tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def plan(
        self, end_user_id: str, things: Sequence[ErasedThing], *, actor: str, at: int, erasure_id: str | None = None
    ) -> str:
        """Write down what is going to be erased, all or none, and answer the erasure's id.

        ``things`` is not empty; with ``erasure_id`` they are added to what is planned already, and it is open again.
        """
        erasure = erasure_id or new_id(at)
        rows = [
            {
                "id": new_id(at),
                "erasure_id": erasure,
                "end_user_id": end_user_id,
                "target_type": thing.target_type,
                "target_id": thing.target_id,
                "fingerprint": thing.fingerprint,
                "normalisation_version": thing.normalisation_version,
                "actor": actor,
                "at": at,
            }
            for thing in things
        ]
        await self._database.write_rows(insert(erase_log), rows)
        return erasure

    async def complete(self, end_user_id: str, erasure_id: str, *, at: int) -> None:
        """Note that nothing of it is left anywhere."""
        await self._database.write_rows(
            update(erase_log)
            .where(_log.end_user_id == end_user_id, _log.erasure_id == erasure_id, _log.completed_at.is_(None))
            .values(completed_at=at)
        )

    async def get(self, end_user_id: str, erasure_id: str) -> Erasure:
        """The erasure. Raises :class:`NotFound` when the user has none of this id."""
        rows = await self._database.read_rows(
            select(erase_log)
            .where(_log.end_user_id == end_user_id, _log.erasure_id == erasure_id)
            .order_by(_log.at, _log.id)
        )
        if not rows:
            raise NotFound(f"There is no erasure {erasure_id[:60]!r} of this user.")
        open_rows = [row for row in rows if row["completed_at"] is None]
        return Erasure(
            id=erasure_id,
            end_user_id=end_user_id,
            actor=rows[0]["actor"],
            at=rows[0]["at"],
            completed_at=None if open_rows else max(row["completed_at"] for row in rows),
            things=tuple(
                ErasedThing(
                    target_type=row["target_type"],
                    target_id=row["target_id"],
                    fingerprint=row["fingerprint"],
                    normalisation_version=row["normalisation_version"],
                )
                for row in rows
            ),
        )

    async def keys(self, *, unfinished_only: bool = False) -> list[tuple[str, str]]:
        """User and id of every erasure of all users, or of those that are not completed, oldest first."""
        statement = select(_log.end_user_id, _log.erasure_id).distinct().order_by(_log.erasure_id)
        if unfinished_only:
            statement = statement.where(_log.completed_at.is_(None))
        return [(row["end_user_id"], row["erasure_id"]) for row in await self._database.read_rows(statement)]

    async def scrub(self, end_user_id: str, ids: Collection[str], says: Callable[[Any], bool]) -> int:
        """Remove from the other tables what repeats the erased: things of ``ids``, and values that ``says`` knows.

        ``says`` is asked about texts and about JSON values. Jobs that are over and replies that tell of it are deleted;
        waiting jobs only when they say it. Errors become the word "erased"; plans lose the ids. Answers how many rows
        were changed.
        """
        gone = set(ids)

        def tells(value: Any) -> bool:
            return says(value) or not gone.isdisjoint(_strings(value))

        async def work(connection: AsyncConnection) -> int:
            changed = 0
            for row in await _rows(connection, job, end_user_id):
                over = row["finished_at"] is not None
                told = [row[name] for name in ("payload", "progress", "result", "error", "dedupe_key")]
                if any(map(tells if over else says, told)):
                    changed += await _run(connection, delete(job).where(_is(job, row, "id")))
            for row in await _rows(connection, idempotent_reply, end_user_id):
                if tells(row["reply"]):
                    key = _is(idempotent_reply, row, "end_user_id", "idempotency_key")
                    changed += await _run(connection, delete(idempotent_reply).where(key))
            for table, column in ((forgetting_failure, "cause"), (forgetting_cycle, "error")):
                for row in await _rows(connection, table, end_user_id):
                    if tells(row[column]):
                        told_no_more = update(table).where(_is(table, row, "id")).values({column: _ERASED})
                        changed += await _run(connection, told_no_more)
            for row in await _rows(connection, forgetting_plan, end_user_id):
                kept = [id for id in row["statement_ids"] if id not in gone]
                if len(kept) < len(row["statement_ids"]) or row["entity_id"] in gone or tells(row["reason"]):
                    values: dict[str, Any] = {
                        "statement_ids": kept,
                        "entity_id": None if row["entity_id"] in gone else row["entity_id"],
                        "reason": _ERASED if tells(row["reason"]) else row["reason"],
                    }
                    key = _is(forgetting_plan, row, "end_user_id", "cycle_id", "group_no")
                    changed += await _run(connection, update(forgetting_plan).where(key).values(values))
            return changed

        return await self._database.write(work)


async def _rows(connection: AsyncConnection, table: Table, end_user_id: str) -> Sequence[Any]:
    return (await connection.execute(select(table).where(table.c.end_user_id == end_user_id))).mappings().all()


async def _run(connection: AsyncConnection, statement: Any) -> int:
    return int((await connection.execute(statement)).rowcount)


def _is(table: Table, row: Any, *columns: str) -> ColumnElement[bool]:
    return and_(*(table.c[name] == row[name] for name in columns))


def _strings(value: Any) -> set[str]:
    """Every string within a JSON value, those that are keys too."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(value, *map(_strings, value.values()))
    return set().union(*map(_strings, value)) if isinstance(value, list) else set()
