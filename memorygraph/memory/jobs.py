"""The durable work of one user: how far it is, and stopping or repeating it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from memorygraph.ledger.job_records import JOB_STATES, JobState
from memorygraph.memory.bound import Bound
from memorygraph.runs import Job
from memorygraph.validation import check_choices, check_count, check_identifier

__all__ = ["Jobs"]

_ENDS = ("succeeded", "failed", "dead", "cancelled")
_ASK_AGAIN = 0.1  # seconds
_MOST = 1000


class Jobs(Bound):
    """Reached as ``memory.jobs``. Jobs hold no text of a memory."""

    async def get(self, job_id: str) -> Job:
        """One job as it is now. Raises :class:`NotFound`."""
        self._need("read")
        check_identifier(job_id, field="job_id")
        return Job.from_record(await self._tools.ledger.jobs.get(self._end_user_id, job_id))

    async def list(
        self, *, states: Sequence[str] | None = None, limit: int = 20, before: str | None = None
    ) -> tuple[Job, ...]:
        """At most ``limit`` (1–1,000) jobs, newest first; with ``before``, those older than the job of that id."""
        self._need("read")
        check_count(limit, field="limit", least=1, most=_MOST)
        if before is not None:
            check_identifier(before, field="before")
        wanted = None if states is None else check_choices(states, field="states", choices=JOB_STATES)
        chosen: list[JobState] | None = None
        if wanted is not None:
            chosen = [state for state in JOB_STATES if state in wanted]
        records = await self._tools.ledger.jobs.list(self._end_user_id, states=chosen, limit=limit, before=before)
        return tuple(Job.from_record(record) for record in records)

    async def cancel(self, job_id: str) -> Job:
        """Stop a job: one that waits at once, one that runs between two of its parts. What it wrote stays.

        Raises :class:`NotFound`, and :class:`Conflict` when it has come to its end.
        """
        self._need("write")
        check_identifier(job_id, field="job_id")
        return Job.from_record(await self._tools.ledger.jobs.cancel(self._end_user_id, job_id))

    async def requeue(self, job_id: str) -> Job:
        """Have a failed, dead or cancelled job tried again, from where it had got to.

        Raises :class:`NotFound`, and :class:`Conflict` when it waits, runs or succeeded.
        """
        self._need("write")
        check_identifier(job_id, field="job_id")
        job = await self._tools.ledger.jobs.requeue(self._end_user_id, job_id)
        self._tools.background.start()
        self._tools.background.wake()
        return Job.from_record(job)

    async def wait(self, job_id: str, *, timeout: float | None = None) -> Job:
        """The job at its end; this process works on what is queued meanwhile.

        Raises :class:`NotFound`, and ``TimeoutError`` after ``timeout`` seconds.
        """
        self._tools.background.start()
        deadline = None if timeout is None else time.monotonic() + timeout
        while (job := await self.get(job_id)).state not in _ENDS:
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"The job {job_id} is still {job.state}.")
            await asyncio.sleep(_ASK_AGAIN)
        return job
