"""Behaviour 21: what a memory says of an earlier time is what it said then, whatever was done since."""

import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import Conflict
from memorygraph.invariants import check_user
from memorygraph.times import from_ms
from tests.support.believing import found, lead_a_life, said

HOUR = timedelta(hours=1)
Y2021, Y2022, Y2023 = (datetime(year, 1, 1, tzinfo=UTC) for year in (2021, 2022, 2023))


@pytest.fixture(autouse=True)
async def _whole(engine: MemoryEngine, memory: Memory) -> AsyncIterator[None]:
    yield
    assert await check_user(engine.tools, memory.end_user_id) == []


def now(clock: SimulatedClock) -> datetime:
    """The instant at hand, which lies behind when this returns."""
    at = from_ms(clock.now_ms())
    clock.advance(HOUR)
    return at


async def listed(memory: Memory, **asked: Any) -> list[str]:
    return [record.text for record in (await memory.list(**asked)).items]


async def recalled(memory: Memory, **asked: Any) -> list[str]:
    return sorted(hit.memory.text for hit in (await memory.recall("What does Ana drive", **asked)).hits)


async def related(memory: Memory, **asked: Any) -> list[str]:
    return sorted(relation.object.name for relation in await memory.entities.relations("Ana", **asked))


async def carded(memory: Memory, **asked: Any) -> list[str]:
    return [record.text for record in (await memory.entities.get("Ana", **asked)).statements]


async def test_behaviour_21_what_was_retired_and_revised_since_has_the_words_and_the_standing_of_then(
    memory: Memory, clock: SimulatedClock
) -> None:
    id = (await memory.remember("Ana drives a Volvo", relations=[("Ana", "drives", "Volvo")], entities=["Ana"])).id
    told = now(clock)
    await memory.retract(id, "She sold it")
    retracted = now(clock)
    await memory.reinstate(id)
    reinstated = now(clock)
    await memory.revise(id, text="Ana drives a Saab")
    for read in (listed, recalled, carded):
        for at in (told, reinstated):
            assert await read(memory, as_of_recorded=at) == ["Ana drives a Volvo"]
        assert await read(memory, as_of_recorded=retracted) == []
        assert await read(memory) == await read(memory, as_of_recorded=now(clock)) == ["Ana drives a Saab"]
    assert await related(memory, as_of_recorded=told) == await related(memory) == ["Volvo"]
    assert await related(memory, as_of_recorded=retracted) == []


async def test_behaviour_21_filters_choose_by_what_a_memory_was_then(memory: Memory, clock: SimulatedClock) -> None:
    soon = from_ms(clock.now_ms()) + 3 * HOUR
    text = "Ana drives a Volvo"
    id = (await memory.remember(text, tags=["car"], project="p", expires_at=soon, derived=True)).id
    told = now(clock)
    await memory.review.approve(id)
    approved = now(clock)
    await memory.revise(id, tags=["boat"], project="q", kind="preference", expires_at=None)
    clock.advance(2 * HOUR)
    await memory.review.reject(id, "It never was so")
    for read in (listed, recalled):
        assert await read(memory, as_of_recorded=told) == []
        assert await read(memory, as_of_recorded=told, include=["candidate"]) == [text]
        for then in ({"tags": ["car"]}, {"project": "p"}, {"kinds": ["fact"]}, {"as_of_valid": told}):
            assert await read(memory, as_of_recorded=approved, **then) == [text]
        for since in ({"tags": ["boat"]}, {"project": "q"}, {"kinds": ["preference"]}):
            assert await read(memory, as_of_recorded=approved, **since) == []
        assert await read(memory, as_of_recorded=soon + HOUR, project="q") == []  # rejected by then
        assert await read(memory, as_of_recorded=soon, project="q") == [text]


async def test_behaviour_21_what_was_superseded_then_held_in_the_world_until_the_next_as_it_was_known(
    memory: Memory, clock: SimulatedClock
) -> None:
    volvo = (await memory.remember("Ana drives a Volvo", valid_from=Y2021)).id
    alone = now(clock)
    saab = (await memory.remember("Ana drives a Saab", valid_from=Y2023, supersedes=[volvo])).id
    both = now(clock)
    await memory.review.reject(volvo, "It never was so")
    await memory.revise(saab, valid_from=Y2021)
    for read in (listed, recalled):
        for at in (alone, both):
            assert await read(memory, as_of_recorded=at, as_of_valid=Y2022) == ["Ana drives a Volvo"]
        assert await read(memory, as_of_recorded=both, as_of_valid=Y2023) == ["Ana drives a Saab"]
        assert await read(memory, as_of_valid=Y2022) == ["Ana drives a Saab"]
        assert len(await read(memory, as_of_recorded=both, include=["superseded"])) == 2
        assert await read(memory, as_of_recorded=both) == ["Ana drives a Saab"]


