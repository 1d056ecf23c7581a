"""Recall, on every graph server."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.errors import InvalidInput
from memorygraph.settings import Settings
from tests.support.raw_graph import RawGraph


async def test_a_write_followed_by_a_recall_sees_the_write(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    for number in range(5):
        written = await memory.remember(f"Locker {number} holds the {'red' if number % 2 else 'blue'} bicycle")
        answer = await memory.recall(f"locker {number}", limit=1)
        assert [hit.memory.id for hit in answer.hits] == [written.id]
        assert answer.searched == number + 1


async def test_behaviour_1_an_identifier_is_found_among_near_identical_statements(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    written = [await memory.remember(f"The build failed with ERR_{n:04X} on the runner") for n in range(0x7F20, 0x7F52)]
    answer = await memory.recall("ERR_7F3A")
    assert answer.hits[0].memory.id == written[0x7F3A - 0x7F20].id
    for query in ("a/b", '"', "AND", "*", "foo/bar (x", "x " * 1000):
        await memory.recall(query)


async def test_behaviour_5_limit_is_a_ceiling_and_never_padded(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    for number in range(8):
        await memory.remember(f"Ana's invoice {number} is paid")
    await memory.remember("The moon is made of rock")
    await memory.remember("Cats sleep all day")
    assert len((await memory.recall("invoice", limit=5)).hits) == 5
    assert len((await memory.recall("invoice", limit=100)).hits) == 8


async def test_behaviour_9_chinese_is_found_by_a_part_and_unicode_forms_are_one(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    gym = await memory.remember("我喜欢健身")
    tea = await memory.remember("我喜欢普洱茶")
    cafe = await memory.remember("The caf\u00e9 opens at 9")
    assert gym.id != tea.id
    assert (await memory.recall("普洱")).hits[0].memory.id == tea.id
    assert (await memory.recall("cafe\u0301")).hits[0].memory.id == cafe.id


async def test_behaviour_10_an_unknown_user_no_match_and_filtered_out_differ(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    assert (await memory.recall("anything")).outcome == "unknown_user"
    await memory.remember("Ana works at Acme", tags=["work"])
    assert (await memory.recall("Ana", tags=["holiday"])).outcome == "filtered_out"
    assert (await memory.recall("xylophone quartz")).outcome == "no_match"
    assert (await memory.recall("Ana")).outcome == "found"


async def test_filters_apply_before_ranking(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    for number in range(30):
        await memory.remember(f"Meeting {number} with Ana about the budget", project="other")
    kept = await memory.remember(
        "A budget meeting", tags=["a", "b"], project="mine", kind="event", session_id="s", position=1
    )
    narrow: list[dict[str, Any]] = [
        {"tags": ["a"]},
        {"tags": ["a", "b"]},
        {"project": "mine"},
        {"kinds": ["event"]},
        {"session_id": "s"},
    ]
    for filters in narrow:
        answer = await memory.recall("meeting with Ana about the budget", limit=5, **filters)
        assert [hit.memory.id for hit in answer.hits] == [kept.id], filters
        assert (answer.searched, answer.passed) == (31, 1)
    assert (await memory.recall("budget", tags=["a", "c"])).outcome == "filtered_out"


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": ""},
        {"query": "x" * 2001},
        {"query": "\ud800"},
        {"limit": 0},
        {"limit": 1001},
        {"limit": True},
        {"kinds": ["rumour"]},
        {"kinds": "fact"},
        {"kinds": 5},
        {"tags": "work"},
        {"project": ""},
    ],
)
async def test_bad_arguments_are_refused(engine: MemoryEngine, user: str, arguments: dict[str, Any]) -> None:
    memory = engine.memory(user)
    await memory.remember("Ana works at Acme")
    good: dict[str, Any] = {"query": "Ana", "limit": 3}
    assert (await memory.recall(**good)).hits
    with pytest.raises(InvalidInput):
        await memory.recall(**{**good, **arguments})


async def test_behaviour_42_what_is_returned_counts_as_used_once_and_nothing_else_does(
    engine: MemoryEngine, user: str, clock: SimulatedClock, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    returned = await memory.remember("The violin lesson is on Tuesday", entities=["violin"])
    dropped = await memory.remember("The violin needs new strings", entities=["strings"])
    updated = (await memory.get(returned.id)).updated_at
    clock.advance(timedelta(days=2))
    answer = await memory.recall("when is the violin lesson?", limit=1)
    assert [hit.memory.id for hit in answer.hits] == [returned.id]
    await memory.recall("violin lesson", limit=1)
    await engine.flush()
    used = await memory.get(returned.id)
    assert used.access_count == 2  # creation, and both recalls within the debounce as one
    assert used.updated_at == updated
    assert (await memory.get(dropped.id)).access_count == 1
    entities = await raw.run(
        "MATCH (e:Entity {end_user_id: $u}) RETURN e.name AS name, e.access_count AS n ORDER BY e.name", u=user
    )
    assert entities == [{"name": "strings", "n": 1}, {"name": "violin", "n": 2}]
    clock.advance(timedelta(days=2))
    await memory.recall("violin lesson", limit=1, reinforce=False)
    await engine.flush()
    assert (await memory.get(returned.id)).access_count == 2
    await memory.reinforce([returned.id])
    await engine.flush()
    assert (await memory.get(returned.id)).access_count == 3
    events = await memory.verify_events()
    assert (events.ok, events.checked) == (True, 2)
    assert engine.dropped_accesses == 0


async def test_a_use_moves_the_cold_time(engine: MemoryEngine, user: str, clock: SimulatedClock) -> None:
    memory = engine.memory(user)
    written = await memory.remember("The violin lesson is on Tuesday")
    first = (await memory.get(written.id)).cold_at
    clock.advance(timedelta(days=2))
    await memory.recall("violin")
    await engine.flush()
    second = (await memory.get(written.id)).cold_at
    assert first is not None
    assert second is not None
    assert second > first + timedelta(days=2)


async def test_accesses_survive_a_clean_stop(settings: Settings, user: str, clock: SimulatedClock) -> None:
    async with await MemoryEngine.open(settings, clock=clock) as engine:
        written = await engine.memory(user).remember("The violin lesson is on Tuesday")
        clock.advance(timedelta(days=2))
        await engine.memory(user).recall("violin")
    async with await MemoryEngine.open(settings, clock=clock) as engine:
        assert (await engine.memory(user).get(written.id)).access_count == 2


async def test_an_expired_memory_is_not_recalled_whether_or_not_a_pass_has_run(
    engine: MemoryEngine, user: str, clock: SimulatedClock, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    written = await memory.remember("The parking permit is valid")
    await raw.run(
        "MATCH (s:Statement {end_user_id: $u, id: $id}) SET s.expires_at = $at",
        u=user,
        id=written.id,
        at=clock.now_ms() + 86_400_000,
    )
    assert (await memory.recall("parking permit")).outcome == "found"
    clock.advance(timedelta(days=2))
    assert (await memory.recall("parking permit")).outcome != "found"


async def test_two_engines_on_one_store_see_each_others_writes(
    settings: Settings, user: str, clock: SimulatedClock
) -> None:
    async with (
        await MemoryEngine.open(settings, clock=clock) as one,
        await MemoryEngine.open(settings, clock=clock) as other,
    ):
        for number in range(6):
            writer, reader = (one, other) if number % 2 else (other, one)
            written = await writer.memory(user).remember(f"Parcel {number} is at the gate")
            answer = await reader.memory(user).recall(f"parcel {number}", limit=1)
            assert [hit.memory.id for hit in answer.hits] == [written.id]
        clock.advance(timedelta(days=60))
        for number in range(3):
            await one.memory(user).remember(f"Crate {number} is at the dock", entities=["dock"])
        clock.advance(timedelta(days=60))
        assert (await one.forgetting.run(user)).summary_count >= 1
        found = (await other.memory(user).recall("crate at the dock")).hits
        assert [hit.memory.type for hit in found if "Crate" in hit.memory.text] == ["MemorySummary"]


async def test_a_memory_that_went_without_an_event_is_not_answered_and_leaves_the_others(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    written = [(await memory.remember(f"Crate {n} is at the dock")).id for n in range(3)]
    assert {hit.memory.id for hit in (await memory.recall("crate at the dock")).hits} == set(written)
    await raw.run("MATCH (s:Statement {id: $id}) DETACH DELETE s", id=written[0])
    for _ in range(2):
        assert {hit.memory.id for hit in (await memory.recall("crate at the dock")).hits} == set(written[1:])
    assert (await memory.recall("crate at the dock")).searched == 2


async def test_what_is_read_while_another_removes_it_is_read_again_and_never_answered_in_part(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    id = (await memory.remember("Ana has a boat", entities=["Ana"])).id
    [ana] = (await memory.get(id)).entities
    # What Neo4j shows of a node that goes between being found and being read: no properties.
    await raw.run("MATCH (e:Entity {id: $id}) REMOVE e.id", id=ana.id)
    finding, getting = asyncio.create_task(memory.recall("boat")), asyncio.create_task(memory.get(id))
    listing = asyncio.create_task(memory.list())
    done, _ = await asyncio.wait([finding, getting, listing], timeout=1.0)
    assert not done
    await raw.run("MATCH (e:Entity {end_user_id: $user}) WHERE e.id IS NULL SET e.id = $id", user=user, id=ana.id)
    told = [hit.memory for hit in (await finding).hits] + [await getting, *(await listing).items]
    assert [memory.entities for memory in told] == [(ana,)] * 3


async def test_behaviour_45_a_search_beside_a_fusion_sees_the_originals_or_the_summary(
    engine: MemoryEngine, settings: Settings, user: str, clock: SimulatedClock
) -> None:
    memory = engine.memory(user)
    originals = {(await memory.remember(f"Crate {n} is at the dock", entities=["dock"])).id for n in range(4)}
    clock.advance(timedelta(days=60))
    done = asyncio.Event()
    seen: list[frozenset[str]] = []

    async def watch(watched: MemoryEngine) -> None:
        while not done.is_set():
            answer = await watched.memory(user).recall("crate at the dock", reinforce=False)
            seen.append(frozenset(hit.memory.id for hit in answer.hits))

    async with await MemoryEngine.open(settings, clock=clock) as other:
        watchers = [asyncio.create_task(watch(engine)), asyncio.create_task(watch(other))]
        cycle = await engine.forgetting.run(user)
        done.set()
        await asyncio.gather(*watchers)
    assert cycle.summary_count == 1
    summary = frozenset(cycle.summaries)
    assert seen
    assert set(seen) <= {frozenset(originals), summary}
