"""What an erased memory had taken the place of: it does not hold again, and nothing points at what is gone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.invariants import check_user


@pytest.mark.parametrize("holder", ["statement", "summary"])
async def test_what_an_erased_memory_had_taken_the_place_of_does_not_hold_again(
    engine: MemoryEngine, clock: SimulatedClock, user: str, holder: str
) -> None:
    memory = engine.memory(user)
    for number in range(2):
        await memory.remember(f"The parcel {number} went to Hull", entities=["Hull"])
    clock.advance(timedelta(days=400))
    (summary,) = (await engine.forgetting.run(user)).summaries
    old = (await memory.remember("Parcels go to Leeds")).id
    new = summary if holder == "summary" else (await memory.remember("Parcels go to York")).id
    await memory.supersede(old, new)
    assert (await memory.get(old)).status == "superseded"
    await engine.tools.erasing.erase(user, id=new, actor="tester")
    assert (await memory.get(old)).status == "retracted"
    assert await check_user(engine.tools, user) == []
