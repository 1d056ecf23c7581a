"""What happens when a process of the server dies, or cannot live."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import socket
import threading
from contextlib import ExitStack
from pathlib import Path

import neo4j
import pytest

from memorygraph.errors import StoreUnavailable
from memorygraph.graph.embedded import EmbeddedServer, attach, inspect, run_sql
from memorygraph.graph.embedded.bounded_log import BoundedLog
from memorygraph.graph.embedded.command_line import (
    java_argv,
    java_environment,
    write_argument_file,
    write_logging_file,
)
from memorygraph.graph.embedded.java_process import JavaProcess
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.loopback_http import is_ready
from memorygraph.graph.embedded.password import ensure_password
from memorygraph.graph.embedded.platforms import server_home
from memorygraph.graph.embedded.server_file import ServerState, write_server_state
from tests.integration.embedded.client import IDLE_SECONDS, processes_of
from tests.support.waiting import wait_until, wait_until_async

PATIENCE = 60.0


async def start(data_dir: Path, *, heap_mb: int = 128) -> EmbeddedServer:
    return await attach(data_dir, heap_mb=heap_mb, idle_seconds=IDLE_SECONDS, start_timeout=PATIENCE)


async def note(server: EmbeddedServer, text: str) -> None:
    await run_sql(server, "CREATE VERTEX TYPE Note IF NOT EXISTS", 30)
    await run_sql(server, f"INSERT INTO Note SET text = '{text}'", 30)


async def notes(server: EmbeddedServer) -> list[str]:
    return sorted(row["text"] for row in await run_sql(server, "SELECT text FROM Note", 30))


async def test_a_crashed_server_is_started_again_once_and_then_reported(data_dir: Path) -> None:
    server = await start(data_dir)
    await note(server, "before the crash")
    driver = neo4j.AsyncGraphDatabase.driver(server.uri, auth=(server.user, server.password))
    async with driver:
        await driver.execute_query("RETURN 1", database_=server.database)

        os.kill(server.pid, signal.SIGKILL)

        async def back() -> bool:
            state = inspect(data_dir).state
            return state is not None and state.restarts == 1 and state.phase == "ready"

        await wait_until_async(back, timeout=PATIENCE, what="the server is back")
        # The same addresses: what was connected before goes on.
        found = await driver.execute_query("MATCH (n:Note) RETURN n.text AS text", database_=server.database)
        assert [record["text"] for record in found.records] == ["before the crash"]
    await note(server, "after it")
    second = await start(data_dir)
    assert (second.uri, second.password) == (server.uri, server.password)
    assert second.pid != server.pid
    assert server.failure() is None

    os.kill(second.pid, signal.SIGKILL)

    wait_until(lambda: not inspect(data_dir).running, timeout=PATIENCE, what="the server is given up")
    crash = inspect(data_dir).crash
    assert crash is not None
    assert (crash.exit_code, crash.restarts, crash.log) == (-signal.SIGKILL, 1, str(data_dir / "graph" / "log"))
    with pytest.raises(StoreUnavailable, match=r"crashed again after a restart \(signal 9\).*Its log is in"):
        await run_sql(server, "SELECT 1", 5)
    third = await start(data_dir)
    assert inspect(data_dir).crash is None
    assert await notes(third) == ["after it", "before the crash"]
    for claim in (server, second, third):
        await claim.close()


@pytest.mark.parametrize("cause", ["memory", "lock"])
async def test_a_server_that_cannot_start_is_reported_with_its_reason_and_its_log(data_dir: Path, cause: str) -> None:
    files = ExitStack()
    if cause == "memory":
        heap_mb, reason = 1 << 30, "Could not reserve enough space"  # Java itself refuses, and ends
    else:
        heap_mb, reason = 128, "locked by another process"  # the server's main thread dies, and Java would live on
        database = data_dir / "graph" / "databases" / "memory"
        database.mkdir(parents=True)
        fcntl.lockf(files.enter_context((database / "database.lck").open("w")), fcntl.LOCK_EX)

    with files, pytest.raises(StoreUnavailable, match=reason) as refused:
        await start(data_dir, heap_mb=heap_mb)

    assert "crashed again after a restart" in refused.value.message
    assert refused.value.hint == f"Its log is in {data_dir / 'graph' / 'log'}."
    wait_until(lambda: not any(processes_of(data_dir).values()), timeout=PATIENCE, what="no process left")


async def test_the_server_dies_with_its_launcher_and_the_next_client_finds_everything(data_dir: Path) -> None:
    server = await start(data_dir)
    await note(server, "kept")
    state = inspect(data_dir).state
    assert state is not None

    os.kill(state.launcher_pid, signal.SIGKILL)

    wait_until(lambda: not any(processes_of(data_dir).values()), timeout=10, what="no process left")
    again = await start(data_dir)
    assert await notes(again) == ["kept"]
    await server.close()
    await again.close()


async def test_a_server_left_behind_without_a_launcher_is_stopped_by_the_next(data_dir: Path) -> None:
    """As where the system does not kill it with its launcher; here it is a child of this process."""
    layout = DataFolderLayout(data_dir)
    layout.create()
    with socket.create_server(("127.0.0.1", 0)) as bolt, socket.create_server(("127.0.0.1", 0)) as http:
        ports = {"bolt_port": bolt.getsockname()[1], "http_port": http.getsockname()[1]}
    write_logging_file(layout)
    write_argument_file(server_home(), layout, heap_mb=128, password=ensure_password(layout), options=[], **ports)
    ended = threading.Event()
    orphan = JavaProcess(
        java_argv(server_home(), layout),
        environment=java_environment(os.environ),
        folder=layout.root,
        log=BoundedLog(layout.output_log, limit=100_000),
        on_end=ended.set,
    )
    wait_until(lambda: is_ready(ports["http_port"]), timeout=PATIENCE, what="the orphan is ready")
    state = ServerState(phase="ready", pid=orphan.pid, launcher_pid=0, started_at=0, restarts=0, heap_mb=128, **ports)
    write_server_state(layout, state)

    server = await start(data_dir)

    assert await asyncio.to_thread(ended.wait, PATIENCE)
    assert server.pid != orphan.pid
    await note(server, "works")
    assert await notes(server) == ["works"]
    await server.close()
