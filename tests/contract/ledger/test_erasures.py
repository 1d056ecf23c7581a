"""The log of erasures, and what it takes from the ledger's other tables, on both back ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from memorygraph.errors import NotFound
from memorygraph.ledger import Ledger, PlannedGroup
from memorygraph.ledger.database import Database
from memorygraph.ledger.erasures import ErasedThing
from memorygraph.ledger.location import locate
from memorygraph.ledger.tables import idempotent_reply, metadata

STATEMENT = ErasedThing(target_type="Statement", target_id="s1", fingerprint="f1", normalisation_version=1)
EPISODE = ErasedThing(target_type="Episode", target_id="p1")


async def test_an_erasure_is_planned_extended_and_completed(ledger: Ledger, replica: Ledger) -> None:
    erasures = ledger.erasures
    erasure_id = await erasures.plan("ana", [STATEMENT], actor="tester", at=1000)
    planned = await replica.erasures.get("ana", erasure_id)
    assert (planned.id, planned.end_user_id, planned.actor, planned.at) == (erasure_id, "ana", "tester", 1000)
    assert (planned.completed_at, planned.things) == (None, (STATEMENT,))

    assert await erasures.plan("ana", [EPISODE], actor="tester", at=1500, erasure_id=erasure_id) == erasure_id
    assert (await erasures.get("ana", erasure_id)).things == (STATEMENT, EPISODE)
    assert await replica.erasures.keys(unfinished_only=True) == [("ana", erasure_id)]

    await erasures.complete("ana", erasure_id, at=2000)
    assert (await replica.erasures.get("ana", erasure_id)).completed_at == 2000
    assert await erasures.keys(unfinished_only=True) == []
    assert await erasures.keys() == [("ana", erasure_id)]

    await erasures.plan("ana", [EPISODE], actor="tester", at=3000, erasure_id=erasure_id)
    assert (await erasures.get("ana", erasure_id)).completed_at is None


async def test_an_erasure_is_known_and_completed_within_its_user_only(ledger: Ledger) -> None:
    erasure_id = await ledger.erasures.plan("ana", [STATEMENT], actor="tester", at=1000)
    await ledger.erasures.complete("bob", erasure_id, at=2000)
    assert await ledger.erasures.keys(unfinished_only=True) == [("ana", erasure_id)]
    with pytest.raises(NotFound):
        await ledger.erasures.get("bob", erasure_id)


def says_secret(value: Any) -> bool:
    return "secret" in str(value)


async def test_jobs_that_are_over_lose_what_tells_of_it_and_waiting_ones_only_what_says_it(ledger: Ledger) -> None:
    jobs = ledger.jobs
    waiting = await jobs.enqueue("ana", kind="k", payload={"episode": "s1"})
    saying = await jobs.enqueue("ana", kind="k", payload={"said": ["a secret"]})
    other = await jobs.enqueue("bob", kind="k", payload={"said": "a secret"})
    over = await jobs.enqueue("ana", kind="over", payload={"episode": "s1"})
    beside = await jobs.enqueue("ana", kind="over", payload={"episode": "s2"})
    for claimed in await jobs.claim(holder="w", kinds=["over"], lease_seconds=60, limit=2):
        await jobs.succeed(claimed, result={})

    assert await ledger.erasures.scrub("ana", ["s1"], says_secret) == 2

    assert {job.id for job in await jobs.list("ana")} == {waiting.id, beside.id}
    assert [job.id for job in await jobs.list("bob")] == [other.id]
    for gone in (saying, over):
        with pytest.raises(NotFound):
            await jobs.get("ana", gone.id)


async def test_plans_and_errors_of_cycles_lose_what_tells_of_it(ledger: Ledger) -> None:
    cycles = ledger.cycles
    cycle_id = await cycles.start(
        "ana", trigger_type="manual", started_at=1, fencing_token=1, parameters={"decay": 0.5}, actor="tester"
    )
    told = PlannedGroup(group_no=0, entity_id="e1", statement_ids=("s1", "s2"), pair_count=2)
    beside = PlannedGroup(group_no=1, entity_id="e2", statement_ids=("s3",), pair_count=1)
    await cycles.save_plan("ana", cycle_id, [told, beside])
    for number, cause in enumerate(["the secret", "another cause"]):
        await cycles.record_failure(
            "ana", cycle_id, group_no=number, group_key="k", cause=cause, attempt=1, at=2, next_try_at=None
        )

    await ledger.erasures.scrub("ana", ["s1", "e1"], says_secret)

    plan = await cycles.plan("ana", cycle_id)
    assert [(group.entity_id, tuple(group.statement_ids)) for group in plan] == [(None, ("s2",)), ("e2", ("s3",))]
    assert {failure.cause for failure in await cycles.failures("ana")} == {"erased", "another cause"}


async def test_replies_that_tell_of_it_are_deleted(ledger: Ledger, empty_url: str, tmp_path: Path) -> None:
    database = Database(locate(empty_url, data_dir=tmp_path))
    reply = {"operation": "remember", "request_hash": bytes(32), "created_at": 1, "expires_at": 2}
    rows = [
        {"end_user_id": user, "idempotency_key": key, "reply": told, **reply}
        for user, key, told in (
            ("ana", "by id", {"id": "s1"}),
            ("ana", "by word", {"text": ["the secret"]}),
            ("ana", "beside", {"id": "s2", "number": 1}),
            ("bob", "by id", {"id": "s1"}),
        )
    ]
    await database.write_rows(insert(idempotent_reply), rows)

    assert await ledger.erasures.scrub("ana", ["s1"], says_secret) == 2

    left = await database.read_rows(select(idempotent_reply.c.end_user_id, idempotent_reply.c.idempotency_key))
    assert {tuple(row.values()) for row in left} == {("ana", "beside"), ("bob", "by id")}
    await database.close()


def test_every_table_with_a_user_is_either_scrubbed_or_holds_no_text() -> None:
    with_users = {name for name, table in metadata.tables.items() if "end_user_id" in table.c}
    scrubbed = {"forgetting_cycle", "forgetting_failure", "forgetting_plan", "idempotent_reply", "job"}
    # Numbers, ids, hashes and names of actions.
    without_text = {"decay_parameters", "erase_log", "event_view"}
    assert with_users == scrubbed | without_text
