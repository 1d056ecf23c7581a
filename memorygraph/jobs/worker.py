"""The worker: takes jobs from the ledger, runs them, and writes what became of them.

When a run fails, the error decides (:mod:`memorygraph.jobs.failures`):

- What the job needs is away (a model or a store that does not answer, or is not set up): it is
  queued again with a growing delay of at most five minutes, no attempt is used up, and it is dead
  only after a week of this without any progress.
- It cannot succeed (what it refers to is gone, or is refused): failed at once.
- Anything else: queued again with a growing delay, and dead after ``max_attempts`` failures in a
  row without progress.

Failed and dead jobs stay in the ledger until they are queued again or deleted. A worker that
stops gives back what it runs; what a killed one ran is taken over when its lease has run out.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import secrets
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from memorygraph.errors import LeaseLost, ModelError, ModelUnavailable, StoreUnavailable
from memorygraph.jobs.backoff import DEFAULT_BACKOFF, Backoff
from memorygraph.jobs.failures import describe, is_about_a_model, judge
from memorygraph.jobs.running import JobCancelled, RunningJob
from memorygraph.ledger.job_records import JobRecord
from memorygraph.ledger.jobs import OUTAGE_LIMIT_SECONDS, Jobs

__all__ = ["Handler", "JobWorker"]

_log = logging.getLogger(__name__)

Handler: TypeAlias = Callable[[RunningJob], Awaitable[Mapping[str, Any] | None]]
"""Does one job, and answers its result (ids and counts, as JSON). It may run again for the same job, and at any
moment be cancelled: what it did before its last checkpoint must do no harm when done twice."""


class JobWorker:
    """Runs the jobs that ``handlers`` has a handler for, by kind; at most ``concurrency`` ≥ 1 at once.

    A job is held for ``lease_seconds`` > 0 at a time, renewed while it runs. The ledger is asked
    for jobs on :meth:`wake`, when one has ended, and every ``poll_seconds`` > 0. ``random`` is
    uniform in [0, 1).
    """

    def __init__(
        self,
        jobs: Jobs,
        handlers: Mapping[str, Handler],
        *,
        concurrency: int,
        lease_seconds: float,
        poll_seconds: float,
        backoff: Backoff = DEFAULT_BACKOFF,
        outage_limit_seconds: float = OUTAGE_LIMIT_SECONDS,
        random: Callable[[], float] = random.random,
    ) -> None:
        self._jobs = jobs
        self._handlers = dict(handlers)
        self._concurrency = concurrency
        self._lease_seconds = lease_seconds
        self._poll_seconds = poll_seconds
        self._backoff = backoff
        self._outage_limit_seconds = outage_limit_seconds
        self._random = random
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._loop: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._closing = False
        self._runs: set[asyncio.Task[None]] = set()
        self._handling: set[asyncio.Task[Mapping[str, Any] | None]] = set()
        self._idle_waiters: list[asyncio.Future[None]] = []
        self._model_trouble: dict[str, str] = {}  # by kind of job

    @property
    def degraded(self) -> str | None:
        """Why the last job that needed a model did not get one; None once a job of its kind got on."""
        return "; ".join(sorted(set(self._model_trouble.values()))) or None

    def start(self) -> None:
        """Begin to run jobs in the background, on the running event loop. Twice does no harm."""
        if self._loop is None:
            self._closing = False
            self._loop = asyncio.create_task(self._work(), name="memorygraph-jobs")

    def wake(self) -> None:
        """Look for jobs now: something was queued."""
        self._wake.set()

    async def close(self) -> None:
        """Stop. What runs is interrupted and goes back to the queue, with no attempt used up. Twice does no harm."""
        self._closing = True
        self._wake.set()
        if self._loop is not None:
            # Not cancelled: what it may be claiming at this moment has to be given back.
            await self._loop
            self._loop = None
        for task in self._handling:
            task.cancel()
        await asyncio.gather(*self._runs, return_exceptions=True)
        for waiter in self._idle_waiters:
            _settle_waiter(waiter, StoreUnavailable("The worker was closed before its jobs were done."))
        self._idle_waiters.clear()

    async def run_until_idle(self, *, timeout: float | None = None) -> None:
        """Return when nothing runs here and nothing that this worker could run is due.

        Works by itself when the worker is not started. What is due later, as after a failure, is
        not waited for. Raises ``TimeoutError`` after ``timeout`` seconds, and what went wrong when
        the ledger cannot be asked.
        """
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._idle_waiters.append(waiter)
        alone = self._loop is None
        self.start()
        self.wake()
        try:
            await asyncio.wait_for(waiter, timeout)
        finally:
            if waiter in self._idle_waiters:
                self._idle_waiters.remove(waiter)
            if alone:
                await self.close()

    async def _work(self) -> None:
        while not self._closing:
            self._wake.clear()
            # Only those that asked before the ledger is asked: a later one may have queued something meanwhile.
            asking = list(self._idle_waiters)
            trouble: Exception | None = None
            try:
                await self._fill()
            except Exception as error:  # whatever it is, the jobs must not stand still for ever
                _log.warning("jobs could not be claimed: %s", describe(error))
                trouble = error
            if trouble is not None or not self._runs:
                for waiter in asking:
                    _settle_waiter(waiter, trouble)
                    self._idle_waiters.remove(waiter)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._poll_seconds)

    async def _fill(self) -> None:
        free = self._concurrency - len(self._runs)
        if free <= 0:
            return
        claimed = await self._jobs.claim(
            holder=self._holder, kinds=list(self._handlers), lease_seconds=self._lease_seconds, limit=free
        )
        for job in claimed:
            run = asyncio.create_task(self._run(job), name=f"memorygraph-job-{job.id}")
            self._runs.add(run)
            run.add_done_callback(self._ended)

    def _ended(self, run: asyncio.Task[None]) -> None:
        self._runs.discard(run)
        self._wake.set()
        if not run.cancelled() and (error := run.exception()) is not None:
            _log.error("how a job ended could not be written: %s", describe(error))

    async def _run(self, record: JobRecord) -> None:
        running = RunningJob(
            self._jobs,
            record,
            lease_seconds=self._lease_seconds,
            on_progress=lambda: self._model_trouble.pop(record.kind, None),
        )

        async def handle() -> Mapping[str, Any] | None:
            if self._closing:
                raise asyncio.CancelledError
            return await self._handlers[record.kind](running)

        handling = asyncio.create_task(handle(), name=f"memorygraph-handling-{record.id}")
        keeping = asyncio.create_task(running.keep(), name=f"memorygraph-keeping-{record.id}")
        self._handling.add(handling)
        try:
            await asyncio.wait((handling, keeping), return_when=asyncio.FIRST_COMPLETED)
            lost = not handling.done()
        finally:
            handling.cancel()
            keeping.cancel()
            await asyncio.gather(handling, keeping, return_exceptions=True)
            self._handling.discard(handling)
        if lost:
            _log.warning("job %s (%s) was taken over or deleted while it ran", record.id, record.kind)
        else:
            await self._conclude(running, handling)

    async def _conclude(self, running: RunningJob, handling: asyncio.Task[Mapping[str, Any] | None]) -> None:
        job = running.record
        if handling.cancelled():
            if self._closing:
                await self._write(running, lambda: self._jobs.release(job))
                return
            error: BaseException | None = asyncio.CancelledError()
        else:
            error = handling.exception()
        if isinstance(error, JobCancelled):
            await self._write(running, lambda: self._jobs.confirm_cancel(job))
            return
        if error is None:
            try:
                await self._write(running, lambda: self._jobs.succeed(job, handling.result()))
            except Exception as refused:  # a result that is no JSON, say
                error = refused
        if error is None:
            self._model_trouble.pop(job.kind, None)
        else:
            await self._fail(running, error)

    async def _fail(self, running: RunningJob, error: BaseException) -> None:
        job, reason = running.record, describe(error)
        _log.warning("job %s (%s) failed: %s", job.id, job.kind, reason)
        if isinstance(error, ModelError):
            running.spent(error.cost)
        if is_about_a_model(error):
            self._model_trouble[job.kind] = str(error)
        match judge(error):
            case "fail":
                await self._write(running, lambda: self._jobs.fail(job, reason))
            case "wait":
                delay = self._backoff.delay(job.outages + 1, self._random)
                if isinstance(error, ModelUnavailable) and error.retry_after is not None:
                    delay = max(delay, min(error.retry_after, self._backoff.cap_seconds))
                limit = self._outage_limit_seconds
                await self._write(running, lambda: self._jobs.postpone(job, reason, delay, limit_seconds=limit))
            case "retry":
                delay = self._backoff.delay(job.attempt, self._random)
                await self._write(running, lambda: self._jobs.retry(job, reason, delay))

    async def _write(self, running: RunningJob, tell: Callable[[], Awaitable[JobRecord]]) -> None:
        """Write how the run ended, for as long as it is this worker's to tell; if it cannot, the job is run again."""
        give_up_at = time.monotonic() + self._lease_seconds
        while True:
            try:
                await running.flush()
                await tell()
                return
            except LeaseLost as error:
                _log.warning("%s", error)
                return
            except StoreUnavailable as error:
                if self._closing or time.monotonic() >= give_up_at:
                    _log.warning("how job %s ended could not be written: %s", running.record.id, error)
                    return
            await asyncio.sleep(min(1.0, self._lease_seconds / 10))


def _settle_waiter(waiter: asyncio.Future[None], error: Exception | None) -> None:
    if waiter.done():
        return
    if error is None:
        waiter.set_result(None)
    else:
        waiter.set_exception(error)
