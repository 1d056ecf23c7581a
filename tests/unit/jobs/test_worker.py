"""What the worker does with jobs, on a real SQLite ledger, with handlers of the tests."""

from __future__ import annotations

import asyncio

import pytest

from memorygraph.cost import Cost
from memorygraph.errors import (
    ExtractionFailed,
    LeaseLost,
    StoreUnavailable,
)
from memorygraph.jobs import JobCancelled, RunningJob
from memorygraph.ledger import JobRecord, Ledger
from tests.support.job_handlers import (
    BOUND,
    LONG,
    Gate,
    ended,
    enqueue,
    run_to_the_end,
    started,
    succeed,
    worker_of,
)
from tests.support.waiting import wait_until_async


async def test_a_job_is_handled_and_its_result_kept(ledger: Ledger) -> None:
    seen: list[JobRecord] = []

    async def handle(job: RunningJob) -> dict[str, int]:
        seen.append(job.record)
        return {"statements": 2}

    job = await enqueue(ledger)
    await worker_of(ledger, handle).run_until_idle(timeout=BOUND)
    done = await ledger.jobs.get("alice", job.id)
    assert (done.state, done.result, done.attempt) == ("succeeded", {"statements": 2}, 1)
    assert [(record.id, record.payload) for record in seen] == [(job.id, {"episode_id": "e1"})]


async def test_running_until_idle_does_all_that_is_due_and_waits_for_nothing_later(ledger: Ledger) -> None:
    due = [await enqueue(ledger) for _ in range(5)]
    later = await ledger.jobs.enqueue("alice", kind="x", payload={}, delay=3600)
    foreign = await ledger.jobs.enqueue("alice", kind="y", payload={})

    async def handle(job: RunningJob) -> None:
        if job.record.id == due[0].id:
            await enqueue(ledger)  # what a job queues is due too

    await worker_of(ledger, handle, concurrency=2).run_until_idle(timeout=BOUND)
    assert (await ledger.jobs.counts())["succeeded"] == 6
    assert (await ledger.jobs.get("alice", later.id)).state == "queued"
    assert (await ledger.jobs.get("alice", foreign.id)).state == "queued"


async def test_running_until_idle_gives_up_after_its_timeout_and_gives_the_job_back(ledger: Ledger) -> None:
    job = await enqueue(ledger)
    with pytest.raises(TimeoutError):
        await worker_of(ledger, Gate()).run_until_idle(timeout=0.3)
    back = await ledger.jobs.get("alice", job.id)
    assert (back.state, back.attempt) == ("queued", 0)


async def test_a_started_worker_is_woken_by_what_is_queued_long_before_it_polls(ledger: Ledger) -> None:
    async with started(worker_of(ledger, succeed, poll=3600)) as worker:
        await worker.run_until_idle(timeout=BOUND)
        job = await enqueue(ledger)
        worker.wake()
        assert (await ended(ledger, job)).state == "succeeded"


async def test_a_started_worker_finds_by_itself_what_others_queued(ledger: Ledger) -> None:
    async with started(worker_of(ledger, succeed, poll=0.05)) as worker:
        await worker.run_until_idle(timeout=BOUND)
        job = await enqueue(ledger)
        assert (await ended(ledger, job)).state == "succeeded"


async def test_as_many_jobs_run_at_once_as_allowed_and_no_more(ledger: Ledger) -> None:
    running, most = 0, 0
    together = asyncio.Barrier(3)

    async def handle(job: RunningJob) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await together.wait()
        running -= 1

    for _ in range(9):
        await enqueue(ledger)
    await worker_of(ledger, handle, concurrency=3).run_until_idle(timeout=BOUND)
    assert most == 3
    assert (await ledger.jobs.counts())["succeeded"] == 9


async def test_a_checkpoint_is_where_the_next_run_goes_on_and_what_it_cost_adds_up(ledger: Ledger) -> None:
    chunks: list[int] = []

    async def handle(job: RunningJob) -> dict[str, int]:
        progress = job.record.progress
        for chunk in range(0 if progress is None else progress["done"], 4):
            chunks.append(chunk)
            if chunk == 2 and chunks.count(2) < 3:
                raise KeyError(chunk)
            cost = Cost(calls=1, prompt_tokens=10, completion_tokens=5)
            await job.checkpoint({"done": chunk + 1}, cost=cost)
        return {"chunks": 4}

    job = await enqueue(ledger)
    done = await run_to_the_end(worker_of(ledger, handle, poll=0.02), ledger, job)
    assert chunks == [0, 1, 2, 2, 2, 3]
    assert done.result == {"chunks": 4}
    assert (done.calls, done.prompt_tokens, done.completion_tokens) == (4, 40, 20)


