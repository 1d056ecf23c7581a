"""Making the graph's files anew, so that what was deleted or overwritten is in none of them.

The server leaves such text where it was: in the free space of pages, in pages of indexes, in its log of writes. Its own
commands clear the pages (``CHECK DATABASE COMPRESS``) and make the indexes anew (``REBUILD INDEX``), but one that is
killed in between would leave a store without an index. So they work on a copy, which then replaces the store at once.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorygraph.errors import DataFolderUnusable, StoreBusy, StoreCorrupt
from memorygraph.graph.embedded.attaching import EmbeddedServer, attach
from memorygraph.graph.embedded.command_line import DATABASE
from memorygraph.graph.embedded.graph_files import check_graph_files
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import claimants, start_lock
from memorygraph.graph.embedded.replacing import finish_replacing, replace_database
from memorygraph.graph.embedded.sql import run_sql
from memorygraph.graph.embedded.stopping import stop_server

__all__ = ["GraphCompaction", "compact_graph"]

_LOCK_PATIENCE = 10.0  # seconds for others who are starting or leaving
_PAGE = 5000  # records hashed at once
_COMMAND_TIMEOUT = 24 * 3600.0  # seconds; the server answers when it is done
_FREE_BYTES = 64 << 20  # beside the copy: its log of writes and the indexes that are made anew
# What makes an index the same when it is made anew; what the server calls it and what it counts are not part of it.
_DEFINING = ("type", "bucket", "properties", "nullStrategy", "unique", "analyzer", "similarity", "typeIndexName")
_Inventory = dict[str, tuple[int, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCompaction:
    """What a compaction of the graph's files did."""

    records: int  # nodes and relationships, the same before and after
    bytes_before: int
    bytes_after: int
    kept: tuple[Path, ...]  # backups that the server was told to make: they hold what they held


async def compact_graph(data_dir: Path, *, heap_mb: int) -> GraphCompaction:
    """Replace the graph's files in ``data_dir`` by new ones with every record and nothing else, and drop its logs.

    A server that is only waiting for clients is stopped; nobody can attach before this is over. Memory is bounded by
    ``heap_mb`` (MiB) for the server and some megabytes here. A process that is killed leaves either the old files or
    the new ones in force.

    Raises :class:`StoreBusy` while other processes use the graph, :class:`StoreCorrupt` when the copy is not the same
    to the last property, :class:`DataFolderUnusable` when there is no room for a copy, and what
    :func:`~memorygraph.graph.embedded.attach` raises; the old files are then in force.
    """
    layout = DataFolderLayout(data_dir)
    async with _alone(layout):
        try:
            return await _compact(layout, heap_mb)
        except OSError as error:
            raise DataFolderUnusable(
                f"The graph in {layout.root} could not be compacted: {error}.",
                hint="Free some space or correct the folder's permissions, and run it again.",
            ) from error
        finally:
            with suppress(OSError):
                await asyncio.to_thread(_clear, layout)


@asynccontextmanager
async def _alone(layout: DataFolderLayout) -> AsyncIterator[None]:
    """Within it no server runs on ``layout`` and none can start."""
    lock = start_lock(layout)
    if not await asyncio.to_thread(lock.acquire, timeout=_LOCK_PATIENCE):
        raise StoreBusy("The embedded graph server is starting or stopping for another process.", hint="Try again.")
    try:
        users = sorted(set(claimants(layout)))
        if users:
            raise StoreBusy(
                f"The graph in {layout.root} is in use by process {', '.join(map(str, users))}.",
                hint="Close what uses it, and run it again.",
            )
        if not await asyncio.to_thread(stop_server, layout):
            raise StoreBusy("The embedded graph server does not stop.", hint=f"Its log is in {layout.logs}.")
        yield
    finally:
        lock.release()


