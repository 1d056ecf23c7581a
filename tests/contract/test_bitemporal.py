"""Behaviour 21: what was true then, and what was believed then, on every reading; and what listing chooses."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import Forbidden, InvalidInput, NotFound
from memorygraph.times import from_ms

MARCH, APRIL, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4, 5))
JUNE, JULY, AUGUST = (datetime(2026, month, 1, tzinfo=UTC) for month in (6, 7, 8))


async def recalled(memory: Memory, **arguments: Any) -> set[str]:
    return {hit.memory.id for hit in (await memory.recall("Where does Ana live", **arguments)).hits}


async def listed(memory: Memory, **arguments: Any) -> set[str]:
    return {record.id for record in (await memory.list(**arguments)).items}


def until(clock: SimulatedClock, at: datetime) -> None:
    clock.advance(at - from_ms(clock.now_ms()))


async def test_behaviour_21_what_is_true_from_march_and_was_written_in_june(
    memory: Memory, clock: SimulatedClock
) -> None:
    until(clock, JUNE)
    id = (await memory.remember("Ana lives in Leeds", valid_from=MARCH)).id
    until(clock, JULY)
    for read in (recalled, listed):
        assert await read(memory) == {id}
        assert await read(memory, as_of_valid=APRIL) == {id}
        assert await read(memory, as_of_recorded=APRIL) == set()
        assert await read(memory, as_of_valid=APRIL, as_of_recorded=APRIL) == set()
        assert await read(memory, as_of_valid=APRIL, as_of_recorded=JUNE) == {id}
        assert await read(memory, as_of_valid=MARCH - timedelta(milliseconds=1)) == set()
    assert (await memory.get(id, as_of_recorded=JUNE)).id == id
    with pytest.raises(NotFound):
        await memory.get(id, as_of_recorded=APRIL)


async def test_behaviour_21_a_value_that_was_superseded_held_until_the_next_one_did(
    memory: Memory, clock: SimulatedClock
) -> None:
    claim = {"subject": "Ana", "predicate": "lives in", "functional": True}
    until(clock, MAY)
    told: list[dict[str, Any]] = [
        claim | {"text": "Ana lives in Leeds", "value": "Leeds", "valid_from": MARCH},
        claim | {"text": "Ana lives in York", "value": "York", "valid_from": APRIL},
    ]
    leeds = (await memory.remember(**told[0])).id
    until(clock, JULY)
    york = (await memory.remember(**told[1])).id
    until(clock, AUGUST)
    for read in (recalled, listed):
        assert await read(memory) == {york}
        assert await read(memory, include=["superseded"]) == {leeds, york}
        assert await read(memory, as_of_valid=MARCH) == {leeds}
        assert await read(memory, as_of_valid=MAY) == {york}
        # In June nobody had told of York.
        assert await read(memory, as_of_recorded=JUNE) == {leeds}
        assert await read(memory, as_of_valid=MAY, as_of_recorded=JUNE) == {leeds}
    then = await memory.get(leeds, as_of_recorded=JUNE)
    assert (then.status, then.superseded_from, then.retired_at) == ("active", None, None)
    now = await memory.get(leeds)
    assert (now.status, now.superseded_from, now.retired_at) == ("superseded", APRIL, JULY)


async def test_behaviour_21_what_was_retracted_was_believed_until_then(memory: Memory, clock: SimulatedClock) -> None:
    until(clock, MAY)
    id = (await memory.remember("Ana lives in Leeds", valid_to=JULY)).id
    until(clock, JUNE)
    await memory.retract(id, "She never did")
    until(clock, AUGUST)
    for read in (recalled, listed):
        assert await read(memory) == set()
        assert await read(memory, as_of_recorded=MAY) == {id}
        assert await read(memory, as_of_valid=MAY, as_of_recorded=MAY) == {id}
        assert await read(memory, as_of_valid=JULY, as_of_recorded=MAY) == set()
        assert await read(memory, as_of_valid=MAY) == set()
    assert (await memory.get(id, as_of_recorded=MAY)).status == "active"
    assert (await memory.get(id, as_of_recorded=JUNE)).status == "retracted"


async def test_reading_as_of_another_time_counts_nothing_as_used(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    id = (await memory.remember("Ana lives in Leeds")).id
    clock.advance(timedelta(days=1))
    now = from_ms(clock.now_ms())
    assert await recalled(memory, as_of_recorded=now) == await recalled(memory, as_of_valid=now) == {id}
    assert await listed(memory) == {id}
    await engine.flush()
    assert (await memory.get(id)).access_count == 1
    await recalled(memory)
    await engine.flush()
    assert (await memory.get(id)).access_count == 2


async def test_memories_are_listed_newest_first_page_by_page_summaries_among_them(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    ids = [(await memory.remember(text, entities=["Ana"])).id for text in ("Ana moved to Leeds.", "Ana left York.")]
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(memory.end_user_id)).merged_count == 2
    summary = (await memory.get(ids[0])).summary_id
    expected = [summary]
    for number in range(5):
        clock.advance(timedelta(minutes=1))
        expected.insert(0, (await memory.remember(f"Ana said the number {number}", entities=["Ana"])).id)
    seen: list[str] = []
    after = None
    while True:
        page = await memory.list(limit=2, after=after)
        seen += [record.id for record in page.items]
        if (after := page.after) is None:
            break
        assert len(page.items) == 2
    assert seen == expected
    record = (await memory.list(limit=1)).items[0]
    assert (record.text, [entity.name for entity in record.entities]) == ("Ana said the number 4", ["Ana"])
    assert (await engine.memory(f"{memory.end_user_id}-other").list()).items == ()


async def test_what_is_listed_is_chosen_like_what_is_recalled(memory: Memory, clock: SimulatedClock) -> None:
    turn = (await memory.remember("Hello!", kind="turn", session_id="s")).id
    red = (await memory.remember("The office is red", tags=["colour", "office"], project="p")).id
    tea = (await memory.remember("Ana prefers tea", kind="preference", tags=["colour"])).id
    candidate = (await memory.remember("Ana prefers green", derived=True)).id
    brief = (await memory.remember("Ana is out", expires_at=from_ms(clock.now_ms() + 1000))).id
    assert await listed(memory) == {turn, red, tea, brief}
    clock.advance(timedelta(seconds=1))
    assert await listed(memory) == {turn, red, tea}
    assert await listed(memory, kinds=["preference", "turn"]) == {turn, tea}
    assert await listed(memory, tags=["colour"]) == {red, tea}
    assert await listed(memory, tags=["colour", "office"]) == {red}
    assert await listed(memory, project="p") == {red}
    assert await listed(memory, session_id="s") == {turn}
    assert await listed(memory, include=["candidate"]) == {turn, red, tea, candidate}
    for wrong in ({"kinds": ["nonsense"]}, {"limit": 0}, {"after": "x"}, {"include": ["retracted"]}, {"tags": "x"}):
        arguments: dict[str, Any] = wrong
        with pytest.raises(InvalidInput):
            await memory.list(**arguments)


async def test_reading_needs_the_scope_read(engine: MemoryEngine, memory: Memory) -> None:
    id = (await memory.remember("Ana lives in Leeds")).id
    writer = engine.memory(memory.end_user_id, scopes=["write", "review", "forget", "admin"])
    for call in (writer.list(), writer.get(id), writer.relatives(id), writer.history(id), writer.events()):
        with pytest.raises(Forbidden):
            await call
    reader = engine.memory(memory.end_user_id, scopes=["read"])
    assert [record.id for record in (await reader.list()).items] == [id]
