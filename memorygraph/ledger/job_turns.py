"""Whose turn it is: the statements by which a worker takes jobs.

The user with the fewest running jobs comes first, among these the one served least recently, and
of a user the job that is due longest. However many jobs one user has, another's waits for one of
each user at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    FromClause,
    Select,
    and_,
    case,
    func,
    literal_column,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from memorygraph.ledger.job_records import JOB_STATES, JobState
from memorygraph.ledger.tables import job

__all__ = ["MAX_TAKEOVERS", "any_due", "in_state", "sweep_abandoned", "take_abandoned", "take_queued"]

MAX_TAKEOVERS = 20
"""A job whose worker vanished more often than this, with no progress in between, is dead.

So many, because a worker that is killed takes all that it runs with it, and only one of these can
have been the cause.
"""

# On PostgreSQL others may be taking the first jobs of a user at this moment; so many more of them are looked at.
_OTHERS_AT_ONCE = 32


def in_state(state: JobState, table: Any = job) -> ColumnElement[bool]:
    """That a job is in ``state``; written out, because partial indexes are used for no parameter."""
    matches: ColumnElement[bool] = table.c.state == literal_column(f"'{state}'")
    return matches


def any_due(now: int, kinds: Sequence[str]) -> Select[Any]:
    """Selects a row when a queued job of ``kinds`` is due at ``now``, and none otherwise."""
    return select(job.c.id).where(_due(job, now, kinds)).limit(1)


def sweep_abandoned(now: int) -> ReturningUpdate[Any]:
    """End what vanished workers left: cancelled if that was asked for, dead if they vanished too often."""
    too_often = job.c.takeovers >= MAX_TAKEOVERS
    return (
        update(job)
        .where(_abandoned(now), or_(job.c.cancel_requested, too_often))
        .values(
            state=case((job.c.cancel_requested, "cancelled"), else_="dead"),
            error=case((job.c.cancel_requested, job.c.error), else_="abandoned"),
            holder=None,
            lease_expires_at=None,
            finished_at=now,
            updated_at=now,
        )
        .returning(job.c.id)
    )


def take_abandoned(now: int, kinds: Sequence[str], *, holder: str, lease_ms: int, limit: int) -> ReturningUpdate[Any]:
    """Take over at most ``limit`` jobs whose lease ran out, those first whose did first."""
    chosen = (
        select(job.c.id)
        .where(_abandoned(now), job.c.kind.in_(kinds))
        .order_by(job.c.lease_expires_at, job.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return _take(chosen, now, holder=holder, lease_ms=lease_ms, takeovers=job.c.takeovers + 1)


def take_queued(
    now: int, kinds: Sequence[str], *, holder: str, lease_ms: int, limit: int, postgresql: bool
) -> ReturningUpdate[Any]:
    """Take at most ``limit`` queued jobs that are due, in the order of turns."""
    depth = limit + _OTHERS_AT_ONCE if postgresql else limit
    turn = _turns(now, kinds, users=depth)
    head = job.alias("head")
    heads = (
        select(head.c.id)
        .where(head.c.end_user_id == turn.c.end_user_id, _due(head, now, kinds))
        .order_by(head.c.run_at, head.c.id)
        .limit(depth)
    )
    near = job.alias("near")
    # Both mean the same; SQLite has no LATERAL, and PostgreSQL would try every job of every user on the other.
    joined: FromClause
    if postgresql:
        ahead = heads.lateral("ahead")
        joined = turn.join(ahead, true()).join(near, near.c.id == ahead.c.id)
    else:
        joined = turn.join(near, near.c.id.in_(heads.correlate(turn)))
    place = func.row_number().over(partition_by=near.c.end_user_id, order_by=(near.c.run_at, near.c.id))
    candidate = (
        select(near.c.id, near.c.run_at, turn.c.served_at, (turn.c.running + place).label("place"))
        .select_from(joined)
        .cte("candidate")
    )
    chosen = (
        select(job.c.id)
        .join(candidate, candidate.c.id == job.c.id)
        # Asked again, because another may have taken it; in this way, or all that is queued would be read for it.
        .where(job.c.state.not_in([state for state in JOB_STATES if state != "queued"]))
        .order_by(candidate.c.place, candidate.c.served_at, candidate.c.run_at, job.c.id)
        .limit(limit)
        .with_for_update(of=job, skip_locked=True)
    )
    return _take(chosen, now, holder=holder, lease_ms=lease_ms, attempt=job.c.attempt + 1)


def _turns(now: int, kinds: Sequence[str], *, users: int) -> FromClause:
    """The ``users`` whose turn is next, of those with jobs that are due: how many of theirs run, when one was taken.

    No job of any other user can come before the first jobs of these.
    """
    waiting = _users_with_queued_jobs()
    busy = job.alias("busy")
    # By an expression, or SQLite would go through all jobs there ever were, in the order of an index on users.
    user = busy.c.end_user_id.concat("")
    running = (
        select(user.label("end_user_id"), func.count().label("jobs"))
        .where(in_state("running", busy), busy.c.lease_expires_at > now)
        .group_by(user)
        .cte("running")
    )
    served = job.alias("served")
    served_at = select(func.max(served.c.claimed_at)).where(served.c.end_user_id == waiting.c.end_user_id)
    first = job.alias("first")
    since = (
        select(first.c.run_at)
        .where(first.c.end_user_id == waiting.c.end_user_id, _due(first, now, kinds))
        .order_by(first.c.run_at)
        .limit(1)
    )
    every = (
        select(
            waiting.c.end_user_id,
            func.coalesce(running.c.jobs, 0).label("running"),
            func.coalesce(served_at.correlate(waiting).scalar_subquery(), 0).label("served_at"),
            since.correlate(waiting).scalar_subquery().label("since"),
        )
        .select_from(waiting.outerjoin(running, running.c.end_user_id == waiting.c.end_user_id))
        .where(waiting.c.end_user_id.is_not(None))
        .subquery("every")
    )
    return (
        select(every)
        .where(every.c.since.is_not(None))
        .order_by(every.c.running, every.c.served_at, every.c.since, every.c.end_user_id)
        .limit(users)
        .cte("turn")
    )


def _users_with_queued_jobs() -> CTE:
    # One look into the index a user, however many jobs each has. The last row is null.
    other = job.alias("other")
    waiting = (
        select(func.min(job.c.end_user_id).label("end_user_id"))
        .where(in_state("queued"))
        .cte("waiting", recursive=True)
    )
    next_user = (
        select(func.min(other.c.end_user_id))
        .where(in_state("queued", other), other.c.end_user_id > waiting.c.end_user_id)
        .correlate(waiting)
        .scalar_subquery()
    )
    return waiting.union_all(select(next_user).where(waiting.c.end_user_id.is_not(None)))


def _take(
    chosen: Select[Any], now: int, *, holder: str, lease_ms: int, **counted: ColumnElement[int]
) -> ReturningUpdate[Any]:
    # A CTE is run once; an IN may be run again, and lock more rows each time.
    ids = chosen.cte("chosen")
    return (
        update(job)
        .where(job.c.id.in_(select(ids.c.id)))
        .values(
            state="running",
            holder=holder,
            fencing_token=job.c.fencing_token + 1,
            lease_expires_at=now + lease_ms,
            claimed_at=now,
            updated_at=now,
            **counted,
        )
        .returning(*job.c)
    )


def _due(table: Any, now: int, kinds: Sequence[str]) -> ColumnElement[bool]:
    return and_(in_state("queued", table), table.c.run_at <= now, table.c.kind.in_(kinds))


def _abandoned(now: int) -> ColumnElement[bool]:
    return and_(in_state("running"), job.c.lease_expires_at <= now)
