"""The engine for code without an event loop: the same calls, each waiting for its answer.

The engine runs on an event loop in a thread of its own, so these objects may be used from several
threads, and inside a program that has a loop of its own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import CancelledError
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from memorygraph.clock import Clock
from memorygraph.engine import MemoryEngine
from memorygraph.entities.entities import Entities
from memorygraph.errors import StoreUnavailable
from memorygraph.fusion.cycle import Forgetting
from memorygraph.memory import Memory
from memorygraph.memory.jobs import Jobs
from memorygraph.memory.reviewing import Review
from memorygraph.scopes import ALL_SCOPES
from memorygraph.settings import Settings

__all__ = ["SyncForgetting", "SyncMemory", "SyncMemoryEngine", "SyncReview"]

P = ParamSpec("P")
R = TypeVar("R")


class _Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memorygraph", daemon=True)
        self._thread.start()
        self._taking = threading.Lock()  # work is handed over, or the end begins, never both at once
        self._ending = False

    def wait(self, work: Coroutine[Any, Any, R]) -> R:
        """What ``work`` answers. Raises :class:`StoreUnavailable` once the loop is to stop."""
        with self._taking:
            if self._ending:
                work.close()
                raise StoreUnavailable("The engine is closed.")
            running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result()
        except CancelledError:
            raise StoreUnavailable("The engine was closed meanwhile.") from None
        except BaseException:
            running.cancel()  # nobody waits any more, after Ctrl-C for one
            raise

    def stop(self) -> None:
        """End the loop and its thread. Who still waits for an answer gets an error. Twice does no harm."""
        with self._taking:
            if self._ending:
                return
            self._ending = True
        asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _cancel_all(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._loop.shutdown_default_executor()


class _Facade:
    """Base of the objects that stand for one of the engine's."""

    def __init__(self, loop: _Loop, behind: Any) -> None:
        self._loop = loop
        self._behind = behind


def _waiting(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Any, P], R]:
    """The waiting form of an asynchronous method: same name, arguments, answer, errors and documentation."""

    @wraps(method)
    def call(facade: _Facade, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return facade._loop.wait(method(facade._behind, *args, **kwargs))

    return cast(Callable[Concatenate[Any, P], R], call)


class SyncReview(_Facade):
    """:class:`memorygraph.memory.reviewing.Review`, waiting."""

    queue = _waiting(Review.queue)
    approve = _waiting(Review.approve)
    reject = _waiting(Review.reject)
    answer = _waiting(Review.answer)
    tombstones = _waiting(Review.tombstones)
    lift = _waiting(Review.lift)


class SyncEntities(_Facade):
    """:class:`memorygraph.entities.entities.Entities`, waiting."""

    get = _waiting(Entities.get)
    list = _waiting(Entities.list)
    add_alias = _waiting(Entities.add_alias)
    remove_alias = _waiting(Entities.remove_alias)
    revise = _waiting(Entities.revise)
    suggestions = _waiting(Entities.suggestions)
    merge = _waiting(Entities.merge)
    split = _waiting(Entities.split)
    relate = _waiting(Entities.relate)
    unrelate = _waiting(Entities.unrelate)
    relations = _waiting(Entities.relations)
    relation_history = _waiting(Entities.relation_history)


class SyncJobs(_Facade):
    """:class:`memorygraph.memory.jobs.Jobs`, waiting."""

    get = _waiting(Jobs.get)
    list = _waiting(Jobs.list)
    cancel = _waiting(Jobs.cancel)
    requeue = _waiting(Jobs.requeue)
    wait = _waiting(Jobs.wait)


class SyncMemory(_Facade):
    """:class:`memorygraph.Memory`, waiting."""

    remember = _waiting(Memory.remember)
    remember_many = _waiting(Memory.remember_many)
    ingest = _waiting(Memory.ingest)
    revise = _waiting(Memory.revise)
    supersede = _waiting(Memory.supersede)
    retract = _waiting(Memory.retract)
    reinstate = _waiting(Memory.reinstate)
    pin = _waiting(Memory.pin)
    unpin = _waiting(Memory.unpin)
    link = _waiting(Memory.link)
    unlink = _waiting(Memory.unlink)
    expire_due = _waiting(Memory.expire_due)
    erase = _waiting(Memory.erase)
    recall = _waiting(Memory.recall)
    get = _waiting(Memory.get)
    lineage = _waiting(Memory.lineage)
    curve = _waiting(Memory.curve)
    reinforce = _waiting(Memory.reinforce)
    relatives = _waiting(Memory.relatives)
    list = _waiting(Memory.list)
    history = _waiting(Memory.history)
    events = _waiting(Memory.events)
    revert = _waiting(Memory.revert)
    verify_events = _waiting(Memory.verify_events)

    @property
    def entities(self) -> SyncEntities:
        """Who and what this memory is about."""
        return SyncEntities(self._loop, cast(Memory, self._behind).entities)

    @property
    def jobs(self) -> SyncJobs:
        """The durable work of this user."""
        return SyncJobs(self._loop, cast(Memory, self._behind).jobs)

    @property
    def review(self) -> SyncReview:
        """What a reviewer decides."""
        return SyncReview(self._loop, cast(Memory, self._behind).review)

    @property
    def end_user_id(self) -> str:
        """The user whose memory this is."""
        return cast(Memory, self._behind).end_user_id


class SyncForgetting(_Facade):
    """:class:`memorygraph.fusion.cycle.Forgetting`, waiting."""

    run = _waiting(Forgetting.run)
    get = _waiting(Forgetting.get)
    cycles = _waiting(Forgetting.cycles)


class SyncMemoryEngine:
    """:class:`memorygraph.MemoryEngine`, waiting::

    with SyncMemoryEngine.open() as engine:
        engine.memory("alice").remember("Ana works at Acme")
    """

    def __init__(self, loop: _Loop, engine: MemoryEngine) -> None:
        self._loop = loop
        self._engine = engine
        self._closing = threading.Lock()
        self._closed = False
        self.forgetting = SyncForgetting(loop, engine.forgetting)

    @classmethod
    def open(cls, settings: Settings | None = None, *, clock: Clock | None = None, **overrides: Any) -> Self:
        """As :meth:`memorygraph.MemoryEngine.open`."""
        loop = _Loop()
        try:
            return cls(loop, loop.wait(MemoryEngine.open(settings, clock=clock, **overrides)))
        except BaseException:
            loop.stop()
            raise

    def memory(self, end_user_id: str, *, actor: str = "sdk", scopes: Collection[str] = ALL_SCOPES) -> SyncMemory:
        """As :meth:`memorygraph.MemoryEngine.memory`."""
        return SyncMemory(self._loop, self._engine.memory(end_user_id, actor=actor, scopes=scopes))

    def flush(self) -> None:
        """As :meth:`memorygraph.MemoryEngine.flush`."""
        self._loop.wait(self._engine.flush())

    def close(self) -> None:
        """As :meth:`memorygraph.MemoryEngine.close`."""
        with self._closing:
            if not self._closed:
                self._loop.wait(self._engine.close())
                self._loop.stop()
                self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
