"""Merging entities and undoing it, on every graph server."""

from datetime import timedelta
from typing import Any

import neo4j
import pytest
from neo4j.exceptions import ServiceUnavailable

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.entities.entities import Entities
from memorygraph.errors import Conflict, InvalidInput, NotFound
from memorygraph.invariants import check_user
from tests.support.raw_graph import RawGraph

BOOKKEEPING = {"revision", "changed_seq", "updated_at"}


@pytest.fixture
def entities(memory: Memory) -> Entities:
    return memory.entities


async def graph_of(raw: RawGraph, user: str) -> list[str]:
    """All of a user but the events; of entities without what every change moves."""

    def bare(properties: dict[str, Any]) -> dict[str, Any]:
        without = BOOKKEEPING if "name_key" in properties else set()
        return {name: properties[name] for name in sorted(properties) if name not in without}

    rows = []
    for row in await raw.everything(user):
        if row.get("labels") in (["Event"], ["EndUser"]):
            continue
        rows.append({key: bare(value) if isinstance(value, dict) else value for key, value in row.items()})
    return sorted(map(repr, rows))


async def people(memory: Memory, entities: Entities, clock: SimulatedClock) -> tuple[str, str]:
    """Bob and Robert with all that can hang on two entities; Bob's id and Robert's."""
    both = await memory.remember(
        "Bob met Robert", entities=[("Bob", "person"), ("Robert", "unknown"), ("Ann", "person")]
    )
    bob, robert, ann = (entity.id for entity in both.entities)
    await memory.remember("Bob sails", entities=["Bob"])
    clock.advance(timedelta(days=3))
    works = await memory.remember("Robert works at Acme", entities=["Robert", ("Acme", "company")])
    await entities.revise(robert, description="A sailor.", importance=0.8, pinned=True)
    await entities.add_alias(robert, "Robbie")
    await entities.add_alias(bob, "Bobby")
    await entities.relate(bob, "knows", ann)
    await entities.relate(robert, "knows", ann, weight=0.5, statement_id=works.id)
    await entities.relate(robert, "knows", bob)
    await entities.relate(robert, "works at", "Acme", statement_id=works.id)
    await entities.relate("Acme", "employs", robert, valid_from="2026-01-01T00:00:00Z")
    retired = await entities.relate(robert, "married to", ann)
    await entities.unrelate(retired.id)
    return bob, robert


async def test_a_merge_moves_all_that_hangs_on_the_other_and_a_split_puts_it_back(
    memory: Memory, entities: Entities, engine: MemoryEngine, raw: RawGraph, clock: SimulatedClock
) -> None:
    bob, robert = await people(memory, entities, clock)
    before = await graph_of(raw, memory.end_user_id)
    merged = await entities.merge(bob, robert, reason="The same man.")
    assert (merged.entity.id, merged.merged_id, merged.entity.name) == (bob, robert, "Bob")
    assert merged.entity.aliases == ("Bobby", "Robert", "Robbie")
    assert (merged.entity.description, merged.entity.importance, merged.entity.pinned) == ("A sailor.", 0.8, True)
    assert merged.entity.access_count == 2
    for which in (robert, "Robert", "robbie"):
        assert (await entities.get(which)).entity.id == bob
    card = await entities.get(bob)
    assert {record.text for record in card.statements} == {"Bob met Robert", "Bob sails", "Robert works at Acme"}
    assert await check_user(engine.tools, memory.end_user_id) == []
    told = {(r.subject.name, r.predicate, r.object.name): r for r in card.relations}
    assert set(told) == {
        ("Bob", "knows", "Ann"),
        ("Bob", "knows", "Bob"),
        ("Bob", "works at", "Acme"),
        ("Acme", "employs", "Bob"),
    }
    knows = told["Bob", "knows", "Ann"]
    assert (knows.evidence_count, knows.weight, len(knows.source_ids)) == (2, 1.0, 1)
    assert "married to" in {r.predicate for r in await entities.relations(bob, include_retired=True)}
    assert [(one.action, one.reason) for one in card.merges] == [("entity:merged", "The same man.")]
    assert (await entities.relation_history(knows.id))[-1].action == "entity:merged"
    with pytest.raises(Conflict, match="one already"):
        await entities.merge(bob, robert)

    split = await entities.split(bob, robert)
    assert (split.entity.id, split.restored.id, split.restored.kind) == (bob, robert, "unknown")
    assert await graph_of(raw, memory.end_user_id) == before
    assert await check_user(engine.tools, memory.end_user_id) == []
    assert [one.other.name for one in (await entities.get(bob)).merges if one.other] == ["Robert", "Robert"]
    with pytest.raises(Conflict, match="undone before"):
        await entities.split(bob, merged.seq)


