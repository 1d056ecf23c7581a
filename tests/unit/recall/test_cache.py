from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from memorygraph.errors import StoreUnavailable
from memorygraph.recall.cache import RecallIndexes
from memorygraph.recall.index import Filters, IndexRow, RecallIndex
from memorygraph.recall.process import ProcessIndex
from tests.unit.recall.rows import row

LARGE = 1 << 30


class History:
    """One user's mutations in order, read as the store would have them read."""

    def __init__(self, *rows: IndexRow) -> None:
        self.mutations: list[IndexRow | str] = list(rows)  # a row written, or the id of one that is gone
        self.loads = 0
        self.changes: list[tuple[int, int]] = []
        self.failure: Exception | None = None
        self.between_pages = asyncio.Event()  # cleared: reading stops after the first page until it is set
        self.between_pages.set()
        self.first_page = asyncio.Event()

    @property
    def seq(self) -> int:
        return len(self.mutations)

    def _live(self) -> dict[str, IndexRow]:
        live: dict[str, IndexRow] = {}
        for mutation in self.mutations:
            if isinstance(mutation, str):
                live.pop(mutation, None)
            else:
                live[mutation.id] = mutation
        return live

    async def head(self) -> int | None:
        if self.failure is not None:
            raise self.failure
        return self.seq

    async def rows(self) -> AsyncIterator[list[IndexRow]]:
        self.loads += 1
        seen: set[str] = set()
        while True:
            page = [r for r in self._live().values() if r.id not in seen][:2]
            if self.failure is not None:
                raise self.failure
            if not page:
                return
            seen.update(r.id for r in page)
            yield page
            self.first_page.set()
            await self.between_pages.wait()

    async def changed(self, after: int, upto: int) -> tuple[list[IndexRow], list[str]]:
        self.changes.append((after, upto))
        touched = {m if isinstance(m, str) else m.id for m in self.mutations[after:upto]}
        live = self._live()
        return [live[i] for i in sorted(touched & live.keys())], sorted(touched - live.keys())


def ids_in(index: RecallIndex) -> set[str]:
    ranking = index.search(["tea"], None, Filters(now=0), 1_000)
    assert len(ranking.hits) == len(index)
    return {hit.id for hit in ranking.hits}


def history(count: int = 5) -> History:
    return History(*(row(f"{n}") for n in range(count)))


async def test_an_index_is_loaded_once_and_then_served() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    index = await cache.current("alice", user, user.seq)
    assert ids_in(index) == {"0", "1", "2", "3", "4"}
    assert await cache.current("alice", user, user.seq) is index
    assert (user.loads, user.changes) == (1, [])


async def test_a_write_is_taken_in_by_reading_only_what_changed() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    index = await cache.current("alice", user, user.seq)
    user.mutations += [row("new"), "1", row("2", "tea and milk")]
    assert await cache.current("alice", user, user.seq) is index
    assert ids_in(index) == {"0", "2", "3", "4", "new"}
    assert index.seq == 8
    assert (user.loads, user.changes) == (1, [(5, 8)])


async def test_what_is_written_while_an_index_is_loaded_is_in_it() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    user.between_pages.clear()
    loading = asyncio.create_task(cache.current("alice", user, user.seq))
    await asyncio.wait_for(user.first_page.wait(), timeout=5)
    user.mutations += ["0", "4", row("new"), row("3", "tea again")]  # 0 was read already, 3 and 4 were not
    user.between_pages.set()
    index = await loading
    assert ids_in(index) == {"1", "2", "3", "new"}
    assert index.seq == user.seq


async def test_callers_at_once_share_one_load() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    indexes = await asyncio.gather(*(cache.current("alice", user, user.seq) for _ in range(50)))
    assert len({id(index) for index in indexes}) == 1
    assert user.loads == 1


async def test_who_has_seen_more_than_the_work_under_way_gets_more() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    index = await cache.current("alice", user, user.seq)
    user.mutations.append(row("first"))
    early = asyncio.create_task(cache.current("alice", user, user.seq))
    await asyncio.sleep(0)  # the early caller has begun
    user.mutations.append(row("second"))
    late = await cache.current("alice", user, user.seq)
    assert (await early) is late is index
    assert {"first", "second"} <= ids_in(late)
    assert user.changes == [(5, 6), (6, 7)]


async def test_who_has_seen_less_than_the_index_gets_the_index() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    index = await cache.current("alice", user, user.seq)
    assert await cache.current("alice", user, 3) is index
    assert (user.loads, user.changes) == (1, [])


async def test_a_store_put_back_to_an_earlier_state_is_read_anew() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    await cache.current("alice", user, user.seq)
    del user.mutations[3:]
    index = await cache.current("alice", user, user.seq)
    assert (ids_in(index), index.seq, user.loads) == ({"0", "1", "2"}, 3, 2)


