"""What the worker does when a run, a provider or the ledger fails, on a real SQLite ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorygraph.errors import (
    EmbedderError,
    InvalidInput,
    ModelUnavailable,
    NotFound,
    StoreUnavailable,
)
from memorygraph.jobs import Backoff, RunningJob
from memorygraph.ledger import Ledger
from tests.support.job_handlers import (
    BOUND,
    MUCH_LATER,
    enqueue,
    raising,
    run_to_the_end,
    succeed,
    worker_of,
)


async def test_a_provider_that_is_down_for_many_runs_costs_no_attempt_and_degrades_until_it_is_back(
    ledger: Ledger,
) -> None:
    seen: list[tuple[int, str | None]] = []

    async def handle(job: RunningJob) -> None:
        seen.append((job.record.attempt, worker.degraded))
        if len(seen) <= 8:
            raise ModelUnavailable("the provider is down")

    job = await enqueue(ledger, max_attempts=1)
    worker = worker_of(ledger, handle, poll=0.02)
    done = await run_to_the_end(worker, ledger, job)
    assert (done.state, done.error) == ("succeeded", None)
    assert seen == [(1, None)] + [(1, "the provider is down")] * 8
    assert worker.degraded is None


async def test_progress_after_an_outage_ends_the_degradation_before_the_job_is_done(ledger: Ledger) -> None:
    seen: list[str | None] = []

    async def handle(job: RunningJob) -> None:
        if job.record.outages == 0:
            raise EmbedderError("no vectors")
        seen.append(worker.degraded)
        await job.checkpoint({"done": 1})
        seen.append(worker.degraded)

    worker = worker_of(ledger, handle, poll=0.02)
    await run_to_the_end(worker, ledger, await enqueue(ledger))
    assert seen == ["no vectors", None]


async def test_a_store_that_is_away_is_waited_for_but_is_no_trouble_of_a_model(ledger: Ledger) -> None:
    handle, _ = raising(StoreUnavailable("gone"))
    job = await enqueue(ledger, max_attempts=1)
    worker = worker_of(ledger, handle, backoff=MUCH_LATER)
    await worker.run_until_idle(timeout=BOUND)
    waiting = await ledger.jobs.get("alice", job.id)
    assert (waiting.state, waiting.error, waiting.outages) == ("queued", "store_unavailable", 1)
    assert worker.degraded is None


async def test_an_outage_beyond_the_limit_ends_in_dead_and_a_requeue_brings_the_job_back(ledger: Ledger) -> None:
    handle, attempts = raising(*[ModelUnavailable("down")] * 2)
    job = await enqueue(ledger)
    worker = worker_of(ledger, handle, poll=0.02, outage_limit=0)
    dead = await run_to_the_end(worker, ledger, job)
    assert (dead.state, dead.error, len(attempts)) == ("dead", "model_unavailable", 2)
    await ledger.jobs.requeue("alice", job.id)
    await worker.run_until_idle(timeout=BOUND)
    assert (await ledger.jobs.get("alice", job.id)).state == "succeeded"


async def test_a_failed_run_waits_as_long_as_the_backoff_says_and_as_the_provider_wishes(ledger: Ledger) -> None:
    waits: dict[str, int] = {}
    for name, error in {
        "own": KeyError("k"),
        "outage": ModelUnavailable("down"),
        "wished": ModelUnavailable("later", retry_after=90),
        "wished for too long": ModelUnavailable("tomorrow", retry_after=86_400),
    }.items():
        handle, _ = raising(error)
        job = await enqueue(ledger)
        backoff = Backoff(base_seconds=60, cap_seconds=120)
        await worker_of(ledger, handle, backoff=backoff).run_until_idle(timeout=BOUND)
        waiting = await ledger.jobs.get("alice", job.id)
        waits[name] = round((waiting.run_at - waiting.updated_at) / 1000)
    assert waits == {"own": 30, "outage": 30, "wished": 90, "wished for too long": 120}


@pytest.mark.parametrize("error", [InvalidInput("no"), NotFound("no")])
async def test_what_cannot_succeed_fails_at_once(ledger: Ledger, error: Exception) -> None:
    handle, attempts = raising(error)
    job = await enqueue(ledger)
    failed = await run_to_the_end(worker_of(ledger, handle), ledger, job)
    assert (failed.state, len(attempts)) == ("failed", 1)


async def test_any_other_failure_is_tried_again_until_the_attempts_are_used_up(ledger: Ledger) -> None:
    handle, attempts = raising(*[KeyError("Ana's secret")] * 3)
    job = await enqueue(ledger, max_attempts=3)
    dead = await run_to_the_end(worker_of(ledger, handle, poll=0.02), ledger, job)
    assert (dead.state, attempts) == ("dead", [1, 2, 3])
    assert dead.error is not None
    assert dead.error.startswith("KeyError in ")
    assert "Ana" not in dead.error


async def test_a_result_that_cannot_be_kept_is_a_failure_of_the_job(ledger: Ledger) -> None:
    async def handle(job: RunningJob) -> dict[str, object]:
        return {"not JSON": object()}

    job = await enqueue(ledger, max_attempts=1)
    dead = await run_to_the_end(worker_of(ledger, handle), ledger, job)
    assert (dead.state, dead.result) == ("dead", None)


async def test_a_ledger_that_cannot_be_asked_is_told_to_who_waits_and_stops_nothing_for_ever(tmp_path: Path) -> None:
    ledger = await Ledger.open(None, data_dir=tmp_path)
    worker = worker_of(ledger, succeed)
    await worker.run_until_idle(timeout=BOUND)
    await ledger.close()
    with pytest.raises(StoreUnavailable):
        await worker.run_until_idle(timeout=BOUND)


async def test_a_run_whose_end_cannot_be_written_is_run_again_when_its_lease_is_over(tmp_path: Path) -> None:
    ledger = await Ledger.open(None, data_dir=tmp_path)

    async def handle(job: RunningJob) -> None:
        await ledger.close()

    job = await enqueue(ledger)
    with pytest.raises(StoreUnavailable):
        await worker_of(ledger, handle, lease=0.2).run_until_idle(timeout=BOUND)
    again = await Ledger.open(None, data_dir=tmp_path)
    try:
        done = await run_to_the_end(worker_of(again, succeed, poll=0.02), again, job)
        assert (done.state, done.attempt, done.takeovers) == ("succeeded", 1, 1)
    finally:
        await again.close()
