"""Opening the graph: the embedded server or a Neo4j server, by the settings."""

from __future__ import annotations

from dataclasses import dataclass

from memorygraph.graph.dialect import ArcadeDialect, Dialect, Neo4jDialect
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.embedded import EmbeddedServer, attach
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.turns import Turns
from memorygraph.settings import Settings

__all__ = ["Graph", "open_graph"]


@dataclass(frozen=True, kw_only=True)
class Graph:
    """An open graph server."""

    driver: GraphDriver
    dialect: Dialect
    version: str  # of the server
    uri: str
    server: EmbeddedServer | None  # ours, or None for one that runs by itself
    turns: Turns | None  # of the processes that share it

    async def close(self) -> None:
        try:
            await self.driver.close()
        finally:
            if self.server is not None:
                await self.server.close()


async def open_graph(settings: Settings) -> Graph:
    """Connect to the Neo4j server of the settings, or start or find the embedded one.

    Raises :class:`StoreUnavailable`, :class:`AuthenticationFailed`, :class:`ServerTooOld`, and for the
    embedded server what :func:`memorygraph.graph.embedded.attach` raises.
    """
    server: EmbeddedServer | None = None
    dialect: Dialect
    if settings.neo4j_uri is None:
        server = await attach(
            settings.data_dir, heap_mb=settings.embedded_heap_mb, idle_seconds=settings.embedded_idle_seconds
        )
        uri, user, database = server.uri, server.user, server.database
        password: str | None = server.password
        dialect = ArcadeDialect(server)
    else:
        secret = settings.neo4j_password
        uri, user, database = settings.neo4j_uri, settings.neo4j_user, settings.neo4j_database
        password = None if secret is None else secret.get_secret_value()
        dialect = Neo4jDialect()
    try:
        driver = GraphDriver.connect(
            uri,
            user=user,
            password=password,
            database=database,
            pool_size=settings.neo4j_pool_size,
            connect_timeout=settings.neo4j_connect_timeout_seconds,
            transaction_timeout=settings.neo4j_transaction_timeout_seconds,
        )
        try:
            version = await dialect.check_version(driver)
        except BaseException:
            await driver.close()
            raise
    except BaseException:
        if server is not None:
            await server.close()
        raise
    layout = DataFolderLayout(settings.data_dir)
    turns = None if server is None else Turns(layout.turns, clients=layout.clients)
    return Graph(driver=driver, dialect=dialect, version=version, uri=uri, server=server, turns=turns)
