"""Values of one slot: which of them holds at which time, and what is asked when several do."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import Conflict
from memorygraph.invariants import check_user

LIVES: dict[str, Any] = {"subject": "Ana", "predicate": "lives in"}
SINCE = {"Leeds": 2020, "York": 2022, "Paris": 2024, "Rome": 2025}


def lives(city: str, **more: Any) -> dict[str, Any]:
    return {"text": f"Ana lives in {city}", "value": city, **LIVES, **more}


def lives_since(city: str, **more: Any) -> dict[str, Any]:
    since = datetime(SINCE[city], 1, 1, tzinfo=UTC)
    return lives(city, functional=True, valid_from=since, relations=[("Ana", "lives in", city)], **more)


async def held(memory: Memory, year: int) -> set[str]:
    """The values that held in the middle of a year, as every reading has them; one that differs has its name in it."""
    at = datetime(year, 6, 1, tzinfo=UTC)
    listed = {str(record.value) for record in (await memory.list(as_of_valid=at)).items}
    recalled = {str(hit.memory.value) for hit in (await memory.recall("Where does Ana live", as_of_valid=at)).hits}
    related = {of.object.name for of in await memory.entities.relations("Ana", as_of_valid=at)}
    return listed if listed == recalled == related else {*listed, f"recalled {recalled}", f"related {related}"}


async def live(memory: Memory) -> set[str]:
    return {str(record.value) for record in (await memory.list()).items}


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
