"""Jobs: durable work, taken by one worker at a time under a lease, and told by that worker alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, case, delete, false, func, null, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from memorygraph.cost import NOTHING_SPENT, Cost
from memorygraph.errors import Conflict, LeaseLost, NotFound
from memorygraph.ids import new_id
from memorygraph.ledger.database import Database
from memorygraph.ledger.database_time import database_now_ms
from memorygraph.ledger.job_records import JOB_STATES, JobRecord, JobState
from memorygraph.ledger.job_turns import any_due, in_state, sweep_abandoned, take_abandoned, take_queued
from memorygraph.ledger.tables import job as job_table

__all__ = ["OUTAGE_LIMIT_SECONDS", "Jobs"]

OUTAGE_LIMIT_SECONDS = 7 * 24 * 3600.0
"""How long a job waits for what it needs before it is dead, unless :meth:`Jobs.postpone` is told otherwise."""

_c = job_table.c
_FREED = {"holder": None, "lease_expires_at": None}
_NO_OUTAGE: dict[str, Any] = {"outages": 0, "outage_since": null()}


class Jobs:
    """The ``job`` table. Durations are in seconds, instants in epoch ms of the database's clock.

    ``claim`` and ``counts`` are about all users, every other method about the rows of one. What
    takes a :class:`JobRecord` is for the worker that claimed it and raises :class:`LeaseLost` when
    the job was taken over, let go or deleted since. ``payload``, ``progress``, ``result`` and
    ``error`` must hold ids and counts, and no text of a memory.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    # For whoever wants something done.

    async def enqueue(
        self,
        end_user_id: str,
        *,
        kind: str,
        payload: Mapping[str, Any],
        dedupe_key: str | None = None,
        max_attempts: int = 5,
        delay: float = 0,
    ) -> JobRecord:
        """A new job, due after ``delay``; or the one that has this ``kind`` and ``dedupe_key`` already, as it is.

        ``max_attempts`` is 1 or more.
        """

        async def work(connection: AsyncConnection) -> JobRecord:
            now: int = (await connection.execute(select(database_now_ms()))).scalar_one()
            insert = (
                self._database.insert(job_table)
                .values(
                    id=new_id(now),
                    end_user_id=end_user_id,
                    kind=kind,
                    state="queued",
                    dedupe_key=dedupe_key,
                    payload=dict(payload),
                    max_attempts=max_attempts,
                    run_at=now + _ms(delay),
                    created_at=now,
                    updated_at=now,
                )
                .on_conflict_do_nothing(index_elements=[_c.end_user_id, _c.kind, _c.dedupe_key])
                .returning(*_c)
            )
            existing = select(job_table).where(_has_key(end_user_id, kind, dedupe_key))
            while True:
                for statement in (insert, existing):
                    for row in (await connection.execute(statement)).mappings():
                        return JobRecord.from_row(row)
                # It was there, and was deleted before it could be read.

        return await self._database.write(work)

    async def get(self, end_user_id: str, job_id: str) -> JobRecord:
        """The job. Raises :class:`NotFound` when the user has none of this id."""
        for row in await self._database.read_rows(select(job_table).where(_is(end_user_id, job_id))):
            return JobRecord.from_row(row)
        raise _not_found(job_id)

    async def find(self, end_user_id: str, *, kind: str, dedupe_key: str) -> JobRecord | None:
        """The job that has this key, if there is one."""
        statement = select(job_table).where(_has_key(end_user_id, kind, dedupe_key))
        for row in await self._database.read_rows(statement):
            return JobRecord.from_row(row)
        return None

    async def list(
        self,
        end_user_id: str,
        *,
        states: Sequence[JobState] | None = None,
        kinds: Sequence[str] | None = None,
        limit: int = 20,
        before: str | None = None,
    ) -> list[JobRecord]:
        """At most ``limit`` jobs, newest first; with ``before``, those made before the job of that id.

        None for ``states`` or ``kinds`` is all of them. Raises :class:`NotFound` when the user has no job ``before``.
        """
        page = select(job_table).where(_c.end_user_id == end_user_id)
        if states is not None:
            page = page.where(_c.state.in_(states))
        if kinds is not None:
            page = page.where(_c.kind.in_(kinds))
        newest_first = page.order_by(_c.created_at.desc(), _c.id.desc()).limit(limit)

        async def work(connection: AsyncConnection) -> list[JobRecord] | None:
            statement = newest_first
            if before is not None:
                cursor = select(_c.created_at, _c.id).where(_is(end_user_id, before))
                edge = (await connection.execute(cursor)).first()
                if edge is None:
                    return None
                statement = statement.where(tuple_(_c.created_at, _c.id) < tuple_(*edge))
            return [JobRecord.from_row(row) for row in (await connection.execute(statement)).mappings()]

        records = await self._database.read(work)
        if records is None:
            raise _not_found(before)
        return records

    async def cancel(self, end_user_id: str, job_id: str) -> JobRecord:
        """Cancel a queued job at once; ask a running one to stop at its next checkpoint.

        Nothing happens to one that is cancelled already. Raises :class:`NotFound`, and
        :class:`Conflict` when the job succeeded or failed before.
        """
        now, waits = database_now_ms(), in_state("queued")
        statement = (
            update(job_table)
            .where(_is(end_user_id, job_id), _c.state.in_(("queued", "running", "cancelled")))
            .values(
                state=case((waits, "cancelled"), else_=_c.state),
                finished_at=case((waits, now), else_=_c.finished_at),
                updated_at=case((in_state("cancelled"), _c.updated_at), else_=now),
                cancel_requested=True,
            )
            .returning(*_c)
        )
        return await self._changed(statement, end_user_id, job_id, "cancelled: it has come to its end")

    async def requeue(self, end_user_id: str, job_id: str) -> JobRecord:
        """Have a failed, dead or cancelled job tried again, with all its attempts, from where it had got to.

        Raises :class:`NotFound`, and :class:`Conflict` when the job waits, runs or succeeded.
        """
        now = database_now_ms()
        statement = (
            update(job_table)
            .where(_is(end_user_id, job_id), _c.state.in_(("failed", "dead", "cancelled")))
            .values(
                state="queued",
                run_at=now,
                finished_at=None,
                updated_at=now,
                attempt=0,
                takeovers=0,
                cancel_requested=False,
                **_NO_OUTAGE,
            )
            .returning(*_c)
        )
        return await self._changed(statement, end_user_id, job_id, "tried again: it waits, runs or succeeded")

    async def delete(self, end_user_id: str, job_ids: Sequence[str]) -> int:
        """Remove the user's jobs of these ids, running ones too, and answer how many there were."""
        statement = delete(job_table).where(_c.end_user_id == end_user_id, _c.id.in_(job_ids)).returning(_c.id)
        return len(await self._database.write_rows(statement))

    async def counts(self) -> dict[JobState, int]:
        """How many jobs of all users are in each state; every state is there."""
        statement = select(_c.state, func.count().label("jobs")).group_by(_c.state)
        found = {row["state"]: row["jobs"] for row in await self._database.read_rows(statement)}
        return {state: found.get(state, 0) for state in JOB_STATES}

    # For workers.

    async def claim(
        self, *, holder: str, kinds: Sequence[str], lease_seconds: float, limit: int = 1
    ) -> Sequence[JobRecord]:
        """Take at most ``limit`` jobs of ``kinds``, now running under ``holder`` with a fencing token of their own.

        First those whose worker let its lease run out, then what is queued and due, in turns
        between users: see :mod:`memorygraph.ledger.job_turns`. A job that vanished workers left is
        ended here when it was to be cancelled, and is dead when it was left more than
        :data:`~memorygraph.ledger.job_turns.MAX_TAKEOVERS` times.
        """
        lease_ms, postgresql = _lease_ms(lease_seconds), self._database.location.kind == "postgresql"

        async def work(connection: AsyncConnection) -> Sequence[JobRecord]:
            # As a parameter, because PostgreSQL looks up no index by a clock that moves.
            now: int = (await connection.execute(select(database_now_ms()))).scalar_one()
            await connection.execute(sweep_abandoned(now))
            take = take_abandoned(now, kinds, holder=holder, lease_ms=lease_ms, limit=limit)
            taken = list((await connection.execute(take)).mappings())
            if len(taken) < limit and (await connection.execute(any_due(now, kinds))).first() is not None:
                room = limit - len(taken)
                take = take_queued(now, kinds, holder=holder, lease_ms=lease_ms, limit=room, postgresql=postgresql)
                taken += (await connection.execute(take)).mappings()
            return [JobRecord.from_row(row) for row in taken]

        return await self._database.write(work)

    async def heartbeat(
        self,
        job: JobRecord,
        lease_seconds: float,
        *,
        progress: Mapping[str, Any] | None = None,
        cost: Cost = NOTHING_SPENT,
    ) -> JobRecord:
        """The job with ``lease_seconds`` from now; its ``cancel_requested`` says whether to stop.

        Also when the lease ran out and nobody took it over. ``progress`` replaces what was there
        (None leaves it) and, when it differs, is a fresh start: earlier attempts, takeovers and
        outages count no more. ``cost`` is what was spent since the last time.
        """
        now = database_now_ms()
        values: dict[str, Any] = {
            "lease_expires_at": now + _lease_ms(lease_seconds),
            "calls": _c.calls + cost.calls,
            "prompt_tokens": _c.prompt_tokens + cost.prompt_tokens,
            "completion_tokens": _c.completion_tokens + cost.completion_tokens,
        }
        # As it will be read back: a tuple that comes back as a list is no progress.
        if progress is not None and (stored := json.loads(json.dumps(progress))) != job.progress:
            values |= {"progress": stored, "attempt": 1, "takeovers": 0, **_NO_OUTAGE}
        return await self._tell(job, values)

    async def succeed(self, job: JobRecord, result: Mapping[str, Any] | None = None) -> JobRecord:
        """The job is done."""
        values = {"result": None if result is None else dict(result), "error": None, **_NO_OUTAGE}
        return await self._end(job, "succeeded", values)

    async def retry(self, job: JobRecord, error: str, delay: float) -> JobRecord:
        """The run failed by the job's own fault: queued again after ``delay``, or dead after ``max_attempts`` of these.

        Cancelled, when that was asked for.
        """
        return await self._leave(job, _c.attempt >= _c.max_attempts, delay=delay, values={"error": error, **_NO_OUTAGE})

    async def postpone(
        self, job: JobRecord, error: str, delay: float, *, limit_seconds: float = OUTAGE_LIMIT_SECONDS
    ) -> JobRecord:
        """What the job needs is away: queued again after ``delay``, and no attempt is used up.

        Dead when it has been so for more than ``limit_seconds`` without progress; cancelled, when that was asked for.
        """
        since = func.coalesce(_c.outage_since, database_now_ms())
        values = {"error": error, "attempt": _c.attempt - 1, "outages": _c.outages + 1, "outage_since": since}
        too_long = database_now_ms() - since > _ms(limit_seconds)
        return await self._leave(job, too_long, delay=delay, values=values)

    async def release(self, job: JobRecord) -> JobRecord:
        """The worker stops, and the job does not matter to that: queued again as if it had not been taken.

        Cancelled, when that was asked for.
        """
        return await self._leave(job, false(), delay=0, values={"attempt": _c.attempt - 1, "run_at": _c.run_at})

    async def fail(self, job: JobRecord, error: str) -> JobRecord:
        """The job cannot succeed however often it is tried."""
        return await self._end(job, "failed", {"error": error})

    async def confirm_cancel(self, job: JobRecord) -> JobRecord:
        """The run stopped because it was asked to."""
        return await self._end(job, "cancelled", {})

    async def _end(self, job: JobRecord, state: JobState, values: dict[str, Any]) -> JobRecord:
        return await self._tell(job, {"state": state, "finished_at": database_now_ms(), **_FREED, **values})

    async def _leave(
        self, job: JobRecord, is_dead: ColumnElement[bool], *, delay: float, values: dict[str, Any]
    ) -> JobRecord:
        now = database_now_ms()
        values = {
            "state": case((_c.cancel_requested, "cancelled"), (is_dead, "dead"), else_="queued"),
            "finished_at": case((or_(_c.cancel_requested, is_dead), now), else_=null()),
            "run_at": now + _ms(delay),
            **_FREED,
            **values,
        }
        return await self._tell(job, values)

    async def _tell(self, job: JobRecord, values: dict[str, Any]) -> JobRecord:
        statement = (
            update(job_table)
            .where(
                _is(job.end_user_id, job.id),
                in_state("running"),
                _c.holder == job.holder,
                _c.fencing_token == job.fencing_token,
            )
            .values(updated_at=database_now_ms(), **values)
            .returning(*_c)
        )
        for row in await self._database.write_rows(statement):
            return JobRecord.from_row(row)
        raise LeaseLost(f"The job {job.id} is no longer run by {job.holder} under the token {job.fencing_token}.")

    async def _changed(self, statement: Any, end_user_id: str, job_id: str, what: str) -> JobRecord:
        for row in await self._database.write_rows(statement):
            return JobRecord.from_row(row)
        found = await self.get(end_user_id, job_id)
        raise Conflict(f"The job {job_id} is {found.state}; it cannot be {what}.")


def _is(end_user_id: str, job_id: str) -> ColumnElement[bool]:
    return and_(_c.end_user_id == end_user_id, _c.id == job_id)


def _has_key(end_user_id: str, kind: str, dedupe_key: str | None) -> ColumnElement[bool]:
    return and_(_c.end_user_id == end_user_id, _c.kind == kind, _c.dedupe_key == dedupe_key)


def _not_found(job_id: str | None) -> NotFound:
    return NotFound(f"There is no job {job_id}.")


def _ms(seconds: float) -> int:
    if not seconds >= 0:
        raise ValueError("a duration must not be negative")
    return round(seconds * 1000)


def _lease_ms(lease_seconds: float) -> int:
    if not lease_seconds > 0:
        raise ValueError("lease_seconds must be greater than 0")
    return max(1, round(lease_seconds * 1000))