async def test_what_a_failed_call_cost_is_counted_too(ledger: Ledger) -> None:
    async def handle(job: RunningJob) -> None:
        job.spent(Cost(calls=1, prompt_tokens=7))
        if job.record.attempt == 1:
            raise ExtractionFailed("nothing in it", cost=Cost(calls=2, prompt_tokens=30, completion_tokens=9))

    job = await enqueue(ledger)
    done = await run_to_the_end(worker_of(ledger, handle, poll=0.02), ledger, job)
    assert (done.state, done.calls, done.prompt_tokens, done.completion_tokens) == ("succeeded", 4, 44, 9)


async def test_a_cancelled_job_stops_at_its_next_checkpoint_with_its_progress_kept(ledger: Ledger) -> None:
    after: list[str] = []

    async def go_on(job: RunningJob) -> None:
        with pytest.raises(JobCancelled) as told:
            await job.checkpoint({"done": 1}, cost=Cost(calls=1))
        after.append("stopped")
        raise told.value

    gate = Gate(then=go_on)
    job = await enqueue(ledger)
    async with started(worker_of(ledger, gate)):
        await gate.has_begun()
        await ledger.jobs.cancel("alice", job.id)
        gate.let_on.set()
        cancelled = await ended(ledger, job)
    assert (cancelled.state, cancelled.progress, cancelled.calls) == ("cancelled", {"done": 1}, 1)
    assert after == ["stopped"]


async def test_closing_the_worker_gives_running_jobs_back_at_once_without_costing_an_attempt(ledger: Ledger) -> None:
    gate = Gate()
    job = await enqueue(ledger, max_attempts=1)
    worker = worker_of(ledger, gate)
    worker.start()
    await gate.has_begun()
    await worker.close()
    await worker.close()
    assert gate.was_cancelled
    back = await ledger.jobs.get("alice", job.id)
    assert (back.state, back.attempt, back.holder) == ("queued", 0, None)
    await worker_of(ledger, succeed).run_until_idle(timeout=BOUND)
    assert (await ledger.jobs.get("alice", job.id)).state == "succeeded"


async def test_a_job_that_is_being_claimed_while_the_worker_closes_is_given_back(ledger: Ledger) -> None:
    gate = Gate()
    job = await enqueue(ledger)
    worker = worker_of(ledger, gate)
    worker.start()
    await ledger.ping()  # long enough for the claim to be under way
    await worker.close()
    back = await ledger.jobs.get("alice", job.id)
    assert (back.state, back.attempt, back.holder) == ("queued", 0, None)


async def test_whoever_waits_for_the_worker_to_be_idle_is_told_when_it_is_closed(ledger: Ledger) -> None:
    gate = Gate()
    await enqueue(ledger)
    worker = worker_of(ledger, gate)
    waiting = asyncio.create_task(worker.run_until_idle(timeout=BOUND))
    await gate.has_begun()
    await worker.close()
    with pytest.raises(StoreUnavailable):
        await waiting


async def test_a_long_run_keeps_its_job_by_itself(ledger: Ledger) -> None:
    gate = Gate()
    job = await enqueue(ledger)
    async with started(worker_of(ledger, gate, lease=0.2)):
        await gate.has_begun()
        first = (await ledger.jobs.get("alice", job.id)).lease_expires_at
        assert first is not None

        async def renewed_twice() -> bool:
            expires_at = (await ledger.jobs.get("alice", job.id)).lease_expires_at
            return expires_at is not None and expires_at > first + 200

        await wait_until_async(renewed_twice, timeout=BOUND, what="the lease outlives its first time")
        assert await ledger.jobs.claim(holder="other", kinds=["x"], lease_seconds=LONG) == []
        gate.let_on.set()
        assert (await ended(ledger, job)).takeovers == 0


async def test_a_run_whose_job_was_deleted_is_stopped(ledger: Ledger) -> None:
    gate = Gate()
    job = await enqueue(ledger)
    async with started(worker_of(ledger, gate, lease=0.1)) as worker:
        await gate.has_begun()
        await ledger.jobs.delete("alice", [job.id])
        await worker.run_until_idle(timeout=BOUND)
        assert gate.was_cancelled


async def test_a_run_that_was_taken_over_can_write_no_checkpoint(ledger: Ledger) -> None:
    lost: list[type[Exception]] = []

    async def go_on(job: RunningJob) -> None:
        try:
            await job.checkpoint({"done": 99})
        except LeaseLost as error:
            lost.append(type(error))
            raise

    gate = Gate(then=go_on)
    job = await enqueue(ledger)
    worker = worker_of(ledger, gate)
    async with started(worker):
        await gate.has_begun()
        held = await ledger.jobs.get("alice", job.id)
        await ledger.jobs.release(held)
        (other,) = await ledger.jobs.claim(holder="other", kinds=["x"], lease_seconds=LONG)
        gate.let_on.set()
        await worker.run_until_idle(timeout=BOUND)
    assert lost == [LeaseLost]
    assert await ledger.jobs.get("alice", job.id) == other