async def test_what_came_after_a_merge_stays_unless_it_says_the_others_name(
    memory: Memory, entities: Entities, engine: MemoryEngine, clock: SimulatedClock
) -> None:
    bob, robert = await people(memory, entities, clock)
    merged = await entities.merge(bob, robert)
    kept = await memory.remember("Bob bought a boat", entities=["Bob"])
    theirs = await memory.remember("Robbie sold a car", entities=["Bob"])
    both = await memory.remember("Robert is called Bob by Ann", entities=["Bob"])
    clock.advance(timedelta(days=1))
    await memory.reinforce([bob])
    await engine.flush()
    await entities.add_alias(bob, "Bert")
    await entities.revise(bob, description="A man.")
    await entities.relate(bob, "knows", "Ann")
    split = await entities.split(bob, merged.seq)
    assert (split.entity.aliases, split.entity.description, split.entity.access_count) == (
        ("Bobby", "Bert"),
        "A man.",
        2,
    )
    assert (split.entity.importance, split.restored.importance, split.restored.aliases) == (0.5, 0.8, ("Robbie",))
    ours = {record.id for record in (await entities.get(bob)).statements}
    assert {kept.id, both.id} <= ours
    assert theirs.id not in ours
    restored = {record.id for record in (await entities.get(robert)).statements}
    assert {theirs.id, both.id} <= restored
    assert kept.id not in restored
    knows = [r for r in await entities.relations(bob) if (r.object.name, r.predicate) == ("Ann", "knows")]
    assert [(r.evidence_count, r.source_ids) for r in knows] == [(2, ())]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_what_was_fused_meanwhile_mentions_the_restored_one_by_its_summary(
    memory: Memory, entities: Entities, engine: MemoryEngine, clock: SimulatedClock
) -> None:
    told = [await memory.remember(f"Robert and the dock, part {n}", entities=["Robert", "Dock"]) for n in range(3)]
    robert = told[0].entities[0].id
    bob = (await memory.remember("Bob decides", kind="decision", entities=["Bob"])).entities[0].id
    await entities.merge(bob, robert)
    clock.advance(timedelta(days=200))
    (summary,) = (await engine.forgetting.run(memory.end_user_id)).summaries
    assert [record.id for record in (await entities.get(bob)).summaries] == [summary]
    await entities.split(bob, robert)
    assert [record.id for record in (await entities.get(robert)).summaries] == [summary]


