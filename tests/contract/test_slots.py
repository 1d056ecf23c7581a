"""Values of one slot: which of them holds at which time, and what is asked when several do."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import Conflict
from memorygraph.invariants import check_user
from tests.support.slot_claims import LIVES, SINCE, held, live, lives, lives_since


@pytest.mark.parametrize("batch", [False, True], ids=["one by one", "in one batch"])
@pytest.mark.parametrize("order", [("Leeds", "Paris", "York"), ("Rome", "Leeds", "York", "Paris")], ids="-".join)
async def test_behaviour_20_values_told_out_of_order_hold_one_at_a_time(
    engine: MemoryEngine, memory: Memory, order: tuple[str, ...], batch: bool
) -> None:
    if batch:
        items = await memory.remember_many([lives_since(city) for city in order])
        ids = {city: str(item.written and item.written.id) for city, item in zip(order, items, strict=True)}
    else:
        ids = {city: (await memory.remember(**lives_since(city))).id for city in order}
    told = sorted(order, key=SINCE.__getitem__)
    for city, after in zip(told, [*told[1:], None], strict=True):
        record = await memory.get(ids[city])
        began = None if after is None else datetime(SINCE[after], 1, 1, tzinfo=UTC)
        assert (record.status, record.superseded_from) == ("active" if after is None else "superseded", began), city
        holders = [of.id for of in (await memory.relatives(ids[city])).superseded_by]
        assert holders == ([] if after is None else [ids[after]]), city
    for year in range(2020, 2027):
        assert await held(memory, year) == {max((SINCE[city], city) for city in order if SINCE[city] <= year)[1]}, year
    assert await held(memory, 2019) == set()
    assert await live(memory) == {told[-1]}
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_20_of_a_value_that_comes_between_both_sides_are_told(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    leeds = await memory.remember(**lives_since("Leeds"))
    paris = await memory.remember(**lives_since("Paris"))
    clock.advance(timedelta(hours=1))
    york = await memory.remember(**lives_since("York"))
    assert (york.supersedes, york.superseded_by) == ((leeds.id,), paris.id)
    moved, *_ = await memory.history(leeds.id)
    assert (moved.action, (moved.before or {})["superseded_by"], (moved.after or {})["superseded_by"]) == (
        "supersede:moved",
        paris.id,
        york.id,
    )
    with pytest.raises(Conflict, match="cannot be undone"):
        await memory.revert(moved.seq)
    # It is no longer held to be current since Paris was told.
    assert (await memory.get(leeds.id)).retired_at == (await memory.get(paris.id)).recorded_at
    await memory.reinstate(leeds.id)
    again = (await memory.history(leeds.id))[0]
    with pytest.raises(Conflict, match=f"{york.id} is superseded"):
        await memory.revert(again.seq)
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_what_took_a_place_and_was_withdrawn_ends_no_value_that_is_told_after(
    engine: MemoryEngine, memory: Memory
) -> None:
    await memory.remember(**lives_since("Leeds"))
    paris = await memory.remember(**lives_since("Paris"))
    await memory.retract(paris.id, "She only went on holiday")
    york = await memory.remember(**lives_since("York"))
    assert (york.superseded_by, await live(memory)) == (None, {"York"})
    assert [await held(memory, year) for year in (2021, 2023, 2025)] == [{"Leeds"}, {"York"}, {"York"}]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_value_told_in_place_of_a_later_one_is_not_superseded_by_it(
    engine: MemoryEngine, memory: Memory
) -> None:
    paris = await memory.remember(**lives_since("Paris"))
    york = await memory.remember(**lives_since("York", supersedes=[paris.id]))
    assert (york.supersedes, york.superseded_by) == ((paris.id,), None)
    assert await live(memory) == {"York"}
    assert len((await memory.relatives(paris.id)).superseded_by) == 1
    assert await check_user(engine.tools, memory.end_user_id) == []


async def asked(memory: Memory) -> set[tuple[str, str]]:
    """The pairs of texts of which somebody is asked which one holds."""
    return {
        (min(item.memory.text, of.text), max(item.memory.text, of.text))
        for item in (await memory.review.queue()).items
        for of in item.contradictions
    }


LEEDS_OR_YORK = ("Ana lives in Leeds", "Ana lives in York")


@pytest.mark.parametrize("how", ["superseded", "retracted", "expired", "rejected"])
async def test_a_value_that_holds_again_beside_another_is_a_question(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, how: str
) -> None:
    soon = datetime.fromtimestamp(clock.now_ms() / 1000, UTC) + timedelta(hours=1)
    leeds = await memory.remember(**lives("Leeds", expires_at=soon if how == "expired" else None))
    if how == "retracted":
        await memory.retract(leeds.id, "a mistake")
    elif how == "rejected":
        await memory.review.reject(leeds.id, "a mistake")
    clock.advance(timedelta(hours=2))
    york = await memory.remember(**lives("York", functional=True))
    assert (york.contradictions, await asked(memory)) == ((), set())
    if how == "rejected":
        (rejection,) = [of.seq for of in await memory.history(leeds.id) if of.action == "reject"]
        await memory.revert(rejection)
    else:
        await memory.reinstate(leeds.id)
    assert (await live(memory), await asked(memory)) == ({"Leeds", "York"}, {LEEDS_OR_YORK})
    records = [await memory.get(id) for id in (leeds.id, york.id)]
    assert [(record.open_questions, record.fusable_at) for record in records] == [(1, None), (1, None)]
    await memory.review.answer(leeds.id, york.id, "supersede", keep=leeds.id)
    assert (await live(memory), await asked(memory)) == ({"Leeds"}, set())
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_no_value_that_holds_again_is_asked_about_where_nothing_is_to_be_decided(
    engine: MemoryEngine, memory: Memory
) -> None:
    likes: dict[str, Any] = {"subject": "Ana", "predicate": "likes", "functional": False}
    await memory.remember("Ana likes tea", value="tea", **likes)
    coffee = await memory.remember("Ana likes coffee", value="coffee", **likes)
    leeds = await memory.remember(**lives("Leeds", project="life"))
    await memory.remember(**lives("Bonn", project="novel"))
    york = await memory.remember(**lives("York", project="life"))
    assert await asked(memory) == {LEEDS_OR_YORK}
    await memory.review.answer(leeds.id, york.id, "keep_both")
    for id in (coffee.id, leeds.id):
        await memory.retract(id, "a mistake")
        await memory.reinstate(id)
    await memory.revise(coffee.id, text="Ana likes her coffee", value="black coffee")
    bread = await memory.remember("Ana bakes bread", subject="Ana", predicate="bakes", value="bread")
    await memory.revise(bread.id, predicate="likes")
    assert await live(memory) == {"tea", "black coffee", "bread", "Leeds", "York", "Bonn"}
    assert await asked(memory) == set()
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_what_was_asked_of_a_memory_is_asked_again_when_it_holds_again(
    engine: MemoryEngine, memory: Memory
) -> None:
    uses = await memory.remember("Ana uses webpack")
    uses_not = await memory.remember("Ana does not use webpack")
    pair = ("Ana does not use webpack", "Ana uses webpack")
    assert await asked(memory) == {pair}
    await memory.review.answer(uses.id, uses_not.id, "supersede", keep=uses_not.id)
    events = {of.action: of.seq for of in await memory.events()}
    with pytest.raises(Conflict, match="is superseded since"):
        await memory.revert(events["question:superseded"])
    await memory.revert(events["supersede"])
    assert await asked(memory) == {pair}
    with pytest.raises(Conflict, match="asked already"):
        await memory.revert(events["question:superseded"])
    assert [(await memory.get(id)).open_questions for id in (uses.id, uses_not.id)] == [1, 1]
    await memory.retract(uses.id, "a mistake")
    await memory.revise(uses_not.id, text="Ana sleeps late")
    await memory.reinstate(uses.id)
    assert await asked(memory) == set()
    assert await check_user(engine.tools, memory.end_user_id) == []


@pytest.mark.parametrize(
    ("told", "change"),
    [
        ({"predicate": "visited"}, {"predicate": "lives_in"}),
        ({"subject": "Bo"}, {"subject": "ana"}),
        ({"project": "novel"}, {"project": None}),
        ({"subject": None, "predicate": None, "value": None}, {**LIVES, "value": "Leeds"}),
    ],
    ids=["predicate", "subject", "project", "claim"],
)
async def test_a_claim_that_is_moved_into_a_slot_that_is_taken_is_a_question(
    engine: MemoryEngine, memory: Memory, told: dict[str, Any], change: dict[str, Any]
) -> None:
    await memory.remember(**lives("York", functional=True))
    moved = await memory.remember(**lives("Leeds", text="She bought a flat there") | told)
    await memory.revise(moved.id, tags=["flat"], importance=0.9)
    assert await asked(memory) == set()
    await memory.revise(moved.id, **change)
    assert await asked(memory) == {("Ana lives in York", "She bought a flat there")}
    await memory.revise(moved.id, value="Hull")
    assert len(await asked(memory)) == 1
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_functional_value_said_again_takes_the_place_of_all_that_are_live(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    cities = [f"City {number}" for number in range(25)]
    many = await memory.remember_many([lives(city, functional=False) for city in cities])
    leeds = await memory.remember(**lives("Leeds"))
    assert (len(await live(memory)), len(await asked(memory))) == (26, len(leeds.contradictions))
    assert leeds.contradictions
    derived = await memory.remember(**lives("Leeds", functional=True, derived=True))
    assert (derived.outcome, derived.supersedes, len(await live(memory))) == ("confirmed", (), 26)
    clock.advance(timedelta(hours=1))
    again = await memory.remember(**lives("Leeds", functional=True))
    assert (again.outcome, again.id, again.superseded_by) == ("confirmed", leeds.id, None)
    assert set(again.supersedes) == {item.written.id for item in many if item.written}
    assert (await live(memory), await asked(memory)) == ({"Leeds"}, set())
    left = await memory.get(again.supersedes[0])
    assert (left.status, left.superseded_from) == ("superseded", left.retired_at)
    assert (await memory.remember(**lives("Leeds", functional=True))).supersedes == ()
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_functional_value_said_again_of_earlier_is_superseded_by_the_later_one(
    engine: MemoryEngine, memory: Memory
) -> None:
    york = await memory.remember(**lives_since("York"))
    paris = await memory.remember(**lives_since("Paris"))
    await memory.reinstate(york.id)
    assert await live(memory) == {"York", "Paris"}
    again = await memory.remember(**lives_since("York"))
    assert (again.id, again.outcome, again.supersedes, again.superseded_by) == (york.id, "confirmed", (), paris.id)
    assert (await live(memory), await asked(memory)) == ({"Paris"}, set())
    assert [await held(memory, year) for year in (2021, 2023, 2025)] == [set(), {"York"}, {"Paris"}]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_candidate_is_a_question_beside_a_value_that_holds_one_at_a_time_whichever_was_told_first(
    engine: MemoryEngine, memory: Memory
) -> None:
    guess = await memory.remember(**lives("Hull"), derived=True)
    york = await memory.remember(**lives_since("York"))
    assert [(question.id, question.reason) for question in york.contradictions] == [(guess.id, "same_slot")]
    later = await memory.remember(**lives("Bath"), derived=True)
    assert {question.id for question in later.contradictions} == {guess.id, york.id}
    await memory.review.approve(guess.id)
    open_now = [of.id for of in (await memory.relatives(york.id)).questions if of.resolved_at is None]
    assert sorted(open_now) == sorted([guess.id, later.id])
    assert await live(memory) == {"York", "Hull"}
    await memory.review.answer(york.id, guess.id, "supersede", keep=york.id)
    assert await live(memory) == {"York"}
    assert await check_user(engine.tools, memory.end_user_id) == []
