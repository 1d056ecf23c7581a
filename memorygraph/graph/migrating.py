"""Bringing the graph's schema to this version."""

from __future__ import annotations

from typing import Any

from memorygraph.errors import SchemaTooNew
from memorygraph.graph.opening import Graph
from memorygraph.graph.session import AdminTransaction
from memorygraph_cypher import migrations

__all__ = [
    "STORE_NAME",
    "check_schema_version",
    "create_store",
    "migrate_graph",
    "newest_schema",
    "read_store",
    "update_store",
]

STORE_NAME = "memorygraph"  # key of the one Store node
StoreProperties = dict[str, Any]


def newest_schema(dialect: str) -> int:
    """The schema version that this release brings a graph to."""
    return migrations(dialect)[-1].version


def check_schema_version(found: int, *, dialect: str, where: str) -> None:
    """Raise :class:`SchemaTooNew` when ``found`` is newer than this release knows; ``where`` names the store."""
    known = newest_schema(dialect)
    if found > known:
        raise SchemaTooNew(
            f"{where} has schema version {found}; this release of memorygraph knows {known}. It was left untouched.",
            hint="Install the newer release that wrote it.",
        )


async def read_store(graph: Graph) -> StoreProperties | None:
    """The properties of the graph's Store node, or ``None`` where there is none yet."""

    async def work(transaction: AdminTransaction) -> StoreProperties | None:
        rows = await transaction.rows("read_store")
        return rows[0]["store"] if rows else None

    return await graph.driver.admin(work)


async def create_store(graph: Graph, properties: StoreProperties) -> StoreProperties:
    """Make the Store node unless it is there; returns what it then says."""

    async def work(transaction: AdminTransaction) -> StoreProperties:
        rows = await transaction.rows("create_store", name=STORE_NAME, properties=properties)
        store: StoreProperties = rows[0]["store"]
        return store

    return await graph.driver.admin(work)


async def update_store(graph: Graph, **properties: Any) -> None:
    """Change the Store node's ``properties``."""

    async def work(transaction: AdminTransaction) -> None:
        await transaction.rows("update_store", name=STORE_NAME, properties=properties)

    await graph.driver.admin(work)


async def migrate_graph(graph: Graph, *, current: int) -> int:
    """Apply every migration newer than ``current`` and return the version reached.

    The caller holds the lease that keeps other processes from migrating, and writes the version
    down when all are applied; steps that were cut off are simply run again.
    """
    version = current
    for migration in migrations(graph.dialect.name):
        if migration.version > current:
            await graph.dialect.define(graph.driver, migration)
            version = migration.version
    return version