async def test_a_merge_that_cannot_be_undone_says_why(
    memory: Memory, entities: Entities, raw: RawGraph, clock: SimulatedClock
) -> None:
    told = await memory.remember("Four", entities=["Bob", "Robert", "Rob", "Ann"])
    bob, robert, rob, ann = (entity.id for entity in told.entities)
    first = await entities.merge(bob, robert)
    await entities.merge(bob, rob)
    with pytest.raises(Conflict, match="later"):
        await entities.split(bob, robert)
    with pytest.raises(NotFound):
        await entities.split(bob, ann)
    with pytest.raises(NotFound):
        await entities.split(bob, 1)
    for number in (0, True, 10**5000):  # the last has more digits than Python writes out
        with pytest.raises(InvalidInput):
            await entities.split(bob, number)
    await entities.merge(ann, bob)
    with pytest.raises(Conflict, match="itself merged"):
        await entities.split(ann, rob)
    await entities.split(ann, bob)
    await entities.split(bob, rob)
    await entities.remove_alias(bob, "Robert")
    other = (await memory.remember("Another Robert", entities=["Robert"])).entities[0].id
    with pytest.raises(Conflict, match=other):
        await entities.split(bob, first.seq)
    await entities.revise(other, name="Bertie")
    await entities.remove_alias(other, "Robert")
    await entities.revise(bob, name="Robert")
    with pytest.raises(Conflict, match="Rename it first"):
        await entities.split(bob, first.seq)
    await entities.revise(bob, name="Bob")
    await raw.run(
        "MATCH (v:Event {end_user_id: $u, seq: $seq}) REMOVE v.payload, v.salt", u=memory.end_user_id, seq=first.seq
    )
    for named in (first.seq, robert):
        with pytest.raises(Conflict, match="erased"):
            await entities.split(bob, named)
    assert (await entities.get(bob)).merges[0].other is None


async def test_merges_undone_in_the_order_in_which_they_can_be_leave_the_graph_as_it_was(
    memory: Memory, entities: Entities, raw: RawGraph, clock: SimulatedClock
) -> None:
    bob, robert = await people(memory, entities, clock)
    ann, acme = (await entities.get("Ann")).entity.id, (await entities.get("Acme")).entity.id
    states = [await graph_of(raw, memory.end_user_id)]
    merges = ((bob, robert), (ann, acme), (bob, ann))
    for keep, other in merges:
        await entities.merge(keep, other)
        states.append(await graph_of(raw, memory.end_user_id))
    for keep, other in reversed(merges):
        assert await graph_of(raw, memory.end_user_id) == states.pop()
        await entities.split(keep, other)
    assert await graph_of(raw, memory.end_user_id) == states.pop()


async def test_a_relation_that_a_later_merge_combined_holds_up_the_earlier_split(
    memory: Memory, entities: Entities, raw: RawGraph
) -> None:
    told = await memory.remember("Four", entities=["Bob", "Robert", "Ann", "Anna"])
    bob, robert, ann, anna = (entity.id for entity in told.entities)
    await entities.relate(bob, "knows", ann)
    await entities.relate(robert, "knows", anna)
    before = await graph_of(raw, memory.end_user_id)
    await entities.merge(bob, robert)
    await entities.merge(ann, anna)
    assert [r.evidence_count for r in await entities.relations(bob)] == [2]
    with pytest.raises(Conflict, match="later merge"):
        await entities.split(bob, robert)
    await entities.split(ann, anna)
    await entities.split(bob, robert)
    assert await graph_of(raw, memory.end_user_id) == before


async def test_a_change_whose_answer_was_lost_is_not_made_twice(
    memory: Memory, entities: Entities, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = await memory.remember("Two", entities=["Bob", "Robert"])
    bob, robert = (entity.id for entity in told.entities)
    committed = neo4j.AsyncTransaction.commit
    lost: list[int] = []

    async def lose_every_other(transaction: neo4j.AsyncTransaction) -> None:
        await committed(transaction)
        lost.append(len(lost) + 1)
        if len(lost) % 2:
            raise ServiceUnavailable("The connection broke before the answer came.")

    monkeypatch.setattr(neo4j.AsyncTransaction, "commit", lose_every_other)
    renamed = await entities.revise(bob, name="Bert")
    assert (renamed.revision, renamed.aliases) == (2, ("Bob",))
    related = await entities.relate(bob, "knows", robert)
    assert related.evidence_count == 1
    merged = await entities.merge(bob, robert)
    assert (merged.merged_id, merged.seq) == (robert, 4)
    split = await entities.split(bob, robert)
    assert (split.restored.id, split.seq) == (robert, 5)
    assert len(lost) == 8
    monkeypatch.undo()
    assert (await memory.verify_events()).checked == 5
