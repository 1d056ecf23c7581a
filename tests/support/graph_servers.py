"""The real graph servers that tests run on: embedded ArcadeDB, Neo4j 5.26 and Neo4j 2026.

Each is started when the first test asks for it and stopped at the end of the session. A *shared*
server keeps one store for the whole session: tests on it keep apart by their user. A *scratch*
server is emptied whenever it is asked for, for tests about what an empty or broken store does.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import neo4j
import psutil

from memorygraph.graph.embedded import EmbeddedServer, attach
from tools.neo4j_server.releases import RELEASES
from tools.neo4j_server.server import Neo4jServer, start

__all__ = ["GRAPH_KINDS", "GraphKind", "GraphServers", "GraphTarget", "empty_neo4j"]

GraphKind = Literal["embedded", "neo4j5", "neo4j2026"]
GRAPH_KINDS: tuple[GraphKind, ...] = get_args(GraphKind)


@dataclass(frozen=True, kw_only=True)
class GraphTarget:
    """A graph server for a store, and what it takes to connect to it."""

    kind: GraphKind
    data_dir: Path  # the engine's data folder; the embedded server's files are in it
    # None for the embedded server: the engine starts it, after it has written down what the folder holds.
    uri: str | None = None
    user: str = "neo4j"
    password: str | None = field(default=None, repr=False)  # None: authentication is off
    database: str = "neo4j"

    @property
    def auth(self) -> tuple[str, str] | None:
        """What the driver's ``auth=`` takes."""
        return None if self.password is None else (self.user, self.password)


class GraphServers:
    """All servers of one test session. ``new_folder`` makes an empty folder of the name it is given."""

    def __init__(self, new_folder: Callable[[str], Path]) -> None:
        self._new_folder = new_folder
        self._shared: dict[GraphKind, GraphTarget] = {}
        self._neo4j: dict[tuple[GraphKind, str], Neo4jServer] = {}
        self._embedded: list[EmbeddedServer] = []

    def shared(self, kind: GraphKind) -> GraphTarget:
        """The server of ``kind`` whose store lasts the session."""
        if kind not in self._shared:
            self._shared[kind] = self._folder() if kind == "embedded" else self._target(kind, "shared")
        return self._shared[kind]

    def scratch(self, kind: GraphKind) -> GraphTarget:
        """A server of ``kind`` with nothing in it; what an earlier call returned is no longer valid."""
        if kind == "embedded":
            return self._folder()
        target = self._target(kind, "scratch")
        empty_neo4j(target)
        return target

    def authenticated(self, kind: Literal["neo4j5", "neo4j2026"]) -> GraphTarget:
        """A Neo4j that asks for a password."""
        return self._target(kind, "authenticated", password=secrets.token_hex(12))

    def keep_running(self, target: GraphTarget) -> None:
        """Have the embedded server of a store that exists stay until the end, not stop after each test."""
        if target.kind == "embedded":
            self._embedded.append(asyncio.run(attach(target.data_dir, heap_mb=512, idle_seconds=0)))

    def close(self) -> None:
        """Stop every server. Their data is thrown away, so none is asked to write it out first."""
        for server in self._neo4j.values():
            server.kill()
        self._neo4j.clear()
        for claim in self._embedded:
            asyncio.run(claim.close())
        psutil.wait_procs([process for claim in self._embedded if (process := _process(claim.pid))], timeout=30)
        self._embedded.clear()

    def _target(self, kind: GraphKind, role: str, *, password: str | None = None) -> GraphTarget:
        server = self._neo4j.get((kind, role))
        if server is None:
            server = start(RELEASES[kind], self._new_folder(f"{kind}-{role}"), password=password, short_lived=True)
            self._neo4j[kind, role] = server
        return GraphTarget(
            kind=kind,
            uri=server.uri,
            user=server.user,
            password=server.password,
            data_dir=self._new_folder(f"{kind}-{role}-data"),
        )

    def _folder(self) -> GraphTarget:
        return GraphTarget(kind="embedded", data_dir=self._new_folder("embedded"))


def empty_neo4j(target: GraphTarget) -> None:
    """Remove every node, relationship, constraint and index."""
    assert target.uri is not None
    with (
        neo4j.GraphDatabase.driver(target.uri, auth=target.auth) as driver,
        driver.session(database=target.database) as session,
    ):
        session.run("MATCH (n) DETACH DELETE n").consume()
        for name in session.run("SHOW CONSTRAINTS YIELD name").value():
            session.run("DROP CONSTRAINT $name", name=name).consume()
        for name in session.run("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name").value():
            session.run("DROP INDEX $name", name=name).consume()


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None
