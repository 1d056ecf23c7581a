"""Several processes that run the jobs of one ledger, and one that is killed at it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from memorygraph.jobs import JobWorker, RunningJob
from memorygraph.ledger import JobRecord, Ledger
from tests.support.job_workers import claim_all, die_running
from tests.support.ledger_workers import run_processes
from tests.support.waiting import wait_until_async


async def queue(url: str, data_dir: Path, count: int) -> list[str]:
    ledger = await Ledger.open(url, data_dir=data_dir)
    try:
        users = ("alice", "bob", "carol")
        jobs = [await ledger.jobs.enqueue(users[n % 3], kind="x", payload={}) for n in range(count)]
        return [job.id for job in jobs]
    finally:
        await ledger.close()


def test_of_processes_that_claim_at_once_each_job_is_got_by_one(ledger_url: str, tmp_path: Path) -> None:
    queued = asyncio.run(queue(ledger_url, tmp_path, 60))
    answers: list[list[str]] = run_processes(3, claim_all, ledger_url, tmp_path)
    got = [job_id for ids in answers for job_id in ids]
    assert sorted(got) == sorted(queued)


def test_a_job_whose_process_was_killed_is_taken_over_after_its_lease_from_where_it_was(
    ledger_url: str, tmp_path: Path
) -> None:
    (queued,) = asyncio.run(queue(ledger_url, tmp_path, 1))
    (killed,) = run_processes(1, die_running, ledger_url, tmp_path, 0.4)
    assert killed == queued

    async def work() -> JobRecord:
        ledger = await Ledger.open(ledger_url, data_dir=tmp_path)
        runs: list[RunningJob] = []

        async def handle(job: RunningJob) -> dict[str, int]:
            runs.append(job)
            assert job.record.progress == {"chunk": 1}
            return {"chunks": 2}

        worker = JobWorker(ledger.jobs, {"x": handle}, concurrency=1, lease_seconds=60, poll_seconds=0.05)
        try:
            left = await ledger.jobs.get("alice", queued)
            assert (left.state, left.fencing_token) == ("running", 1)
            worker.start()

            async def is_over() -> JobRecord | None:
                job = await ledger.jobs.get("alice", queued)
                return job if job.finished_at is not None else None

            over = await wait_until_async(is_over, timeout=10, what="the job is taken over and done")
            assert over is not None
            assert len(runs) == 1
            return over
        finally:
            await worker.close()
            await ledger.close()

    over = asyncio.run(work())
    assert (over.state, over.result, over.takeovers, over.fencing_token) == ("succeeded", {"chunks": 2}, 1, 2)