async def _compact(layout: DataFolderLayout, heap_mb: int) -> GraphCompaction:
    await asyncio.to_thread(_clear, layout)
    database = layout.databases / DATABASE
    bytes_before = _size(database)
    check_graph_files(layout)
    copy = DataFolderLayout(layout.compacting)
    await asyncio.to_thread(_copy, layout, copy, bytes_before)
    indexes = _indexes(copy)
    server = await attach(copy.data_dir, heap_mb=heap_mb, idle_seconds=0)
    try:
        before = await _inventory(server)
        await run_sql(server, "CHECK DATABASE COMPRESS", _COMMAND_TIMEOUT)
        await run_sql(server, "REBUILD INDEX *", _COMMAND_TIMEOUT)
        after = await _inventory(server)
    finally:
        await server.close()
    if not await asyncio.to_thread(stop_server, copy):
        raise StoreBusy("The server of the copy does not stop.", hint="Try again.")
    _check(copy, same=before == after and indexes == _indexes(copy))
    await asyncio.to_thread(replace_database, layout, copy.databases / DATABASE)
    # They may quote what was in the graph.
    for log in (*layout.logs.iterdir(), layout.crash_file):
        log.unlink(missing_ok=True)
    return GraphCompaction(
        records=sum(count for count, _ in after.values()),
        bytes_before=bytes_before,
        bytes_after=_size(database),
        kept=tuple(sorted(path for path in (layout.root / "backups").rglob("*") if path.is_file())),
    )


def _clear(layout: DataFolderLayout) -> None:
    """Stop whatever serves an abandoned copy, and leave one database where it belongs."""
    copy = DataFolderLayout(layout.compacting)
    if copy.root.exists():
        stop_server(copy)
    finish_replacing(layout)


def _copy(layout: DataFolderLayout, copy: DataFolderLayout, size: int) -> None:
    free = shutil.disk_usage(layout.root).free
    if free < size + _FREE_BYTES:
        raise DataFolderUnusable(
            f"The disk of {layout.root} has {free >> 20} MiB left; compacting takes {(size + _FREE_BYTES) >> 20}.",
            hint="Free some space, and run it again.",
        )
    copy.create()
    copy.databases.mkdir(mode=0o700)
    shutil.copytree(layout.databases / DATABASE, copy.databases / DATABASE, ignore=shutil.ignore_patterns("*.lck"))


async def _inventory(server: EmbeddedServer) -> _Inventory:
    """How many records each bucket has, and one hash over all that they say, in the order of their places."""
    found: _Inventory = {}
    for bucket in await run_sql(server, "SELECT name, fileId FROM schema:buckets WHERE purpose = 'PRIMARY'", 60):
        digest, count = hashlib.sha256(), 0
        last = f"#{bucket['fileId']}:-1"
        while rows := await run_sql(
            server,
            f"SELECT @rid AS rid, @this.toJSON().hash('SHA-256') AS hash FROM bucket:{bucket['name']} "
            f"WHERE @rid > {last} LIMIT {_PAGE}",
            _COMMAND_TIMEOUT,
        ):
            digest.update("".join(f"{row['rid']} {row['hash']}\n" for row in rows).encode())
            count += len(rows)
            last = rows[-1]["rid"]
        found[bucket["name"]] = (count, digest.hexdigest())
    return found


def _indexes(layout: DataFolderLayout) -> list[str]:
    """The definition of every index of the schema."""
    schema: dict[str, Any] = json.loads((layout.databases / DATABASE / "schema.json").read_bytes())
    return sorted(
        json.dumps([kind, *(index.get(part) for part in _DEFINING)])
        for kind, described in schema["types"].items()
        for index in described["indexes"].values()
    )


def _check(copy: DataFolderLayout, *, same: bool) -> None:
    """Raise :class:`StoreCorrupt` unless the copy is ``same`` and at rest, and its server complained of nothing."""
    check_graph_files(copy)
    reason = "its records or indexes are not those of the original" if not same else None
    if any((copy.databases / DATABASE).glob("*.wal")):
        reason = "its server did not stop cleanly"
    for log in copy.logs.glob("*.log"):
        if "SEVERE" in log.read_text(encoding="utf-8", errors="replace"):
            reason = "its server reported an error"
    if reason is not None:
        raise StoreCorrupt(
            f"The compacted copy of the graph cannot be used: {reason}. The graph was left as it was.",
            hint="Run it again; if that does not help, restore the data folder from a backup.",
        )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
