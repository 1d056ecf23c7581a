"""The small process that owns the graph server, so that it belongs to no client and outlives none.

It is run as ``python -m memorygraph.graph.embedded.launcher`` in a session of its own. Killing it kills the server
with it on Linux; SIGTERM stops both cleanly. It answers its starter with one line of JSON: ``{"started": true}``,
``{"busy": true}`` when another launcher owns the folder, or ``{"error": …}``.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import ProcessLock
from memorygraph.graph.embedded.start_cache import prepare
from memorygraph.graph.embedded.supervision import Supervisor

__all__ = ["main"]

# Those who look whether a launcher lives hold its lock for an instant.
_LOCK_TIMEOUT = 5.0


def main(argv: list[str] | None = None) -> int:
    """Run the launcher for one data folder until its server is gone; the exit code."""
    parser = argparse.ArgumentParser(prog="memorygraph.graph.embedded.launcher")
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--server-home", type=Path, required=True)
    parser.add_argument("--heap-mb", type=int, required=True)
    parser.add_argument("--idle-seconds", type=float, required=True)
    options = parser.parse_args(argv)

    os.umask(0o077)
    if sys.platform != "win32" and os.fork():
        # The starter waits for this process, and so is left with no child of its own.
        os._exit(0)

    layout = DataFolderLayout(options.data_dir)
    lock = ProcessLock(layout.launcher_lock)
    try:
        if not lock.acquire(timeout=_LOCK_TIMEOUT):
            _answer({"busy": True})
            return 0
        supervisor = Supervisor(layout, options.server_home, heap_mb=options.heap_mb, idle_seconds=options.idle_seconds)
        _handle_signals(supervisor)
        supervisor.start()
    except OSError as error:
        _answer({"error": str(error)})
        return 1
    _answer({"started": True})
    try:
        supervisor.watch()
    except Exception:
        supervisor.note(traceback.format_exc())
        return 1
    finally:
        lock.release()
    if not supervisor.stop_requested:
        # The server is gone and whoever comes next waits for nobody: time to make the next start a faster one.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if sys.platform != "win32":
            os.nice(19)
        with suppress(OSError):
            prepare(options.server_home)
    return 0


def _handle_signals(supervisor: Supervisor) -> None:
    signal.signal(signal.SIGTERM, lambda *_: supervisor.request_stop())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _answer(message: dict[str, Any]) -> None:
    """Answer the starter, and let go of its pipe: the end of it is what the starter waits for."""
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


if __name__ == "__main__":
    sys.exit(main())
