"""Leases on both back ends: one holder, database time, tokens that only grow."""

from __future__ import annotations

import asyncio

import pytest

from memorygraph.errors import LeaseLost
from memorygraph.ledger import Lease, Ledger
from tests.support.ledgers import database_now
from tests.support.waiting import wait_until_async


async def acquire_when_free(ledger: Ledger, name: str, *, holder: str) -> Lease:
    """Ask until the lease is had; ten seconds are far more than any time to live that is waited for here."""
    lease = await wait_until_async(
        lambda: ledger.leases.acquire(name, holder=holder, ttl_seconds=60), timeout=10, what=f"the lease {name} is free"
    )
    assert lease is not None
    return lease


async def reach(ledger: Ledger, instant: int) -> None:
    """Return when the database's time is past ``instant``."""

    async def reached() -> bool:
        return await database_now(ledger) > instant

    await wait_until_async(reached, timeout=10, what="the database's clock moves on")


async def test_a_lease_is_held_by_one_at_a_time(ledger: Ledger, replica: Ledger) -> None:
    held = await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=60)
    assert held is not None
    assert await replica.leases.acquire("cycle:alice", holder="two", ttl_seconds=60) is None
    assert await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=60) is None, "it is not reentrant"
    assert await replica.leases.acquire("cycle:bob", holder="two", ttl_seconds=60), "another name is another lease"


async def test_of_many_who_ask_at_once_one_gets_it(ledger: Ledger, replica: Ledger) -> None:
    for turn in range(1, 6):
        asked = [
            worker.leases.acquire("turn", holder=f"{number}", ttl_seconds=60)
            for number, worker in enumerate([ledger, replica] * 5)
        ]
        got = [lease for lease in await asyncio.gather(*asked) if lease is not None]
        assert [lease.token for lease in got] == [turn]
        await ledger.leases.release(got[0])


async def test_a_released_lease_is_free_at_once_and_its_next_token_is_higher(ledger: Ledger, replica: Ledger) -> None:
    first = await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=60)
    assert first is not None
    await ledger.leases.release(first)
    second = await replica.leases.acquire("cycle:alice", holder="two", ttl_seconds=60)
    assert second is not None
    assert second.token > first.token


async def test_an_expired_lease_is_taken_over_and_the_earlier_holder_has_lost_it(
    ledger: Ledger, replica: Ledger
) -> None:
    slow = await ledger.leases.acquire("cycle:alice", holder="slow", ttl_seconds=3)
    assert slow is not None
    assert await replica.leases.acquire("cycle:alice", holder="quick", ttl_seconds=60) is None
    quick = await acquire_when_free(replica, "cycle:alice", holder="quick")
    assert quick.token > slow.token
    assert quick.expires_at - 60_000 >= slow.expires_at, "it was not taken before its time"

    with pytest.raises(LeaseLost):
        await ledger.leases.renew(slow, 60)
    await ledger.leases.release(slow)
    assert await ledger.leases.acquire("cycle:alice", holder="third", ttl_seconds=60) is None, (
        "what was lost cannot be released"
    )
    assert (await replica.leases.renew(quick, 60)).token == quick.token


async def test_a_renewed_lease_outlives_its_first_time_to_live(ledger: Ledger, replica: Ledger) -> None:
    first = await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=0.2)
    assert first is not None
    renewed = await ledger.leases.renew(first, 60)
    assert renewed.token == first.token
    await reach(ledger, first.expires_at)
    assert await replica.leases.acquire("cycle:alice", holder="two", ttl_seconds=60) is None


async def test_a_holder_that_overslept_may_renew_while_nobody_took_over(ledger: Ledger) -> None:
    lease = await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=0.001)
    assert lease is not None
    await reach(ledger, lease.expires_at)
    renewed = await ledger.leases.renew(lease, 60)
    assert renewed.token == lease.token
    assert renewed.expires_at > lease.expires_at


async def test_a_released_lease_cannot_be_renewed(ledger: Ledger) -> None:
    lease = await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=60)
    assert lease is not None
    await ledger.leases.release(lease)
    with pytest.raises(LeaseLost):
        await ledger.leases.renew(lease, 60)


async def test_a_lease_expires_by_the_databases_clock(ledger: Ledger) -> None:
    before = await database_now(ledger)
    lease = await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=60)
    after = await database_now(ledger)
    assert lease is not None
    assert before + 60_000 <= lease.expires_at <= after + 60_000


async def test_a_token_exceeds_what_another_store_has_seen(ledger: Ledger) -> None:
    new = await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=60, above=41)
    assert new is not None
    assert new.token == 42
    await ledger.leases.release(new)
    again = await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=60, above=7)
    assert again is not None
    assert again.token == 43, "a lower floor does not lower it"
    await ledger.leases.release(again)
    raised = await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=60, above=99)
    assert raised is not None
    assert raised.token == 100


@pytest.mark.parametrize("ttl_seconds", [0, -1, float("nan")])
async def test_a_time_to_live_that_is_none_is_refused(ledger: Ledger, ttl_seconds: float) -> None:
    with pytest.raises(ValueError, match="ttl_seconds"):
        await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=ttl_seconds)
    assert await ledger.leases.acquire("cycle:alice", holder="one", ttl_seconds=0.5)


async def test_a_lease_held_outlives_its_time_to_live_and_is_free_right_after(ledger: Ledger, replica: Ledger) -> None:
    async with ledger.leases.held("migrate", ttl_seconds=0.5) as lease:
        assert lease is not None
        await reach(ledger, lease.expires_at + 500)
        async with replica.leases.held("migrate", ttl_seconds=60) as second:
            assert second is None
    async with replica.leases.held("migrate", ttl_seconds=60) as second:
        assert second is not None
        assert second.token > lease.token


async def test_whoever_has_patience_gets_the_lease_when_it_is_let_go(ledger: Ledger, replica: Ledger) -> None:
    held = await ledger.leases.acquire("migrate", holder="one", ttl_seconds=60)
    assert held is not None

    async def wait_for_it() -> Lease | None:
        async with replica.leases.held("migrate", ttl_seconds=60, patience=30) as lease:
            return lease

    waiting = asyncio.create_task(wait_for_it())
    assert await replica.leases.acquire("migrate", holder="two", ttl_seconds=60) is None
    assert not waiting.done()
    await ledger.leases.release(held)
    lease = await asyncio.wait_for(waiting, timeout=10)
    assert lease is not None
    assert lease.token > held.token


async def test_a_block_that_fails_lets_go_of_its_lease(ledger: Ledger, replica: Ledger) -> None:
    with pytest.raises(ZeroDivisionError):
        async with ledger.leases.held("migrate", ttl_seconds=60):
            raise ZeroDivisionError
    assert await replica.leases.acquire("migrate", holder="two", ttl_seconds=60) is not None