async def test_behaviour_21_pages_of_then_are_full_and_lead_on(memory: Memory, clock: SimulatedClock) -> None:
    others = [{"text": f"Bo saw bird {n}", "entities": ["Ana"], "tags": ["x"]} for n in range(22)]
    items = [{"text": f"Ana drives car {n}", "entities": ["Ana"], "tags": ["car"]} for n in range(9)]
    ids = sorted(item.written.id for item in await memory.remember_many(items) if item.written is not None)
    for id in ids[1::2]:
        await memory.retract(id, "She sold it")
    clock.advance(HOUR)
    await memory.remember_many(others)
    then = now(clock)
    for id in ids[1::2]:
        await memory.reinstate(id)
    held, cursor = list(reversed(ids[::2])), None
    seen: list[str] = []
    while len(seen) < len(held):
        page = await memory.list(limit=2, after=cursor, tags=["car"], as_of_recorded=then)
        seen += [record.id for record in page.items]
        assert (len(page.items) == 2) == (page.after is not None)
        cursor = page.after
    assert seen == held
    card = await memory.entities.get("Ana", limit=24, as_of_recorded=then)
    rest = await memory.entities.get("Ana", limit=24, cursor=card.next_cursor, as_of_recorded=then)
    assert [record.id for record in (*card.statements[22:], *rest.statements)] == held
    assert rest.next_cursor is None
    answer = await memory.recall("What does Ana drive", limit=5, tags=["car"], as_of_recorded=then)
    assert {hit.memory.id for hit in answer.hits} == set(held)
    assert [hit.rank for hit in answer.hits] == [1, 2, 3, 4, 5]
    assert (await memory.recall("What does Ana drive", as_of_recorded=then, tags=["y"])).outcome == "filtered_out"


async def test_behaviour_21_what_was_fused_since_is_listed_as_it_was(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    texts = ["Ana moved to Leeds.", "Ana left York."]
    ids = [(await memory.remember(text, entities=["Ana"])).id for text in texts]
    then = now(clock)
    await memory.revise(ids[0], tags=["home"])
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(memory.end_user_id)).merged_count == 2
    page = await memory.list(as_of_recorded=then)
    assert sorted((record.text, record.type, record.status) for record in page.items) == [
        (text, "Statement", "active") for text in sorted(texts)
    ]
    assert [record.tags for record in page.items] == [(), ()]
    assert [[entity.name for entity in record.entities] for record in page.items] == [["Ana"], ["Ana"]]
    assert [record.type for record in (await memory.list()).items] == ["MemorySummary"]
    assert await recalled(memory, as_of_recorded=then) == []


async def test_behaviour_21_what_cannot_be_told_because_it_was_erased_is_left_out(
    memory: Memory, clock: SimulatedClock
) -> None:
    id = (await memory.remember("Canaryword is the word")).id
    clock.advance(HOUR)
    kept = (await memory.remember("Ana drives a Volvo")).id
    then = now(clock)
    await memory.revise(id, text="The dog is brown")
    await memory.revise(kept, tags=["car"])
    since = now(clock)
    await memory.erase(match="Canaryword")
    with pytest.raises(Conflict):
        await memory.get(id, as_of_recorded=then)
    for read in (listed, recalled):
        assert await read(memory, as_of_recorded=then) == ["Ana drives a Volvo"]
    assert await listed(memory, as_of_recorded=since) == ["Ana drives a Volvo", "The dog is brown"]


async def test_behaviour_21_a_card_tells_what_mentioned_the_entity_then_and_what_it_was(
    memory: Memory, clock: SimulatedClock
) -> None:
    volvo = (await memory.remember("She drives a Volvo", entities=["Ana", "Volvo"])).id
    await memory.remember("He drives a Saab", entities=["Bo"])
    then = now(clock)
    await memory.revise(volvo, entities=["Bo"])
    await memory.entities.revise("Ana", description="A driver", importance=0.9)
    await memory.entities.add_alias("Ana", "Annie")
    await memory.entities.merge("Bo", "Volvo")
    assert await carded(memory, as_of_recorded=then) == ["She drives a Volvo"]
    assert await carded(memory) == []
    assert len((await memory.entities.get("Bo")).statements) == 2
    bo = await memory.entities.get("Bo", as_of_recorded=then)
    assert (len(bo.statements), bo.merges) == (2, ())  # what is one now counts as one
    ana = (await memory.entities.get("Annie", as_of_recorded=then)).entity
    assert (ana.name, ana.aliases, ana.description, ana.importance) == ("Ana", (), None, 0.5)


async def test_behaviour_21_a_relation_has_the_evidence_and_the_period_that_it_had_then(
    memory: Memory, clock: SimulatedClock
) -> None:
    first = (await memory.remember("Ana drives a Volvo", relations=[("Ana", "drives", "Volvo")])).id
    told = now(clock)
    second = (await memory.remember("The Volvo is Ana's", relations=[("Annie", "drives", "Volvo")])).id
    both = now(clock)
    await memory.entities.merge("Ana", "Annie")
    merged = now(clock)
    await memory.retract(first, "It was a mistake")
    withdrawn = now(clock)
    await memory.reinstate(first)
    ended = await memory.entities.relate("Ana", "drives", "Volvo", valid_to=Y2022)

    async def known(at: datetime) -> list[tuple[int, set[str]]]:
        found = await memory.entities.relations("Ana", as_of_recorded=at)
        return [(of.evidence_count, set(of.source_ids)) for of in found]

    assert await known(told) == [(1, {first})]
    assert await known(both) == [(1, {second}), (1, {first})]
    assert await known(merged) == [(2, {first, second})]
    assert await known(withdrawn) == [(1, {second})]
    assert (await memory.entities.relations("Ana", as_of_valid=Y2021))[0].id == ended.id
    assert await memory.entities.relations("Ana") == ()


@pytest.mark.parametrize("seed", range(3))
async def test_behaviour_21_a_memory_says_of_every_earlier_time_what_it_said_then(
    memory: Memory, clock: SimulatedClock, seed: int
) -> None:
    chance = random.Random(seed)
    snapshots = []
    for _ in range(10):
        await lead_a_life(memory, clock, chance)
        snapshots.append((from_ms(clock.now_ms()), await said(memory)))
        clock.advance(timedelta(minutes=chance.choice((1, 60, 600))))
    for at, then in snapshots:
        assert await said(memory, as_of_recorded=at) == then
        for hit in await found(memory, as_of_recorded=at):
            assert hit in then["list of all"]
