"""Opening a store: graph, ledger and ``store.json`` have to be of one store, or the start is refused.

The ledger makes the store's id, because it can do so safely when several start at once; then
``store.json`` takes it, before the embedded server touches its files; then the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorygraph.errors import EmbedderMismatch, SchemaTooNew, StoreBusy, StoreCorrupt, StoreMismatch
from memorygraph.formats import INDEX_FORMAT
from memorygraph.graph import migrating
from memorygraph.graph.embedded import StoreFile, check_data_folder, read_store_file, server_version, write_store_file
from memorygraph.graph.opening import Graph, open_graph
from memorygraph.graph.session import AdminTransaction
from memorygraph.ledger import Ledger
from memorygraph.ledger.location import locate
from memorygraph.settings import Settings
from memorygraph.text.normalise import NORMALISATION_VERSION
from memorygraph.writing.fingerprint import Fingerprints

__all__ = ["OpenStore", "inspect_folder", "open_store"]

_MIGRATION_LEASE = "migrate-graph"
_MIGRATION_TTL = 15.0  # seconds until the lease of a process that died is free; a step cut off is run again
_MIGRATION_PATIENCE = 180.0  # seconds to wait for another process that migrates
_EMBEDDED = "arcadedb"
_RESTORE = "Use the graph and the ledger that belong together, or restore both from one backup."


@dataclass(frozen=True, kw_only=True)
class OpenStore:
    """Graph and ledger of one store, agreed and at the schema of this release."""

    graph: Graph
    ledger: Ledger
    store_id: str
    fingerprints: Fingerprints
    schema_before: int  # 0 for a new graph
    schema_version: int

    async def close(self) -> None:
        try:
            await self.graph.close()
        finally:
            await self.ledger.close()


def ledger_url(settings: Settings) -> str | None:
    """The ledger's URL with its password, or ``None`` for the file in the data folder."""
    return None if settings.ledger_url is None else settings.ledger_url.get_secret_value()


async def open_store(settings: Settings, file: StoreFile | None, *, embedder: str) -> OpenStore:
    """Open the store of the settings, made if there is none.

    ``file`` is what :func:`inspect_folder` found, ``embedder`` the identity of the model in use.

    Raises :class:`memorygraph.errors.StartRefused` in one of its forms, with the store untouched;
    :class:`StoreUnavailable` and :class:`AuthenticationFailed` from either side.
    """
    if file is not None:
        _check_embedder(file.embedder, embedder, where=f"The graph in {settings.data_dir}")
    ledger = await Ledger.open(ledger_url(settings), data_dir=settings.data_dir)
    try:
        identity = await ledger.peek_identity()
        if file is not None and (identity is None or identity.store_id != file.store_id):
            raise StoreMismatch(
                f"The ledger at {ledger.location} is not the one of the graph in {settings.data_dir}.", hint=_RESTORE
            )
        identity = await ledger.identity()
        fingerprints = Fingerprints(await ledger.fingerprint_key())
        if settings.neo4j_uri is None and file is None:
            _write_file(settings.data_dir, identity.store_id, schema_version=0, embedder=embedder)
        graph = await open_graph(settings)
        try:
            store = await _agree(graph, ledger, identity.store_id, identity.ready, fingerprints, embedder)
            before = 0 if store is None else int(store["schema_version"])
            newest = migrating.newest_schema(graph.dialect.name)
            if before < newest:
                properties = {
                    "store_id": identity.store_id,
                    "schema_version": 0,
                    "normalisation_version": NORMALISATION_VERSION,
                    "index_format": INDEX_FORMAT,
                    "embedder": embedder,
                    "key_check": fingerprints.key_check(),
                }
                before = await _migrate(graph, ledger, properties)
            if not identity.ready:
                await ledger.mark_ready()
            if settings.neo4j_uri is None and (file is None or file.schema_version != newest):
                _write_file(settings.data_dir, identity.store_id, schema_version=newest, embedder=embedder)
        except BaseException:
            await graph.close()
            raise
    except BaseException:
        await ledger.close()
        raise
    return OpenStore(
        graph=graph,
        ledger=ledger,
        store_id=identity.store_id,
        fingerprints=fingerprints,
        schema_before=before,
        schema_version=newest,
    )


