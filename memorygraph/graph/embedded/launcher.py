"""The small process that owns the graph server, so that it belongs to no client and outlives none.

It starts the Java process, starts it again after a first crash, and stops it when no client has held a
claim for the idle time. It is run as ``python -m memorygraph.graph.embedded.launcher``, in a session of its own;
killing it kills the server with it on Linux, and SIGTERM stops both cleanly.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from memorygraph.graph.embedded.bounded_log import BoundedLog
from memorygraph.graph.embedded.command_line import (
    HOST,
    java_argv,
    java_environment,
    write_argument_file,
    write_logging_file,
)
from memorygraph.graph.embedded.java_process import JavaProcess
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import ProcessLock, live_claims, start_lock
from memorygraph.graph.embedded.loopback_http import is_ready, post
from memorygraph.graph.embedded.password import USER, ensure_password
from memorygraph.graph.embedded.server_file import (
    CrashReport,
    Phase,
    ServerState,
    clear_server_state,
    read_server_state,
    write_crash_report,
    write_server_state,
)

__all__ = ["Launcher", "main"]

LAUNCHER_LOCK_TIMEOUT = 10.0
STOP_TIMEOUT = 15.0  # for the server to close its databases
_WATCH_INTERVAL = 1.0
_READINESS_INTERVAL = 0.05
# A server that ran this long without a crash may be started again once more.
_STEADY_SECONDS = 3600.0
_LOG_BYTES = 500_000


class Launcher:
    """Owner of one data folder's graph server."""

    def __init__(self, layout: DataFolderLayout, home: Path, *, heap_mb: int, idle_seconds: float) -> None:
        self._layout = layout
        self._home = home
        self._heap_mb = heap_mb
        self._idle_seconds = idle_seconds
        self._log = BoundedLog(layout.launcher_log, limit=_LOG_BYTES)
        self._output = BoundedLog(layout.output_log, limit=_LOG_BYTES)
        self._wake = threading.Event()
        self._stop_requested = False
        self._java: JavaProcess | None = None
        self._ports = (0, 0)  # Bolt, HTTP
        self._started_at = time.time()
        self._phase: Phase = "starting"
        self._was_ready = False
        self._restarts = 0
        self._restarted_at: float | None = None
        self._idle_since: float | None = None

    def request_stop(self) -> None:
        """Have the server stopped cleanly and the launcher end. Safe in a signal handler."""
        self._stop_requested = True
        self._wake.set()

    def start(self) -> None:
        """Start the server, once. Call it in the main thread with the launcher's lock held. Raises ``OSError``."""
        self._stop_orphan()
        self._spawn()

    def watch(self) -> None:
        """Keep the server until it is idle, has crashed too often, or is to stop. On return it is gone."""
        leaving: ProcessLock | None = None
        try:
            next_count = time.monotonic()
            while True:
                self._wake.wait(_READINESS_INTERVAL if self._phase != "ready" else _WATCH_INTERVAL)
                self._wake.clear()
                if self._stop_requested:
                    self._note("asked to stop")
                    return
                if self._java is None or (self._java.exit_code() is not None and not self._start_again()):
                    return
                if self._phase != "ready" and is_ready(self._ports[1]):
                    self._became_ready()
                if time.monotonic() >= next_count:
                    next_count = time.monotonic() + _WATCH_INTERVAL
                    leaving = self._idle_lock()
                    if leaving is not None:
                        return
        finally:
            self._leave()
            if leaving is not None:
                leaving.release()

    def _spawn(self) -> None:
        if not self._was_ready:
            # Also after a first start that failed: another process may have taken a port in the meantime.
            self._ports = _free_ports()
        bolt_port, http_port = self._ports
        password = ensure_password(self._layout)
        write_logging_file(self._layout)
        write_argument_file(
            self._home,
            self._layout,
            heap_mb=self._heap_mb,
            bolt_port=bolt_port,
            http_port=http_port,
            password=password,
        )
        self._java = JavaProcess(
            java_argv(self._home, self._layout),
            environment=java_environment(),
            folder=self._layout.root,
            log=self._output,
            on_end=self._wake.set,
        )
        self._note(f"started the graph server, pid {self._java.pid}")
        self._write_state("restarting" if self._restarts else "starting")

    def _became_ready(self) -> None:
        self._was_ready = True
        with suppress(OSError):
            self._layout.argument_file.unlink(missing_ok=True)
            write_crash_report(self._layout, None)
        self._write_state("ready")
        self._note("the graph server is ready")

    def _start_again(self) -> bool:
        """After a crash: ``False`` when the server is given up, and the report is written."""
        assert self._java is not None
        exit_code = self._java.exit_code() or 0
        self._note(f"the graph server ended by itself, exit code {exit_code}")
        now = time.monotonic()
        steady = self._restarted_at is not None and now - self._restarted_at > _STEADY_SECONDS
        if self._restarted_at is None or steady:
            self._restarts += 1
            self._restarted_at = now
            try:
                self._spawn()
                return True
            except OSError as error:
                self._note(f"it could not be started again: {error}")
        report = CrashReport(
            at=time.time(),
            exit_code=exit_code,
            restarts=self._restarts,
            last_lines=self._java.last_lines(),
            log=str(self._layout.logs),
        )
        with suppress(OSError):
            write_crash_report(self._layout, report)
        self._write_state("crashed")
        return False

    def _idle_lock(self) -> ProcessLock | None:
        """The start lock, kept, when no client has come for the idle time; nobody can attach while it is held."""
        lock = start_lock(self._layout)
        try:
            if not lock.acquire(timeout=0):
                self._idle_since = None  # somebody is attaching
                return None
            claims = live_claims(self._layout)
        except OSError as error:
            self._note(f"the data folder is gone: {error}")
            self.request_stop()
            return None
        now = time.monotonic()
        if claims:
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = now
        if self._idle_since is not None and now - self._idle_since >= self._idle_seconds:
            self._note("no client is left")
            return lock
        lock.release()
        return None

    def _leave(self) -> None:
        if self._java is not None and self._java.exit_code() is None:
            self._write_state("stopping")
            exit_code = self._java.stop(timeout=STOP_TIMEOUT)
            self._note(f"stopped the graph server, exit code {exit_code}")
        with suppress(OSError):
            self._layout.argument_file.unlink(missing_ok=True)
        clear_server_state(self._layout)

    def _stop_orphan(self) -> None:
        """Stop a server whose launcher was killed where the system did not kill it too."""
        state = read_server_state(self._layout)
        if state is None or not is_ready(state.http_port):
            return
        import http.client

        self._note(f"stopping the graph server that was left behind, pid {state.pid}")
        with suppress(OSError, http.client.HTTPException):
            post(
                state.http_port,
                "/api/v1/server",
                {"command": "shutdown"},
                user=USER,
                password=ensure_password(self._layout),
                timeout=STOP_TIMEOUT,
            )
        deadline = time.monotonic() + STOP_TIMEOUT
        while is_ready(state.http_port) and time.monotonic() < deadline:
            self._wake.wait(_READINESS_INTERVAL)

    def _write_state(self, phase: Phase) -> None:
        self._phase = phase
        bolt_port, http_port = self._ports
        state = ServerState(
            phase=phase,
            pid=self._java.pid if self._java else 0,
            launcher_pid=os.getpid(),
            bolt_port=bolt_port,
            http_port=http_port,
            started_at=self._started_at,
            restarts=self._restarts,
            heap_mb=self._heap_mb,
        )
        try:
            write_server_state(self._layout, state)
        except OSError as error:
            self._note(f"the state could not be written: {error}")

    def _note(self, text: str) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        self._log.write(f"{at} [{os.getpid()}] {text}\n".encode(errors="backslashreplace"))

    @property
    def ports(self) -> tuple[int, int]:
        """Bolt and HTTP port."""
        return self._ports

    def note_failure(self) -> None:
        """Log the exception being handled."""
        self._note(traceback.format_exc())


