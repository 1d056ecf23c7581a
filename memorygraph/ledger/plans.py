"""What a cycle chose to fuse, written down before it works, and what failed of it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert, or_, select, update

from memorygraph.ids import new_id
from memorygraph.ledger.cycle_records import FailureRecord, GroupState, PlannedGroup
from memorygraph.ledger.database import Database
from memorygraph.ledger.database_time import database_now_ms
from memorygraph.ledger.tables import forgetting_failure, forgetting_plan

__all__ = ["Plans"]

_PLAN_COLUMNS = [c for c in forgetting_plan.c if c.name not in ("end_user_id", "cycle_id", "updated_at")]
_FAILURE_COLUMNS = [c for c in forgetting_failure.c if c.name != "end_user_id"]


class Plans:
    """The ``forgetting_plan`` and ``forgetting_failure`` tables, one user's rows at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save_plan(self, end_user_id: str, cycle_id: str, groups: Sequence[PlannedGroup]) -> None:
        """Add ``groups`` to the cycle's plan, all or none; a plan may be written in pages.

        Raises :class:`ConstraintViolated` for a ``group_no`` that the plan has already, and for a
        cycle that is not the user's.
        """
        rows = [
            {
                "end_user_id": end_user_id,
                "cycle_id": cycle_id,
                "group_no": group.group_no,
                "entity_id": group.entity_id,
                "statement_ids": list(group.statement_ids),
                "pair_count": group.pair_count,
                "state": group.state,
                "summary_id": group.summary_id,
                "reason": group.reason,
            }
            for group in groups
        ]
        if not rows:
            return
        await self._database.write_rows(insert(forgetting_plan).values(updated_at=database_now_ms()), rows)

    async def plan(self, end_user_id: str, cycle_id: str) -> list[PlannedGroup]:
        """The cycle's groups in the order of work; empty when there is no plan."""
        columns = forgetting_plan.c
        statement = (
            select(*_PLAN_COLUMNS)
            .where(columns.end_user_id == end_user_id, columns.cycle_id == cycle_id)
            .order_by(columns.group_no)
        )
        return [PlannedGroup.from_row(row) for row in await self._database.read_rows(statement)]

    async def set_group_state(
        self,
        end_user_id: str,
        cycle_id: str,
        group_no: int,
        state: GroupState,
        *,
        summary_id: str | None = None,
        reason: str | None = None,
    ) -> bool:
        """Whether the group is in ``state`` now. One that was fused stays fused, into the same summary.

        ``summary_id`` is given with ``fused`` and with no other state, else :class:`ConstraintViolated`.
        """
        columns = forgetting_plan.c
        statement = (
            update(forgetting_plan)
            .where(
                columns.end_user_id == end_user_id,
                columns.cycle_id == cycle_id,
                columns.group_no == group_no,
                or_(columns.state != "fused", columns.summary_id == summary_id),
            )
            .values(state=state, summary_id=summary_id, reason=reason, updated_at=database_now_ms())
            .returning(columns.group_no)
        )
        return bool(await self._database.write_rows(statement))

    async def record_failure(
        self,
        end_user_id: str,
        cycle_id: str,
        *,
        group_no: int,
        group_key: str,
        cause: str,
        attempt: int,
        at: int,
        next_try_at: int | None,
    ) -> str:
        """Write that an attempt at a planned group failed, and answer the failure's id.

        ``attempt`` counts from 1; ``next_try_at`` None sets the group aside. ``cause`` must not
        quote a memory. Raises :class:`ConstraintViolated` when the plan has no such group.
        """
        failure_id = new_id(at)
        statement = insert(forgetting_failure).values(
            id=failure_id,
            end_user_id=end_user_id,
            cycle_id=cycle_id,
            group_no=group_no,
            group_key=group_key,
            cause=cause,
            attempt=attempt,
            at=at,
            next_try_at=next_try_at,
        )
        await self._database.write_rows(statement)
        return failure_id

    async def failures(
        self,
        end_user_id: str,
        *,
        cycle_id: str | None = None,
        group_key: str | None = None,
        unresolved_only: bool = False,
        limit: int = 100,
    ) -> list[FailureRecord]:
        """At most ``limit`` failures, newest first: of one cycle, of one group, or of all."""
        columns = forgetting_failure.c
        statement = select(*_FAILURE_COLUMNS).where(columns.end_user_id == end_user_id)
        if cycle_id is not None:
            statement = statement.where(columns.cycle_id == cycle_id)
        if group_key is not None:
            statement = statement.where(columns.group_key == group_key)
        if unresolved_only:
            statement = statement.where(columns.resolved_by.is_(None))
        statement = statement.order_by(columns.at.desc(), columns.attempt.desc(), columns.id.desc()).limit(limit)
        return [FailureRecord.from_row(row) for row in await self._database.read_rows(statement)]

    async def resolve_failures(self, end_user_id: str, group_key: str, *, resolved_by: str, at: int) -> int:
        """Close the open failures of a group; ``resolved_by`` is a cycle's id or who did it. Answers how many."""
        columns = forgetting_failure.c
        statement = (
            update(forgetting_failure)
            .where(columns.end_user_id == end_user_id, columns.group_key == group_key, columns.resolved_by.is_(None))
            .values(resolved_by=resolved_by, resolved_at=at)
            .returning(columns.id)
        )
        return len(await self._database.write_rows(statement))
