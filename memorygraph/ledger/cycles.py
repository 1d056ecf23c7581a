"""Forgetting cycles: a row from the start of each, told by the worker that runs it and by no other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, and_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from memorygraph.errors import CycleRunning, LeaseLost, NotFound
from memorygraph.ids import new_id
from memorygraph.ledger.cycle_records import CycleFigures, CycleRecord, FinalStatus, TriggerType
from memorygraph.ledger.database import Database
from memorygraph.ledger.database_time import database_now_ms
from memorygraph.ledger.plans import Plans
from memorygraph.ledger.tables import forgetting_cycle

__all__ = ["Cycles"]

_NOTHING = CycleFigures()


class Cycles(Plans):
    """The ``forgetting_cycle`` table, with the plans and failures of :class:`Plans`.

    Every method reads and writes the rows of the one user it is given. Times are epoch ms of the
    engine's clock.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)

    async def start(
        self,
        end_user_id: str,
        *,
        trigger_type: TriggerType,
        started_at: int,
        fencing_token: int,
        parameters: Mapping[str, Any],
        actor: str,
        figures: CycleFigures = _NOTHING,
    ) -> str:
        """Write the row of a cycle that begins, and answer its id.

        Raises :class:`CycleRunning` while another row of the user says ``running``; see
        :meth:`interrupt_stale` for one whose worker died.
        """
        cycle_id = new_id(started_at)
        statement = (
            self._database.insert(forgetting_cycle)
            .values(
                id=cycle_id,
                end_user_id=end_user_id,
                trigger_type=trigger_type,
                status="running",
                started_at=started_at,
                parameters=dict(parameters),
                actor=actor,
                heartbeat_at=database_now_ms(),
                fencing_token=fencing_token,
                **figures.known(),
            )
            .on_conflict_do_nothing()
            .returning(forgetting_cycle.c.id)
        )

        if not await self._database.write_rows(statement):
            raise CycleRunning("A forgetting cycle of this user is running.", hint="Wait for it to finish.")
        return cycle_id

    async def heartbeat(
        self, end_user_id: str, cycle_id: str, *, fencing_token: int, figures: CycleFigures = _NOTHING
    ) -> None:
        """Say that the cycle lives, and what it counted so far. Raises :class:`LeaseLost` when it was interrupted."""
        values = {"heartbeat_at": database_now_ms(), **figures.known()}
        await self._tell(end_user_id, cycle_id, fencing_token, values)

    async def finish(
        self,
        end_user_id: str,
        cycle_id: str,
        *,
        fencing_token: int,
        status: FinalStatus,
        finished_at: int,
        duration_seconds: float,
        figures: CycleFigures = _NOTHING,
        error: str | None = None,
    ) -> None:
        """Write how the cycle ended, once. Raises :class:`LeaseLost` when it was interrupted, or finished before."""
        values = {
            "status": status,
            "finished_at": finished_at,
            "duration_seconds": duration_seconds,
            "error": error,
            "heartbeat_at": database_now_ms(),
            **figures.known(),
        }
        await self._tell(end_user_id, cycle_id, fencing_token, values)

    async def interrupt_stale(self, end_user_id: str, current_token: int, at: int) -> list[str]:
        """Mark what earlier holders of the lease left ``running`` as failed, with the error ``interrupted``.

        Answers the ids, oldest first. A plan that such a cycle left can still be read.
        """
        columns = forgetting_cycle.c
        statement = (
            update(forgetting_cycle)
            .where(
                columns.end_user_id == end_user_id, columns.status == "running", columns.fencing_token < current_token
            )
            .values(status="failed", error="interrupted", finished_at=at)
            .returning(columns.id, columns.started_at)
        )
        rows = await self._database.write_rows(statement)
        return [row["id"] for row in sorted(rows, key=lambda row: (row["started_at"], row["id"]))]

    async def get(self, end_user_id: str, cycle_id: str) -> CycleRecord:
        """The cycle. Raises :class:`NotFound` when the user has none of this id."""
        for row in await self._database.read_rows(select(forgetting_cycle).where(_is(end_user_id, cycle_id))):
            return CycleRecord.from_row(row)
        raise _not_found(cycle_id)

    async def list(self, end_user_id: str, *, limit: int = 20, before: str | None = None) -> list[CycleRecord]:
        """At most ``limit`` cycles, newest first; with ``before``, those that started before the cycle of that id.

        Raises :class:`NotFound` when the user has no cycle ``before``.
        """
        columns = forgetting_cycle.c
        statement = (
            select(forgetting_cycle)
            .where(columns.end_user_id == end_user_id)
            .order_by(columns.started_at.desc(), columns.id.desc())
            .limit(limit)
        )

        async def work(connection: AsyncConnection) -> list[CycleRecord] | None:
            page = statement
            if before is not None:
                cursor = select(columns.started_at, columns.id).where(_is(end_user_id, before))
                edge = (await connection.execute(cursor)).first()
                if edge is None:
                    return None
                page = page.where(tuple_(columns.started_at, columns.id) < tuple_(*edge))
            return [CycleRecord.from_row(row) for row in (await connection.execute(page)).mappings()]

        records = await self._database.read(work)
        if records is None:
            raise _not_found(before)
        return records

    async def _tell(self, end_user_id: str, cycle_id: str, fencing_token: int, values: dict[str, Any]) -> None:
        columns = forgetting_cycle.c
        statement = (
            update(forgetting_cycle)
            .where(_is(end_user_id, cycle_id), columns.status == "running", columns.fencing_token == fencing_token)
            .values(values)
            .returning(columns.id)
        )
        if not await self._database.write_rows(statement):
            raise LeaseLost(f"The cycle {cycle_id} is no longer run under the token {fencing_token}.")


def _is(end_user_id: str, cycle_id: str) -> ColumnElement[bool]:
    return and_(forgetting_cycle.c.end_user_id == end_user_id, forgetting_cycle.c.id == cycle_id)


def _not_found(cycle_id: str | None) -> NotFound:
    return NotFound(f"There is no cycle {cycle_id}.")
