"""The engine: opens a store and hands out the memory of each user."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

from memorygraph.access.recorder import AccessRecorder
from memorygraph.clock import Clock, SystemClock
from memorygraph.embedding import Embedder, load_embedder
from memorygraph.fusion.cycle import Forgetting
from memorygraph.fusion.run import CycleTools
from memorygraph.memory import Memory, MemoryTools
from memorygraph.parameters import EffectiveParameters
from memorygraph.recall.answering import Recalling
from memorygraph.settings import Settings, load_settings
from memorygraph.store_opening import OpenStore, inspect_folder, open_store
from memorygraph.validation import check_end_user_id, check_line
from memorygraph.writing.mutation import Mutations

__all__ = ["MemoryEngine"]


class MemoryEngine:
    """One open store. Use it from the event loop that opened it, and close it, or use it as a context::

    async with await MemoryEngine.open() as engine:
        memory = engine.memory("alice")
    """

    def __init__(self, store: OpenStore, *, settings: Settings, embedder: Embedder, clock: Clock) -> None:
        self._store = store
        self._embedder = embedder
        self.settings = settings
        self.clock = clock
        driver = store.graph.driver
        parameters = EffectiveParameters(store.ledger)
        mutations = Mutations(driver, turns=store.graph.turns)
        self._accesses = AccessRecorder(mutations, parameters)
        self._tools = MemoryTools(
            driver=driver,
            mutations=mutations,
            accesses=self._accesses,
            parameters=parameters,
            embedder=embedder,
            fingerprints=store.fingerprints,
            recalling=Recalling(
                driver=driver,
                accesses=self._accesses,
                parameters=parameters,
                embedder=embedder,
                clock=clock,
                cache_bytes=settings.recall_cache_mb * 1024 * 1024,
            ),
            clock=clock,
        )
        self.forgetting = Forgetting(
            CycleTools(
                driver=driver,
                ledger=store.ledger,
                mutations=mutations,
                accesses=self._accesses,
                embedder=embedder,
                clock=clock,
            ),
            parameters,
        )

    @classmethod
    async def open(cls, settings: Settings | None = None, *, clock: Clock | None = None, **overrides: Any) -> Self:
        """Open the store of ``settings`` (default: environment and ``memorygraph.toml``, with ``overrides``).

        Makes or migrates the store if need be. Raises :class:`ConfigurationError`,
        :class:`EmbedderError`, :class:`StoreUnavailable`, :class:`AuthenticationFailed`, and
        :class:`StartRefused` in one of its forms, which leaves the store as it was.
        """
        if settings is None:
            settings = load_settings(**overrides)
        elif overrides:
            raise TypeError("give settings or overrides, not both")
        file = await asyncio.to_thread(inspect_folder, settings)
        # What users told is in it: it belongs to nobody else on the machine.
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        embedder = await asyncio.to_thread(
            load_embedder, settings.embedder, data_dir=settings.data_dir, threads=settings.embedder_threads
        )
        try:
            store = await open_store(settings, file, embedder=f"{embedder.name}/{embedder.dimension}/{embedder.digest}")
        except BaseException:
            await embedder.close()
            raise
        return cls(store, settings=settings, embedder=embedder, clock=SystemClock() if clock is None else clock)

    def memory(self, end_user_id: str, *, actor: str = "sdk") -> Memory:
        """The memory of one user; ``actor`` is who events say it was. Raises :class:`InvalidEndUserId`.

        The user comes to be with the first thing remembered.
        """
        return Memory(self._tools, check_end_user_id(end_user_id), actor=check_line(actor, field="actor"))

    @property
    def store(self) -> OpenStore:
        """The open graph and ledger, for diagnosis; a user's data is reached through :meth:`memory` only."""
        return self._store

    @property
    def embedder(self) -> Embedder:
        """The embedding model in use."""
        return self._embedder

    @property
    def dropped_accesses(self) -> int:
        """Accesses that could not be written since the engine was opened."""
        return self._accesses.dropped

    async def flush(self) -> None:
        """Write the accesses recorded so far; otherwise it happens by itself within a second."""
        await self._accesses.flush()

    async def close(self) -> None:
        """Write what is left, let running transactions end, and close every connection. Twice does no harm.

        Calls that come later, or need another transaction, raise :class:`StoreUnavailable`.
        """
        try:
            await self._accesses.close()
        finally:
            try:
                await self._store.close()
            finally:
                await self._tools.recalling.close()
                await self._embedder.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
