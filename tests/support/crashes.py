"""Stores whose server can be killed with -9 and started again on the same data."""

from __future__ import annotations

import os
import random
import signal
import threading
from contextlib import suppress
from pathlib import Path

from memorygraph.graph.embedded import inspect
from memorygraph.settings import Settings, load_settings
from tests.support.graph_servers import GraphKind
from tests.support.writers import Plan, acknowledged, start_writer
from tools.neo4j_server.releases import RELEASES
from tools.neo4j_server.server import Neo4jServer, start

__all__ = ["CrashableStore", "write_and_crash"]


class CrashableStore:
    """A store in a folder of its own, with a SQLite ledger, on a server that nobody else uses."""

    def __init__(self, kind: GraphKind, folder: Path) -> None:
        self._kind = kind
        self._folder = folder
        self._server: Neo4jServer | None = None
        values: dict[str, object] = {"data_dir": folder / "data", "embedded_idle_seconds": 0, "embedder_threads": 1}
        if kind != "embedded":
            self._server = self._start()
            values["neo4j_uri"] = self._server.uri
        self.settings: Settings = load_settings(**values)

    def kill_server(self, draw: random.Random) -> None:
        """Kill the server with -9; the embedded one sometimes by way of its launcher, sometimes both at once."""
        if self._server is not None:
            self._server.kill()
            return
        state = inspect(self.settings.data_dir).state
        if state is not None:
            for pid in draw.choice([[state.pid], [state.launcher_pid], [state.launcher_pid, state.pid]]):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def start_again(self) -> None:
        """Start the server, if it was killed, on what that left and on its port. The embedded one starts by itself."""
        if self._server is not None and self._server.process.poll() is not None:
            self._server = self._start(port=int(self._server.uri.rsplit(":", 1)[1]))

    def close(self) -> None:
        if self._server is not None:
            self._server.kill()

    def _start(self, port: int = 0) -> Neo4jServer:
        return start(RELEASES[self._kind], self._folder / "neo4j", port=port, short_lived=True)


def write_and_crash(store: CrashableStore, plan: Plan, draw: random.Random) -> list[dict[str, str]]:
    """Write until killed: client and server, in either order, after 1–40 acknowledged memories and a moment more.

    Answers what the client had been told is stored.
    """
    told: list[dict[str, str]] = []
    enough = threading.Event()
    wanted = draw.randint(1, 40)
    writer = start_writer(plan)
    assert writer.stdout is not None

    def listen() -> None:
        assert writer.stdout is not None
        for memory in acknowledged(writer.stdout):
            told.append(memory)
            if len(told) >= wanted:
                enough.set()
        enough.set()

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        assert enough.wait(timeout=120), "the writer wrote too little in two minutes"
        # A random moment within the work of one memory, which takes some milliseconds.
        threading.Event().wait(draw.uniform(0, 0.03))
        for victim in draw.sample(["client", "server"], 2):
            if victim == "client":
                writer.kill()
            else:
                store.kill_server(draw)
    finally:
        writer.kill()
        writer.wait()
        listener.join()
        writer.stdout.close()
    return told
