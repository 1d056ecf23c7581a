"""One mutation: under the user's lock, with its event, or not at all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar, cast

from memorygraph.errors import ConstraintViolated
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.embedded.turns import Turns
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.writing.events import GENESIS, Event

__all__ = ["Head", "Mutations", "Opening"]

T = TypeVar("T")
_PATIENCE = 60.0  # seconds of being overtaken by other processes
_MOST_AT_ONCE = 16  # transactions; more of them only conflict more and wait longer for each other


Opening = Callable[[UserStore], Awaitable[Row | None]]


@dataclass(slots=True)
class Head:
    """Where the user's events stand, within the transaction that holds the user's lock."""

    seq: int  # of the newest event
    hash: str
    fence: int  # highest fencing token that committed a fusion
    opened: Row  # all that the opening statement told

    @property
    def next_seq(self) -> int:
        """The number of the event that this transaction will append."""
        return self.seq + 1

    def link(self, event: Event) -> Row:
        """The properties of ``event`` as the newest of the chain, for the statement that writes it.

        Every mutation writes one, so that an error rolls back what was done and what was noted of it.
        """
        properties = event.properties(seq=self.next_seq, prev_hash=self.hash)
        self.seq, self.hash = self.next_seq, properties["hash"]
        return properties


class Mutations:
    """Runs the mutations of all users: those of one user one after the other, those of different users side by side.

    Within the process a queue per user keeps order without a conflict on the graph server; between
    processes the lock on the user's row does, and a transaction that loses is run again. Where
    processes share an embedded server, ``turns`` spares most of them from losing.
    """

    def __init__(self, driver: GraphDriver, *, turns: Turns | None = None) -> None:
        self._driver = driver
        self._turns = turns
        self._slots = asyncio.Semaphore(_MOST_AT_ONCE)
        self._queues: dict[str, tuple[asyncio.Lock, int]] = {}

    async def run(
        self,
        end_user_id: str,
        work: Callable[[UserStore, Head], Awaitable[T]],
        *,
        now: int,
        opening: Opening = UserStore.lock_user,
    ) -> T:
        """Run ``work`` in one transaction under the lock of ``end_user_id``, made at ``now`` (epoch ms) if new.

        ``opening`` is the statement that takes the lock; it may read for ``work`` on the way.
        ``work`` may run several times, each time from a fresh start; only the last run counts.
        """

        async def opened(store: UserStore) -> Row | None:
            row = await opening(store)
            if row is None:
                await store.create_user(now=now, genesis=GENESIS)
                row = await opening(store)
                assert row is not None
            return row

        return cast(T, await self._in_turn(end_user_id, opened, work))

    async def run_for_known(
        self,
        end_user_id: str,
        work: Callable[[UserStore, Head], Awaitable[None]],
        *,
        opening: Opening = UserStore.lock_user,
    ) -> None:
        """As :meth:`run`, for what can only concern a user who is there: of another one nothing is made or done."""
        await self._in_turn(end_user_id, opening, work)

    async def _in_turn(
        self, end_user_id: str, opening: Opening, work: Callable[[UserStore, Head], Awaitable[T]]
    ) -> T | None:
        """Run ``work`` after ``opening`` when it is the user's turn; nothing for a user it does not find."""

        async def locked(store: UserStore) -> T | None:
            row = await opening(store)
            if row is None:
                return None
            heads.append(row["seq"])
            return await work(store, Head(seq=row["seq"], hash=row["head_hash"], fence=row["fence"], opened=row))

        heads: list[int] = []
        deadline = time.monotonic() + _PATIENCE
        async with self._turn(end_user_id), self._slots:
            while True:
                try:
                    if self._turns is None:
                        return await self._driver.write(end_user_id, locked)
                    async with self._turns.taken(end_user_id):
                        return await self._driver.write(end_user_id, locked)
                except ConstraintViolated:
                    # A server that checks keys before it looks for conflicts says "number 35 is taken" to whoever
                    # was overtaken. Then the head has moved between two tries; otherwise the key is really taken.
                    overtaken = len(heads) < 2 or heads[-1] != heads[-2]
                    if not overtaken or time.monotonic() > deadline:
                        raise

    @asynccontextmanager
    async def _turn(self, end_user_id: str) -> AsyncIterator[None]:
        lock, waiting = self._queues.get(end_user_id) or (asyncio.Lock(), 0)
        self._queues[end_user_id] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._queues[end_user_id]
            if waiting == 1:
                del self._queues[end_user_id]
            else:
                self._queues[end_user_id] = (lock, waiting - 1)
