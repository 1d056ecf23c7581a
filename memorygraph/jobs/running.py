"""A job as its handler sees it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from memorygraph.cost import NOTHING_SPENT, Cost
from memorygraph.errors import LeaseLost, StoreUnavailable
from memorygraph.ledger.job_records import JobRecord
from memorygraph.ledger.jobs import Jobs

__all__ = ["JobCancelled", "RunningJob"]

_log = logging.getLogger(__name__)


class JobCancelled(Exception):
    """Somebody asked for the job to stop; raised in its handler, which lets it pass, and seen by nobody else."""


class RunningJob:
    """One run of one job. Its handler reads :attr:`record` and tells how far it is by :meth:`checkpoint`."""

    def __init__(
        self, jobs: Jobs, record: JobRecord, *, lease_seconds: float, on_progress: Callable[[], object]
    ) -> None:
        self._jobs = jobs
        self._on_progress = on_progress
        self._record = record
        self._lease_seconds = lease_seconds
        self._writing = asyncio.Lock()
        self._unwritten = NOTHING_SPENT

    @property
    def record(self) -> JobRecord:
        """The job as it was last written or read; ``record.progress`` is where an earlier run had got to."""
        return self._record

    def spent(self, cost: Cost) -> None:
        """Count what a model cost, also when nothing came of it; written with the next checkpoint or at the end.

        The cost of a :class:`~memorygraph.errors.ModelError` that the handler lets pass is counted without it.
        """
        self._unwritten += cost

    async def checkpoint(self, progress: Mapping[str, Any] | None = None, *, cost: Cost = NOTHING_SPENT) -> None:
        """Write how far the job is and what it cost since the last time, and go on holding it.

        ``progress`` (ids and counts, as JSON; None leaves what was written) is what a later run
        starts from. When it changed, earlier failures are forgotten.

        Raises :class:`JobCancelled`, with all that written, when the job is to stop;
        :class:`LeaseLost`, with nothing written, when another worker took it over or it was
        deleted; :class:`StoreUnavailable`.
        """
        self.spent(cost)
        await self._write(progress)
        if progress is not None:
            self._on_progress()
        if self._record.cancel_requested:
            raise JobCancelled(self._record.id)

    async def flush(self) -> None:
        """Write what was spent and is not written yet. Raises :class:`LeaseLost` and :class:`StoreUnavailable`."""
        if self._unwritten != NOTHING_SPENT:
            await self._write(None)

    async def keep(self) -> None:
        """Renew the lease for as long as the job is this worker's. Returns when it is not."""
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            try:
                await self._write(None)
            except LeaseLost:
                return
            except StoreUnavailable as error:
                # The next time is soon enough: it expires after three.
                _log.warning("the lease of job %s could not be renewed: %s", self._record.id, error)

    async def _write(self, progress: Mapping[str, Any] | None) -> None:
        # One at a time, so that the record is the newest, and nothing spent is written twice.
        async with self._writing:
            cost, self._unwritten = self._unwritten, NOTHING_SPENT
            try:
                self._record = await self._jobs.heartbeat(
                    self._record, self._lease_seconds, progress=progress, cost=cost
                )
            except BaseException:
                self._unwritten += cost
                raise
