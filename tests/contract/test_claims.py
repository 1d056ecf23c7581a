"""Behaviours 18, 19 and 20: of a claim with one value at a time one is current, and no suspicion retires anything."""

from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine
from memorygraph.errors import Conflict, InvalidInput
from memorygraph.invariants import check_user


async def current(memory: Memory) -> set[str]:
    """The texts that hold, once whoever asks is told of them."""
    return {record.text for record in (await memory.list()).items}


def city(name: str, **more: Any) -> dict[str, Any]:
    return {
        "text": f"Ana lives in {name}",
        "subject": "Ana",
        "predicate": "lives in",
        "value": name,
        "functional": True,
        **more,
    }


async def test_behaviour_18_a_value_that_is_asserted_again_is_current_again_and_the_history_is_complete(
    engine: MemoryEngine, memory: Memory
) -> None:
    first, second, third = [await memory.remember(**city(name)) for name in ("Leeds", "York", "Leeds")]
    assert (second.supersedes, third.supersedes) == ((first.id,), (second.id,))
    assert len({first.id, second.id, third.id}) == 3
    assert await current(memory) == {"Ana lives in Leeds"}
    assert [hit.memory.id for hit in (await memory.recall("Where does Ana live")).hits] == [third.id]
    for old, new in ((first, second), (second, third)):
        assert [of.id for of in (await memory.relatives(old.id)).superseded_by] == [new.id]
        assert [of.id for of in (await memory.relatives(new.id)).supersedes] == [old.id]
        assert (await memory.history(old.id))[0].action == "supersede"
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_18_of_a_predicate_with_one_value_one_is_current_and_of_another_all_are(
    memory: Memory,
) -> None:
    for player in ("Ronaldo", "Messi"):
        await memory.remember(
            f"Ana's favourite player is {player}",
            subject="Ana",
            predicate="favourite player",
            value=player,
            functional=True,
        )
    for drink in ("tea", "coffee"):
        written = await memory.remember(
            f"Ana likes {drink}", subject="Ana", predicate="likes", value=drink, functional=False
        )
        assert (written.supersedes, written.contradictions) == ((), ())
    assert await current(memory) == {"Ana's favourite player is Messi", "Ana likes tea", "Ana likes coffee"}


async def test_of_a_predicate_that_nobody_explained_another_value_is_a_question(memory: Memory) -> None:
    first = await memory.remember(
        "Ana's car is red", subject="Ana", predicate="car colour", value="red", project="garage"
    )
    second = await memory.remember(
        "Ana's car is blue", subject="ana", predicate="CAR_COLOUR", value="blue", project="garage"
    )
    assert [(of.id, of.reason) for of in second.contradictions] == [(first.id, "same_slot")]
    assert await current(memory) == {"Ana's car is red", "Ana's car is blue"}
    elsewhere = await memory.remember(
        "Ana's car is green", subject="Ana", predicate="car colour", value="green", project="toys"
    )
    assert elsewhere.contradictions == ()


async def test_what_nobody_approved_yet_supersedes_nothing(memory: Memory) -> None:
    first = await memory.remember(**city("Leeds"))
    derived = await memory.remember(**city("York", derived=True))
    assert (derived.outcome, derived.supersedes) == ("candidate", ())
    assert [of.id for of in derived.contradictions] == [first.id]
    assert await current(memory) == {"Ana lives in Leeds"}


async def test_a_candidate_retires_nothing_by_a_later_time_or_by_name(memory: Memory) -> None:
    held = await memory.remember(**city("York", valid_from="2024-01-01T00:00:00Z"))
    derived = await memory.remember(**city("Rome", valid_from="2025-01-01T00:00:00Z", derived=True))
    corrected = await memory.remember(**city("Hull", valid_from="2024-06-01T00:00:00Z"))
    assert (corrected.supersedes, corrected.superseded_by) == ((held.id,), None)
    with pytest.raises(InvalidInput) as caught:
        await memory.remember("Ana lives in Bonn", derived=True, supersedes=[corrected.id])
    assert caught.value.field == "supersedes"
    with pytest.raises(Conflict):
        await memory.supersede(corrected.id, derived.id)
    assert (await memory.get(corrected.id)).status == "active"
    await memory.review.approve(derived.id)
    assert (await memory.supersede(corrected.id, derived.id)).status == "superseded"


