"""The life of a statement: revised, superseded, retracted, reinstated, pinned, expired; and behaviour 27."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from memorygraph import EntitySpec, Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import Conflict, Forbidden, InvalidInput, NotFound
from memorygraph.invariants import check_user
from memorygraph.times import from_ms
from tests.support.raw_graph import RawGraph
from tests.support.recalling import found


async def test_a_revised_memory_is_found_by_its_new_words_and_meaning_and_not_by_the_old(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    id = (await memory.remember("Ana plays the violin", entities=["Ana"], keywords=["music"])).id
    assert await found(memory, "violin") == await found(memory, "music") == [id]
    clock.advance(timedelta(minutes=1))
    record = await memory.revise(
        id, text="Bo repairs zeppelins", entities=["Bo", ("Zeppelin", "thing")], keywords=["aviation"], title="Trade"
    )
    assert (record.text, record.title, record.revision, record.updated_at) == (
        "Bo repairs zeppelins",
        "Trade",
        2,
        from_ms(clock.now_ms()),
    )
    assert {(of.name, of.kind) for of in record.entities} == {("Bo", "unknown"), ("Zeppelin", "thing")}
    assert record.keywords == ("aviation",)
    for query in ("zeppelins", "aviation", "Trade", "somebody mends airships"):
        assert await found(memory, query) == [id]
    assert await found(memory, "violin") == []
    assert [hit.lexical for hit in (await memory.recall("music Ana")).hits if hit.lexical] == []
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_revision_of_what_is_there_already_is_no_change(memory: Memory) -> None:
    id = (await memory.remember("Ana plays the violin", tags=["music"])).id
    assert (await memory.revise(id, text="Ana plays the violin", tags=["music"])).revision == 1
    assert (await memory.revise(id, tags=[])).revision == 2


async def test_a_revision_holds_only_for_the_revision_it_was_meant_for(memory: Memory) -> None:
    id = (await memory.remember("Ana plays the violin")).id
    await memory.revise(id, title="One", if_revision=1)
    with pytest.raises(Conflict, match="revision 2"):
        await memory.revise(id, title="Two", if_revision=1)
    assert (await memory.get(id)).title == "One"


async def test_a_value_that_another_memory_holds_is_not_taken_by_a_revision_or_a_move(
    engine: MemoryEngine, memory: Memory
) -> None:
    violin = (await memory.remember("Ana plays the violin")).id
    other = (await memory.remember("Ana sings")).id
    elsewhere = (await memory.remember("Ana plays the violin", project="music")).id
    for call in (memory.revise(other, text="ana plays  the violin"), memory.revise(elsewhere, project=None)):
        with pytest.raises(Conflict, match=violin):
            await call
    assert (await memory.revise(other, text="ana plays  the violin", project="choir")).project == "choir"
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_of_a_turn_and_of_a_summary_the_words_are_not_revised(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    names = [EntitySpec(name=f"Person {number}") for number in range(60)]
    for number, text in enumerate(("Ana moved to Leeds.", "Ana left York.")):
        await memory.remember(text, entities=["Ana", *names[number * 30 : number * 30 + 30]])
    clock.advance(timedelta(days=60))
    cycle = await engine.forgetting.run(memory.end_user_id)
    (summary,) = cycle.summaries
    turn = (await memory.remember("Hello!", kind="turn", session_id="s")).id
    for call in (memory.revise(turn, text="Bye!"), memory.revise(turn, kind="fact"), memory.revise(summary, text="x")):
        with pytest.raises(InvalidInput):
            await call
    assert (await memory.revise(turn, tags=["greeting"])).tags == ("greeting",)
    # It mentions more than may be given at once.
    record = await memory.revise(summary, tags=["past"], keywords=["moves"], importance=1.0)
    assert (record.tags, len(record.entities)) == (("past",), 61)
    assert await found(memory, "Person 59 moves") == [summary]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_superseded_memory_leaves_search_and_both_ends_stay_readable(
    engine: MemoryEngine, memory: Memory
) -> None:
    old = (await memory.remember("Ana works at Acme")).id
    new = (await memory.remember("Ana works at Globex")).id
    record = await memory.supersede(old, new, reason="She moved")
    assert record.status == "superseded"
    assert await found(memory, "Ana works") == [new]
    assert set(await found(memory, "Ana works", include=["superseded"])) == {old, new}
    (by,) = (await memory.relatives(old)).superseded_by
    (of,) = (await memory.relatives(new)).supersedes
    assert (by.id, by.reason, of.id, of.reason) == (new, "She moved", old, "She moved")
    for call, error in (
        (memory.supersede(old, new), Conflict),
        (memory.supersede(new, old), Conflict),
        (memory.supersede(new, new), InvalidInput),
        (memory.supersede(new, "nobody"), NotFound),
    ):
        with pytest.raises(error):
            await call
    assert (await memory.reinstate(old)).status == "active"
    assert set(await found(memory, "Ana works")) == {old, new}
    assert (await memory.relatives(old)).superseded_by == ()
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_retraction_needs_a_reason_and_is_taken_back(engine: MemoryEngine, memory: Memory) -> None:
    id = (await memory.remember("Ana works at Acme")).id
    for reason in ("", "x" * 501, None):
        with pytest.raises(InvalidInput):
            await memory.retract(id, reason)  # type: ignore[arg-type]
    assert await found(memory, "Acme") == [id]
    record = await memory.retract(id, "She never did")
    assert (record.status, record.fusable_at) == ("retracted", None)
    assert await found(memory, "Acme", include=["superseded", "candidate"]) == []
    for call in (memory.retract(id, "again"), memory.revise(id, title="x")):
        with pytest.raises(Conflict):
            await call
    again = await memory.remember("Ana works at Acme")
    assert (again.outcome, again.id != id) == ("created", True)
    with pytest.raises(Conflict, match=again.id):
        await memory.reinstate(id)
    await memory.retract(again.id, "no")
    record = await memory.reinstate(id)
    assert (record.status, record.retired_at, record.fusable_at is None) == ("active", None, False)
    with pytest.raises(Conflict):
        await memory.reinstate(id)
    assert await found(memory, "Acme") == [id]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_retired_or_pinned_memory_is_not_fused(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    texts = ("Ana moved to Leeds.", "Ana left York.", "Ana sold the car.", "Ana met Bo.", "Ana paid the rent.")
    ids = [(await memory.remember(text, entities=["Ana"])).id for text in texts]
    await memory.retract(ids[0], "wrong")
    await memory.supersede(ids[1], ids[2])
    await memory.pin(ids[2])
    assert (await memory.get(ids[2])).fusable_at is None
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(memory.end_user_id)).merged_count == 2
    statuses = [(await memory.get(id)).status for id in ids]
    assert statuses == ["retracted", "superseded", "active", "forgotten", "forgotten"]
    assert (await memory.unpin(ids[2])).fusable_at is not None
    await memory.remember("Ana sold the bike.", entities=["Ana"])
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(memory.end_user_id)).merged_count >= 2
    fused = await memory.get(ids[2])
    assert fused.status == "forgotten"
    assert [of.id for of in (await memory.relatives(ids[1])).superseded_by] == [fused.summary_id]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_what_is_over_expires_with_its_questions_and_is_reinstated_without_an_end(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    soon = from_ms(clock.now_ms() + 60_000)
    uses = (await memory.remember("Ana uses webpack", expires_at=soon)).id
    uses_not = (await memory.remember("Ana does not use webpack", expires_at=soon)).id
    stays = (await memory.remember("Ana used webpack", expires_at=soon + timedelta(minutes=1))).id
    assert (await memory.get(uses)).open_questions == 1
    assert await memory.expire_due() == 0
    clock.advance(timedelta(minutes=1))
    assert await memory.expire_due() == 2
    assert await memory.expire_due() == 0
    record = await memory.get(uses)
    assert (record.status, record.open_questions) == ("expired", 0)
    assert len([of for of in await memory.events() if of.action == "question:expired"]) == 1
    assert (await memory.get(stays)).status == "active"
    record = await memory.reinstate(uses)
    assert (record.status, record.expires_at) == ("active", None)
    assert set(await found(memory, "webpack")) == {uses, stays}
    with pytest.raises(Forbidden):
        await engine.memory(memory.end_user_id, scopes=["read", "write"]).expire_due()
    assert (await memory.get(uses_not)).status == "expired"
    assert await check_user(engine.tools, memory.end_user_id) == []


Call = Callable[[Memory, str], Awaitable[object]]
LONG = "x" * 501
BEYOND: dict[str, Call] = {
    "title": lambda memory, id: memory.revise(id, title="x" * 201),
    "tags": lambda memory, id: memory.revise(id, tags=[str(number) for number in range(11)]),
    "keywords": lambda memory, id: memory.revise(id, keywords=["x" * 101]),
    "text": lambda memory, id: memory.revise(id, text="x" * 2001),
    "nothing": lambda memory, id: memory.revise(id),
    "text taken away": lambda memory, id: memory.revise(id, text=None),  # type: ignore[arg-type]
    "importance": lambda memory, id: memory.revise(id, importance=11),
    "importance that is no number": lambda memory, id: memory.revise(id, importance=float("nan")),
    "confidence": lambda memory, id: memory.revise(id, confidence=-0.1),
    "control character": lambda memory, id: memory.revise(id, context="a\x07b"),
    "lone surrogate": lambda memory, id: memory.revise(id, title="\ud800"),
    "half a claim": lambda memory, id: memory.revise(id, predicate="plays"),
    "time without a zone": lambda memory, id: memory.revise(id, valid_from="2026-01-01T00:00:00"),
    "period": lambda memory, id: memory.revise(id, valid_from="2026-01-02T00:00:00Z", valid_to="2026-01-01T00:00:00Z"),
    "kind": lambda memory, id: memory.revise(id, kind="turn"),
    "entities": lambda memory, id: memory.revise(id, entities=[str(number) for number in range(51)]),
    "revision": lambda memory, id: memory.revise(id, title="x", if_revision=0),
    "reason of a retraction": lambda memory, id: memory.retract(id, LONG),
    "reason of a reinstatement": lambda memory, id: memory.reinstate(id, reason=LONG),
    "reason of a supersession": lambda memory, id: memory.supersede(id, "other", reason=LONG),
    "reason of a rejection": lambda memory, id: memory.review.reject(id, ""),
    "reason of an approval": lambda memory, id: memory.review.approve(id, reason="\x00"),
    "reason of a reversal": lambda memory, id: memory.revert(1, reason=LONG),
    "event": lambda memory, id: memory.revert(True),
    "remembered title": lambda memory, id: memory.remember("New", title="x" * 201),
    "remembered tags": lambda memory, id: memory.remember("New", tags=[str(number) for number in range(11)]),
    "remembered importance": lambda memory, id: memory.remember("New", importance=11),
    "remembered entities": lambda memory, id: memory.remember("New", entities=[str(n) for n in range(51)]),
    "remembered supersession": lambda memory, id: memory.remember("New", supersedes=["x"] * 51),
    "ten megabytes": lambda memory, id: memory.remember("x" * 10_000_000),
    "a thousand and one": lambda memory, id: memory.remember_many([{"text": "New"}] * 1001),
}


async def test_behaviour_27_nothing_beyond_a_limit_is_written(memory: Memory, raw: RawGraph) -> None:
    id = (await memory.remember("Ana plays the violin")).id
    before = await raw.everything(memory.end_user_id)
    for what, call in BEYOND.items():
        with pytest.raises(InvalidInput):
            await call(memory, id)
        assert await raw.everything(memory.end_user_id) == before, what
    items: list[dict[str, Any]] = [{"text": "x" * 2001}, {"text": "Kept"}, {"text": "New", "title": "x" * 201}, {}]
    outcomes = [(item.outcome, item.code) for item in await memory.remember_many(items)]
    assert outcomes == [
        ("failed", "invalid_input"),
        ("created", None),
        ("failed", "invalid_input"),
        ("failed", "invalid_input"),
    ]
    at_the_limit = await memory.revise(
        id,
        text="x" * 2000,
        title="x" * 200,
        context="x" * 500,
        tags=[f"{number}" + "x" * 98 for number in range(10)],
        importance=1,
        entities=[f"E{number}" for number in range(50)],
    )
    assert (len(at_the_limit.tags), len(at_the_limit.entities)) == (10, 50)


async def test_without_the_scope_write_nothing_is_changed(engine: MemoryEngine, memory: Memory, raw: RawGraph) -> None:
    id = (await memory.remember("Ana plays the violin")).id
    other = (await memory.remember("Ana sings")).id
    before = await raw.everything(memory.end_user_id)
    reader = engine.memory(memory.end_user_id, scopes=["read"])
    for call in (
        reader.remember("New"),
        reader.remember_many([{"text": "New"}]),
        reader.revise(id, title="x"),
        reader.supersede(id, other),
        reader.retract(id, "x"),
        reader.reinstate(id),
        reader.pin(id),
        reader.unpin(id),
        reader.revert(1),
        reader.expire_due(),
        reader.reinforce([id]),
    ):
        with pytest.raises(Forbidden):
            await call
    assert await raw.everything(memory.end_user_id) == before
    assert (await reader.get(id)).text == "Ana plays the violin"
    assert (await memory.pin(id)).pinned


async def test_of_another_user_nothing_is_changed_and_nothing_seen(
    engine: MemoryEngine, memory: Memory, raw: RawGraph
) -> None:
    id = (await memory.remember("Ana plays the violin")).id
    own = engine.memory(f"{memory.end_user_id}-other")
    mine = (await own.remember("Bo sings")).id
    before = await raw.everything(memory.end_user_id)
    calls: list[Awaitable[object]] = [
        own.get(id),
        own.history(id),
        own.relatives(id),
        own.revise(id, title="x"),
        own.supersede(id, mine),
        own.supersede(mine, id),
        own.retract(id, "x"),
        own.reinstate(id),
        own.pin(id),
        own.link(mine, id),
        own.unlink(mine, id),
        own.review.reject(id, "x"),
        own.review.approve(id),
        own.review.answer(mine, id, "keep_both"),
        own.remember("New", supersedes=[id]),
        own.revert(99),
    ]
    for call in calls:
        with pytest.raises(NotFound):
            await call
    assert await raw.everything(memory.end_user_id) == before
    assert (await memory.retract(id, "x")).status == "retracted"
