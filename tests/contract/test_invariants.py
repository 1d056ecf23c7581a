"""Faults planted past the engine are named, all of them; a memory that only the engine wrote has none."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.invariants import check_user
from memorygraph.times import from_ms
from tests.support.raw_graph import RawGraph


@pytest.fixture
async def furnished(engine: MemoryEngine, clock: SimulatedClock, user: str) -> str:
    """A user with a summary of two statements, live statements, a turn, entities and accesses."""
    memory = engine.memory(user)
    for text in ("Ana moved to Leeds.", "Ana works at Acme."):
        await memory.remember(text, entities=["Ana"])
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(user)).merged_count == 2
    for number, text in enumerate(("Ana likes AT&T and c++.", "Ana likes tea.", "安娜喜欢喝茶", "AND OR NOT")):
        await memory.remember(text, entities=["Ana"], agent=str(number))
    await memory.remember("Hello!", kind="turn", session_id="s", speaker="Ana")
    await memory.remember("Ana likes tea", agent="another")
    await memory.remember("Ana knows Bo", relations=[("Ana", "knows", "Bo")])
    await memory.remember("Ana owns a boat", relations=[("Ana", "owns", "boat")])
    await memory.remember("Ana rents a flat", relations=[("Ana", "rents", "flat")])
    contrary = await memory.remember("Ana does not like tea")
    assert (await memory.get(contrary.id)).open_questions == 1
    old = await memory.remember("The office is in Leeds", subject="office", predicate="is in", value="Leeds")
    new = await memory.remember(
        "The office is in York", subject="office", predicate="is in", value="York", functional=True
    )
    assert (await memory.get(old.id)).status == "superseded"
    assert (await memory.get(new.id)).status == "active"
    clock.advance(timedelta(hours=1))
    await memory.recall("tea")
    await engine.flush()
    return user


async def test_a_memory_that_the_engine_wrote_has_no_fault(engine: MemoryEngine, furnished: str) -> None:
    assert await check_user(engine.tools, furnished) == []
    assert await check_user(engine.tools, f"not {furnished}") == []


async def test_a_value_said_again_after_its_time_is_there_once(
    engine: MemoryEngine, raw: RawGraph, clock: SimulatedClock, user: str
) -> None:
    memory = engine.memory(user)
    over = await memory.remember("The lift is broken", expires_at=from_ms(clock.now_ms()) + timedelta(hours=1))
    clock.advance(timedelta(hours=2))
    again = await memory.remember("The lift is broken")
    assert (again.outcome, again.id == over.id) == ("created", False)
    assert await check_user(engine.tools, user) == []
    await raw.run("MATCH (s:Statement {end_user_id: $u, id: $id}) SET s.expires_at = null", u=user, id=over.id)
    assert [fault.kind for fault in await check_user(engine.tools, user)] == ["counts"]


A = "MATCH (a:Statement {end_user_id: $u}) WHERE a.text STARTS WITH 'Ana likes AT' "
B = "MATCH (b:Statement {end_user_id: $u, text: 'Ana likes tea.'}) "
TURN = "MATCH (t:Statement {end_user_id: $u, kind: 'turn'}) "
SUMMARY = "MATCH (m:MemorySummary {end_user_id: $u}) "
ENTITY = "MATCH (e:Entity {end_user_id: $u, name: 'Ana'}) "
KNOWS, OWNS, RENTS = (
    "MATCH (:Entity {end_user_id: $u})-[r:RELATES {end_user_id: $u, predicate: '" + of + "'}]->() "
    for of in ("knows", "owns", "rents")
)
STUB = "MATCH (f:Forgotten {end_user_id: $u}) WITH f ORDER BY f.id LIMIT 1 "

# What is planted, with a word of every fault that comes of it.
PLANTED = {
    A + "SET a.source_count = 9": ["said 1 times by 9 sources"],
    A + "SET a.cold_at = a.cold_at + 1001": ["goes cold at"],
    A + "CREATE (:Tombstone {end_user_id: $u, fingerprint: a.fingerprint, kind: 'erased'})": ["its value was erased"],
    A + "CREATE (x:Statement {end_user_id: $u + 'x', id: $u + 'x', search_text: a.search_text})": ["and is none"],
    B + A + "CREATE (a)-[:SUPERSEDES {end_user_id: $u}]->(b)": ["supersedes it"],
    B + A + "CREATE (a)-[:SIMILAR_TO {end_user_id: $u}]->(b)": [],
    B + A + "SET b.fingerprint = a.fingerprint": ["the same value", "not that of its value"],
    B + "MATCH (b)-[r:MENTIONS]->() SET r.end_user_id = $u + 'x'": ["and is of"],
    B + "SET b.search_text = 'other words'": ["words it is searched by", "does not find it"],
    TURN + "MATCH (t)-[r:FROM_EPISODE]->() DELETE r": ["episode that keeps it"],
    TURN + "CREATE (t)-[:MENTIONS {end_user_id: $u}]->(:Entity {end_user_id: $u + 'x', id: 'theirs'})": [
        "leads from '"
    ],
    SUMMARY + "SET m.fused_count = 4": ["counts 4 statements"],
    SUMMARY + ENTITY + "CREATE (e)-[:MENTIONS {end_user_id: $u}]->(m)": ["leads from a Entity to a MemorySummary"],
    ENTITY + "SET e.access_count = 0": ["access history cannot be"],
    STUB + "SET f.search_text = 'tea'": ["it is forgotten, and would be found"],
    "CREATE (:EntityAlias {end_user_id: $u, name_key: 'annie', kind: 'person', entity_id: 'gone'})": [
        "'annie' is of an entity that is not there"
    ],
    ENTITY + "CREATE (:EntityAlias {end_user_id: $u, name_key: 'anja', kind: 'person', entity_id: e.id})": [
        "'anja' leads to it, which does not bear that name"
    ],
    ENTITY + "SET e.aliases = ['Anne'], e.alias_keys = ['anne']": ["its alias 'anne' does not lead to it"],
    KNOWS + "SET r.evidence_count = 0": ["has 1 sources and counts 0"],
    OWNS + "SET r.source_ids = r.source_ids + 'nobody', r.evidence_count = 2": ["names nobody as evidence"],
    RENTS + "SET r.superseded_from = 5, r.weight = 2": ["superseded_from is None, and it is 5", "its weight is 2"],
    "MATCH (s:Statement {end_user_id: $u, kind: 'turn'}) SET s.states_relations = true": ["none names it as evidence"],
    "MATCH (v:Event {end_user_id: $u, seq: 2}) SET v.actor = 'nobody'": ["breaks at event 2"],
}


async def test_every_fault_that_is_planted_is_named_and_nothing_else(
    engine: MemoryEngine, raw: RawGraph, furnished: str
) -> None:
    for planted in PLANTED:
        await raw.run(planted, u=furnished)
    found = await check_user(engine.tools, furnished)
    expected = [detail for details in PLANTED.values() for detail in details]
    assert all(fault.end_user_id == furnished and fault.advice for fault in found)
    unnamed = list(expected)
    for fault in found:
        unnamed.remove(next(detail for detail in unnamed if detail in fault.detail))
    assert unnamed == []
    assert len(found) == len(expected)


async def test_a_statement_that_was_lost_leaves_its_events_and_its_relationships_telling(
    engine: MemoryEngine, raw: RawGraph, furnished: str
) -> None:
    """What is cut off with a node is told by what counted on it."""
    await raw.run(STUB + "DETACH DELETE f", u=furnished)
    await raw.run("MATCH (v:Event {end_user_id: $u, seq: 3}) DETACH DELETE v", u=furnished)
    found = await check_user(engine.tools, furnished)
    assert [fault.kind for fault in found] == ["events", "events", "counts"]
