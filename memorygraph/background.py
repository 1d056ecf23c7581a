"""Work that goes on behind the calls: jobs from the ledger, and a look for what never became one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from functools import cached_property, partial

from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.session import AdminTransaction, Row
from memorygraph.ingest.storing import stored_as_told
from memorygraph.jobs.failures import describe
from memorygraph.jobs.worker import Handler, JobWorker
from memorygraph.ledger import Ledger

__all__ = ["COMPARE", "INGEST", "Background"]

# Kinds of jobs.
INGEST = "ingest"
COMPARE = "compare"

_LEASE_SECONDS = 60.0
_POLL_SECONDS = 5.0
_SWEEP_EVERY = 300.0  # seconds
_SWEPT_AT_ONCE = 1000  # of ingestions, and of comparisons
_log = logging.getLogger(__name__)


class Background:
    """The jobs of all users that this process runs. Nothing runs before :meth:`start` or :meth:`run_until_idle`."""

    def __init__(self, driver: GraphDriver, ledger: Ledger, *, concurrency: int) -> None:
        self._driver = driver
        self._ledger = ledger
        self._handlers: dict[str, Handler] = {}
        self._concurrency = concurrency
        self._sweeping: asyncio.Task[None] | None = None

    def handle(self, kind: str, handler: Handler) -> None:
        """Have ``handler`` run the jobs of a kind; told before anything runs."""
        self._handlers[kind] = handler

    @cached_property
    def _worker(self) -> JobWorker:
        return JobWorker(
            self._ledger.jobs,
            self._handlers,
            concurrency=self._concurrency,
            lease_seconds=_LEASE_SECONDS,
            poll_seconds=_POLL_SECONDS,
        )

    @property
    def degraded(self) -> str | None:
        """Why the last job that needed a model did not get one; None when it did."""
        return self._worker.degraded

    def start(self) -> None:
        """Run jobs in the background from now on. Twice does no harm."""
        self._worker.start()
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._sweep_now_and_then(), name="memorygraph-sweeper")

    def wake(self) -> None:
        """Something was queued."""
        self._worker.wake()

    async def run_until_idle(self, *, timeout: float | None = None) -> None:
        """Sweep, then work until nothing is due. Raises ``TimeoutError`` after ``timeout`` seconds."""
        await self.sweep()
        await self._worker.run_until_idle(timeout=timeout)

    async def sweep(self) -> int:
        """Queue what was written into the graph and never reached the ledger, because a process died; how many.

        The graph is the truth: a job is only a note that there is something to do.
        """

        queued = 0
        async for row in self._pending("list_pending_ingestions"):
            stored = stored_as_told(row["id"], row["payload"])
            queued += await self._queue(row["end_user_id"], INGEST, row["id"], stored.job_payload)
        if COMPARE in self._handlers:
            async for row in self._pending("list_pending_comparisons"):
                queued += await self._queue(row["end_user_id"], COMPARE, row["id"], {"statement_id": row["id"]})
        if queued:
            self._worker.wake()
        return queued

    async def close(self) -> None:
        """Stop; what runs goes back to the queue. Twice does no harm."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.gather(self._sweeping, return_exceptions=True)
            self._sweeping = None
        await self._worker.close()

    async def _pending(self, statement: str) -> AsyncIterator[Row]:
        """All rows of a statement that pages by their ids: what waits in the graph can be of jobs that ended badly."""

        async def page(transaction: AdminTransaction, *, after: str) -> list[Row]:
            return await transaction.rows(statement, after=after, limit=_SWEPT_AT_ONCE)

        after: str | None = ""
        while after is not None:
            rows = await self._driver.admin(partial(page, after=after))
            for row in rows:
                yield row
            after = rows[-1]["id"] if len(rows) == _SWEPT_AT_ONCE else None

    async def _queue(self, end_user_id: str, kind: str, key: str, payload: Mapping[str, object]) -> bool:
        if await self._ledger.jobs.find(end_user_id, kind=kind, dedupe_key=key) is not None:
            return False
        await self._ledger.jobs.enqueue(end_user_id, kind=kind, payload=payload, dedupe_key=key)
        return True

    async def _sweep_now_and_then(self) -> None:
        while True:
            try:
                await self.sweep()
            except Exception as error:  # whatever it is, the next time may go well
                _log.warning("what never became a job could not be looked for: %s", describe(error))
            await asyncio.sleep(_SWEEP_EVERY)
