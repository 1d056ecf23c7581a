"""How a run of a job ends, on both back ends: failures, outages, cancellation, another try."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memorygraph.cost import Cost
from memorygraph.errors import Conflict
from memorygraph.ledger import Ledger
from memorygraph.ledger.job_turns import MAX_TAKEOVERS
from tests.support.ledger_jobs import (
    End,
    abandon,
    claim,
    claim_one,
    enqueue,
    make_due,
    patch,
)


async def test_a_job_that_fails_each_time_is_dead_after_its_attempts(ledger: Ledger) -> None:
    await enqueue(ledger, max_attempts=2)
    waiting = await ledger.jobs.retry(await claim_one(ledger), "KeyError", 3600)
    assert (waiting.state, waiting.error, waiting.attempt) == ("queued", "KeyError", 1)
    assert waiting.run_at > waiting.updated_at + 3_590_000
    assert waiting.finished_at is None
    assert await claim(ledger) == [], "it waits first"
    await make_due(ledger, waiting)
    dead = await ledger.jobs.retry(await claim_one(ledger), "KeyError", 3600)
    assert (dead.state, dead.attempt) == ("dead", 2)
    assert dead.finished_at is not None
    await make_due(ledger, dead)
    assert await claim(ledger) == []


async def test_progress_is_a_fresh_start_for_what_failed_before(ledger: Ledger) -> None:
    job = await enqueue(ledger, max_attempts=2)
    await ledger.jobs.retry(await claim_one(ledger), "KeyError", 0)
    job = await ledger.jobs.heartbeat(await claim_one(ledger), 60, progress={"chunk": 7, "at": (1, 2)})
    assert job.attempt == 1
    job = await ledger.jobs.retry(job, "KeyError", 0)
    assert (job.state, job.progress) == ("queued", {"chunk": 7, "at": [1, 2]})
    stuck = await ledger.jobs.heartbeat(await claim_one(ledger), 60, progress={"chunk": 7, "at": (1, 2)})
    assert stuck.attempt == 2, "the same again is none"
    assert (await ledger.jobs.retry(stuck, "KeyError", 0)).state == "dead"


async def test_an_outage_uses_up_no_attempt_however_often_it_is_met(ledger: Ledger) -> None:
    job = await enqueue(ledger, max_attempts=1)
    since = None
    for outages in range(1, 8):
        job = await ledger.jobs.postpone(await claim_one(ledger), "model_unavailable", 0)
        since = since or job.outage_since
        assert (job.state, job.attempt, job.outages) == ("queued", 0, outages)
        assert job.outage_since == since, "it began when it was first met"
    done = await ledger.jobs.succeed(await claim_one(ledger))
    assert (done.state, done.error, done.outages, done.outage_since) == ("succeeded", None, 0, None)


async def test_an_outage_beyond_its_limit_ends_the_job_until_somebody_has_it_tried_again(ledger: Ledger) -> None:
    await enqueue(ledger)
    job = await ledger.jobs.postpone(await claim_one(ledger), "model_unavailable", 0, limit_seconds=3600)
    assert job.outage_since is not None
    await patch(ledger, job, outage_since=job.outage_since - 3_500_000)
    job = await ledger.jobs.postpone(await claim_one(ledger), "model_unavailable", 0, limit_seconds=3600)
    assert job.state == "queued", "within the limit it goes on"
    await patch(ledger, job, outage_since=job.created_at - 3_700_000)
    dead = await ledger.jobs.postpone(await claim_one(ledger), "model_unavailable", 0, limit_seconds=3600)
    assert (dead.state, dead.error) == ("dead", "model_unavailable")
    again = await ledger.jobs.requeue("alice", dead.id)
    assert (again.state, again.outages, again.outage_since) == ("queued", 0, None)


async def test_a_job_given_back_is_as_if_it_had_not_been_taken(ledger: Ledger) -> None:
    queued = await enqueue(ledger)
    back = await ledger.jobs.release(await claim_one(ledger))
    assert back == replace(queued, fencing_token=1, updated_at=back.updated_at, claimed_at=back.claimed_at)
    assert (await claim_one(ledger)).attempt == 1


async def test_a_job_not_worth_a_retry_fails_at_once(ledger: Ledger) -> None:
    await enqueue(ledger)
    failed = await ledger.jobs.fail(await claim_one(ledger), "not_found")
    assert (failed.state, failed.error, failed.holder) == ("failed", "not_found", None)
    assert failed.finished_at is not None
    assert await claim(ledger) == []


async def test_a_queued_job_is_cancelled_at_once(ledger: Ledger) -> None:
    job = await enqueue(ledger)
    cancelled = await ledger.jobs.cancel("alice", job.id)
    assert cancelled.state == "cancelled"
    assert cancelled.finished_at is not None
    assert await claim(ledger) == []
    assert await ledger.jobs.cancel("alice", job.id) == cancelled, "twice does no harm"


async def test_a_running_job_is_asked_to_stop_and_told_so_at_its_next_heartbeat(ledger: Ledger) -> None:
    job = await enqueue(ledger)
    claimed = await claim_one(ledger)
    assert not (await ledger.jobs.heartbeat(claimed, 60)).cancel_requested
    asked = await ledger.jobs.cancel("alice", job.id)
    assert (asked.state, asked.cancel_requested) == ("running", True)
    beaten = await ledger.jobs.heartbeat(claimed, 60, progress={"chunk": 4})
    assert beaten.cancel_requested
    cancelled = await ledger.jobs.confirm_cancel(beaten)
    assert (cancelled.state, cancelled.progress) == ("cancelled", {"chunk": 4})


async def test_a_job_that_is_to_stop_is_not_queued_again_whatever_ends_its_run(ledger: Ledger) -> None:
    jobs = ledger.jobs
    ends: list[End] = [
        lambda job: jobs.retry(job, "KeyError", 0),
        lambda job: jobs.postpone(job, "store_unavailable", 0),
        jobs.release,
    ]
    for end in ends:
        job = await enqueue(ledger)
        claimed = await claim_one(ledger)
        await jobs.cancel("alice", job.id)
        ended = await end(claimed)
        assert ended.state == "cancelled"
        assert ended.finished_at is not None

    job = await enqueue(ledger)
    claimed = await claim_one(ledger)
    await jobs.cancel("alice", job.id)
    await abandon(ledger, claimed)
    assert await claim(ledger, holder="two") == []
    assert (await jobs.get("alice", job.id)).state == "cancelled", "nor when its worker vanished"


async def test_a_job_that_succeeded_in_spite_of_a_cancellation_has_succeeded(ledger: Ledger) -> None:
    job = await enqueue(ledger)
    claimed = await claim_one(ledger)
    await ledger.jobs.cancel("alice", job.id)
    assert (await ledger.jobs.succeed(claimed)).state == "succeeded"
    with pytest.raises(Conflict, match="succeeded"):
        await ledger.jobs.cancel("alice", job.id)


async def test_a_person_has_a_job_that_ended_badly_tried_again_from_where_it_was(ledger: Ledger) -> None:
    jobs = ledger.jobs
    ends: list[End] = [
        lambda job: jobs.fail(job, "invalid_input"),
        lambda job: jobs.retry(job, "KeyError", 0),
        jobs.confirm_cancel,
    ]
    for end in ends:
        await enqueue(ledger, max_attempts=1)
        running = await jobs.heartbeat(await claim_one(ledger), 60, progress={"chunk": 3}, cost=Cost(calls=3))
        with pytest.raises(Conflict, match="running"):
            await jobs.requeue("alice", running.id)
        ended = await end(running)
        assert ended.state in ("failed", "dead", "cancelled")

        again = await jobs.requeue("alice", ended.id)
        assert (again.state, again.attempt, again.finished_at) == ("queued", 0, None)
        assert not again.cancel_requested
        assert (again.progress, again.calls) == ({"chunk": 3}, 3)
        with pytest.raises(Conflict, match="queued"):
            await jobs.requeue("alice", again.id)
        claimed = await claim_one(ledger)
        assert (claimed.id, claimed.attempt) == (again.id, 1)
        await jobs.succeed(claimed)
        with pytest.raises(Conflict, match="succeeded"):
            await jobs.requeue("alice", again.id)


async def test_a_job_that_outlives_no_worker_is_dead_in_the_end(ledger: Ledger) -> None:
    job = await enqueue(ledger)
    await abandon(ledger, await claim_one(ledger))
    await patch(ledger, job, takeovers=MAX_TAKEOVERS - 1)
    last = await claim_one(ledger, holder="two")
    assert last.takeovers == MAX_TAKEOVERS
    await abandon(ledger, last)
    assert await claim(ledger) == []
    dead = await ledger.jobs.get("alice", job.id)
    assert (dead.state, dead.error, dead.holder) == ("dead", "abandoned", None)
    assert (await ledger.jobs.requeue("alice", job.id)).takeovers == 0
