"""Giving up and stopping in the middle, on every graph server: nothing hangs, nothing stays locked, nothing is lost."""

import asyncio
import threading
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock, SyncMemoryEngine
from memorygraph.errors import StoreUnavailable
from memorygraph.fusion import cycle as cycle_module
from memorygraph.ledger import Lease
from memorygraph.ledger.leases import Leases
from memorygraph.settings import Settings
from tests.support.waiting import wait_until_async


class ToldLeases(Leases):
    """The engine's leases, which tell when one was taken, and fail to renew it the first time."""

    def __init__(self, engine: MemoryEngine) -> None:
        super().__init__(engine.store.ledger.leases._database)
        self.taken = asyncio.Event()
        self.renewals = 0
        self.renewed = asyncio.Event()
        engine.store.ledger.leases = self

    async def acquire(self, name: str, **how: Any) -> Lease | None:
        lease = await super().acquire(name, **how)
        self.taken.set()
        await asyncio.sleep(0)  # who gives up now does so after the lease is his
        return lease

    async def renew(self, lease: Lease, ttl_seconds: float) -> Lease:
        self.renewals += 1
        if self.renewals == 1:
            raise StoreUnavailable("The ledger is away for a moment.")
        renewed = await super().renew(lease, ttl_seconds)
        self.renewed.set()
        return renewed


@pytest.fixture
async def memory(engine: MemoryEngine, user: str, clock: SimulatedClock) -> Memory:
    """Two cold memories that belong together."""
    memory = engine.memory(user)
    for number in range(2):
        await memory.remember(f"Crate {number} went to Hull", entities=["Hull"])
    clock.advance(timedelta(days=60))
    return memory


async def planned(engine: MemoryEngine, user: str) -> bool:
    """Whether a cycle of the user has a plan."""
    return any([await engine.store.ledger.cycles.plan(user, c.id) for c in await engine.forgetting.cycles(user)])


async def test_a_flush_that_is_given_up_loses_no_access(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    written = await memory.remember("Crate 7 came back")
    for _ in range(3):
        clock.advance(timedelta(hours=1))
        await memory.reinforce([written.id])
        flush = asyncio.create_task(engine.flush())
        await asyncio.sleep(0)
        flush.cancel()
        with pytest.raises(asyncio.CancelledError):
            await flush
    await engine.flush()
    assert (await memory.get(written.id)).access_count == 4
    assert engine.dropped_accesses == 0


async def test_a_cycle_given_up_as_it_gets_its_lease_lets_the_next_one_run(
    engine: MemoryEngine, memory: Memory
) -> None:
    leases = ToldLeases(engine)
    run = asyncio.create_task(engine.forgetting.run(memory.end_user_id))
    await leases.taken.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert (await engine.forgetting.run(memory.end_user_id)).merged_count == 2


async def test_a_cycle_cancelled_in_its_work_says_so_and_lets_the_next_one_run(
    engine: MemoryEngine, memory: Memory
) -> None:
    user = memory.end_user_id
    async with engine._tools.mutations._turn(user):  # it cannot fuse before the turn is given back
        run = asyncio.create_task(engine.forgetting.run(user))
        await wait_until_async(lambda: planned(engine, user), timeout=20, what="the plan of a cycle")
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    assert [cycle.status for cycle in await engine.forgetting.cycles(user)] == ["cancelled"]
    assert (await engine.forgetting.run(user)).merged_count == 2
    assert (await memory.verify_events()).ok


async def test_a_cancellation_stays_one_when_the_ledger_is_gone(engine: MemoryEngine, memory: Memory) -> None:
    user = memory.end_user_id
    async with engine._tools.mutations._turn(user):
        run = asyncio.create_task(engine.forgetting.run(user))
        await wait_until_async(lambda: planned(engine, user), timeout=20, what="the plan of a cycle")
        run.cancel()  # which it hears of when the ledger refuses already
        await engine.store.ledger.close()
        with pytest.raises(asyncio.CancelledError):
            await run


async def test_a_lease_that_could_not_be_renewed_once_is_renewed_the_next_time(
    engine: MemoryEngine, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cycle_module, "_LEASE_TTL", 1.5)
    leases = ToldLeases(engine)
    async with engine._tools.mutations._turn(memory.end_user_id):
        run = asyncio.create_task(engine.forgetting.run(memory.end_user_id))
        await asyncio.wait_for(leases.renewed.wait(), 20)
    assert (await run).merged_count == 2


async def test_a_closed_engine_refuses_every_call_by_name(settings: Settings, user: str) -> None:
    engine = await MemoryEngine.open(settings)
    memory = engine.memory(user)
    written = await memory.remember("Ana works at Acme")
    await engine.close()
    await engine.close()
    for call in (
        memory.remember("Ben works at Acme"),
        memory.recall("Acme"),
        memory.get(written.id),
        memory.reinforce([written.id]),
        memory.verify_events(),
        engine.forgetting.run(user),
        engine.forgetting.cycles(user),
    ):
        with pytest.raises(StoreUnavailable, match="closed"):
            await call


async def test_what_is_running_when_the_engine_is_closed_ends_well_or_is_refused(settings: Settings, user: str) -> None:
    engine = await MemoryEngine.open(settings)
    memory = engine.memory(user)
    first = await memory.remember("note 0")
    calls = [asyncio.create_task(memory.remember(f"note {number}")) for number in range(1, 20)]
    await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    await engine.close()
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(answer).__name__ for answer in answers} <= {"Written", "StoreUnavailable"}
    async with await MemoryEngine.open(settings) as again:
        report = await again.memory(user).verify_events()
        acknowledged = [answer.id for answer in answers if not isinstance(answer, BaseException)]
        for id in (first.id, *acknowledged):
            assert (await again.memory(user).get(id)).id == id
    assert report.ok
    assert report.checked >= 1 + len(acknowledged)


def test_threads_that_wait_when_the_engine_is_closed_are_let_go(settings: Settings, user: str) -> None:
    engine = SyncMemoryEngine.open(settings)
    memory = engine.memory(user)
    memory.remember("Ana works at Acme")
    under_way = threading.Barrier(5)
    refused: list[str] = []

    def ask() -> None:
        memory.recall("Acme")
        under_way.wait(30)
        with suppress(StoreUnavailable):
            while True:
                memory.recall("Acme")
        refused.append("by name")

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    under_way.wait(30)
    closers = [threading.Thread(target=engine.close, daemon=True) for _ in range(2)]
    for thread in closers:
        thread.start()
    for thread in (*closers, *threads):
        thread.join(30)
        assert not thread.is_alive()
    assert refused == ["by name"] * 4
    with pytest.raises(StoreUnavailable, match="closed"):
        memory.recall("Acme")