async def test_more_changes_than_rows_are_read_as_a_whole() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    await cache.current("alice", user, user.seq)
    user.mutations += [row("0", f"tea {n}") for n in range(500)]
    await cache.current("alice", user, user.seq)
    assert (user.loads, user.changes) == (1, [(5, 505)])
    user.mutations += [row("0", f"tea {n}") for n in range(501)]
    index = await cache.current("alice", user, user.seq)
    assert (user.loads, len(user.changes), index.seq) == (2, 1, 1_006)


async def test_the_least_recently_used_leave_when_the_budget_is_exceeded() -> None:
    users = {name: history(50) for name in ("alice", "bob", "carol")}
    alone = ProcessIndex()
    alone.apply([row(f"{n}") for n in range(50)], (), 1)
    cache = RecallIndexes(budget_bytes=int(2.5 * alone.nbytes))
    for name in ("alice", "bob", "alice", "carol"):
        await cache.current(name, users[name], 50)
    assert ("alice" in cache, "bob" in cache, "carol" in cache) == (True, False, True)
    assert cache.nbytes <= 2.5 * alone.nbytes
    await cache.current("bob", users["bob"], 50)
    assert (users["bob"].loads, "alice" in cache) == (2, False)


async def test_an_index_that_grows_pushes_others_out() -> None:
    small, growing = history(20), history(20)
    cache = RecallIndexes(budget_bytes=200_000)
    await cache.current("small", small, small.seq)
    await cache.current("growing", growing, growing.seq)
    assert len(cache) == 2
    growing.mutations += [row(f"more {n}", f"tea unheard{n}") for n in range(450)]
    index = await cache.current("growing", growing, growing.seq)
    assert growing.loads == 1
    assert (len(cache), "growing" in cache, cache.nbytes) == (1, True, index.nbytes)


async def test_an_index_larger_than_the_budget_still_works() -> None:
    cache, user = RecallIndexes(budget_bytes=1), history()
    index = await cache.current("alice", user, user.seq)
    assert len(ids_in(index)) == 5
    assert await cache.current("alice", user, user.seq) is index
    other = history(3)
    assert len(await cache.current("bob", other, other.seq)) == 3
    assert (len(cache), "bob" in cache) == (1, True)


async def test_what_is_dropped_is_loaded_again() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    await cache.current("alice", user, user.seq)
    cache.drop("alice")
    cache.drop("nobody")
    assert (len(cache), cache.nbytes) == (0, 0)
    await cache.current("alice", user, user.seq)
    assert user.loads == 2


async def test_all_who_wait_share_a_failure_and_the_next_one_tries_again() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    user.failure = StoreUnavailable("gone")
    results = await asyncio.gather(*(cache.current("alice", user, 5) for _ in range(10)), return_exceptions=True)
    assert [type(result) for result in results] == [StoreUnavailable] * 10
    assert user.loads == 1
    user.failure = None
    assert len(await cache.current("alice", user, 5)) == 5


async def test_who_gives_up_does_not_take_the_load_from_others() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    user.between_pages.clear()
    first = asyncio.create_task(cache.current("alice", user, user.seq))
    await asyncio.wait_for(user.first_page.wait(), timeout=5)
    second = asyncio.create_task(cache.current("alice", user, user.seq))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    user.between_pages.set()
    assert len(await second) == 5
    assert user.loads == 1


async def test_closing_stops_what_is_being_read() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    await cache.current("bob", history(), 5)
    user.between_pages.clear()
    waiting = asyncio.create_task(cache.current("alice", user, user.seq))
    await asyncio.wait_for(user.first_page.wait(), timeout=5)
    await cache.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (len(cache), cache.nbytes) == (0, 0)


async def test_who_comes_as_a_refresh_ends_and_has_seen_more_is_served_and_holds_up_nobody() -> None:
    cache, user = RecallIndexes(budget_bytes=LARGE), history()
    late: list[asyncio.Task[RecallIndex]] = []

    class Ending(History):
        async def head(self) -> int | None:
            # Asked for last while loading: the late caller's first step comes before anybody hears that it is done.
            if not late:
                head = user.seq
                user.mutations.append(row("later"))
                late.append(asyncio.create_task(cache.current("alice", user, user.seq)))
                return head
            return await super().head()

    ending = Ending()
    ending.mutations = user.mutations

    def run_to_the_end() -> None:
        asyncio.run(serve())

    async def serve() -> None:
        await cache.current("alice", ending, user.seq)
        assert ids_in(await late[0]) == {"0", "1", "2", "3", "4", "later"}
        finished.set()

    finished = threading.Event()
    # In a thread, because a loop that spins cannot be told to stop.
    threading.Thread(target=run_to_the_end, daemon=True).start()
    assert await asyncio.to_thread(finished.wait, 10)
