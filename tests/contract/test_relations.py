"""Relations between entities, on every graph server."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from memorygraph import EntitySpec, Memory, MemoryEngine, SimulatedClock
from memorygraph.entities.entities import Entities
from memorygraph.entities.relations import drop_evidence, relation_rows
from memorygraph.errors import Conflict, InvalidInput, NotFound
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.times import from_ms
from memorygraph.validation import RelationSpec
from tests.support.raw_graph import RawGraph

UNKNOWN = "01890000-0000-7000-8000-000000000000"
HOSTILE = "X`) DETACH DELETE (n) //"


@pytest.fixture
async def memory(engine: MemoryEngine, user: str) -> Memory:
    """A memory that knows of Ana, Bo and Acme."""
    memory = engine.memory(user)
    await memory.remember("Ana, Bo, Acme", entities=[("Ana", "person"), ("Bo", "person"), ("Acme", "company")])
    return memory


@pytest.fixture
def entities(memory: Memory) -> Entities:
    return memory.entities


async def test_behaviour_16_relating_to_an_unknown_id_is_an_error_and_writes_nothing(
    memory: Memory, entities: Entities, raw: RawGraph
) -> None:
    before = await raw.everything(memory.end_user_id)
    for attempt in (
        entities.relate("Ana", "knows", UNKNOWN),
        entities.relate(UNKNOWN, "knows", "Ana", create_missing=True),
        entities.relate("Somebody new", "knows", UNKNOWN, create_missing=True),
        entities.relate("Ana", "knows", "Nobody"),
        entities.relate("Ana", "knows", ("Bo", "dog")),
        entities.relate("Ana", "knows", "Bo", statement_id=UNKNOWN),
    ):
        with pytest.raises(NotFound):
            await attempt
    for weight in (0, 1.1, float("nan"), True):
        with pytest.raises(InvalidInput):
            await entities.relate("Ana", "knows", "Bo", weight=weight)
    with pytest.raises(InvalidInput):
        await entities.relate("Ana", "knows", "Bo", valid_from="2026-02-01T00:00:00Z", valid_to="2026-01-01T00:00:00Z")
    assert await raw.everything(memory.end_user_id) == before
    assert (await entities.relate("Ana", "knows", "Bo")).evidence_count == 1
    assert (await entities.relate("Ana", "knows", ("Cy", "dog"), create_missing=True)).object.kind == "dog"


async def test_behaviour_16_a_nested_map_is_refused_and_named(memory: Memory, raw: RawGraph) -> None:
    before = await raw.everything(memory.end_user_id)
    nested = {"a": {"b": [1]}}
    for field in ("attributes", "title", "value", "source"):
        claim = {"subject": "Ana", "predicate": "owns"} if field == "value" else {}
        (answer,) = await memory.remember_many([{"text": "Ana has a boat", **claim, field: nested}])
        assert (answer.outcome, answer.code) == ("failed", "invalid_input")
        assert field in str(answer.message)
    for field in ("keywords", "entities", "relations"):
        (answer,) = await memory.remember_many([{"text": "Ana has a boat", field: [nested]}])
        assert (answer.outcome, answer.code) == ("failed", "invalid_input")
        assert field in str(answer.message)
    assert await raw.everything(memory.end_user_id) == before
    (answer,) = await memory.remember_many([{"text": "Ana has a boat", "title": "A boat"}])
    assert answer.outcome == "created"


async def test_a_relation_stated_again_gains_evidence_and_two_predicates_stay_two(
    memory: Memory, entities: Entities
) -> None:
    said = await memory.remember("Ana works at Acme")
    first = await entities.relate("Ana", "works at", "Acme", weight=0.4)
    assert (first.weight, first.evidence_count, first.source_ids) == (0.4, 1, ())
    again = await entities.relate("ana", "Works_At", ("Acme", "company"), statement_id=said.id)
    assert (again.id, again.predicate, again.evidence_count) == (first.id, "works at", 2)
    assert (again.weight, again.source_ids) == (0.4, (said.id,))
    same = await entities.relate("Ana", "works at", "Acme", statement_id=said.id)
    assert (same.evidence_count, same.source_ids) == (2, (said.id,))
    owns = await entities.relate("Ana", "owns", "Acme")
    back = await entities.relate("Acme", "works at", "Ana")
    assert len({first.id, owns.id, back.id}) == 3
    assert [r.id for r in await entities.relations("Ana")] == sorted((first.id, owns.id, back.id), reverse=True)
    history = await entities.relation_history(first.id)
    assert [change.action for change in history] == ["relate:created", "relate:confirmed"]
    assert history[1].before is not None
    assert history[1].before["evidence_count"] == 1
    assert (await memory.verify_events()).ok


async def test_behaviour_31_any_words_are_a_predicate_and_none_is_code(
    memory: Memory, entities: Entities, raw: RawGraph
) -> None:
    predicates = ["non-compliant", "由…组成", HOSTILE, "$end_user_id", "_"]
    for predicate in predicates:
        related = await entities.relate("Ana", predicate, (HOSTILE, HOSTILE), create_missing=True)
        assert (related.predicate, related.object.name, related.object.kind) == (predicate, HOSTILE, HOSTILE)
        assert [change.action for change in await entities.relation_history(related.id)] == ["relate:created"]
    assert {r.predicate for r in (await entities.get(HOSTILE)).relations} == set(predicates)
    rows = await raw.run("MATCH (n {end_user_id: $u}) RETURN DISTINCT labels(n) AS l", u=memory.end_user_id)
    assert {row["l"][0] for row in rows} == {"EndUser", "Entity", "Event", "Statement"}
    types = await raw.run("MATCH ({end_user_id: $u})-[r]->() RETURN DISTINCT type(r) AS t", u=memory.end_user_id)
    assert {row["t"] for row in types} == {"MENTIONS", "RELATES"}


async def test_a_retired_relation_is_gone_now_and_readable_as_of_earlier(
    entities: Entities, clock: SimulatedClock
) -> None:
    related = await entities.relate("Ana", "works at", "Acme")
    then = from_ms(clock.now_ms())
    clock.advance(timedelta(days=2))
    retired = await entities.unrelate(related.id, reason="She left.")
    assert retired.retired_at == from_ms(clock.now_ms())
    assert await entities.relations("Ana") == ()
    assert (await entities.get("Acme")).relations == ()
    assert [r.id for r in await entities.relations("Ana", include_retired=True)] == [related.id]
    assert [r.id for r in await entities.relations("Ana", as_of_recorded=then + timedelta(days=1))] == [related.id]
    assert [r.id for r in (await entities.get("Ana", as_of_recorded=then)).relations] == [related.id]
    assert await entities.relations("Ana", as_of_recorded=then - timedelta(days=1)) == ()
    with pytest.raises(Conflict):
        await entities.unrelate(related.id)
    with pytest.raises(NotFound):
        await entities.unrelate(UNKNOWN)
    anew = await entities.relate("Ana", "works at", "Acme")
    assert (anew.id != related.id, anew.evidence_count) == (True, 1)
    history = await entities.relation_history(related.id)
    assert [(change.action, change.reason) for change in history] == [
        ("relate:created", None),
        ("relate:retired", "She left."),
    ]
    with pytest.raises(NotFound):
        await entities.relation_history(UNKNOWN)


async def test_behaviour_18_another_period_corrects_what_was_believed_or_stands_beside_it(
    entities: Entities, clock: SimulatedClock
) -> None:
    def year(of: int) -> datetime:
        return datetime(of, 1, 1, tzinfo=UTC)

    first = await entities.relate("Ana", "works at", "Acme", valid_from=year(2020))
    then = from_ms(clock.now_ms())
    clock.advance(timedelta(days=1))
    ended = await entities.relate("Ana", "works at", "Acme", valid_to=year(2023))
    assert (ended.id != first.id, ended.valid_from, ended.valid_to) == (True, year(2020), year(2023))
    assert ended.evidence_count == 2
    back = await entities.relate("Ana", "works at", "Acme", valid_from=year(2025))
    assert (back.evidence_count, back.valid_to) == (1, None)
    assert [r.id for r in await entities.relations("Ana")] == [back.id]
    assert [r.id for r in await entities.relations("Ana", as_of_valid=year(2021))] == [ended.id]
    assert await entities.relations("Ana", as_of_valid=year(2024)) == ()
    believed = await entities.relations("Ana", as_of_valid=year(2024), as_of_recorded=then)
    assert [r.id for r in believed] == [first.id]
    assert len(await entities.relations("Ana", include_retired=True)) == 3
    history = await entities.relation_history(ended.id)
    assert [change.action for change in history] == ["relate:created", "relate:corrected"]
    with pytest.raises(InvalidInput, match="valid_to"):
        await entities.relate("Bo", "at", "Acme", valid_from=year(2020), valid_to=year(2020))


async def test_a_relation_stated_ten_times_at_once_is_one(entities: Entities) -> None:
    told = await asyncio.gather(
        *(entities.relate("Ana", "knows", ("New one", "person"), create_missing=True) for _ in range(10))
    )
    assert len({(related.id, related.object.id) for related in told}) == 1
    assert max(related.evidence_count for related in told) == 10


async def test_the_evidence_of_a_statement_is_taken_back_with_it(
    memory: Memory, entities: Entities, engine: MemoryEngine
) -> None:
    said = [await memory.remember(f"Ana works at Acme, {n}") for n in range(2)]
    await entities.relate("Ana", "works at", "Acme", statement_id=said[0].id)
    both = await entities.relate("Ana", "works at", "Acme", statement_id=said[1].id)
    only = await entities.relate("Ana", "owns", "Acme", statement_id=said[0].id)
    own = await entities.relate("Ana", "knows", "Bo")
    driver = engine.store.graph.driver

    async def drop(ids: list[str], *, remove: bool) -> list[Row]:
        return await driver.write(memory.end_user_id, lambda store: drop_evidence(store, ids, now=7, remove=remove))

    changes = {change["id"]: change for change in await drop([said[0].id], remove=False)}
    assert changes[both.id]["after"] == {"source_ids": [said[1].id], "evidence_count": 1}
    assert changes[only.id]["after"] == {"source_ids": [], "evidence_count": 0, "retired_at": 7}
    assert changes[only.id]["before"]["source_ids"] == [said[0].id]
    assert {r.id for r in await entities.relations("Ana")} == {both.id, own.id}
    assert len(await entities.relations("Ana", include_retired=True)) == 3
    assert [change["after"] for change in await drop([said[1].id], remove=True)] == [None]
    assert {r.id for r in await entities.relations("Ana", include_retired=True)} == {only.id, own.id}
    assert await drop([said[1].id, UNKNOWN], remove=True) == []


async def test_relations_that_a_statement_tells_are_written_in_its_transaction_in_one_round(
    memory: Memory, entities: Entities, engine: MemoryEngine
) -> None:
    ana, bo, acme = EntitySpec(name="Ana"), EntitySpec(name="Bo"), EntitySpec(name="ACME")
    kinds = {ana: ("ana", "person"), bo: ("bo", "person"), acme: ("acme", "company")}
    said = await memory.remember("They work together")
    rows = relation_rows(
        [
            RelationSpec(subject=ana, predicate="works with", object=bo),
            RelationSpec(subject=ana, predicate="Works with", object=bo),
            RelationSpec(subject=bo, predicate="works at", object=acme),
        ],
        key_of=kinds.__getitem__,
        now=5,
        statement_id=said.id,
    )

    async def work(store: UserStore) -> list[Row]:
        return await store.relate_entities(rows=rows)

    told = await engine.store.graph.driver.write(memory.end_user_id, work)
    assert [(row["id"], row["before"]) for row in told] == [(row["id"], None) for row in rows]
    found = {r.predicate: r for r in await entities.relations("Bo")}
    assert (found["Works with"].subject.name, found["works at"].object.name) == ("Ana", "Acme")
    assert {r.source_ids for r in found.values()} == {(said.id,)}
