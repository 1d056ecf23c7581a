"""Behaviours 28, 29, 31 and 54: nobody reaches another's memory, and input is never code."""

from datetime import timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import InvalidEndUserId, NotFound, ScopeViolation
from memorygraph.graph.store import UserStore
from memorygraph.invariants import check_user
from memorygraph_cypher import statements
from tests.support.raw_graph import RawGraph

HOSTILE = "X`) DETACH DELETE (n) //"


@pytest.fixture
def alice(engine: MemoryEngine, user: str) -> Memory:
    return engine.memory(f"alice-{user}")


@pytest.fixture
def bob(engine: MemoryEngine, user: str) -> Memory:
    return engine.memory(f"bob-{user}")


async def test_behaviour_28_two_users_who_share_an_entity_name_share_nothing_else(
    alice: Memory, bob: Memory, engine: MemoryEngine, raw: RawGraph, clock: SimulatedClock
) -> None:
    hers = [await alice.remember(f"Alice's fact {n} about Leeds", entities=["Leeds"]) for n in range(3)]
    his = [await bob.remember(f"Bob's fact {n} about Leeds", entities=["Leeds"]) for n in range(3)]
    assert hers[0].entities[0].id != his[0].entities[0].id
    answer = await alice.recall("facts about Leeds")
    assert {hit.memory.id for hit in answer.hits} == {written.id for written in hers}
    assert answer.searched == 3
    for id in (his[0].id, his[0].entities[0].id):
        with pytest.raises(NotFound):
            await alice.get(id)
        with pytest.raises(NotFound):
            await alice.lineage(id)
        with pytest.raises(NotFound):
            await alice.curve(id)
    assert (await bob.get(his[0].id)).id == his[0].id

    before = await raw.everything(bob.end_user_id)
    await alice.reinforce([his[0].id, his[0].entities[0].id])
    await engine.flush()
    clock.advance(timedelta(days=120))
    cycle = await engine.forgetting.run(alice.end_user_id)
    assert cycle.merged_count == 3
    assert await raw.everything(bob.end_user_id) == before
    with pytest.raises(NotFound):
        await bob.lineage(cycle.summaries[0])
    with pytest.raises(NotFound):
        await engine.forgetting.get(bob.end_user_id, cycle.id)
    assert await engine.forgetting.cycles(bob.end_user_id) == []
    assert len((await alice.lineage(cycle.summaries[0])).originals) == 3
    assert (await bob.verify_events()).checked == 3


async def test_behaviour_29_the_best_match_of_another_user_is_not_in_the_answer(alice: Memory, bob: Memory) -> None:
    await alice.remember("The kettle is in the kitchen")
    best = await bob.remember("The safe's code is 4711")
    hers = await alice.recall("what is the code of the safe?")
    his = await bob.recall("what is the code of the safe?")
    assert his.hits[0].memory.id == best.id
    assert best.id not in {hit.memory.id for hit in hers.hits}


async def test_behaviour_31_labels_types_and_properties_never_come_from_input(
    alice: Memory, bob: Memory, raw: RawGraph
) -> None:
    kept = await bob.remember("Bob stays", tags=["plain"])
    written = await alice.remember(
        f"Text with {HOSTILE}",
        speaker=HOSTILE,
        session_id=HOSTILE,
        title=HOSTILE,
        tags=[HOSTILE, "non-compliant", "由…组成"],
        keywords=[HOSTILE],
        project=HOSTILE,
        source=HOSTILE,
        agent=HOSTILE,
        entities=[(HOSTILE, HOSTILE), ("$end_user_id", "{end_user_id: 1}")],
        idempotency_key=HOSTILE,
    )
    record = await alice.get(written.id)
    assert record.text == f"Text with {HOSTILE}"
    assert record.tags == (HOSTILE, "non-compliant", "由…组成")
    assert {(e.name, e.kind) for e in record.entities} == {
        (HOSTILE, HOSTILE),
        ("$end_user_id", "{end_user_id: 1}"),
    }
    found = await alice.recall(f'{HOSTILE} +§a AND " * \\ foo/bar (x', tags=[HOSTILE], project=HOSTILE)
    assert [hit.memory.id for hit in found.hits] == [written.id]
    labels = {label for row in await raw.run("MATCH (n) RETURN DISTINCT labels(n) AS l") for label in row["l"]}
    assert "X" not in labels
    assert (await bob.get(kept.id)).text == "Bob stays"


async def test_behaviour_31_a_user_id_is_never_code(engine: MemoryEngine) -> None:
    for end_user_id in ("", "x" * 10_000, "a'}) DETACH DELETE (n) //", '{"a": 1}', "a b"):
        with pytest.raises(InvalidEndUserId):
            engine.memory(end_user_id)
        with pytest.raises(InvalidEndUserId):
            await engine.forgetting.run(end_user_id)
    assert engine.memory("a.b@c").end_user_id == "a.b@c"


