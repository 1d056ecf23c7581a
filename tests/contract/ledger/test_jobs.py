"""Jobs on both back ends: queued once, taken in turns, told by their worker alone, and never lost."""

from __future__ import annotations

import asyncio

import pytest

from memorygraph.errors import ConstraintViolated, LeaseLost, NotFound
from memorygraph.ledger import JobRecord, Ledger
from tests.support.ledger_jobs import (
    claim,
    claim_one,
    enqueue,
    patch,
)
from tests.support.ledgers import database_now


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
