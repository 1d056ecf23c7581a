"""Many writers at once, in one process and in several: everything is there, once, in one unbroken chain."""

import asyncio

import pytest

from memorygraph import MemoryEngine
from memorygraph.settings import Settings
from tests.support.raw_graph import RawGraph
from tests.support.writers import acknowledged, plan_for, start_writer


async def _seqs(raw: RawGraph, end_user_id: str) -> list[int]:
    rows = await raw.run("MATCH (v:Event {end_user_id: $u}) RETURN v.seq AS seq ORDER BY v.seq", u=end_user_id)
    return [row["seq"] for row in rows]


async def test_a_hundred_writers_of_one_user_at_once(engine: MemoryEngine, user: str, raw: RawGraph) -> None:
    memory = engine.memory(user)
    written = await asyncio.gather(*(memory.remember(f"Parcel {n} arrived", entities=["dock"]) for n in range(100)))
    assert len({answer.id for answer in written}) == 100
    assert sorted(answer.seq for answer in written) == list(range(1, 101))
    assert await _seqs(raw, user) == list(range(1, 101))
    assert (await memory.verify_events()).checked == 100
    assert len((await memory.recall("parcel arrived", limit=200)).hits) == 100


async def test_a_writer_for_each_of_a_hundred_users_at_once(engine: MemoryEngine, user: str, raw: RawGraph) -> None:
    users = [f"{user}-{n}" for n in range(100)]
    written = await asyncio.gather(
        *(engine.memory(one).remember(f"Parcel for {one}", entities=["dock"]) for one in users)
    )
    assert [answer.seq for answer in written] == [1] * 100
    for one, answer in zip(users, written, strict=True):
        assert (await engine.memory(one).get(answer.id)).text == f"Parcel for {one}"
    rows = await raw.run("MATCH (s:Statement) WHERE s.end_user_id IN $users RETURN count(s) AS n", users=users)
    assert rows == [{"n": 100}]


async def race(settings: Settings, engine: MemoryEngine, raw: RawGraph, user: str, *, each: int) -> None:
    """Ten processes that write ``each`` memories of one user at once."""
    plans = [plan_for(settings, end_user_id=user, label=f"writer {number}", count=each) for number in range(10)]
    writers = start_writer(*plans)
    output, _ = await asyncio.to_thread(writers.communicate)
    assert writers.returncode == 0
    told = list(acknowledged(output.splitlines(keepends=True)))
    assert len({memory["id"] for memory in told}) == 10 * each
    rows = await raw.run("MATCH (s:Statement {end_user_id: $u}) RETURN s.id AS id, s.text AS text", u=user)
    assert {(row["id"], row["text"]) for row in rows} == {(memory["id"], memory["text"]) for memory in told}
    entities = await raw.run("MATCH (e:Entity {end_user_id: $u}) RETURN e.name_key AS key", u=user)
    assert sorted(row["key"] for row in entities) == ["dock", *(f"dock {number}" for number in range(7))]
    assert await _seqs(raw, user) == list(range(1, 10 * each + 1))
    assert (await engine.memory(user).verify_events()).checked == 10 * each


async def test_ten_processes_that_write_for_one_user_at_once_lose_nothing(
    engine: MemoryEngine, settings: Settings, user: str, raw: RawGraph
) -> None:
    await race(settings, engine, raw, user, each=10)


@pytest.mark.crash
@pytest.mark.timeout(900)
async def test_ten_processes_that_write_a_hundred_memories_each_lose_nothing(
    engine: MemoryEngine, settings: Settings, user: str, raw: RawGraph
) -> None:
    await race(settings, engine, raw, user, each=100)
