"""Neo4j as tests and `make neo4j` run it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import neo4j
import psutil
import pytest
from neo4j.exceptions import AuthError

from tests.support.checkout import CHECKOUT
from tests.support.graph_servers import GraphKind, GraphTarget
from tests.support.waiting import wait_until
from tools.neo4j_server.releases import RELEASES
from tools.neo4j_server.server import free_port, start

START_AND_TELL = """
import sys
from pathlib import Path
from tools.neo4j_server.releases import RELEASES
from tools.neo4j_server.server import start
server = start(RELEASES[sys.argv[1]], Path(sys.argv[2]), short_lived=True)
print(server.process.pid, flush=True)
sys.stdin.read()
"""


def runner(*words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.only_on("neo4j5", "neo4j2026")
def test_the_server_is_the_pinned_release(graph: GraphTarget) -> None:
    assert graph.uri
    with neo4j.GraphDatabase.driver(graph.uri, auth=graph.auth) as driver:
        components = driver.execute_query("CALL dbms.components() YIELD name, versions RETURN name, versions").records
    assert {c["name"]: c["versions"] for c in components}["Neo4j Kernel"] == [RELEASES[graph.kind].version]


@pytest.mark.only_on("neo4j2026")
def test_no_server_outlives_a_killed_test_run(graph_kind: GraphKind, tmp_path: Path) -> None:
    starter = runner("-c", START_AND_TELL, graph_kind, tmp_path)
    assert starter.stdout
    server = psutil.Process(int(starter.stdout.readline()))
    assert server.is_running()
    starter.kill()
    starter.communicate()
    wait_until(lambda: not server.is_running(), timeout=20, what="the server is gone")


def test_a_server_with_authentication_takes_its_password_and_no_other(neo4j_with_auth: GraphTarget) -> None:
    assert neo4j_with_auth.uri
    with neo4j.GraphDatabase.driver(neo4j_with_auth.uri, auth=neo4j_with_auth.auth) as driver:
        driver.verify_connectivity()
    wrong = ("neo4j", "another password")
    with neo4j.GraphDatabase.driver(neo4j_with_auth.uri, auth=wrong) as driver, pytest.raises(AuthError):
        driver.verify_connectivity()


@pytest.mark.only_on("neo4j5")
def test_a_server_in_the_foreground_tells_its_address_and_keeps_its_data_when_interrupted(
    graph_kind: GraphKind, tmp_path: Path
) -> None:
    port, data = free_port(), tmp_path / "data"
    foreground = runner("-m", "tools.neo4j_server", "run", graph_kind, "--port", str(port), "--data", data)
    assert foreground.stdout
    told = ""
    while "Ctrl-C" not in told:
        line = foreground.stdout.readline()
        assert line, "it ended before it was ready"
        told += line
    assert str(data) in told
    assert f"MEMORYGRAPH_NEO4J_URI=bolt://127.0.0.1:{port}" in told
    with neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{port}") as driver:
        driver.execute_query("CREATE (:Kept {value: 1})")
    os.killpg(foreground.pid, signal.SIGINT)  # what Ctrl-C in a terminal does
    foreground.communicate(timeout=60)
    assert foreground.returncode == 0

    again = start(RELEASES[graph_kind], data, short_lived=True)
    try:
        with neo4j.GraphDatabase.driver(again.uri) as driver:
            assert driver.execute_query("MATCH (n:Kept) RETURN n.value").records[0].value() == 1
    finally:
        again.kill()


def test_a_port_that_is_taken_is_told_before_anything_is_written(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = runner("-m", "tools.neo4j_server", "run", "neo4j5", "--port", port, "--data", tmp_path / "data")
        _, said = refused.communicate(timeout=60)
    assert refused.returncode == 1
    assert f"Something listens on port {port} already" in said
    assert not (tmp_path / "data").exists()
