"""A process that uses the embedded graph server: it attaches, answers commands on its input, and can be killed.

Run as a program it prints one JSON object a line: first what ``attach`` gave, then one answer a command
(``ask``: does the server answer; ``close``: let go of it). The end of its input ends it.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import psutil

from memorygraph.errors import MemoryGraphError
from memorygraph.graph.embedded import attach, run_sql

__all__ = ["IDLE_SECONDS", "Client", "processes_of"]

IDLE_SECONDS = 0.5
# Starting takes 2 to 3 s; on a machine that is busy with other tests, many times that.
_PATIENCE = 120.0


class Client:
    """Such a process, started at once and not waited for."""

    def __init__(self, data_dir: Path, *, idle_seconds: float = IDLE_SECONDS) -> None:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(data_dir), str(idle_seconds)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def attached(self) -> dict[str, Any]:
        """What ``attach`` gave: ``pid`` and ``uri`` of the server, or ``error``. Ask once."""
        return self._answers.get(timeout=_PATIENCE)

    def tell(self, command: str) -> dict[str, Any]:
        """Send a command and return its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        return self._answers.get(timeout=_PATIENCE)

    def kill(self) -> None:
        """As ``kill -9`` does."""
        self._process.kill()
        self._end()

    def leave(self) -> None:
        """Let go of the server and end."""
        if self._process.poll() is None:
            self.tell("close")
        self._end()

    def _end(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(_PATIENCE)
        self._reader.join(_PATIENCE)
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(json.loads(line))


def processes_of(data_dir: Path) -> dict[str, list[psutil.Process]]:
    """The live processes that serve ``data_dir``: ``launcher`` and ``java``."""
    found: dict[str, list[psutil.Process]] = {"launcher": [], "java": []}
    for process in psutil.process_iter():
        try:
            arguments = process.cmdline()
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
        except psutil.Error:
            continue
        if f"@{data_dir / 'graph' / 'java.args'}" in arguments:
            found["java"].append(process)
        elif "memorygraph.graph.embedded.launcher" in arguments and str(data_dir) in arguments:
            found["launcher"].append(process)
    return found


def _print(answer: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(answer)}\n")
    sys.stdout.flush()


async def _serve(data_dir: Path, idle_seconds: float) -> None:
    try:
        server = await attach(data_dir, heap_mb=128, idle_seconds=idle_seconds, start_timeout=_PATIENCE)
    except MemoryGraphError as error:
        _print({"error": error.code, "message": str(error)})
        return
    _print({"pid": server.pid, "uri": server.uri, "http_url": server.http_url})
    while command := await asyncio.to_thread(sys.stdin.readline):
        if command == "close\n":
            await server.close()
            _print({"closed": True})
            continue
        try:
            _print({"rows": await run_sql(server, "SELECT 1 AS one", 10)})
        except MemoryGraphError as error:
            _print({"error": error.code, "message": str(error)})


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), float(sys.argv[2])))
