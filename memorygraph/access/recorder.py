"""Recording accesses: off the response path, batched, drained on a clean stop, counted when dropped."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from memorygraph.access.state import ParametersInForce, access_properties, history_of, standing_of
from memorygraph.errors import StoreBusy, StoreUnavailable
from memorygraph.graph.store import UserStore
from memorygraph.jobs.failures import describe
from memorygraph.writing.mutation import Head, Mutations

__all__ = ["AccessRecorder"]

_FLUSH_WITHIN = 0.5  # seconds
_MOST_PENDING = 100_000  # accesses that wait at most while the store is away
_log = logging.getLogger(__name__)


class AccessRecorder:
    """Collects the accesses of all users and writes those of each in one transaction.

    An access is a use of a memory that reached the caller. It moves the memory's access history
    and the instants computed from it, and nothing else: no event, no ``updated_at``. What was fused
    in the meantime is credited to its summary.
    """

    def __init__(self, mutations: Mutations, parameters: Callable[[str], Awaitable[ParametersInForce]]) -> None:
        self._mutations = mutations
        self._parameters = parameters
        self._pending = _nothing()
        self._waiting = 0
        self._wake = asyncio.Event()
        self._flushing = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._flushes: set[asyncio.Task[None]] = set()
        self.closed = False
        self.dropped = 0  # accesses given up, because the store could not take them

    def record(self, end_user_id: str, ids: Iterable[str], *, at: int) -> None:
        """Note that ``ids`` (statements, summaries, entities) were used at ``at`` (epoch ms). Returns at once.

        After :meth:`close` they are dropped.
        """
        if self.closed:
            self._drop(len(set(ids)), "the engine is closed")
            return
        self._keep(end_user_id, ids, at=at)

    def _keep(self, end_user_id: str, ids: Iterable[str], *, at: int) -> None:
        new = set(ids)
        if end_user_id in self._pending:
            new -= self._pending[end_user_id].get(at, set())
        if not new:
            return
        if self._waiting + len(new) > _MOST_PENDING:
            self._drop(len(new), "too many wait already")
            return
        self._pending[end_user_id][at] |= new
        self._waiting += len(new)
        if self._task is None and not self.closed:  # put back by the last flush, it only waits to be counted
            self._task = asyncio.create_task(self._run(), name="memorygraph-accesses")
        self._wake.set()

    async def flush(self) -> None:
        """Write everything that was recorded before this call; what the store is not there to take waits on."""
        # In a task of its own: a caller that gives up must not take along what is being written.
        flush = asyncio.create_task(self._flush(), name="memorygraph-flush")
        self._flushes.add(flush)
        flush.add_done_callback(self._flushes.discard)
        await asyncio.shield(flush)

    async def _flush(self) -> None:
        async with self._flushing:
            pending, self._pending = self._pending, _nothing()
            self._waiting = 0
            self._wake.clear()
            away = False
            for end_user_id, by_time in pending.items():
                if not away:
                    try:
                        await self._write(end_user_id, by_time)
                        continue
                    except StoreBusy:
                        pass  # this user's turn comes again; the others are not held up by the same writers
                    except StoreUnavailable:
                        away = True  # finding that out takes a while, and is no different for the next user
                    except Exception as error:  # whatever is wrong with one user's, it must not cost the others theirs
                        self._drop(sum(map(len, by_time.values())), describe(error))
                        continue
                for at, ids in by_time.items():
                    self._keep(end_user_id, ids, at=at)

    async def close(self) -> None:
        """Write what is left and stop."""
        self.closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        await self.flush()
        self._drop(self._waiting, "the store was not there when the engine was closed")
        self._pending.clear()
        self._waiting = 0

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            await asyncio.sleep(_FLUSH_WITHIN)
            await self.flush()

    async def _write(self, end_user_id: str, by_time: dict[int, set[str]]) -> None:
        parameters = await self._parameters(end_user_id)

        async def work(store: UserStore, head: Head) -> None:
            changed: dict[str, dict[str, Any]] = {}
            for at in sorted(by_time):
                # Looked up per instant, because several ids may have become one summary.
                for target in await store.read_access_targets(ids=sorted(by_time[at])):
                    row = changed.setdefault(target["id"], target)
                    history = history_of(row).record(
                        at, limit=parameters.values.history_limit, debounce=parameters.values.debounce_seconds
                    )
                    row |= {
                        "access_times": list(history.times),
                        "access_count": history.count,
                        "first_access_at": history.first,
                    }
            rows = [{"id": id, "properties": _properties(row, parameters)} for id, row in changed.items()]
            await store.write_accesses(rows=rows)

        await self._mutations.run_for_known(end_user_id, work)

    def _drop(self, count: int, reason: str) -> None:
        if count:
            self.dropped += count
            _log.warning("dropped %d accesses: %s", count, reason)


def _nothing() -> defaultdict[str, defaultdict[int, set[str]]]:
    """Ids by the instant of their use, by user."""
    return defaultdict(lambda: defaultdict(set))


def _properties(row: dict[str, Any], parameters: ParametersInForce) -> dict[str, Any]:
    return access_properties(
        history_of(row),
        parameters,
        importance=row["importance"],
        standing=None if row["is_entity"] else standing_of(row),
    )