def inspect_folder(settings: Settings) -> StoreFile | None:
    """Refuse what can be refused before anything of the data folder is opened or written; its ``store.json``.

    Raises :class:`DataFolderUnusable`, :class:`StoreCorrupt`, :class:`SchemaTooNew` and :class:`StoreMismatch`.
    """
    if settings.neo4j_uri is not None:
        if settings.ledger_url is None:
            check_data_folder(settings.data_dir)
        return None
    check_data_folder(settings.data_dir)
    file = read_store_file(settings.data_dir)
    if file is None:
        return None
    where = f"The graph in {settings.data_dir}"
    migrating.check_schema_version(file.schema_version, dialect=_EMBEDDED, where=where)
    location = locate(ledger_url(settings), data_dir=settings.data_dir)
    if location.path is not None and not location.path.exists():
        raise StoreMismatch(f"{where} has lost its ledger: {location.path} does not exist.", hint=_RESTORE)
    return file


def _check_embedder(found: str | None, ours: str, *, where: str) -> None:
    if found is not None and found != ours:
        raise EmbedderMismatch(
            f"{where} has vectors of {found}; the embedding model in use is {ours}. It was left untouched.",
            hint="Set MEMORYGRAPH_EMBEDDER to the model that the store was written with.",
        )


def _write_file(data_dir: Path, store_id: str, *, schema_version: int, embedder: str) -> None:
    write_store_file(
        data_dir,
        StoreFile(store_id=store_id, schema_version=schema_version, server_version=server_version(), embedder=embedder),
    )


async def _agree(
    graph: Graph, ledger: Ledger, store_id: str, ready: bool, fingerprints: Fingerprints, embedder: str
) -> dict[str, Any] | None:
    """The graph's Store node once everything in it fits; ``None`` for a graph that is still empty."""
    store = await migrating.read_store(graph)
    where = f"The graph at {graph.uri}"
    if store is None:

        async def has_users(transaction: AdminTransaction) -> bool:
            return bool(await transaction.rows("read_any_user"))

        if await graph.driver.admin(has_users):
            raise StoreCorrupt(f"{where} holds memories but no Store node.", hint=_RESTORE)
        if ready:
            raise StoreMismatch(f"{where} is empty, but the ledger at {ledger.location} has a store.", hint=_RESTORE)
        return None
    if store["store_id"] != store_id:
        raise StoreMismatch(f"{where} and the ledger at {ledger.location} are not of one store.", hint=_RESTORE)
    migrating.check_schema_version(store["schema_version"], dialect=graph.dialect.name, where=where)
    for name, ours in (("normalisation_version", NORMALISATION_VERSION), ("index_format", INDEX_FORMAT)):
        if store[name] > ours:
            raise SchemaTooNew(
                f"{where} has {name} {store[name]}; this release of memorygraph knows {ours}.",
                hint="Install the newer release that wrote it.",
            )
    if store["key_check"] != fingerprints.key_check():
        raise StoreMismatch(f"The ledger at {ledger.location} lacks the fingerprint key of {where}.", hint=_RESTORE)
    _check_embedder(store["embedder"], embedder, where=where)
    return store


async def _migrate(graph: Graph, ledger: Ledger, properties: dict[str, Any]) -> int:
    """Bring the graph to the newest schema under the lease; returns the version it had."""
    async with ledger.leases.held(_MIGRATION_LEASE, ttl_seconds=_MIGRATION_TTL, patience=_MIGRATION_PATIENCE) as lease:
        if lease is None:
            raise StoreBusy("Another process has been migrating the graph for minutes.", hint="Try again later.")
        store = await migrating.read_store(graph)
        before = 0 if store is None else int(store["schema_version"])
        reached = await migrating.migrate_graph(graph, current=before)
        if store is None:
            # Constraints stand by now, so that of several at once one makes the node and all read it.
            store = await migrating.create_store(graph, properties)
        if store["store_id"] != properties["store_id"]:
            raise StoreMismatch(f"The graph at {graph.uri} was taken by another ledger meanwhile.", hint=_RESTORE)
        if reached > store["schema_version"]:
            await migrating.update_store(graph, schema_version=reached)
    return before
