"""``python -m tools.neo4j_server``: fetch what servers take, run one in the foreground, or run a program beside one."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType

from tools.neo4j_server.class_archive import make_class_archive
from tools.neo4j_server.jars import fetch_jars
from tools.neo4j_server.releases import RELEASES
from tools.neo4j_server.server import ServerFailed, start


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.neo4j_server", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    fetch = commands.add_parser(
        "fetch", help="fetch the jars of releases into the checkout's .cache, and make the archive of their classes"
    )
    fetch.add_argument("release", nargs="+", choices=RELEASES)
    run = commands.add_parser("run", help="run a server in the foreground until Ctrl-C")
    run.add_argument("release", choices=RELEASES)
    run.add_argument("--data", type=Path, required=True, help="its folder; kept")
    run.add_argument("--port", type=int, default=7687, help="of Bolt, on loopback (default 7687)")
    beside = commands.add_parser(
        "with", help="run a program whose MEMORYGRAPH_* variables name a throw-away server and folder"
    )
    beside.add_argument("release", choices=RELEASES)
    beside.add_argument("program", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    try:
        if given.command == "fetch":
            for name in given.release:
                fetch_jars(RELEASES[name])
            with ThreadPoolExecutor() as threads:
                list(threads.map(make_class_archive, [RELEASES[name] for name in given.release]))
            return 0
        if given.command == "run":
            return _foreground(given.release, given.data.expanduser().absolute(), given.port)
        return _beside(given.release, given.program)
    except ServerFailed as error:
        print(error, file=sys.stderr)
        return 1


def _foreground(name: str, data: Path, port: int) -> int:
    if _answers(port):
        print(f"Something listens on port {port} already: give another with PORT=….", file=sys.stderr)
        return 1
    print(f"Starting Neo4j {RELEASES[name].version}; its data is in {data}.", flush=True)
    # Ctrl-C reaches the server directly, as part of the terminal's foreground group; we wait for it to close its files.
    server = start(RELEASES[name], data, port=port, die_with_parent=signal.SIGTERM)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.process.terminate()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("Ready, without authentication, on loopback only. In another terminal:\n", flush=True)
    print(f"  export MEMORYGRAPH_NEO4J_URI={server.uri}\n\nCtrl-C stops it.", flush=True)
    code = server.process.wait()
    # 128 + SIGINT or SIGTERM is how Java tells that it stopped because it was asked to.
    stopped = code in {0, 130, 143, -signal.SIGINT, -signal.SIGTERM}
    return 0 if stopped else 1


def _beside(name: str, program: list[str]) -> int:
    if not program:
        print("Name the program to run.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="memorygraph-neo4j-") as home:
        server = start(RELEASES[name], Path(home), short_lived=True)
        try:
            # A ledger belongs to one graph, so this graph gets a ledger that goes with it.
            variables = {"MEMORYGRAPH_NEO4J_URI": server.uri, "MEMORYGRAPH_DATA_DIR": str(Path(home) / "memorygraph")}
            return subprocess.run(program, env={**os.environ, **variables}, check=False).returncode
        finally:
            server.kill()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    sys.exit(main())
