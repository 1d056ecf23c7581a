"""What holds while a server runs: who can reach it, what is secret, what is logged."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from memorygraph.errors import StatementFailed
from memorygraph.graph.embedded import EmbeddedServer, attach, inspect, run_sql
from tests.integration.embedded.client import IDLE_SECONDS, processes_of
from tests.support.waiting import wait_until

LOG_BYTES = 2_000_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A server whose folder has a name that needs quoting everywhere, and whose log was full when it started."""
    data_dir = tmp_path_factory.mktemp("data") / 'it\'s a "folder" \\ of 100% ünlike %g'
    (data_dir / "graph" / "log").mkdir(parents=True)
    (data_dir / "graph" / "log" / "server.0.log").write_bytes(b"x" * LOG_BYTES)
    server = asyncio.run(attach(data_dir, heap_mb=128, idle_seconds=0))
    yield server
    asyncio.run(server.close())
    wait_until(lambda: not any(processes_of(data_dir).values()), timeout=60, what="no process left", interval=0.1)


def test_every_attach_in_one_process_finds_the_same_server(server: EmbeddedServer) -> None:
    async def attached() -> EmbeddedServer:
        return await attach(server.data_dir, heap_mb=128, idle_seconds=IDLE_SECONDS)

    async def two_at_once() -> list[EmbeddedServer]:
        return list(await asyncio.gather(attached(), attached()))

    with ThreadPoolExecutor() as threads:  # an event loop of its own in each
        claims = [claim for found in threads.map(lambda _: asyncio.run(two_at_once()), range(3)) for claim in found]

    assert [(claim.uri, claim.password, claim.pid) for claim in claims] == [
        (server.uri, server.password, server.pid)
    ] * 6
    assert len(list((server.data_dir / "graph" / "clients").iterdir())) == 7
    for claim in claims:
        asyncio.run(claim.close())
    assert len(list((server.data_dir / "graph" / "clients").iterdir())) == 1


def test_the_password_is_on_no_command_line_and_in_no_environment(server: EmbeddedServer) -> None:
    java = psutil.Process(server.pid)
    assert any(str(server.data_dir) in argument for argument in java.cmdline())
    assert "PATH" in java.environ()

    for process in psutil.process_iter():
        try:
            shown = [*process.cmdline(), *process.environ().values()]
        except psutil.Error:
            continue
        assert not any(server.password in text for text in shown)


def test_the_password_shows_neither_in_a_repr_nor_in_a_log(server: EmbeddedServer) -> None:
    assert server.password not in repr(server)
    assert server.uri in repr(server)
    for log in (server.data_dir / "graph" / "log").iterdir():
        assert server.password.encode() not in log.read_bytes()


def test_files_are_for_their_owner_alone_and_the_arguments_are_gone(server: EmbeddedServer) -> None:
    root = server.data_dir / "graph"

    assert (root / "password").read_text() == server.password
    assert not (root / "java.args").exists()
    made = [path for path in root.rglob("*") if path.is_file() and path.parent != root / "log"]
    assert root / "databases" / "memory" / "schema.json" in made
    for path in made:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    for folder in (root / "clients", root / "databases"):
        assert stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0


def test_it_listens_on_loopback_alone(server: EmbeddedServer) -> None:
    listening = {
        (connection.laddr.ip.removeprefix("::ffff:"), connection.laddr.port)
        for connection in psutil.Process(server.pid).net_connections()
        if connection.status == psutil.CONN_LISTEN
    }

    state = inspect(server.data_dir).state
    assert state is not None
    assert listening == {("127.0.0.1", state.bolt_port), ("127.0.0.1", state.http_port)}
    assert server.uri == f"bolt://127.0.0.1:{state.bolt_port}"
    assert server.http_url == f"http://127.0.0.1:{state.http_port}"


def test_a_full_log_was_rotated_at_the_start(server: EmbeddedServer) -> None:
    logs = server.data_dir / "graph" / "log"

    assert (logs / "server.1.log").read_bytes().startswith(b"x" * LOG_BYTES)
    assert 0 < (logs / "server.0.log").stat().st_size < LOG_BYTES


def test_an_inspection_tells_what_runs(server: EmbeddedServer) -> None:
    inspection = inspect(server.data_dir)

    running = processes_of(server.data_dir)
    assert inspection.running
    assert inspection.crash is None
    assert inspection.state is not None
    assert inspection.state.phase == "ready"
    assert [inspection.state.pid] == [process.pid for process in running["java"]] == [server.pid]
    assert [inspection.state.launcher_pid] == [process.pid for process in running["launcher"]]
    assert inspection.to_dict()["running"] is True


async def test_sql_gives_rows_and_refusals_give_the_servers_words(server: EmbeddedServer) -> None:
    assert await run_sql(server, "SELECT 40 + 2 AS answer", 10) == [{"answer": 42}]

    with pytest.raises(StatementFailed, match="SELEC nothing"):
        await run_sql(server, "SELEC nothing", 10)
    with pytest.raises(StatementFailed, match="Missing"):
        await run_sql(server, "SELECT FROM Missing", 10)


def test_only_one_java_process_serves_the_folder(server: EmbeddedServer) -> None:
    running = processes_of(server.data_dir)

    assert len(running["java"]) == len(running["launcher"]) == 1
    assert psutil.Process(server.pid).parent() == running["launcher"][0]


def test_the_launcher_is_no_child_of_ours_and_no_leader_of_a_terminal(server: EmbeddedServer) -> None:
    (launcher,) = processes_of(server.data_dir)["launcher"]

    assert launcher not in psutil.Process().children(recursive=True)
    assert launcher.terminal() is None
