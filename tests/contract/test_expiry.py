"""What has an end: left out when read, and retired by the pass that forgets."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import Conflict
from memorygraph.invariants import check_user
from memorygraph.times import from_ms
from tests.support.erasures import fused, said


async def test_behaviour_54_an_expired_memory_is_not_recalled_whether_or_not_a_pass_has_run(
    engine: MemoryEngine, clock: SimulatedClock, user: str
) -> None:
    memory = engine.memory(user)
    short = await memory.remember(
        "The parcel waits at the post office", expires_at=from_ms(clock.now_ms()) + timedelta(days=7)
    )
    await memory.remember("The parcel was heavy")
    assert short.id in [hit.memory.id for hit in (await memory.recall("parcel")).hits]
    clock.advance(timedelta(days=7))
    left = [hit.memory.text for hit in (await memory.recall("parcel")).hits]
    assert left == ["The parcel was heavy"]
    assert (await memory.get(short.id)).status == "active"
    await engine.forgetting.run(user)
    expired = await memory.get(short.id)
    assert (expired.status, expired.retired_at, expired.fusable_at) == ("expired", from_ms(clock.now_ms()), None)
    assert [hit.memory.text for hit in (await memory.recall("parcel")).hits] == left
    again = await memory.reinstate(short.id)
    assert (again.status, again.expires_at) == ("active", None)
    assert short.id in [hit.memory.id for hit in (await memory.recall("parcel")).hits]


async def test_a_summary_that_was_given_an_end_is_over_for_every_reading_and_is_retired_by_the_pass(
    engine: MemoryEngine, clock: SimulatedClock, user: str
) -> None:
    memory = engine.memory(user)
    await said(memory, "The ferry leaves the port at nine", "The port has two ferries")
    summary = await fused(engine, clock, user)
    assert [record.id for record in (await memory.entities.get("port")).summaries] == [summary]
    await memory.revise(summary, expires_at=from_ms(clock.now_ms()) + timedelta(days=1))
    assert await memory.expire_due() == 0
    before = from_ms(clock.now_ms())
    clock.advance(timedelta(days=2))
    assert [record.id for record in (await memory.entities.get("port")).summaries] == []
    assert summary not in [record.id for record in (await memory.list()).items]
    then = await memory.entities.get("port", as_of_recorded=before)
    assert [record.id for record in then.summaries] == [summary]
    assert await memory.expire_due() == 1
    assert (await memory.get(summary)).status == "expired"
    assert await check_user(engine.tools, user) == []
    assert (await memory.reinstate(summary)).status == "active"
    assert [record.id for record in (await memory.entities.get("port")).summaries] == [summary]
    assert await memory.expire_due() == 0


async def test_the_value_of_an_expired_memory_is_taken_as_new(
    engine: MemoryEngine, clock: SimulatedClock, user: str
) -> None:
    memory = engine.memory(user)
    first = await memory.remember("The shop is closed", expires_at=from_ms(clock.now_ms()) + timedelta(days=1))
    assert (await memory.remember("The shop is closed")).id == first.id
    clock.advance(timedelta(days=2))
    second = await memory.remember("The shop is closed")
    assert (second.outcome, second.id == first.id) == ("created", False)
    assert await memory.expire_due() == 1
    assert await memory.expire_due() == 0
    assert (await memory.verify_events()).ok


async def _told(memory: Memory) -> list[str]:
    return sorted(record.text for record in (await memory.list()).items)


@pytest.mark.parametrize("marked", [False, True], ids=["before the pass", "after the pass"])
async def test_what_is_over_is_not_active_for_any_verb_whether_or_not_a_pass_has_run(
    engine: MemoryEngine, clock: SimulatedClock, user: str, marked: bool
) -> None:
    memory = engine.memory(user)
    soon = from_ms(clock.now_ms()) + timedelta(hours=1)
    offer = (await memory.remember("The old offer stands", expires_at=soon)).id
    guess = (await memory.remember("The cellar is damp", expires_at=soon, derived=True)).id
    parking = (await memory.remember("Parking is free")).id
    uses = (await memory.remember("Ana uses webpack", expires_at=soon)).id
    uses_not = (await memory.remember("Ana does not use webpack")).id
    clock.advance(timedelta(hours=2))
    if marked:
        assert await memory.expire_due() == 3
    arguments: dict[str, Any] = {"tags": ["x"]}
    calls: list[Awaitable[object]] = [
        memory.supersede(parking, offer),
        memory.supersede(offer, parking),
        memory.remember("Parking costs 3 euros", supersedes=[offer]),
        memory.link(offer, parking),
        memory.retract(offer, "over"),
        memory.revise(offer, **arguments),
        memory.revise(offer, expires_at=None),
        memory.review.approve(guess),
    ]
    if not marked:  # the pass closes the question
        calls.append(memory.review.answer(uses, uses_not, "supersede", keep=uses))
        calls.append(memory.review.answer(uses, uses_not, "reject", keep=uses))
    for call in calls:
        with pytest.raises(Conflict, match="expired"):
            await call
    assert await _told(memory) == ["Ana does not use webpack", "Parking is free"]
    record = await memory.reinstate(offer)
    assert (record.status, record.expires_at, record.retired_at) == ("active", None, None)
    with pytest.raises(Conflict, match="active already"):
        await memory.reinstate(offer)
    assert (await memory.supersede(parking, offer)).status == "superseded"
    assert await _told(memory) == ["Ana does not use webpack", "The old offer stands"]
    assert await check_user(engine.tools, user) == []


@pytest.mark.parametrize("marked", [False, True], ids=["before the pass", "after the pass"])
async def test_what_is_over_comes_back_only_while_nobody_else_says_the_same(
    engine: MemoryEngine, clock: SimulatedClock, user: str, marked: bool
) -> None:
    memory = engine.memory(user)
    first = await memory.remember("The room is B12", expires_at=from_ms(clock.now_ms()) + timedelta(hours=1))
    clock.advance(timedelta(hours=2))
    if marked:
        assert await memory.expire_due() == 1
    second = await memory.remember("The room is B12")
    for call in (memory.revise(first.id, expires_at=None), memory.reinstate(first.id)):
        with pytest.raises(Conflict):
            await call
    assert await _told(memory) == ["The room is B12"]
    await memory.retract(second.id, "moved")
    assert (await memory.reinstate(first.id)).expires_at is None
    later = from_ms(clock.now_ms()) + timedelta(days=1)
    assert (await memory.revise(first.id, expires_at=later)).expires_at == later
    assert (await memory.remember("The room is B12")).id == first.id
    assert await check_user(engine.tools, user) == []
