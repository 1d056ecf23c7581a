"""Behaviour 21: what a memory says of an earlier time is what it said then, whatever was done since."""

import random
from datetime import timedelta

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.invariants import check_user
from memorygraph.times import from_ms
from tests.support.believing import lead_a_life, said


@pytest.mark.parametrize("seed", range(6))
async def test_behaviour_21_a_memory_says_of_every_earlier_time_what_it_said_then(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, seed: int
) -> None:
    chance = random.Random(seed)
    snapshots = []
    for _ in range(20):
        await lead_a_life(memory, clock, chance)
        snapshots.append((from_ms(clock.now_ms()), await said(memory)))
        clock.advance(timedelta(minutes=chance.choice((1, 60, 600))))
    for at, then in snapshots:
        assert await said(memory, as_of_recorded=at) == then
    assert await check_user(engine.tools, memory.end_user_id) == []
