"""One value at several times: what is the same statement said again, and what is one of its own."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine
from memorygraph.errors import Conflict
from memorygraph.invariants import check_user

TEXT = "Ana works at Acme"
EARLIER: dict[str, Any] = {"valid_from": datetime(2010, 1, 1, tzinfo=UTC), "valid_to": datetime(2012, 1, 1, tzinfo=UTC)}
LATER: dict[str, Any] = {"valid_from": datetime(2020, 1, 1, tzinfo=UTC)}
OVERLAPPING: dict[str, Any] = {
    "valid_from": datetime(2011, 1, 1, tzinfo=UTC),
    "valid_to": datetime(2013, 1, 1, tzinfo=UTC),
}


def at(year: int) -> datetime:
    return datetime(year, 6, 1, tzinfo=UTC)


async def true_at(memory: Memory, year: int) -> set[str]:
    """Ids of what was true in the middle of a year, as list and recall tell them."""
    listed = {record.id for record in (await memory.list(as_of_valid=at(year))).items}
    recalled = {hit.memory.id for hit in (await memory.recall("Where does Ana work", as_of_valid=at(year))).hits}
    assert listed == recalled
    return listed


async def outcomes(memory: Memory, *told: dict[str, Any], batch: bool) -> tuple[list[str], list[str]]:
    """What is answered to values told one after the other, outcomes and ids."""
    if batch:
        written = [item.written for item in await memory.remember_many([{"text": TEXT, **times} for times in told])]
    else:
        written = [await memory.remember(TEXT, **times) for times in told]
    answers = [answer for answer in written if answer is not None]
    return [answer.outcome for answer in answers], [answer.id for answer in answers]


@pytest.mark.parametrize("batch", [False, True], ids=["one by one", "in one batch"])
async def test_a_value_of_two_times_is_two_statements_each_true_at_its_own_and_confirmed_by_its_own(
    engine: MemoryEngine, memory: Memory, batch: bool
) -> None:
    told = (EARLIER, LATER, OVERLAPPING, LATER)
    answered, (first, second, third, fourth) = await outcomes(memory, *told, batch=batch)
    assert answered == ["created", "created", "confirmed", "confirmed"]
    assert (third, fourth) == (first, second)
    assert first != second
    assert [await true_at(memory, year) for year in (2009, 2011, 2015, 2021)] == [set(), {first}, set(), {second}]
    assert await check_user(engine.tools, memory.end_user_id) == []


@pytest.mark.parametrize("batch", [False, True], ids=["one by one", "in one batch"])
async def test_a_value_whose_time_is_over_holds_again_when_it_is_said_again(memory: Memory, batch: bool) -> None:
    answered, (past, now, again) = await outcomes(memory, EARLIER, {}, {}, batch=batch)
    assert answered == ["created", "created", "confirmed"]
    assert now == again
    assert await true_at(memory, 2030) == {now}
    assert past in await true_at(memory, 2011)


@pytest.mark.parametrize(
    "times",
    [
        {},
        EARLIER,
        LATER,
        {"valid_to": datetime(2012, 1, 1, tzinfo=UTC)},
        {"occurred_at": at(2015)},
        {"occurred_at": at(2015), "valid_to": datetime(2012, 1, 1, tzinfo=UTC)},
        {"occurred_at": at(2009), **EARLIER},
    ],
    ids=lambda times: "+".join(times) or "nothing",
)
async def test_behaviour_13_the_same_value_with_the_same_times_is_confirmed_whatever_the_times(
    engine: MemoryEngine, memory: Memory, times: dict[str, Any]
) -> None:
    answered, ids = await outcomes(memory, times, times, times, batch=False)
    assert answered == ["created", "confirmed", "confirmed"]
    assert len(set(ids)) == 1
    record = await memory.get(ids[0])
    assert (record.assertion_count, record.source_count) == (3, 1)
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_of_a_predicate_with_one_value_at_a_time_a_later_time_of_the_same_value_takes_the_place_of_the_earlier(
    memory: Memory,
) -> None:
    claim: dict[str, Any] = {"subject": "Ana", "predicate": "works at", "value": "Acme", "functional": True}
    first = await memory.remember(TEXT, **claim, **EARLIER)
    between = await memory.remember(
        "Ana works at Beta", **{**claim, "value": "Beta"}, valid_from=datetime(2015, 1, 1, tzinfo=UTC)
    )
    last = await memory.remember(TEXT, **claim, **LATER)
    assert [first.outcome, between.outcome, last.outcome] == ["created", "created", "created"]
    assert [record.id for record in (await memory.list()).items] == [last.id]
    assert [await true_at(memory, year) for year in (2011, 2013, 2016, 2021)] == [
        {first.id},
        set(),
        {between.id},
        {last.id},
    ]


@pytest.mark.parametrize(
    ("times", "asked"), [(LATER, False), (OVERLAPPING, True), ({}, True)], ids=["apart", "overlapping", "untold"]
)
async def test_another_value_of_the_slot_is_a_question_only_where_the_times_told_meet(
    memory: Memory, times: dict[str, Any], asked: bool
) -> None:
    claim: dict[str, Any] = {"subject": "Ana", "predicate": "works at"}
    acme = await memory.remember(TEXT, value="Acme", **claim, **EARLIER)
    beta = await memory.remember("Beta is who employs her", value="Beta", **claim, **times)
    expected = [(acme.id, "same_slot")] if asked else []
    assert [(question.id, question.reason) for question in beta.contradictions] == expected
    await memory.retract(beta.id, "A test of what holds again.")
    await memory.reinstate(beta.id)
    questions = (await memory.relatives(beta.id)).questions
    assert [question.id for question in questions if question.resolved_at is None] == [id for id, _ in expected]


async def test_no_revision_and_no_reinstatement_makes_two_live_statements_of_one_value_and_time(
    engine: MemoryEngine, memory: Memory
) -> None:
    first = await memory.remember(TEXT, **EARLIER)
    second = await memory.remember(TEXT, **LATER)
    with pytest.raises(Conflict, match=f"{first.id} says the same already"):
        await memory.revise(second.id, valid_from=datetime(2011, 6, 1, tzinfo=UTC))
    assert (await memory.get(second.id)).valid_from == LATER["valid_from"]
    moved = await memory.revise(second.id, valid_from=EARLIER["valid_to"])
    assert moved.valid_from == EARLIER["valid_to"]

    await memory.retract(first.id, "It is asked whether it can hold again.")
    assert (await memory.reinstate(first.id)).status == "active"
    await memory.retract(first.id, "Now another one takes its time.")
    again = await memory.remember(TEXT, **OVERLAPPING | {"valid_to": EARLIER["valid_to"]})
    assert again.outcome == "created"
    with pytest.raises(Conflict, match=f"{again.id} says the same already"):
        await memory.reinstate(first.id)
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_revised_time_that_meets_that_of_another_value_of_the_slot_is_a_question(memory: Memory) -> None:
    claim: dict[str, Any] = {"subject": "Ana", "predicate": "works at"}
    acme = await memory.remember(TEXT, value="Acme", **claim, **EARLIER)
    beta = await memory.remember("Beta is who employs her", value="Beta", **claim, **LATER)
    assert beta.contradictions == ()
    await memory.revise(beta.id, valid_from=EARLIER["valid_to"] - timedelta(days=1))
    questions = (await memory.relatives(acme.id)).questions
    assert [(question.id, question.reason) for question in questions] == [(beta.id, "same_slot")]
