"""What has an end: left out when read, and retired by the pass that forgets."""

from __future__ import annotations

from datetime import timedelta

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.times import from_ms


async def test_behaviour_54_an_expired_memory_is_not_recalled_whether_or_not_a_pass_has_run(
    engine: MemoryEngine, clock: SimulatedClock, user: str
) -> None:
    memory = engine.memory(user)
    short = await memory.remember(
        "The parcel waits at the post office", expires_at=from_ms(clock.now_ms()) + timedelta(days=7)
    )
    await memory.remember("The parcel was heavy")
    assert short.id in [hit.memory.id for hit in (await memory.recall("parcel")).hits]
    clock.advance(timedelta(days=7))
    left = [hit.memory.text for hit in (await memory.recall("parcel")).hits]
    assert left == ["The parcel was heavy"]
    assert (await memory.get(short.id)).status == "active"
    await engine.forgetting.run(user)
    expired = await memory.get(short.id)
    assert (expired.status, expired.retired_at, expired.fusable_at) == ("expired", from_ms(clock.now_ms()), None)
    assert [hit.memory.text for hit in (await memory.recall("parcel")).hits] == left
    again = await memory.reinstate(short.id)
    assert (again.status, again.expires_at) == ("active", None)
    assert short.id in [hit.memory.id for hit in (await memory.recall("parcel")).hits]


async def test_the_value_of_an_expired_memory_is_taken_as_new(
    engine: MemoryEngine, clock: SimulatedClock, user: str
) -> None:
    memory = engine.memory(user)
    first = await memory.remember("The shop is closed", expires_at=from_ms(clock.now_ms()) + timedelta(days=1))
    assert (await memory.remember("The shop is closed")).id == first.id
    clock.advance(timedelta(days=2))
    second = await memory.remember("The shop is closed")
    assert (second.outcome, second.id == first.id) == ("created", False)
    assert await memory.expire_due() == 1
    assert await memory.expire_due() == 0
    assert (await memory.verify_events()).ok
