"""Whether everything that the engine needs is there, and what to do when it is not."""

from __future__ import annotations

import asyncio

from memorygraph.embedding import load_embedder
from memorygraph.engine import MemoryEngine
from memorygraph.errors import MemoryGraphError
from memorygraph.graph.embedded import inspect
from memorygraph.graph.opening import open_graph
from memorygraph.invariants import check_store, users_of
from memorygraph.ledger import Ledger
from memorygraph.ledger.location import locate
from memorygraph.records import Check
from memorygraph.settings import Settings
from memorygraph.store_opening import inspect_folder, ledger_url

__all__ = ["diagnose"]


async def diagnose(settings: Settings, *, deep: bool = False) -> list[Check]:
    """One check each for the store as a whole, graph server, ledger and embedder. Never raises our errors.

    ``deep`` adds one of every memory of every user, if the store opens; it reads all there is.

    A store that opens is opened as any command opens it, made or migrated if need be. One that does
    not is looked at part by part, without starting a server or making a store.
    """
    try:
        async with await MemoryEngine.open(settings) as engine:
            return [*await _healthy(engine), *([await _memories(engine)] if deep else [])]
    except MemoryGraphError as error:
        return [_failed("store", error), *await _parts(settings)]


async def _healthy(engine: MemoryEngine) -> list[Check]:
    store = engine.store
    embedder = engine.embedder
    await store.ledger.ping()
    kind = "embedded ArcadeDB" if store.graph.server is not None else "Neo4j"
    return [
        Check(name="store", ok=True, detail=f"{store.store_id}; graph and ledger agree"),
        Check(
            name="graph",
            ok=True,
            detail=f"{kind} {store.graph.version} at {store.graph.uri}, schema {store.schema_version}",
        ),
        Check(
            name="ledger",
            ok=True,
            detail=f"{store.ledger.kind} at {store.ledger.location}, revision {await store.ledger.revision()}",
        ),
        Check(
            name="embedder",
            ok=True,
            detail=f"{embedder.name}, {embedder.dimension} dimensions, digest {embedder.digest[:12]}",
        ),
    ]


async def _memories(engine: MemoryEngine) -> Check:
    users = 0
    async for _ in users_of(engine.tools):
        users += 1
    faults = tuple([fault async for fault in check_store(engine.tools)])
    detail = f"{len(faults)} faults among those of {users} users" if faults else f"those of {users} users are whole"
    return Check(name="memories", ok=not faults, detail=detail, faults=faults)


async def _parts(settings: Settings) -> list[Check]:
    return [await _graph(settings), await _ledger(settings), await _embedder(settings)]


async def _graph(settings: Settings) -> Check:
    if settings.neo4j_uri is None:
        found = await asyncio.to_thread(inspect, settings.data_dir)
        where = f"embedded server in {settings.data_dir}"
        if found.crash is not None:
            return Check(name="graph", ok=False, detail=f"{where}: {found.crash.summary()}", advice=f"See {found.log}.")
        return Check(name="graph", ok=True, detail=f"{where}, {'running' if found.running else 'not running'}")
    try:
        graph = await open_graph(settings)
    except MemoryGraphError as error:
        return _failed("graph", error)
    await graph.close()
    return Check(name="graph", ok=True, detail=f"Neo4j {graph.version} at {graph.uri}")


async def _ledger(settings: Settings) -> Check:
    try:
        await asyncio.to_thread(inspect_folder, settings)
        location = locate(ledger_url(settings), data_dir=settings.data_dir)
        if location.path is not None and not location.path.exists():
            return Check(name="ledger", ok=True, detail=f"{location.path} does not exist yet")
        ledger = await Ledger.open(ledger_url(settings), data_dir=settings.data_dir)
    except MemoryGraphError as error:
        return _failed("ledger", error)
    try:
        detail = f"{ledger.kind} at {ledger.location}, revision {await ledger.revision()}"
    finally:
        await ledger.close()
    return Check(name="ledger", ok=True, detail=detail)


async def _embedder(settings: Settings) -> Check:
    try:
        embedder = await asyncio.to_thread(
            load_embedder, settings.embedder, data_dir=settings.data_dir, threads=settings.embedder_threads
        )
        try:
            await embedder.embed(["."])
        finally:
            await embedder.close()
    except MemoryGraphError as error:
        return _failed("embedder", error)
    return Check(name="embedder", ok=True, detail=f"{embedder.name}, {embedder.dimension} dimensions")


def _failed(name: str, error: MemoryGraphError) -> Check:
    return Check(name=name, ok=False, detail=error.message, advice=error.hint)
