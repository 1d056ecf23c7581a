"""What other processes do with jobs in tests. Each public function is the life of one process."""

from __future__ import annotations

import asyncio
import os
import signal
from multiprocessing.connection import Connection as Pipe
from multiprocessing.synchronize import Barrier
from pathlib import Path

from memorygraph.jobs import JobWorker, RunningJob
from memorygraph.ledger import Ledger

__all__ = ["claim_all", "die_running"]

_TOGETHER_SECONDS = 60


def claim_all(url: str, data_dir: Path, barrier: Barrier, answer: Pipe) -> None:
    """Claim jobs, against the others, until there are none; sends the ids of those that were got."""

    async def work() -> list[str]:
        ledger = await Ledger.open(url, data_dir=data_dir)
        try:
            barrier.wait(_TOGETHER_SECONDS)
            ids: list[str] = []
            while jobs := await ledger.jobs.claim(holder=str(os.getpid()), kinds=["x"], lease_seconds=60, limit=2):
                ids += [job.id for job in jobs]
            return ids
        finally:
            await ledger.close()

    answer.send(asyncio.run(work()))


def die_running(url: str, data_dir: Path, lease_seconds: float, _: Barrier, answer: Pipe) -> None:
    """Run a job up to its first checkpoint, send its id, and be killed."""

    async def handle(job: RunningJob) -> None:
        await job.checkpoint({"chunk": 1})
        answer.send(job.record.id)
        os.kill(os.getpid(), signal.SIGKILL)

    async def work() -> None:
        ledger = await Ledger.open(url, data_dir=data_dir)
        worker = JobWorker(ledger.jobs, {"x": handle}, concurrency=1, lease_seconds=lease_seconds, poll_seconds=0.05)
        await worker.run_until_idle()

    asyncio.run(work())
