"""What an erased memory had taken the place of was true until then, and stays so; nothing points at what is gone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import Conflict
from memorygraph.invariants import check_user
from memorygraph.times import from_ms
from tests.contract.test_erasure_resumed import Killed, Mortal
from tests.support.erasures import check_chain
from tests.support.raw_graph import RawGraph

TOWNS = ("Leeds", "York", "Hull", "Bath")


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


async def moved(memory: Memory, clock: SimulatedClock, *towns: str) -> list[str]:
    """The ids of where Ana lived from 2020 on, two years in each town; the later ones superseded the earlier."""
    ids = []
    for number, town in enumerate(towns):
        claim: dict[str, Any] = {"subject": "Ana", "predicate": "lives in", "value": town, "functional": True}
        written = await memory.remember(f"Ana lives in {town}", valid_from=year(2020 + 2 * number), **claim)
        ids.append(written.id)
        clock.advance(timedelta(hours=1))
    return ids


async def true_in(memory: Memory, number: int, **more: Any) -> list[str | None]:
    return [found.value for found in (await memory.list(as_of_valid=year(number), **more)).items]


async def holder(memory: Memory, id: str) -> list[str]:
    return [of.id for of in (await memory.relatives(id)).superseded_by]


@pytest.mark.parametrize("way", ["id", "match"])
async def test_what_the_last_of_a_chain_had_superseded_stays_superseded_and_can_be_reinstated(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, user: str, way: str
) -> None:
    leeds, york = await moved(memory, clock, "Leeds", "York")
    before = from_ms(clock.now_ms())
    was = await memory.get(leeds)
    assert (was.status, was.superseded_from, await holder(memory, leeds)) == ("superseded", year(2022), [york])
    assert (await true_in(memory, 2021), await true_in(memory, 2023)) == (["Leeds"], ["York"])
    clock.advance(timedelta(hours=1))

    await (memory.erase(id=york) if way == "id" else memory.erase(match="York"))

    now = await memory.get(leeds)
    assert (now.status, now.superseded_from, now.retired_at) == ("superseded", was.superseded_from, was.retired_at)
    assert await holder(memory, leeds) == []
    for then in ({}, {"as_of_recorded": before}):
        assert await true_in(memory, 2021, **then) == ["Leeds"]
        assert await true_in(memory, 2023, **then) == []
    asked = await memory.get(leeds, as_of_recorded=before)
    assert (asked.status, asked.superseded_from, asked.retired_at) == ("superseded", year(2022), was.retired_at)
    events = [(of.action, of.actor, of.erased, of.after) for of in await memory.history(leeds)]
    assert events[0] == ("erase", "sdk", False, {"superseded_by": None})
    assert [of[:3] for of in events[1:]] == [("supersede", "sdk", True), ("remember:created", "sdk", False)]
    for seq in (of.seq for of in (await memory.history(leeds))[:2]):
        with pytest.raises(Conflict):
            await memory.revert(seq)
    assert await check_user(engine.tools, user) == []

    assert (await memory.reinstate(leeds)).status == "active"
    with pytest.raises(Conflict):  # what had superseded it is gone
        await memory.revert((await memory.history(leeds))[0].seq)
    assert await true_in(memory, 2023) == ["Leeds"]
    assert await check_user(engine.tools, user) == []
    await check_chain(memory)


@pytest.mark.parametrize("way", ["id", "match"])
async def test_what_had_superseded_the_erased_supersedes_what_that_had(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, user: str, way: str
) -> None:
    leeds, york, hull = await moved(memory, clock, "Leeds", "York", "Hull")
    before = from_ms(clock.now_ms())
    clock.advance(timedelta(hours=1))

    await (memory.erase(id=york) if way == "id" else memory.erase(match="York"))

    assert await holder(memory, leeds) == [hull]
    assert (await memory.get(leeds)).superseded_from == year(2022)
    assert [await true_in(memory, number) for number in (2021, 2023, 2025)] == [["Leeds"], [], ["Hull"]]
    (told, *_) = await memory.history(leeds)
    assert (told.action, told.erased, told.after) == ("erase", False, {"superseded_by": hull})
    assert await check_user(engine.tools, user) == []

    await memory.erase(id=hull)  # which that event names

    assert (await memory.get(leeds)).status == "superseded"
    assert (await memory.get(leeds, as_of_recorded=before)).superseded_from == year(2022)
    assert await holder(memory, leeds) == []
    assert await check_user(engine.tools, user) == []
    await check_chain(memory)


@pytest.mark.parametrize("kept", ["Hull and Bath", "Bath"])
async def test_several_of_a_chain_that_go_together_leave_the_next_that_stays(
    engine: MemoryEngine,
    memory: Memory,
    clock: SimulatedClock,
    user: str,
    monkeypatch: pytest.MonkeyPatch,
    kept: str,
) -> None:
    monkeypatch.setattr("memorygraph.erasing.erasing._BATCH", 1)
    middle = "Hull" if kept == "Hull and Bath" else "York"
    ids = await moved(memory, clock, "Leeds", "York", middle, "Bath")
    await memory.erase(match="York")
    assert await holder(memory, ids[0]) == [ids[2] if middle == "Hull" else ids[3]]
    assert [of.action for of in await memory.history(ids[0])].count("erase") == 1
    assert (await memory.get(ids[0])).superseded_from == year(2022)
    assert await check_user(engine.tools, user) == []


async def test_an_erasure_that_is_cut_off_leaves_the_same_when_it_is_resumed(
    engine: MemoryEngine, clock: SimulatedClock, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memorygraph.erasing.erasing._BATCH", 1)
    erasing, left = engine.tools.erasing, []
    for lives in range(4):
        memory = engine.memory(f"{user}-{lives}")
        leeds, _, hull = await moved(memory, clock, "Leeds", "York", "Hull")
        await memory.remember("York has a wall")
        mortal = replace(erasing, mutations=Mortal(erasing.mutations, lives))
        try:
            await mortal.erase(memory.end_user_id, match="York", actor="tester")
        except Killed:
            left.append(lives)
            assert await erasing.resume() == 1
        assert (await memory.get(leeds)).status == "superseded"
        assert await holder(memory, leeds) == [hull]
        assert [of.action for of in await memory.history(leeds)].count("erase") == 1
        assert await check_user(engine.tools, memory.end_user_id) == []
    assert left, "it was cut off at least once"


@pytest.mark.parametrize("erased", ["statement", "summary"])
@pytest.mark.parametrize("older", ["statement", "summary"])
async def test_summaries_that_superseded_or_were_superseded_are_treated_likewise(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, user: str, erased: str, older: str
) -> None:
    async def one(kind: str, what: str) -> str:
        if kind == "statement":
            return (await memory.remember(f"The {what} is in the shed")).id
        for number in range(2):
            await memory.remember(f"The {what} {number} went to {what} street", entities=[what])
        clock.advance(timedelta(days=400))
        (summary,) = (await engine.forgetting.run(user)).summaries
        return summary

    old = await one(older, "parcel")
    middle = await one(erased, "barrel")
    await memory.supersede(old, middle)
    last = (await memory.remember("Nothing is in the shed")).id
    await memory.supersede(middle, last, reason="the barrel was moved")
    since = (await memory.get(old)).superseded_from

    await memory.erase(id=middle)

    assert (await memory.get(old)).status == "superseded"
    assert (await memory.get(old)).superseded_from == since
    assert await holder(memory, old) == [last]
    assert await check_user(engine.tools, user) == []

    await memory.erase(id=last)

    assert ((await memory.get(old)).status, await holder(memory, old)) == ("superseded", [])
    assert await check_user(engine.tools, user) == []
    assert (await memory.reinstate(old)).status == "active"
    assert await check_user(engine.tools, user) == []


async def test_only_an_erasure_excuses_that_nothing_supersedes_what_is_superseded(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, raw: RawGraph, user: str
) -> None:
    cut = "MATCH (:Statement {end_user_id: $u})-[r:SUPERSEDES]->(:Statement {end_user_id: $u, id: $id}) DELETE r"
    leeds, york, hull, bath = await moved(memory, clock, *TOWNS)
    await memory.erase(id=bath)
    assert await check_user(engine.tools, user) == []
    await memory.erase(id=york)
    assert await holder(memory, leeds) == [hull]

    await raw.run(cut, u=user, id=leeds)  # which was given a new holder
    (fault,) = await check_user(engine.tools, user)
    assert (fault.kind, fault.ids) == ("relationship", (leeds,))
    assert "nothing supersedes it" in fault.detail

    await memory.reinstate(leeds)
    await memory.reinstate(hull)
    await memory.supersede(hull, leeds)
    assert await check_user(engine.tools, user) == []
    await raw.run(cut, u=user, id=hull)  # which was uncovered, and has been superseded again
    (fault,) = await check_user(engine.tools, user)
    assert (fault.kind, fault.ids) == ("relationship", (hull,))
