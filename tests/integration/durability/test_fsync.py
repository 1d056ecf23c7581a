"""Behaviour 37: a commit is flushed before it is acknowledged. Counted: kill -9 cannot show a missing fsync."""

import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import neo4j
import psutil
import pytest
from neo4j.exceptions import DriverError, Neo4jError

from memorygraph.graph.embedded import command_line
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.platforms import server_home
from memorygraph.settings import load_settings
from tests.support.waiting import wait_until
from tests.support.writers import acknowledged, plan_for, start_writer
from tools.neo4j_server.server import free_port

COMMITS = 40


def strace(trace: Path) -> list[str]:
    """The start of a command line that writes each flush to disk, of the command and its children, to ``trace``."""
    program = shutil.which("strace")
    assert program, "strace is needed to count flushes: install it (on Debian: apt install strace)"
    return [program, "-f", "--seccomp-bpf", "-y", "-e", "trace=fsync,fdatasync", "-o", str(trace)]


def flushes(trace: Path, folder: Path) -> int:
    """How many flushes of files in ``folder`` there were."""
    # A call that another thread interrupts is told in two lines, of which only the first names the file.
    paths: list[str] = re.findall(r"f(?:data)?sync\(\d+<(.+?)>", trace.read_text(errors="replace"))
    return sum(path.startswith(str(folder)) for path in paths)


def test_behaviour_37_remembering_flushes_graph_and_answers_only_then(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path / "data", embedded_idle_seconds=0, embedder_threads=1)
    trace = tmp_path / "trace"
    writer = start_writer(plan_for(settings, end_user_id="ana", label="counted", count=COMMITS), under=strace(trace))
    output, _ = writer.communicate(timeout=120)
    assert writer.returncode == 0
    assert len(list(acknowledged(output.splitlines(keepends=True)))) == COMMITS
    assert flushes(trace, DataFolderLayout(settings.data_dir).databases) >= COMMITS
    assert flushes(trace, settings.data_dir / "ledger.sqlite") >= 1


@contextmanager
def server_under_strace(data_dir: Path, trace: Path, *, without_flushing: bool) -> Iterator[neo4j.Session]:
    """The server as we start it, except that its flushing may be turned off."""
    layout = DataFolderLayout(data_dir)
    for folder in (layout.root, layout.databases, layout.logs, layout.logging_file.parent):
        folder.mkdir(parents=True, exist_ok=True)
    home, password, port = server_home(), uuid.uuid4().hex, free_port()
    command_line.write_logging_file(layout)
    command_line.write_argument_file(
        home, layout, heap_mb=256, bolt_port=port, http_port=free_port(), password=password, options=[]
    )
    if without_flushing:
        arguments = layout.argument_file.read_text()
        assert "-Darcadedb.txWalFlush=2" in arguments
        layout.argument_file.write_text(arguments.replace("txWalFlush=2", "txWalFlush=0"))
    process = subprocess.Popen(
        [*strace(trace), *command_line.java_argv(home, layout)], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    try:
        with (
            neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{port}", auth=("root", password)) as driver,
            driver.session(database=command_line.DATABASE) as session,
        ):

            def answers() -> bool:
                try:
                    session.run("RETURN 1").consume()
                except (DriverError, Neo4jError):
                    return False
                return True

            wait_until(answers, timeout=60, what="the server answers", interval=0.2)
            yield session
    finally:
        for watched in psutil.Process(process.pid).children():
            watched.kill()
        process.wait(timeout=60)  # strace ends with what it watches


@pytest.mark.parametrize("without_flushing", [False, True])
def test_behaviour_37_the_server_flushes_every_commit_unless_that_is_turned_off(
    tmp_path: Path, without_flushing: bool
) -> None:
    trace = tmp_path / "trace"
    with server_under_strace(tmp_path / "data", trace, without_flushing=without_flushing) as session:
        session.run("CREATE (:Thing {number: -1})").consume()
        before = flushes(trace, tmp_path)
        for number in range(COMMITS):
            session.run("CREATE (:Thing {number: $number})", number=number).consume()
        counted = flushes(trace, tmp_path) - before
    assert (counted < COMMITS / 2) if without_flushing else (counted >= COMMITS)