def _free_ports() -> tuple[int, int]:
    """Two loopback ports that were free a moment ago."""
    with socket.socket() as first, socket.socket() as second:
        first.bind((HOST, 0))
        second.bind((HOST, 0))
        return first.getsockname()[1], second.getsockname()[1]


def _tell_starter(message: dict[str, Any]) -> None:
    """Answer the process that started us, then keep nothing of its open: it may be a pipe or a terminal."""
    print(json.dumps(message), flush=True)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def main(argv: list[str] | None = None) -> int:
    """Run the launcher for one data folder until its server is gone."""
    parser = argparse.ArgumentParser(prog="memorygraph.graph.embedded.launcher", description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--server-home", type=Path, required=True)
    parser.add_argument("--heap-mb", type=int, required=True)
    parser.add_argument("--idle-seconds", type=float, required=True)
    options = parser.parse_args(argv)

    os.umask(0o077)
    if hasattr(os, "fork") and os.fork():
        # The starter waits for this process, so that it is left with no child to reap.
        os._exit(0)

    layout = DataFolderLayout(options.data_dir)
    launcher = Launcher(layout, options.server_home, heap_mb=options.heap_mb, idle_seconds=options.idle_seconds)
    signal.signal(signal.SIGTERM, lambda *_: launcher.request_stop())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    own_lock = ProcessLock(layout.launcher_lock)
    if not own_lock.acquire(timeout=LAUNCHER_LOCK_TIMEOUT):
        _tell_starter({"busy": True})
        return 0
    try:
        try:
            launcher.start()
        except OSError as error:
            launcher.note_failure()
            _tell_starter({"error": str(error)})
            return 1
        _tell_starter({"ports": launcher.ports})
        launcher.watch()
    except Exception:
        launcher.note_failure()
        raise
    finally:
        own_lock.release()
    return 0


if __name__ == "__main__":
    sys.exit(main())
