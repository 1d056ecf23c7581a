"""Workers with handlers of the tests: that raise, that wait at a gate, and what is asked of their jobs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from memorygraph.jobs import Backoff, Handler, JobWorker, RunningJob
from memorygraph.ledger import JobRecord, Ledger
from tests.support.waiting import wait_until_async

AT_ONCE = Backoff(base_seconds=0.001, cap_seconds=0.002)
MUCH_LATER = Backoff(base_seconds=3600, cap_seconds=3600)
LONG = 60.0
BOUND = 20.0


def worker_of(
    ledger: Ledger,
    handler: Handler,
    *,
    concurrency: int = 1,
    lease: float = LONG,
    poll: float = LONG,
    backoff: Backoff = AT_ONCE,
    outage_limit: float = 3600,
) -> JobWorker:
    return JobWorker(
        ledger.jobs,
        {"x": handler},
        concurrency=concurrency,
        lease_seconds=lease,
        poll_seconds=poll,
        backoff=backoff,
        outage_limit_seconds=outage_limit,
        random=lambda: 1 / 2,
    )


@asynccontextmanager
async def started(worker: JobWorker) -> AsyncIterator[JobWorker]:
    worker.start()
    try:
        yield worker
    finally:
        await worker.close()


async def enqueue(ledger: Ledger, *, max_attempts: int = 3) -> JobRecord:
    return await ledger.jobs.enqueue("alice", kind="x", payload={"episode_id": "e1"}, max_attempts=max_attempts)


async def ended(ledger: Ledger, job: JobRecord) -> JobRecord:
    async def is_over() -> JobRecord | None:
        found = await ledger.jobs.get(job.end_user_id, job.id)
        return found if found.finished_at is not None else None

    over = await wait_until_async(is_over, timeout=BOUND, what="the job comes to its end")
    assert over is not None
    return over


async def run_to_the_end(worker: JobWorker, ledger: Ledger, job: JobRecord) -> JobRecord:
    async with started(worker):
        return await ended(ledger, job)


def raising(*errors: BaseException) -> tuple[Handler, list[int]]:
    """A handler whose runs raise ``errors`` one after the other, and then succeed; and the attempts it saw."""
    left, attempts = list(errors), list[int]()

    async def handle(job: RunningJob) -> Mapping[str, Any]:
        attempts.append(job.record.attempt)
        if left:
            raise left.pop(0)
        return {"runs": len(attempts)}

    return handle, attempts


async def succeed(job: RunningJob) -> None:
    return None


class Gate:
    """A handler that says when it has begun, and waits until it is let on, for ever if need be."""

    def __init__(self, then: Callable[[RunningJob], Awaitable[Mapping[str, Any] | None]] = succeed) -> None:
        self.begun = asyncio.Event()
        self.let_on = asyncio.Event()
        self.was_cancelled = False
        self._then = then

    async def __call__(self, job: RunningJob) -> Mapping[str, Any] | None:
        self.begun.set()
        try:
            await self.let_on.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return await self._then(job)

    async def has_begun(self) -> None:
        await asyncio.wait_for(self.begun.wait(), BOUND)