async def test_behaviour_54_an_edge_planted_between_two_users_is_never_walked(
    alice: Memory, bob: Memory, engine: MemoryEngine, raw: RawGraph, clock: SimulatedClock
) -> None:
    hers = [await alice.remember(f"Alice and Leeds, part {n}", entities=["Leeds"]) for n in range(3)]
    his = await bob.remember("Bob's secret about Leeds", entities=["Secret place"])
    planted = await raw.run(
        "MATCH (a:Statement {id: $a}), (e:Entity {id: $e}), (b:Statement {id: $b}), (l:Entity {id: $l}) "
        "CREATE (a)-[:MENTIONS {end_user_id: $alice}]->(e) CREATE (b)-[:MENTIONS {end_user_id: $alice}]->(l) "
        "CREATE (a)-[:MENTIONS {end_user_id: $bob}]->(e) RETURN 1 AS one",
        a=hers[0].id,
        e=his.entities[0].id,
        b=his.id,
        l=hers[0].entities[0].id,
        alice=alice.end_user_id,
        bob=bob.end_user_id,
    )
    assert len(planted) == 1
    assert {entity.name for entity in (await alice.get(hers[0].id)).entities} == {"Leeds"}
    answer = await alice.recall("Leeds")
    assert {hit.memory.id for hit in answer.hits} == {written.id for written in hers}
    assert {entity.name for hit in answer.hits for entity in hit.memory.entities} == {"Leeds"}
    await engine.flush()
    assert (await bob.get(his.id)).access_count == 1
    clock.advance(timedelta(days=200))
    cycle = await engine.forgetting.run(alice.end_user_id)
    assert (cycle.merged_count, cycle.summary_count) == (3, 1)
    summary = await alice.get(cycle.summaries[0])
    assert {entity.name for entity in summary.entities} == {"Leeds"}
    lineage = await alice.lineage(summary.id)
    assert "Secret place" not in str(lineage.to_dict())
    assert (await bob.get(his.id)).text == "Bob's secret about Leeds"


async def test_a_bound_transaction_refuses_statements_that_are_not_bound(engine: MemoryEngine, user: str) -> None:
    async def read(store: UserStore) -> object:
        return await store.read_user()

    async def admin_statement(store: UserStore) -> object:
        return await store.rows("read_store")

    async def another_user(store: UserStore) -> object:
        return await store.rows("read_user", end_user_id="somebody else")

    async def wrong_parameters(store: UserStore) -> object:
        return await store.rows("read_user", extra=1)

    async def unknown(store: UserStore) -> object:
        return await store.rows("drop_everything")

    driver = engine.store.graph.driver
    assert await driver.read(user, read) is None
    for work in (admin_statement, another_user, wrong_parameters, unknown):
        with pytest.raises(ScopeViolation):
            await driver.read(user, work)


PARAMETERS = sorted({name for statement in statements.values() for name in statement.parameters})


@pytest.mark.parametrize("word", ["parameter", "$end_user_id", "$items", "$rows", "$name_keys"])
async def test_what_spells_a_parameter_of_a_query_is_a_value_like_any_other(
    engine: MemoryEngine, user: str, word: str
) -> None:
    memory = engine.memory(user)
    written = await memory.remember(f"Ana likes {word}", entities=[("Ana", "person"), ("Cid", "place"), word])
    again: dict[str, Any] = {"idempotency_key": word, "entities": [word]}
    first = await memory.remember("Cid is far", **again)
    assert first.entities == written.entities[2:]
    assert (await memory.remember("Cid is far", **again)).replayed
    turns = [{"text": "Hello!", "kind": "turn", "session_id": word, "speaker": "Ana", "position": n} for n in (0, 1)]
    said = [item.written for item in await memory.remember_many(turns)]
    told = [item.written for item in await memory.remember_many(turns)]
    assert [(one.id, one.outcome) for one in told if one] == [(one.id, "confirmed") for one in said if one]
    with pytest.raises(NotFound):
        await memory.get(word)
    await memory.entities.merge("Ana", "Cid")
    await memory.entities.merge(word, "Ana")
    assert {entity.id for entity in (await memory.get(written.id)).entities} == {written.entities[2].id}
    assert await check_user(engine.tools, user) == []


async def test_the_names_of_all_parameters_are_names_of_entities_like_any_other(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    names = [f"${name}" for name in PARAMETERS]
    made = [(await memory.remember(f"It has {name}", entities=[name])).entities[0] for name in names]
    assert len({entity.id for entity in made}) == len(names)
    for name, entity in zip(names, made, strict=True):
        card = await memory.entities.get(name)
        assert (card.entity.id, [one.text for one in card.statements]) == (entity.id, [f"It has {name}"])
        with pytest.raises(NotFound):
            await memory.get(name)
    assert await check_user(engine.tools, user) == []
