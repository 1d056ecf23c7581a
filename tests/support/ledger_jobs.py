"""Jobs of a ledger as the tests queue, claim and age them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sqlalchemy import insert, update

from memorygraph.ledger import JobRecord, Ledger
from memorygraph.ledger.database import Database
from memorygraph.ledger.tables import job as job_table
from tests.support.waiting import wait_until_async

End = Callable[[JobRecord], Awaitable[JobRecord]]


async def enqueue(ledger: Ledger, user: str = "alice", *, key: str | None = None, **options: int) -> JobRecord:
    return await ledger.jobs.enqueue(user, kind="ingest", payload={"episode_id": "e1"}, dedupe_key=key, **options)


async def enqueue_many(ledger: Ledger, user: str, count: int) -> None:
    """Queued long ago, in one statement."""
    rows = [
        {"id": f"{user}-{number}", "end_user_id": user, "kind": "ingest", "state": "queued", "payload": {}}
        | {"max_attempts": 5, "run_at": number, "created_at": number, "updated_at": number}
        for number in range(count)
    ]
    database = Database(ledger.location)
    try:
        await database.write_rows(insert(job_table), rows)
    finally:
        await database.close()


async def claim(ledger: Ledger, *, holder: str = "one", lease: float = 60, limit: int = 1) -> list[JobRecord]:
    return list(await ledger.jobs.claim(holder=holder, kinds=["ingest", "embed"], lease_seconds=lease, limit=limit))


async def claim_one(ledger: Ledger, *, holder: str = "one", lease: float = 60) -> JobRecord:
    (job,) = await claim(ledger, holder=holder, lease=lease)
    return job


async def take_over(ledger: Ledger, *, holder: str = "two") -> JobRecord:
    """Ask until a lease has run out; ten seconds are far more than any lease that is waited for here."""
    (job,) = await wait_until_async(
        lambda: claim(ledger, holder=holder), timeout=10, what="a job whose lease has run out is taken over"
    )
    return job


async def patch(ledger: Ledger, job: JobRecord, **values: int) -> None:
    """Move what time or many runs would move."""
    database = Database(ledger.location)
    try:
        await database.write_rows(update(job_table).where(job_table.c.id == job.id).values(**values))
    finally:
        await database.close()


async def make_due(ledger: Ledger, job: JobRecord) -> None:
    await patch(ledger, job, run_at=1)


async def abandon(ledger: Ledger, job: JobRecord) -> None:
    await patch(ledger, job, lease_expires_at=1)
