"""The engine: opens a store and hands out the memory of each user."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from types import TracebackType
from typing import Any, Self

from memorygraph.access.recorder import AccessRecorder
from memorygraph.background import COMPARE, INGEST, Background
from memorygraph.clock import Clock, SystemClock
from memorygraph.embedding import Embedder, load_embedder
from memorygraph.erasing.erasing import Erasing
from memorygraph.extraction.claims import Extractor
from memorygraph.extraction.local import LocalExtractor
from memorygraph.extraction.model_extractor import ModelExtractor
from memorygraph.fusion.cycle import Forgetting
from memorygraph.fusion.run import CycleTools
from memorygraph.ingest.running import Ingesting
from memorygraph.llm import load_chat_model
from memorygraph.memory import Memory, MemoryTools
from memorygraph.parameters import EffectiveParameters
from memorygraph.recall.answering import Recalling
from memorygraph.recall.cache import RecallIndexes
from memorygraph.scopes import ALL_SCOPES, check_scopes
from memorygraph.settings import Settings, load_settings
from memorygraph.store_opening import OpenStore, inspect_folder, open_store
from memorygraph.validation import check_end_user_id, check_line
from memorygraph.writing.comparing import Comparing
from memorygraph.writing.mutation import Mutations
from memorygraph.writing.neighbours import Neighbours

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
        indexes = RecallIndexes(budget_bytes=settings.recall_cache_mb * 1024 * 1024)
        self._accesses = AccessRecorder(mutations, parameters)
        self.background = Background(driver, store.ledger, concurrency=settings.job_concurrency)
        model = load_chat_model(settings)
        self._tools = MemoryTools(
            settings=settings,
            driver=driver,
            ledger=store.ledger,
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
                indexes=indexes,
            ),
            neighbours=Neighbours(indexes, driver),
            background=self.background,
            erasing=Erasing(
                driver=driver,
                mutations=mutations,
                ledger=store.ledger,
                embedder=embedder,
                clock=clock,
                fingerprints=store.fingerprints,
                parameters=parameters,
            ),
            has_model=model is not None,
            clock=clock,
        )
        extractors: list[Extractor] = [LocalExtractor()]
        if model is not None:
            extractors.append(ModelExtractor(model))
            self.background.handle(COMPARE, Comparing(self._tools, model).run)
        self.background.handle(INGEST, Ingesting(self._tools, extractors).run)
        self.forgetting = Forgetting(
            CycleTools(
                driver=driver,
                ledger=store.ledger,
                mutations=mutations,
                accesses=self._accesses,
                embedder=embedder,
                expire=self._expire,
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
        engine = cls(store, settings=settings, embedder=embedder, clock=SystemClock() if clock is None else clock)
        try:
            # Before anybody reads: an erasure that was cut off, or a graph put back from before one.
            await engine._tools.erasing.resume()
        except BaseException:
            await engine.close()
            raise
        return engine

    def memory(self, end_user_id: str, *, actor: str = "sdk", scopes: Collection[str] = ALL_SCOPES) -> Memory:
        """The memory of one user; ``actor`` is who events say it was, ``scopes`` what may be done with it.

        Scopes are ``read``, ``write``, ``forget``, ``review`` and ``admin``. The user comes to be with the
        first thing remembered. Raises :class:`InvalidEndUserId`, :class:`InvalidInput`.
        """
        return Memory(
            self._tools,
            check_end_user_id(end_user_id),
            actor=check_line(actor, field="actor"),
            scopes=check_scopes(scopes),
        )

    async def _expire(self, end_user_id: str, actor: str) -> int:
        return await self.memory(end_user_id, actor=actor).expire_due()

    @property
    def store(self) -> OpenStore:
        """The open graph and ledger, for diagnosis; a user's data is reached through :meth:`memory` only."""
        return self._store

    @property
    def tools(self) -> MemoryTools:
        """What every user's memory works with, for :mod:`memorygraph.invariants`, which looks through all of them."""
        return self._tools

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
            await self.background.close()
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
