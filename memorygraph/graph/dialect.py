"""What differs between the two kinds of graph server: how schema is defined. Everything else is one Cypher."""

from __future__ import annotations

import re
from functools import partial
from typing import Protocol

from memorygraph.errors import ServerTooOld, StatementFailed
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.embedded import EmbeddedServer, run_sql, server_version
from memorygraph.graph.session import AdminTransaction
from memorygraph_cypher import Migration

__all__ = ["ArcadeDialect", "Dialect", "Neo4jDialect"]

_OLDEST = (5, 26)
_CONSTRAINT = re.compile(r"CREATE CONSTRAINT (\w+) IF NOT EXISTS")
_INDEX_EXISTS = "IndexWithNameAlreadyExists"
_DEFINITION_TIMEOUT = 60.0  # seconds for one statement of a migration


class Dialect(Protocol):
    """One kind of graph server."""

    @property
    def name(self) -> str:
        """``neo4j`` or ``arcadedb``: the folder of its migrations."""
        ...

    async def check_version(self, driver: GraphDriver) -> str:
        """The server's version; raises :class:`ServerTooOld` when it cannot be used."""
        ...

    async def define(self, driver: GraphDriver, migration: Migration) -> None:
        """Run the statements of ``migration``. Each is safe to repeat."""
        ...


class Neo4jDialect:
    """Neo4j 5.26 or newer."""

    name = "neo4j"

    async def check_version(self, driver: GraphDriver) -> str:
        async def work(transaction: AdminTransaction) -> list[str]:
            rows = await transaction.rows("read_components")
            return [version for row in rows if row["name"] == "Neo4j Kernel" for version in row["versions"]]

        versions = await driver.admin(work, patient=False)
        version = versions[0] if versions else "unknown"
        numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
        if numbers < _OLDEST:
            raise ServerTooOld(
                f"The graph server is Neo4j {version}; memorygraph needs 5.26 or newer.", hint="Upgrade the server."
            )
        return version

    async def define(self, driver: GraphDriver, migration: Migration) -> None:
        for statement in migration.statements:
            try:
                await driver.define(statement)
            except StatementFailed as error:
                constraint = _CONSTRAINT.match(statement)
                if constraint is None or _INDEX_EXISTS not in error.message:
                    raise
                # Killed while it makes a constraint, Neo4j may keep the constraint's index, and refuse the name from
                # then on. Of a constraint that stands the index cannot be dropped.
                await driver.admin(partial(_drop_index, name=constraint[1]))
                await driver.define(statement)


async def _drop_index(transaction: AdminTransaction, *, name: str) -> None:
    await transaction.rows("drop_index", name=name)


class ArcadeDialect:
    """The embedded server: types and indexes are defined in its SQL, which only its HTTP port takes."""

    name = "arcadedb"

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server

    async def check_version(self, driver: GraphDriver) -> str:
        return server_version()

    async def define(self, driver: GraphDriver, migration: Migration) -> None:
        for statement in migration.statements:
            await run_sql(self._server, statement, _DEFINITION_TIMEOUT)