async def test_behaviour_19_numbers_of_different_things_are_no_contradiction(memory: Memory) -> None:
    await memory.remember("Has 3 servers in us-east")
    written = await memory.remember("Has 5 engineers on the payments team")
    assert written.contradictions == ()
    assert await current(memory) == {"Has 3 servers in us-east", "Has 5 engineers on the payments team"}
    assert (await memory.review.queue()).items == ()
    changed = await memory.remember("Has 4 servers in us-east")
    assert [of.reason for of in changed.contradictions] == ["number"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ana uses webpack", "Ana does not use webpack"), ("Ana does not use webpack", "Ana uses webpack")],
)
async def test_behaviour_19_a_negation_in_either_order_is_a_question_that_retires_nothing(
    engine: MemoryEngine, memory: Memory, one: str, other: str
) -> None:
    first = await memory.remember(one)
    second = await memory.remember(other)
    assert [(of.id, of.text, of.reason) for of in second.contradictions] == [(first.id, one, "negation")]
    assert await current(memory) == {one, other}
    assert [(await memory.get(of.id)).open_questions for of in (first, second)] == [1, 1]
    await memory.retract(first.id, "She says so")
    (question,) = (await memory.relatives(second.id)).questions
    assert (question.resolution, (await memory.get(second.id)).open_questions) == ("retracted", 0)
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_20_the_later_value_is_current_whichever_was_told_first(
    engine: MemoryEngine, memory: Memory
) -> None:
    late = await memory.remember(**city("York", valid_from="2024-01-01T00:00:00Z"))
    early = await memory.remember(**city("Leeds", valid_from="2022-01-01T00:00:00Z"))
    middle = await memory.remember(**city("Hull", occurred_at="2023-01-01T00:00:00Z"))
    assert (early.superseded_by, middle.superseded_by) == (late.id, late.id)
    assert await current(memory) == {"Ana lives in York"}
    # Leeds held until Hull, which was told last, and Hull until York.
    assert (await memory.get(early.id)).superseded_from == (await memory.get(middle.id)).occurred_at
    assert (await memory.get(middle.id)).superseded_from == (await memory.get(late.id)).valid_from
    many = [city("Bath", valid_from="2020-01-01T00:00:00Z"), city("Rye", valid_from="2025-01-01T00:00:00Z")]
    assert [item.outcome for item in await memory.remember_many(many)] == ["created", "created"]
    assert await current(memory) == {"Ana lives in Rye"}
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_20_what_is_about_the_same_and_says_something_else_stands_beside_it(memory: Memory) -> None:
    await memory.remember("Ana works at Acme", subject="Ana", predicate="works at", value="Acme", functional=True)
    written = await memory.remember("Ana administers Acme's GitHub", subject="Ana")
    assert (written.supersedes, written.contradictions) == ((), ())
    assert await current(memory) == {"Ana works at Acme", "Ana administers Acme's GitHub"}


async def test_a_value_that_is_superseded_by_hand_while_it_was_asked_about_closes_the_question(
    engine: MemoryEngine, memory: Memory
) -> None:
    first = await memory.remember("Ana uses webpack")
    second = await memory.remember("Ana does not use webpack")
    third = await memory.remember("Ana gave up webpack for good", supersedes=[first.id])
    assert third.supersedes == (first.id,)
    assert (await memory.get(second.id)).open_questions == 0
    assert await check_user(engine.tools, memory.end_user_id) == []
