"""What happened is told, and one event is undone where that is possible; behaviour 34 for every verb."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, MemoryRecord, SimulatedClock
from memorygraph.errors import Conflict, ConstraintViolated, Forbidden, InvalidInput, NotFound
from memorygraph.invariants import check_user
from memorygraph.memory.records import HistoryEntry
from memorygraph.times import from_ms
from tests.support.raw_graph import RawGraph

Work = Callable[[Memory, str, str], Awaitable[object]]


@pytest.fixture
def memory(engine: MemoryEngine, user: str) -> Memory:
    return engine.memory(user, actor="Rita")


@pytest.fixture
async def pair(memory: Memory) -> tuple[str, str]:
    """Two statements that have nothing to do with each other."""
    first = await memory.remember("Ana works at Acme", entities=["Ana"], tags=["work"])
    second = await memory.remember("The harbour is closed on Sundays")
    assert (first.similar, second.contradictions) == ((), ())
    return first.id, second.id


def told(record: MemoryRecord) -> dict[str, Any]:
    """All of a record but what counts its changes, and what use computes anew."""
    moving = {"revision", "changed_seq", "updated_at", "retired_at", "fusable_at"}
    return {name: value for name, value in record.to_dict().items() if name not in moving}


async def test_the_history_of_a_memory_is_told_newest_first_page_by_page(
    memory: Memory, pair: tuple[str, str], clock: SimulatedClock
) -> None:
    id, other = pair
    clock.advance(timedelta(days=1))
    await memory.revise(id, title="Employer", importance=0.9)
    await memory.retract(id, "She left")
    await memory.reinstate(id, reason="She is back")
    entries = await memory.history(id)
    assert [(of.action, of.reason) for of in entries] == [
        ("reinstate", "She is back"),
        ("retract", "She left"),
        ("revise", None),
        ("remember:created", None),
    ]
    revised = entries[2]
    assert (revised.actor, revised.at, revised.erased, revised.reverts) == (
        "Rita",
        from_ms(clock.now_ms()),
        False,
        None,
    )
    assert (revised.before, revised.after) == (
        {"title": None, "importance": 0.5},
        {"title": "Employer", "importance": 0.9},
    )
    first = await memory.history(id, limit=3)
    assert first + await memory.history(id, limit=3, before=first[-1].seq) == entries
    assert [of.action for of in await memory.history(other)] == ["remember:created"]
    everything = await memory.events()
    assert [of.seq for of in everything] == [5, 4, 3, 2, 1]
    assert [of.seq for of in await memory.events(limit=2, before=4)] == [3, 2]
    assert await memory.events(before=1) == ()
    for call in (memory.history("nobody"), memory.revert(6)):
        with pytest.raises(NotFound):
            await call
    with pytest.raises(InvalidInput):
        await memory.events(limit=0)


async def test_the_history_goes_on_after_a_fusion_and_a_summary_and_an_entity_have_one(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    ids = [(await memory.remember(text, entities=["Ana"])).id for text in ("Ana moved to Leeds.", "Ana left York.")]
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(memory.end_user_id)).merged_count == 2
    fused = await memory.get(ids[0])
    assert fused.summary_id is not None
    assert [of.action for of in await memory.history(ids[0])] == ["fuse", "remember:created"]
    assert [of.action for of in await memory.history(ids[0], before=2)] == ["remember:created"]
    (fusion,) = await memory.history(fused.summary_id)
    assert (fusion.action, fusion.target_type) == ("fuse", "MemorySummary")
    await memory.revise(fused.summary_id, tags=["past"])
    assert (await memory.history(fused.summary_id))[0].after == {"tags": ["past"]}
    (entity,) = (await memory.get(ids[0])).entities
    await memory.entities.revise(entity.id, description="a colleague")
    (revised,) = await memory.history(entity.id)
    assert (revised.action, revised.target_type) == ("entity:revised", "Entity")
    with pytest.raises(Conflict, match="Say again what of it holds"):
        await memory.revert(fusion.seq)


async def test_behaviour_21_a_memory_is_read_as_it_was_known_after_each_of_its_changes(
    engine: MemoryEngine, memory: Memory, pair: tuple[str, str], clock: SimulatedClock
) -> None:
    id, other = pair
    changes: list[Callable[[], Awaitable[object]]] = [
        lambda: memory.revise(id, text="Ana works at Globex", tags=["work", "new"], valid_from=from_ms(1)),
        lambda: memory.remember("Ana works at Globex", agent="another"),
        lambda: memory.revise(id, entities=["Ana", ("Globex", "company")], valid_from=None),
        lambda: memory.pin(id),
        lambda: memory.remember("Ana does not work at Globex"),
        lambda: memory.retract(id, "She left"),
        lambda: memory.reinstate(id),
        lambda: memory.supersede(id, other),
        lambda: memory.reinstate(id),
        lambda: memory.review.reject(id, "never"),
    ]
    known = [(clock.now_ms(), await memory.get(id))]
    for change in changes:
        clock.advance(timedelta(hours=1))
        await change()
        known.append((clock.now_ms(), await memory.get(id)))
    of_now = {"retention", "cold_at", "fusable_at", "access_count", "last_access_at", "effective_confidence"}
    for at, record in known:
        for moment in (at, at + 1):
            then = await memory.get(id, as_of_recorded=from_ms(moment))
            for name, value in record.to_dict().items():
                if name not in of_now:
                    assert then.to_dict()[name] == value, (name, moment, record.changed_seq)
    with pytest.raises(NotFound, match="not recorded yet"):
        await memory.get(id, as_of_recorded=from_ms(known[0][0] - 1))


async def test_a_fused_memory_is_read_as_it_was_before_the_fusion(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    id = (await memory.remember("Ana moved to Leads.", entities=["Ana"])).id
    await memory.remember("Ana left York.", entities=["Ana"])
    before = from_ms(clock.now_ms())
    clock.advance(timedelta(days=1))
    await memory.revise(id, text="Ana moved to Leeds.")
    between = from_ms(clock.now_ms())
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(memory.end_user_id)).merged_count == 2
    assert (await memory.get(id)).status == "forgotten"
    assert (await memory.get(id, as_of_recorded=from_ms(clock.now_ms()))).status == "forgotten"
    for at, text in ((between, "Ana moved to Leeds."), (before, "Ana moved to Leads.")):
        then = await memory.get(id, as_of_recorded=at)
        assert (then.type, then.status, then.text, then.entities[0].name) == ("Statement", "active", text, "Ana")


# What is done and undone again: afterwards all is as it was.
REVERSIBLE: dict[str, Work] = {
    "revise": lambda memory, id, other: memory.revise(
        id, text="Bo sails", tags=[], importance=0.1, entities=["Bo"], expires_at="2030-01-01T00:00:00Z", title="Bo"
    ),
    "retract": lambda memory, id, other: memory.retract(id, "wrong"),
    "supersede": lambda memory, id, other: memory.supersede(id, other),
    "pin": lambda memory, id, other: memory.pin(id),
    "link": lambda memory, id, other: memory.link(id, other),
    "reject": lambda memory, id, other: memory.review.reject(id, "wrong"),
}


@pytest.mark.parametrize("action", REVERSIBLE)
async def test_what_was_done_is_undone_by_an_event_that_names_it_and_redone(
    engine: MemoryEngine, memory: Memory, pair: tuple[str, str], action: str
) -> None:
    id, other = pair
    before, relatives = told(await memory.get(id)), await memory.relatives(id)
    await REVERSIBLE[action](memory, id, other)
    (done, *_) = await memory.history(id)
    assert done.action == action
    after, tied = told(await memory.get(id)), await memory.relatives(id)
    assert (after, tied) != (before, relatives)

    undone = await memory.revert(done.seq, reason="A slip")
    assert (undone.reverts, undone.actor, undone.reason) == (done.seq, "Rita", "A slip")
    assert (await memory.history(id))[0] == undone
    assert (told(await memory.get(id)), await memory.relatives(id)) == (before, relatives)
    assert [hit.memory.id for hit in (await memory.recall("Where does Ana work")).hits][:1] == [id]
    with pytest.raises(Conflict, match=f"Event {undone.seq} undid event {done.seq}"):
        await memory.revert(done.seq)

    redone = await memory.revert(undone.seq)
    assert redone.reverts == undone.seq
    assert told(await memory.get(id)) | {"reviewed_at": None} == after | {"reviewed_at": None}
    assert (await memory.revert(redone.seq)).reverts == redone.seq
    assert told(await memory.get(id)) == before
    assert (await memory.verify_events()).ok
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_approvals_answers_and_lifted_tombstones_are_undone_by_a_reviewer_only(
    engine: MemoryEngine, memory: Memory
) -> None:
    uses = (await memory.remember("Ana uses webpack")).id
    uses_not = (await memory.remember("Ana does not use webpack", derived=True)).id
    await memory.review.approve(uses_not)
    await memory.review.answer(uses, uses_not, "keep_both")
    chess = (await memory.remember("Bo plays chess")).id
    await memory.review.reject(chess, "no")
    (tombstone,) = (await memory.review.tombstones()).items
    await memory.review.lift(tombstone.fingerprint)
    events = {of.action: of.seq for of in await memory.events()}
    undoable = ["tombstone:lifted", "reject", "question:kept_both", "approve"]
    writer = engine.memory(memory.end_user_id, scopes=["read", "write"])
    for action in undoable:
        with pytest.raises(Forbidden):
            await writer.revert(events[action])

    await memory.revert(events["tombstone:lifted"])
    assert (await memory.remember("Bo plays chess")).outcome == "refused"
    await memory.revert(events["reject"])
    assert (await memory.remember("Bo plays chess")).outcome == "confirmed"
    await memory.revert(events["question:kept_both"])
    assert [(await memory.get(id)).open_questions for id in (uses, uses_not)] == [1, 1]
    await memory.revert(events["approve"])
    record = await memory.get(uses_not)
    assert (record.trust, record.reviewed_by) == ("candidate", None)
    assert {item.memory.id for item in (await memory.review.queue()).items} == {uses, uses_not}
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_reinstatement_is_undone_to_what_was_before(
    engine: MemoryEngine, memory: Memory, pair: tuple[str, str]
) -> None:
    id, other = pair
    await memory.supersede(id, other)
    await memory.reinstate(id)
    await memory.revert((await memory.history(id))[0].seq)
    assert (await memory.get(id)).status == "superseded"
    assert [of.id for of in (await memory.relatives(id)).superseded_by] == [other]
    await memory.reinstate(id)
    await memory.retract(id, "wrong")
    await memory.reinstate(id)
    await memory.revert((await memory.history(id))[0].seq)
    assert (await memory.get(id)).status == "retracted"
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_an_entity_is_renamed_and_merged_back(engine: MemoryEngine, memory: Memory) -> None:
    entities = memory.entities
    await memory.remember("Ana met Anna", entities=["Ana", "Anna"])
    ana, anna = [(await entities.get(name)).entity for name in ("Ana", "Anna")]
    await entities.revise(ana.id, name="Annabel", description="a colleague", importance=0.9)
    await memory.revert((await memory.history(ana.id))[0].seq)
    again = (await entities.get("Ana")).entity
    assert (again.id, again.description, again.importance, again.aliases) == (ana.id, None, ana.importance, ())
    with pytest.raises(NotFound):
        await entities.get("Annabel")
    await entities.merge(ana.id, anna.id)
    undone = await memory.revert((await memory.history(ana.id))[0].seq)
    assert undone.action == "entity:split"
    assert (await entities.get("Anna")).entity.id == anna.id
    with pytest.raises(Conflict, match="Merge them again"):
        await memory.revert(undone.seq)
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_the_relations_of_a_statement_go_and_come_back_with_it(engine: MemoryEngine, memory: Memory) -> None:
    written = await memory.remember("Ana works at Acme", relations=[("Ana", "works at", "Acme")])

    async def predicates() -> list[str]:
        return [relation.predicate for relation in (await memory.entities.get("Ana")).relations]

    assert await predicates() == ["works at"]
    await memory.review.reject(written.id, "never")
    assert await predicates() == []
    withdrawn, rejected = await memory.events(limit=2)
    assert (withdrawn.action, rejected.action) == ("relate:withdrawn", "reject")
    with pytest.raises(Conflict, match="Revert the event that retired"):
        await memory.revert(withdrawn.seq)
    assert (await memory.revert(rejected.seq)).reverts == rejected.seq
    assert await predicates() == ["works at"]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_what_cannot_be_undone_is_refused_with_what_to_do_instead(
    memory: Memory, pair: tuple[str, str], clock: SimulatedClock, raw: RawGraph
) -> None:
    id, other = pair
    await memory.remember("Ana works at Acme")  # 3
    await memory.revise(id, title="One")  # 4
    await memory.revise(id, title="Two", tags=["x"])  # 5
    await memory.revise(other, expires_at=from_ms(clock.now_ms() + 1000))  # 6
    clock.advance(timedelta(minutes=1))
    assert await memory.expire_due() == 1  # 7
    await memory.revise(id, project="p")  # 8
    with pytest.raises(Conflict, match=r"Event 5 \(revise\) changed the same later. Revert 5 first"):
        await memory.revert(4)
    await raw.run("MATCH (v:Event {end_user_id: $u, seq: 8}) REMOVE v.payload, v.salt", u=memory.end_user_id)
    before = await raw.everything(memory.end_user_id)
    for seq, instead in {
        1: "Retract it, or erase it",
        3: "Retract the memory",
        4: r"What event 8 \(revise\) changed later was erased",
        7: "Reinstate it",
        8: "erased",
    }.items():
        with pytest.raises(Conflict, match=instead):
            await memory.revert(seq)
    assert await raw.everything(memory.end_user_id) == before
    (newest, *_) = await memory.history(id)
    assert (newest.erased, newest.before, newest.after, newest.reason) == (True, None, None, None)
    with pytest.raises(Conflict, match="erased"):
        await memory.get(id, as_of_recorded=from_ms(clock.now_ms() - 1))


async def test_an_event_is_undone_when_what_changed_the_same_later_was_undone(
    memory: Memory, pair: tuple[str, str]
) -> None:
    id, _ = pair
    await memory.revise(id, title="One")
    await memory.revise(id, tags=["y"])
    await memory.revise(id, title="Two")
    seqs = {str(of.after): of.seq for of in await memory.history(id) if of.action == "revise"}
    one, two = seqs["{'title': 'One'}"], seqs["{'title': 'Two'}"]
    with pytest.raises(Conflict):
        await memory.revert(one)
    await memory.revert(two)
    assert (await memory.get(id)).title == "One"
    await memory.revert(one)
    record = await memory.get(id)
    assert (record.title, record.tags) == (None, ("y",))


async def test_of_two_who_undo_the_same_at_once_one_does(memory: Memory, pair: tuple[str, str]) -> None:
    id, _ = pair
    await memory.revise(id, text="Ana works at Globex")
    (entry, *_) = await memory.history(id)
    done = await asyncio.gather(*(memory.revert(entry.seq) for _ in range(3)), return_exceptions=True)
    assert [type(of) for of in done if not isinstance(of, HistoryEntry)] == [Conflict, Conflict]
    assert (await memory.get(id)).text == "Ana works at Acme"
    assert len(await memory.history(id)) == 3


EVERY_VERB: dict[str, Work] = {
    **REVERSIBLE,
    "approve": lambda memory, id, other: memory.review.approve(id),
    "answer": lambda memory, id, other: memory.review.answer(id, other, "supersede", keep=other),
    "lift": lambda memory, id, other: memory.review.lift("f"),
    "unlink": lambda memory, id, other: memory.unlink(id, other),
    "reinstate": lambda memory, id, other: memory.reinstate(other),
    "revert": lambda memory, id, other: memory.revert(1),
    "expire": lambda memory, id, other: memory.expire_due(),
    "remember_many": lambda memory, id, other: memory.remember_many([{"text": "New"}, {"text": "Newer"}]),
}
# What has to be there for a verb to have something to do.
PREPARED = {
    "approve": "MATCH (s:Statement {end_user_id: $u, id: $id}) SET s.trust = 'candidate', s.review_since = 1",
    "answer": (
        "MATCH (a:Statement {end_user_id: $u, id: $id}), (b:Statement {end_user_id: $u, id: $other}) "
        "CREATE (a)-[:CONTRADICTS {end_user_id: $u, opened_at: 1, reason: 'negation'}]->(b) "
        "SET a.open_questions = 1, b.open_questions = 1"
    ),
    "lift": "CREATE (:Tombstone {end_user_id: $u, fingerprint: 'f', kind: 'rejected', created_at: 1})",
    "unlink": (
        "MATCH (a:Statement {end_user_id: $u, id: $id}), (b:Statement {end_user_id: $u, id: $other}) "
        "CREATE (a)-[:SIMILAR_TO {end_user_id: $u, score: 0.8, origin: 'auto'}]->(b)"
    ),
    "reinstate": "MATCH (b:Statement {end_user_id: $u, id: $other}) SET b.status = 'retracted'",
    "revert": (
        "MATCH (v:Event {end_user_id: $u, seq: 1}) "
        "SET v.action = 'pin', v.payload = '{}' "
        "WITH v MATCH (s:Statement {end_user_id: $u, id: v.target_id}) SET s.pinned = true"
    ),
    "expire": "MATCH (b:Statement {end_user_id: $u, id: $other}) SET b.expires_at = 1",
}


@pytest.mark.parametrize("verb", EVERY_VERB)
async def test_behaviour_34_a_verb_whose_event_cannot_be_written_changes_nothing(
    memory: Memory, pair: tuple[str, str], raw: RawGraph, verb: str
) -> None:
    id, other = pair
    names = {"u": memory.end_user_id, "id": id, "other": other}
    if verb in PREPARED:
        await raw.run(PREPARED[verb], **names)
    # The next number is taken, so that no event can be appended.
    await raw.run("CREATE (:Event {end_user_id: $u, seq: 3, idempotency_key: 'planted'})", **names)
    before = await raw.everything(memory.end_user_id)
    if verb == "remember_many":
        assert [of.code for of in await memory.remember_many([{"text": "New"}])] == ["constraint_violated"]
    else:
        with pytest.raises(ConstraintViolated):
            await EVERY_VERB[verb](memory, id, other)
    assert await raw.everything(memory.end_user_id) == before
    await raw.run("MATCH (v:Event {end_user_id: $u, seq: 3}) DELETE v", **names)
    await EVERY_VERB[verb](memory, id, other)
    assert (await memory.events(limit=1))[0].seq >= 3
