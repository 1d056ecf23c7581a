"""Making the files of both stores anew, so that deleted text is in none of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from memorygraph.errors import StoreUnavailable
from memorygraph.graph.embedded import GraphCompaction, compact_graph
from memorygraph.ledger.compaction import LedgerCompaction, compact_ledger
from memorygraph.settings import Settings
from memorygraph.store_opening import inspect_folder, ledger_url

__all__ = ["Compacted", "compact"]

_NEO4J = (
    "Neo4j keeps what was deleted in its files, through restarts too, until the database is exported and imported "
    "into a fresh one; memorygraph cannot do that for it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What was done to each store; ``graph`` is ``None`` where it could not be done, and ``refusal`` says why."""

    graph: GraphCompaction | None
    ledger: LedgerCompaction
    refusal: str | None


async def compact(settings: Settings) -> Compacted:
    """Make the files of the store of ``settings`` anew, the ledger's and, where it is embedded, the graph's.

    Nobody else may use the store meanwhile. Raises :class:`StoreUnavailable` where there is no store,
    :class:`StoreBusy` while others use it, and what :func:`~memorygraph.graph.embedded.compact_graph` and
    :func:`~memorygraph.ledger.compaction.compact_ledger` raise; whatever was not made anew is then as it was.
    """
    file = await asyncio.to_thread(inspect_folder, settings)
    graph = None
    if settings.neo4j_uri is None:
        if file is None:
            raise StoreUnavailable(
                f"There is no store in {settings.data_dir}.", hint="Set MEMORYGRAPH_DATA_DIR to the folder of one."
            )
        graph = await compact_graph(settings.data_dir, heap_mb=settings.embedded_heap_mb)
    ledger = await asyncio.to_thread(compact_ledger, ledger_url(settings), data_dir=settings.data_dir)
    return Compacted(graph=graph, ledger=ledger, refusal=None if graph is not None else _NEO4J)
