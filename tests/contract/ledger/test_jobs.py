"""Jobs on both back ends: queued once, taken in turns, told by their worker alone, and never lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from sqlalchemy import insert, select, update

from memorygraph.cost import Cost
from memorygraph.errors import Conflict, ConstraintViolated, LeaseLost, NotFound
from memorygraph.ledger import JobRecord, Ledger
from memorygraph.ledger.database import Database
from memorygraph.ledger.database_time import database_now_ms
from memorygraph.ledger.job_turns import MAX_TAKEOVERS
from memorygraph.ledger.tables import job as job_table
from tests.support.waiting import wait_until_async

End = Callable[[JobRecord], Awaitable[JobRecord]]


async def enqueue(ledger: Ledger, user: str = "alice", *, key: str | None = None, **options: int) -> JobRecord:
    return await ledger.jobs.enqueue(user, kind="ingest", payload={"episode_id": "e1"}, dedupe_key=key, **options)


async def enqueue_many(ledger: Ledger, user: str, count: int) -> None:
    """Queued long ago, in one statement."""
    rows = [
        {"id": f"{user}-{number}", "end_user_id": user, "kind": "ingest", "state": "queued", "payload": {}}
        | {"max_attempts": 5, "run_at": number, "created_at": number, "updated_at": number}
        for number in range(count)
    ]
    database = Database(ledger.location)
    try:
        await database.write_rows(insert(job_table), rows)
    finally:
        await database.close()


async def claim(ledger: Ledger, *, holder: str = "one", lease: float = 60, limit: int = 1) -> list[JobRecord]:
    return list(await ledger.jobs.claim(holder=holder, kinds=["ingest", "embed"], lease_seconds=lease, limit=limit))


async def claim_one(ledger: Ledger, *, holder: str = "one", lease: float = 60) -> JobRecord:
    (job,) = await claim(ledger, holder=holder, lease=lease)
    return job


async def take_over(ledger: Ledger, *, holder: str = "two") -> JobRecord:
    """Ask until a lease has run out; ten seconds are far more than any lease that is waited for here."""
    (job,) = await wait_until_async(
        lambda: claim(ledger, holder=holder), timeout=10, what="a job whose lease has run out is taken over"
    )
    return job


async def patch(ledger: Ledger, job: JobRecord, **values: int) -> None:
    """Move what time or many runs would move."""
    database = Database(ledger.location)
    try:
        await database.write_rows(update(job_table).where(job_table.c.id == job.id).values(**values))
    finally:
        await database.close()


async def make_due(ledger: Ledger, job: JobRecord) -> None:
    await patch(ledger, job, run_at=1)


async def abandon(ledger: Ledger, job: JobRecord) -> None:
    await patch(ledger, job, lease_expires_at=1)


async def database_now(ledger: Ledger) -> int:
    database = Database(ledger.location)
    try:
        (row,) = await database.read_rows(select(database_now_ms().label("now")))
        now: int = row["now"]
        return now
    finally:
        await database.close()


async def test_a_job_that_was_queued_has_left_a_row_with_all_that_it_is(ledger: Ledger, replica: Ledger) -> None:
    before = await database_now(ledger)
    job = await ledger.jobs.enqueue(
        "alice", kind="ingest", payload={"episode_id": "é1", "n": [1, None]}, dedupe_key="k", max_attempts=3, delay=7.5
    )
    after = await database_now(ledger)
    assert before <= job.created_at <= after
    assert job == JobRecord(
        id=job.id,
        end_user_id="alice",
        kind="ingest",
        state="queued",
        dedupe_key="k",
        payload={"episode_id": "é1", "n": [1, None]},
        progress=None,
        result=None,
        error=None,
        attempt=0,
        max_attempts=3,
        run_at=job.created_at + 7_500,
        holder=None,
        fencing_token=0,
        lease_expires_at=None,
        created_at=job.created_at,
        updated_at=job.created_at,
        finished_at=None,
        cancel_requested=False,
        claimed_at=None,
        takeovers=0,
        outages=0,
        outage_since=None,
        calls=0,
        prompt_tokens=0,
        completion_tokens=0,
    )
    assert await replica.jobs.get("alice", job.id) == job


async def test_the_same_key_ten_times_at_once_is_one_job(ledger: Ledger, replica: Ledger) -> None:
    jobs = await asyncio.gather(*(enqueue(ledgers, key="episode-1") for ledgers in [ledger, replica] * 5))
    assert len({job.id for job in jobs}) == 1
    assert (await enqueue(ledger, key="episode-2")).id != jobs[0].id, "another key is another job"
    assert (await enqueue(ledger, "bob", key="episode-1")).id != jobs[0].id, "and so is another user's"
    assert (await enqueue(ledger)).id != (await enqueue(ledger)).id, "without a key every job is its own"


async def test_a_key_finds_its_job_whatever_became_of_it(ledger: Ledger) -> None:
    job = await enqueue(ledger, key="k")
    done = await ledger.jobs.succeed(await claim_one(ledger), {"statements": 2})
    assert await enqueue(ledger, key="k") == done
    assert await ledger.jobs.find("alice", kind="ingest", dedupe_key="k") == done
    assert await ledger.jobs.find("alice", kind="embed", dedupe_key="k") is None
    assert await ledger.jobs.find("bob", kind="ingest", dedupe_key="k") is None
    assert await ledger.jobs.delete("alice", [job.id]) == 1
    assert (await enqueue(ledger, key="k")).state == "queued", "once deleted, the key is free"


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


async def test_jobs_are_listed_newest_first_in_pages_by_state_and_kind(ledger: Ledger) -> None:
    ids = [(await enqueue(ledger)).id for _ in range(4)]
    embed = await ledger.jobs.enqueue("alice", kind="embed", payload={})
    await enqueue(ledger, "bob")
    # Two of the same instant: a page must neither repeat nor lose one of those.
    for job_id, created_at in zip(ids, (1_000, 2_000, 2_000, 3_000), strict=True):
        await patch(ledger, await ledger.jobs.get("alice", job_id), created_at=created_at)
    newest_first = [embed.id, ids[3], *sorted(ids[1:3], reverse=True), ids[0]]

    assert [job.id for job in await ledger.jobs.list("alice")] == newest_first
    pages: list[str] = []
    before: str | None = None
    while page := await ledger.jobs.list("alice", limit=1, before=before):
        pages += [job.id for job in page]
        before = page[-1].id
    assert pages == newest_first

    await ledger.jobs.cancel("alice", ids[0])
    assert [job.id for job in await ledger.jobs.list("alice", states=["cancelled", "dead"])] == [ids[0]]
    assert [job.id for job in await ledger.jobs.list("alice", kinds=["embed"])] == [embed.id]
    assert await ledger.jobs.list("alice", states=["dead"]) == []


async def test_jobs_are_counted_by_state_over_all_users(ledger: Ledger) -> None:
    assert set((await ledger.jobs.counts()).values()) == {0}
    await enqueue(ledger, "alice")
    await enqueue(ledger, "bob")
    await ledger.jobs.fail(await claim_one(ledger), "not_found")
    counts = await ledger.jobs.counts()
    assert counts == {"queued": 1, "running": 0, "succeeded": 0, "failed": 1, "dead": 0, "cancelled": 0}


async def test_a_deleted_job_is_gone_and_its_worker_is_told(ledger: Ledger) -> None:
    running, kept = await enqueue(ledger, key="running"), await enqueue(ledger, "bob")
    claimed = next(job for job in await claim(ledger, limit=2) if job.id == running.id)
    assert await ledger.jobs.delete("alice", [running.id, "no such id", kept.id]) == 1
    with pytest.raises(NotFound):
        await ledger.jobs.get("alice", running.id)
    with pytest.raises(LeaseLost):
        await ledger.jobs.heartbeat(claimed, 60)
    assert (await ledger.jobs.get("bob", kept.id)).state == "running", "another user's is not touched"


async def test_one_users_jobs_are_nothing_to_another(ledger: Ledger) -> None:
    job = await enqueue(ledger)
    for attempt in (
        ledger.jobs.get("bob", job.id),
        ledger.jobs.cancel("bob", job.id),
        ledger.jobs.requeue("bob", job.id),
        ledger.jobs.list("bob", before=job.id),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await ledger.jobs.list("bob") == []
    assert await ledger.jobs.delete("bob", [job.id]) == 0
    assert await ledger.jobs.get("alice", job.id) == job


async def test_what_cannot_be_a_job_is_refused(ledger: Ledger) -> None:
    with pytest.raises(ConstraintViolated):
        await enqueue(ledger, max_attempts=0)
    with pytest.raises(ValueError, match="negative"):
        await enqueue(ledger, delay=-1)
    for lease in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="lease_seconds"):
            await claim(ledger, lease=lease)
    assert await ledger.jobs.list("alice") == []
