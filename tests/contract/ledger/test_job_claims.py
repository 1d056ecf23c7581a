"""Who runs a job and for how long, on both back ends: claims, fairness between users, leases and takeovers."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from memorygraph.cost import Cost
from memorygraph.errors import LeaseLost
from memorygraph.ledger import Ledger
from tests.support.ledger_jobs import (
    claim,
    claim_one,
    enqueue,
    enqueue_many,
    make_due,
    patch,
    take_over,
)


async def test_a_claimed_job_runs_under_its_worker_until_it_succeeds(ledger: Ledger) -> None:
    job = await enqueue(ledger)
    claimed = await claim_one(ledger)
    assert (claimed.id, claimed.state, claimed.holder) == (job.id, "running", "one")
    assert (claimed.attempt, claimed.fencing_token) == (1, 1)
    assert claimed.claimed_at is not None
    assert claimed.lease_expires_at == claimed.claimed_at + 60_000
    assert await claim(ledger, holder="two") == [], "while it is held, nobody else gets it"

    done = await ledger.jobs.succeed(claimed, {"statements": 3})
    assert (done.state, done.result, done.holder, done.lease_expires_at) == ("succeeded", {"statements": 3}, None, None)
    assert done.finished_at is not None
    assert await ledger.jobs.get("alice", job.id) == done
    assert await claim(ledger) == [], "what is done is not done again"


async def test_a_job_is_claimed_when_it_is_due_and_by_those_who_know_its_kind(ledger: Ledger) -> None:
    later = await enqueue(ledger, delay=3600)
    assert await claim(ledger) == []
    await make_due(ledger, later)
    assert await ledger.jobs.claim(holder="one", kinds=["embed"], lease_seconds=60) == []
    assert await ledger.jobs.claim(holder="one", kinds=[], lease_seconds=60) == []
    assert (await claim_one(ledger)).id == later.id


async def test_a_claim_takes_as_many_as_it_asks_for_and_no_more(ledger: Ledger) -> None:
    ids = {(await enqueue(ledger)).id for _ in range(5)}
    first, second = await claim(ledger, limit=3), await claim(ledger, limit=3)
    assert (len(first), len(second)) == (3, 2)
    assert {job.id for job in first + second} == ids


async def test_one_users_thousand_jobs_do_not_starve_another(ledger: Ledger) -> None:
    await enqueue_many(ledger, "alice", 1_000)
    await enqueue(ledger, "bob")
    await enqueue(ledger, "bob")
    order: list[str] = []
    for _ in range(6):
        job = await claim_one(ledger)
        order.append(job.end_user_id)
        await ledger.jobs.succeed(job)
    assert Counter(order[:4]) == {"alice": 2, "bob": 2}, "they take turns, though all of alice's were there first"
    assert order[4:] == ["alice", "alice"], "alone again, she has all of it"


async def test_a_claim_of_several_is_shared_out_and_counts_what_already_runs(ledger: Ledger) -> None:
    for user in ("alice",) * 9 + ("bob",) * 9 + ("carol",):
        await enqueue(ledger, user)
    assert Counter(job.end_user_id for job in await claim(ledger, limit=5)) == {"alice": 2, "bob": 2, "carol": 1}
    await enqueue(ledger, "carol")
    await enqueue(ledger, "dave")
    assert {job.end_user_id for job in await claim(ledger, limit=2)} == {"carol", "dave"}, "who has least comes first"


async def test_a_users_own_jobs_go_in_the_order_in_which_they_are_due(ledger: Ledger) -> None:
    jobs = [await enqueue(ledger, delay=3600) for _ in range(3)]
    for job, run_at in zip(jobs, (300, 100, 200), strict=True):
        await patch(ledger, job, run_at=run_at)
    assert [(await claim_one(ledger)).id for _ in jobs] == [jobs[1].id, jobs[2].id, jobs[0].id]


async def test_workers_that_claim_at_once_get_different_jobs_and_together_all_of_them(
    ledger: Ledger, replica: Ledger
) -> None:
    ids = {(await enqueue(ledger, user)).id for user in ("alice", "bob") for _ in range(12)}
    taken = await asyncio.gather(
        *(claim(worker, holder=f"w{number}", limit=3) for number, worker in enumerate([ledger, replica] * 4))
    )
    claimed = [job.id for jobs in taken for job in jobs]
    assert len(claimed) == len(set(claimed)) == 24
    assert set(claimed) == ids


async def test_a_job_whose_worker_vanished_is_taken_over_and_the_old_worker_can_tell_nothing_more(
    ledger: Ledger, replica: Ledger
) -> None:
    await enqueue(ledger)
    slow = await claim_one(ledger, lease=0.2)
    slow = await ledger.jobs.heartbeat(slow, 0.2, progress={"chunk": 1})
    quick = await take_over(replica)
    assert (quick.id, quick.holder, quick.progress) == (slow.id, "two", {"chunk": 1})
    assert quick.fencing_token > slow.fencing_token
    assert (quick.attempt, quick.takeovers) == (1, 1), "a vanished worker is no failure of the job"

    for tell in (
        ledger.jobs.heartbeat(slow, 60, progress={"chunk": 99}, cost=Cost(calls=9)),
        ledger.jobs.succeed(slow, {"statements": 99}),
        ledger.jobs.retry(slow, "late", 0),
        ledger.jobs.postpone(slow, "late", 0),
        ledger.jobs.release(slow),
        ledger.jobs.fail(slow, "late"),
        ledger.jobs.confirm_cancel(slow),
    ):
        with pytest.raises(LeaseLost):
            await tell
    assert await ledger.jobs.get("alice", slow.id) == quick
    assert (await replica.jobs.succeed(quick)).state == "succeeded"


async def test_neither_another_holder_nor_another_token_can_tell_of_a_job(ledger: Ledger) -> None:
    await enqueue(ledger)
    job = await claim_one(ledger)
    for other in (
        replace(job, holder="two"),
        replace(job, fencing_token=job.fencing_token + 1),
        replace(job, end_user_id="bob"),
    ):
        with pytest.raises(LeaseLost):
            await ledger.jobs.heartbeat(other, 60)
    assert (await ledger.jobs.heartbeat(job, 60)).state == "running"


async def test_a_heartbeat_keeps_the_job_and_adds_up_what_it_cost(ledger: Ledger) -> None:
    await enqueue(ledger)
    job = await claim_one(ledger, lease=0.001)
    cost = Cost(calls=1, prompt_tokens=100, completion_tokens=20)
    beaten = await ledger.jobs.heartbeat(job, 60, progress={"chunk": 1}, cost=cost)
    assert beaten.lease_expires_at is not None
    assert await claim(ledger, holder="two") == [], "also when the lease had run out and nobody took it over"
    again = await ledger.jobs.heartbeat(beaten, 60, cost=cost + cost)
    assert again.progress == {"chunk": 1}, "which stays until it is replaced"
    assert (again.calls, again.prompt_tokens, again.completion_tokens) == (3, 300, 60)
    assert (await ledger.jobs.succeed(again)).calls == 3
