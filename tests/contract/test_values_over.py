"""Values of one slot that were over when they were told, or are told again: the present stays what it is."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.invariants import check_user
from tests.support.slot_claims import held, live, lives, lives_since, true_in, year


@pytest.mark.parametrize("batch", [False, True], ids=["one by one", "in one batch"])
@pytest.mark.parametrize("order", list(permutations(("Leeds", "York", "Paris"))), ids="-".join)
async def test_a_value_of_a_time_that_is_over_takes_nothing_out_of_the_present(
    engine: MemoryEngine, memory: Memory, order: tuple[str, ...], batch: bool
) -> None:
    """Leeds since 2015, York from 2020 to 2021, and, in the end or not told at all, Paris since 2025."""
    told = {
        "Leeds": lives("Leeds", functional=True, valid_from=datetime(2015, 1, 1, tzinfo=UTC)),
        "York": lives(
            "York",
            functional=True,
            valid_from=datetime(2020, 1, 1, tzinfo=UTC),
            valid_to=datetime(2021, 1, 1, tzinfo=UTC),
        ),
        "Paris": lives("Paris", functional=True, valid_from=datetime(2025, 1, 1, tzinfo=UTC)),
    }
    without = [city for city in order if city != "Paris"]
    other = engine.memory(memory.end_user_id + "-without")
    for of, cities in ((other, without), (memory, list(order))):
        if batch:
            await of.remember_many([told[city] for city in cities])
        else:
            for city in cities:
                await of.remember(**told[city])
        assert await check_user(engine.tools, of.end_user_id) == []
    assert await live(other) == {"Leeds", "York"}
    assert [await true_in(other, year) for year in (2016, 2020, 2023)] == [{"Leeds"}, {"Leeds", "York"}, {"Leeds"}]
    queue = (await other.review.queue()).items
    assert {str(item.memory.value) for item in queue} == {"Leeds", "York"}
    assert await live(memory) == {"Paris"}
    assert [await true_in(memory, year) for year in (2016, 2020, 2023, 2025)] == [
        {"Leeds"},
        {"Leeds", "York"},
        {"Leeds"},
        {"Paris"},
    ]


async def test_a_value_that_is_to_end_later_is_the_current_one_until_then(
    memory: Memory, clock: SimulatedClock
) -> None:
    leeds = await memory.remember(**lives("Leeds", functional=True))
    end = datetime.fromtimestamp(clock.now_ms() / 1000, UTC) + timedelta(days=30)
    york = await memory.remember(**lives("York", functional=True, valid_to=end))
    assert york.supersedes == (leeds.id,)
    assert await live(memory) == {"York"}


@pytest.mark.parametrize("batch", [False, True], ids=["one by one", "in one batch"])
@pytest.mark.parametrize("order", list(permutations("ABC")), ids="".join)
async def test_values_that_were_over_when_they_were_told_leave_the_present_in_whatever_order(
    engine: MemoryEngine, memory: Memory, order: tuple[str, ...], batch: bool
) -> None:
    """A from 2010 to 2012, C from 2013 to 2015, and B since 2011, which is so now."""
    told = {
        "A": lives("A", functional=True, valid_from=year(2010), valid_to=year(2012)),
        "B": lives("B", functional=True, valid_from=year(2011)),
        "C": lives("C", functional=True, valid_from=year(2013), valid_to=year(2015)),
    }
    if batch:
        await memory.remember_many([told[name] for name in order])
    else:
        for name in order:
            await memory.remember(**told[name])
    assert await live(memory) == {"B", "C"}
    assert [await true_in(memory, at) for at in (2010, 2012, 2014, 2020)] == [{"A"}, {"B"}, {"B", "C"}, {"B"}]
    assert {str(item.memory.value) for item in (await memory.review.queue()).items} == {"B", "C"}
    assert await check_user(engine.tools, memory.end_user_id) == []


@pytest.mark.parametrize("order", list(permutations(("Leeds", "York", "Bonn"))), ids="-".join)
async def test_of_what_was_over_nothing_takes_the_place_of_another_and_what_meets_is_asked(
    memory: Memory, order: tuple[str, ...]
) -> None:
    told = {
        "Leeds": lives("Leeds", functional=True, valid_from=year(2015)),
        "York": lives("York", functional=True, valid_from=year(2020), valid_to=year(2021)),
        "Bonn": lives("Bonn", functional=True, valid_from=year(2018), valid_to=year(2019)),
    }
    ids = {city: (await memory.remember(**told[city])).id for city in order}
    assert await live(memory) == {"Leeds", "York", "Bonn"}
    asked = [of.id for of in (await memory.relatives(ids["Leeds"])).questions if of.resolved_at is None]
    assert sorted(asked) == sorted([ids["York"], ids["Bonn"]])
    assert (await memory.relatives(ids["York"])).questions[0].id == ids["Leeds"]


async def test_a_value_that_was_only_told_to_have_ended_takes_no_place_whatever_its_beginning(memory: Memory) -> None:
    leeds = await memory.remember(**lives("Leeds", functional=True, valid_from=year(2015), valid_to=year(2018)))
    york = await memory.remember(**lives("York", functional=True, valid_to=year(2021)))
    assert (york.supersedes, york.superseded_by) == ((), None)
    assert [question.id for question in york.contradictions] == [leeds.id]
    again = await memory.remember(**lives("Leeds", functional=True, valid_from=year(2015), valid_to=year(2018)))
    assert (again.outcome, again.id) == ("confirmed", leeds.id)
    assert await live(memory) == {"Leeds", "York"}


async def test_a_value_that_is_over_takes_nothing_when_it_is_said_again_either(memory: Memory) -> None:
    leeds = await memory.remember(**lives("Leeds", functional=True, valid_from=year(2005)))
    york = await memory.remember(**lives("York", functional=True, valid_from=year(2010), valid_to=year(2012)))
    again = await memory.remember(**lives("York", functional=True, valid_from=year(2011)))
    assert (again.outcome, again.id, again.supersedes) == ("confirmed", york.id, ())
    assert [of.resolved_at for of in (await memory.relatives(leeds.id)).questions] == [None]
    assert await true_in(memory, 2020) == {"Leeds"}


@pytest.mark.parametrize("batch", [False, True], ids=["one by one", "in one batch"])
async def test_a_superseded_value_told_again_of_the_time_when_it_held_is_confirmed_and_of_now_it_holds_again(
    engine: MemoryEngine, memory: Memory, batch: bool
) -> None:
    told = [lives_since(city) for city in ("Paris", "York", "York", "York")]
    if batch:
        answers = [item.written for item in await memory.remember_many(told)]
    else:
        answers = [await memory.remember(**claim) for claim in told]
    paris, first, *again = (answer for answer in answers if answer is not None)
    assert [(of.outcome, of.id, of.superseded_by) for of in again] == [("confirmed", first.id, paris.id)] * 2
    record = await memory.get(first.id)
    assert (record.status, record.assertion_count, record.fusable_at) == ("superseded", 3, None)
    assert await live(memory) == {"Paris"}
    assert await held(memory, 2023) == {"York"}
    assert await check_user(engine.tools, memory.end_user_id) == []
    now = await memory.remember(**lives("York", functional=True))
    assert (now.outcome, now.supersedes) == ("created", (paris.id,))
    assert await live(memory) == {"York"}
    assert await check_user(engine.tools, memory.end_user_id) == []
