"""Bringing both stores to this release's schema, as every start does, and saying what that changed."""

from __future__ import annotations

from dataclasses import dataclass

from memorygraph.engine import MemoryEngine
from memorygraph.settings import Settings

__all__ = ["Migrated", "migrate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """Schema versions before and after; the graph's 0 and the ledger's ``None`` stand for a new one."""

    graph_before: int
    graph_after: int
    ledger_before: str | None
    ledger_after: str


async def migrate(settings: Settings) -> Migrated:
    """Open the store of ``settings``, which migrates it; raises what :meth:`MemoryEngine.open` raises."""
    async with await MemoryEngine.open(settings) as engine:
        store = engine.store
        return Migrated(
            graph_before=store.schema_before,
            graph_after=store.schema_version,
            ledger_before=store.ledger.revision_before,
            ledger_after=await store.ledger.revision(),
        )
