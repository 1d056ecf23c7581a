"""A plain driver session beside the engine, to plant what the engine would never write and to look behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import neo4j

from memorygraph.graph.embedded import attach
from memorygraph.settings import Settings

__all__ = ["RawGraph", "raw_graph"]


class RawGraph:
    """Runs any Cypher text on the graph of a store, each call in its own transaction."""

    def __init__(self, driver: neo4j.AsyncDriver, database: str) -> None:
        self._driver = driver
        self._database = database

    async def run(self, text: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """The rows of ``text``."""

        async def work(transaction: neo4j.AsyncManagedTransaction) -> list[dict[str, Any]]:
            result = await transaction.run(text, parameters)  # pyright: ignore[reportArgumentType]
            return [record.data() for record in await result.fetch(1_000_000)]

        async with self._driver.session(database=self._database) as session:
            # Again, where the engine wrote to the same record in the same moment.
            return await session.execute_write(work)

    async def everything(self, end_user_id: str) -> list[dict[str, Any]]:
        """Every node of a user and every relationship that says it is the user's, in a fixed order, whole."""
        nodes = await self.run(
            "MATCH (n) WHERE n.end_user_id = $u RETURN labels(n) AS labels, properties(n) AS properties", u=end_user_id
        )
        edges = await self.run(
            "MATCH (a)-[r]->(b) WHERE r.end_user_id = $u "
            "RETURN type(r) AS type, properties(r) AS properties, properties(a) AS source, properties(b) AS target",
            u=end_user_id,
        )
        return sorted(nodes + edges, key=repr)


@asynccontextmanager
async def raw_graph(settings: Settings) -> AsyncIterator[RawGraph]:
    """A raw session on the graph of ``settings``; of the embedded server, through a claim of its own."""
    if settings.neo4j_uri is None:
        server = await attach(settings.data_dir, heap_mb=settings.embedded_heap_mb, idle_seconds=0)
        auth: tuple[str, str] | None = (server.user, server.password)
        uri, database = server.uri, server.database
    else:
        server = None
        secret = settings.neo4j_password
        auth = None if secret is None else (settings.neo4j_user, secret.get_secret_value())
        uri, database = settings.neo4j_uri, settings.neo4j_database
    try:
        async with neo4j.AsyncGraphDatabase.driver(uri, auth=auth, notifications_min_severity="OFF") as driver:
            yield RawGraph(driver, database)
    finally:
        if server is not None:
            await server.close()
