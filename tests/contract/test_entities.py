"""Entities: names, aliases, cards, lists, on every graph server."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.entities.entities import Entities
from memorygraph.errors import Conflict, Forbidden, InvalidInput, NotFound
from memorygraph.times import from_ms
from tests.support.raw_graph import RawGraph

UNKNOWN = "01890000-0000-7000-8000-000000000000"


@pytest.fixture
def entities(memory: Memory) -> Entities:
    return memory.entities


async def test_behaviour_13_a_name_in_two_spellings_at_once_is_one_entity(
    memory: Memory, entities: Entities, raw: RawGraph
) -> None:
    told = await asyncio.gather(
        memory.remember("The DGIA answered", entities=["DGIA"]),
        memory.remember("We wrote to the dgia", entities=["dgia "]),
        entities.relate("Dgia", "part of", ("Ministry", "office"), create_missing=True),
        entities.relate("DGIA", "works with", ("ministry", "office"), create_missing=True),
    )
    ids = {told[0].entities[0].id, told[1].entities[0].id, told[2].subject.id, told[3].subject.id}
    assert len(ids) == 1
    rows = await raw.run("MATCH (e:Entity {end_user_id: $u}) RETURN e.name_key AS key", u=memory.end_user_id)
    assert sorted(row["key"] for row in rows) == ["dgia", "ministry"]
    assert {row.id for row in (await entities.get("dgia")).statements} == {told[0].id, told[1].id}


async def test_an_alias_leads_to_its_entity_and_is_listed_with_it(memory: Memory, entities: Entities) -> None:
    bob = (await memory.remember("Bob called", entities=[("Bob", "person")])).entities[0]
    record = await entities.add_alias(bob.id, " Robert ")
    assert (record.id, record.aliases, record.revision) == (bob.id, ("Robert",), 2)
    assert (await entities.add_alias("bob", "ROBERT", kind="person")).revision == 2
    assert (await entities.get("robert", "person")).entity.id == bob.id
    assert [one.id for one in (await entities.list("rober")).entities] == [bob.id]
    assert (await entities.remove_alias("robert", "Robert")).aliases == ()
    with pytest.raises(NotFound):
        await entities.get("robert")
    with pytest.raises(NotFound):
        await entities.remove_alias(bob.id, "Robert")
    assert (await memory.verify_events()).checked == 3


async def test_an_alias_that_is_a_name_or_alias_of_another_is_refused_and_names_it(
    memory: Memory, entities: Entities, raw: RawGraph
) -> None:
    told = await memory.remember("Bob, Ann", entities=[("Bob", "person"), ("Ann", "person"), ("Rome", "city")])
    bob, ann, rome = told.entities
    await entities.add_alias(ann.id, "Annie")
    before = await raw.everything(memory.end_user_id)
    for name in ("ann", "ANNIE"):
        with pytest.raises(Conflict, match=ann.id):
            await entities.add_alias(bob.id, name)
        with pytest.raises(Conflict, match=ann.id):
            await entities.revise(bob.id, name=name)
    assert await raw.everything(memory.end_user_id) == before
    assert (await entities.add_alias(rome.id, "Annie")).aliases == ("Annie",)
    with pytest.raises(Conflict, match="Annie"):
        await entities.revise(rome.id, kind="person")
    with pytest.raises(InvalidInput, match="city, person"):
        await entities.get("annie")


async def test_a_renamed_entity_keeps_its_old_name_as_an_alias(memory: Memory, entities: Entities) -> None:
    bob = (await memory.remember("Bob called", entities=["Bob"])).entities[0]
    renamed = await entities.revise(bob.id, name="Robert", kind="person", description="A plumber.", importance=0.9)
    assert (renamed.name, renamed.kind, renamed.aliases) == ("Robert", "person", ("Bob",))
    assert (renamed.description, renamed.importance, renamed.pinned) == ("A plumber.", 0.9, False)
    assert renamed.cold_at is not None
    assert (await entities.get("bob", "person")).entity.id == bob.id
    back = await entities.revise("robert", name="Bob", description="", pinned=True)
    assert (back.name, back.aliases, back.description, back.pinned) == ("Bob", ("Robert",), None, True)
    again = await entities.revise(bob.id, name="Bob", pinned=True, importance=0.9, description="")
    assert again.revision == back.revision
    bad: list[dict[str, Any]] = [{"importance": 1.5}, {"name": ""}, {"pinned": 1}, {"kind": "\x00"}]
    for wrong in bad:
        with pytest.raises(InvalidInput):
            await entities.revise(bob.id, **wrong)


async def test_a_card_tells_what_is_live_and_accepted_newest_first_page_by_page(
    memory: Memory, entities: Entities, raw: RawGraph, clock: SimulatedClock
) -> None:
    told = []
    for number in range(5):
        told.append(await memory.remember(f"Ana, part {number}", entities=["Ana"]))
        clock.advance(timedelta(hours=1))
    await memory.remember("Nothing of hers", entities=["Bo"])
    await raw.run("MATCH (s:Statement {id: $id}) SET s.trust = 'candidate'", id=told[4].id)
    await raw.run("MATCH (s:Statement {id: $id}) SET s.status = 'retracted', s.retired_at = 1", id=told[3].id)
    ids = [written.id for written in told]
    first = await entities.get("ana", limit=2)
    assert [record.id for record in first.statements] == [ids[2], ids[1]]
    rest = await entities.get("ana", limit=2, cursor=first.next_cursor)
    assert ([record.id for record in rest.statements], rest.next_cursor) == ([ids[0]], None)
    everything = await entities.get("ana", include_retired=True, include_candidates=True)
    assert [record.id for record in everything.statements] == ids[::-1]
    assert first.entity.access_count == 1
    assert first.entity.retention < 1
    with pytest.raises(InvalidInput):
        await entities.get("ana", cursor="nonsense")
    with pytest.raises(InvalidInput):
        await entities.list(cursor=first.next_cursor)


async def test_behaviour_18_a_card_is_read_as_of_what_was_true_and_what_was_believed(
    memory: Memory, entities: Entities, raw: RawGraph, clock: SimulatedClock
) -> None:
    written = await memory.remember("Ana works at Acme", entities=["Ana"])
    march, april = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
    await raw.run(
        "MATCH (s:Statement {id: $id}) SET s.valid_from = $at", id=written.id, at=int(march.timestamp()) * 1000
    )
    told_at = from_ms(clock.now_ms())
    retired = clock.now_ms() + 86_400_000
    await raw.run(
        "MATCH (s:Statement {id: $id}) SET s.status = 'retracted', s.retired_at = $at", id=written.id, at=retired
    )

    async def told(**as_of: datetime) -> int:
        return len((await entities.get("Ana", **as_of)).statements)  # type: ignore[arg-type]

    assert await told() == 0
    assert await told(as_of_recorded=told_at) == 1
    assert await told(as_of_recorded=told_at, as_of_valid=april) == 1
    assert await told(as_of_recorded=told_at, as_of_valid=march - timedelta(days=1)) == 0
    assert await told(as_of_recorded=march) == 0
    assert await told(as_of_recorded=told_at + timedelta(days=2)) == 0


async def test_entities_are_listed_by_name_page_by_page(memory: Memory, entities: Entities) -> None:
    names = [("Zoë", "person"), ("Ana", "person"), ("Ana", "boat"), ("上海", "city"), ("Bo", "person")]
    await memory.remember("All of them", entities=names)
    seen: list[tuple[str, str]] = []
    cursor = None
    while True:
        page = await entities.list(limit=2, cursor=cursor)
        seen += [(one.name, one.kind) for one in page.entities]
        if (cursor := page.next_cursor) is None:
            break
    assert seen == [("Ana", "boat"), ("Ana", "person"), ("Bo", "person"), ("Zoë", "person"), ("上海", "city")]
    assert [one.kind for one in (await entities.list(kind="boat")).entities] == ["boat"]
    assert [one.name for one in (await entities.list("OË")).entities] == ["Zoë"]
    assert (await entities.list("nobody")).entities == ()


async def test_likely_duplicates_are_suggested_with_reasons_and_never_merged(
    memory: Memory, entities: Entities, raw: RawGraph
) -> None:
    names = [
        ("Catherine Jones", "person"),
        ("Katherine Jones", "person"),
        ("Tarea 5", "task"),
        ("Tarea 6", "task"),
        ("Jordan", "person"),
        ("Jordan", "city"),
        ("automobile", "thing"),
        ("car", "thing"),
    ]
    await memory.remember("All of them", entities=names)
    before = await raw.everything(memory.end_user_id)
    found = await entities.suggestions(least=0.5)
    pairs = {frozenset((one.first.name, one.second.name)): one for one in found}
    likely = pairs[frozenset(("Catherine Jones", "Katherine Jones"))]
    assert likely.score >= 0.8
    assert "spelled nearly alike" in likely.why[0]
    assert "mean nearly the same" in pairs[frozenset(("automobile", "car"))].why[0]
    assert frozenset(("Tarea 5", "Tarea 6")) not in pairs
    assert not [one for one in found if {one.first.name, one.second.name} == {"Jordan"}]
    about = await entities.suggestions("katherine jones")
    assert {likely.first.id, likely.second.id} == {about[0].first.id, about[0].second.id}
    assert await raw.everything(memory.end_user_id) == before


async def test_behaviour_28_the_entities_of_one_user_are_nobody_elses(
    memory: Memory, entities: Entities, engine: MemoryEngine, raw: RawGraph
) -> None:
    other = engine.memory(f"{memory.end_user_id}-other")
    theirs = await other.remember("Bo lives in Leeds", entities=["Leeds", "Bo"])
    mine = await memory.remember("I live in Leeds", entities=["Leeds", "Me"])
    leeds = theirs.entities[0].id
    relation = await other.entities.relate("Bo", "lives in", "Leeds")
    before = await raw.everything(other.end_user_id)
    own = await raw.everything(memory.end_user_id)
    for attempt in (
        entities.get(leeds),
        entities.revise(leeds, name="York"),
        entities.add_alias(leeds, "York"),
        entities.remove_alias(leeds, "Leeds"),
        entities.merge(leeds, mine.entities[0].id),
        entities.merge(mine.entities[0].id, leeds),
        entities.split(leeds, 1),
        entities.split(mine.entities[0].id, leeds),
        entities.relate(leeds, "is", "Me"),
        entities.relate("Me", "lives in", leeds, create_missing=True),
        entities.relate("Me", "lives in", "Leeds", statement_id=theirs.id),
        entities.unrelate(relation.id),
        entities.relations(leeds),
        entities.relation_history(relation.id),
        entities.suggestions(leeds),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await raw.everything(other.end_user_id) == before
    assert await raw.everything(memory.end_user_id) == own
    assert [one.id for one in (await entities.list("leeds")).entities] == [mine.entities[0].id]
    assert [record.id for record in (await entities.get("Leeds")).statements] == [mine.id]
    assert (await other.entities.get("Leeds")).relations[0].id == relation.id


async def test_what_the_scopes_do_not_allow_is_refused(memory: Memory, engine: MemoryEngine, raw: RawGraph) -> None:
    ids = [entity.id for entity in (await memory.remember("Ana, Bo", entities=["Ana", "Bo"])).entities]
    before = await raw.everything(memory.end_user_id)
    reader = engine.memory(memory.end_user_id, scopes={"read"}).entities
    assert (await reader.get("Ana")).entity.id == ids[0]
    for attempt in (
        reader.add_alias("Ana", "Anna"),
        reader.remove_alias("Ana", "Anna"),
        reader.revise("Ana", name="Anna"),
        reader.merge(*ids),
        reader.split("Ana", 1),
        reader.relate("Ana", "knows", "Bo"),
        reader.unrelate(ids[0]),
    ):
        with pytest.raises(Forbidden):
            await attempt
    writer = engine.memory(memory.end_user_id, scopes={"write"}).entities
    for reading in (
        writer.get("Ana"),
        writer.list(),
        writer.suggestions(),
        writer.relations("Ana"),
        writer.relation_history(ids[0]),
    ):
        with pytest.raises(Forbidden):
            await reading
    assert await raw.everything(memory.end_user_id) == before


async def test_behaviour_54_an_edge_planted_between_two_users_shows_nothing(
    memory: Memory, entities: Entities, engine: MemoryEngine, raw: RawGraph
) -> None:
    theirs = await engine.memory(f"{memory.end_user_id}-other").remember("Secret", entities=["Secret place"])
    mine = await memory.remember("Leeds is wet", entities=["Leeds"])
    planted = await raw.run(
        "MATCH (s:Statement {id: $s}), (e:Entity {id: $e}), (o:Entity {id: $o}) "
        "CREATE (s)-[:MENTIONS {end_user_id: $u}]->(e) CREATE (e)-[:RELATES {end_user_id: $u, id: 'x'}]->(o) "
        "RETURN 1 AS n",
        s=theirs.id,
        e=mine.entities[0].id,
        o=theirs.entities[0].id,
        u=memory.end_user_id,
    )
    assert len(planted) == 1
    card = await entities.get("Leeds")
    assert ([record.id for record in card.statements], card.relations) == ([mine.id], ())
    with pytest.raises(NotFound):
        await entities.unrelate("x")
