"""Keeping one data folder's graph server: start it, start it again after a crash, stop it when it is idle."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from memorygraph.graph.embedded.bounded_log import BoundedLog
from memorygraph.graph.embedded.command_line import (
    java_argv,
    java_environment,
    write_argument_file,
    write_logging_file,
)
from memorygraph.graph.embedded.java_process import JavaProcess
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import ProcessLock, live_claims, start_lock
from memorygraph.graph.embedded.loopback_http import free_ports, is_ready
from memorygraph.graph.embedded.password import ensure_password
from memorygraph.graph.embedded.server_file import (
    CrashReport,
    Phase,
    ServerState,
    clear_server_state,
    write_crash_report,
    write_server_state,
)
from memorygraph.graph.embedded.start_cache import start_options
from memorygraph.graph.embedded.stopping import STOP_TIMEOUT, stop_orphan

__all__ = ["Supervisor"]

_WATCH_INTERVAL = 1.0
_READINESS_INTERVAL = 0.05
# A server that ran this long without a crash may be started again once more.
_STEADY_SECONDS = 3600.0
_LOG_BYTES = 500_000


class Supervisor:
    """Owner of one data folder's graph server. Use it in the main thread, with the launcher's lock held."""

    def __init__(self, layout: DataFolderLayout, home: Path, *, heap_mb: int, idle_seconds: float) -> None:
        self._layout = layout
        self._home = home
        self._heap_mb = heap_mb
        self._idle_seconds = idle_seconds
        self._log = BoundedLog(layout.launcher_log, limit=_LOG_BYTES)
        self._output = BoundedLog(layout.output_log, limit=_LOG_BYTES)
        self._wake = threading.Event()
        self._stop_requested = False
        self._folder = _identity(layout.root)
        self._java: JavaProcess | None = None
        self._bolt_port, self._http_port = 0, 0
        self._started_at = time.time()
        self._phase: Phase = "starting"
        self._was_ready = False
        self._restarts = 0
        self._restarted_at: float | None = None
        self._idle_since: float | None = None

    @property
    def stop_requested(self) -> bool:
        return self._stop_requested

    def request_stop(self) -> None:
        """Have the server stopped cleanly and ``watch`` return. Safe in a signal handler."""
        self._stop_requested = True
        self._wake.set()

    def start(self) -> None:
        """Start the server. What an earlier one left behind, itself included, is cleared away. Raises ``OSError``."""
        orphan = stop_orphan(self._layout)
        if orphan is not None:
            self.note(f"stopped the graph server that was left behind, pid {orphan}")
        clear_server_state(self._layout)
        write_crash_report(self._layout, None)
        self._spawn()

    def watch(self) -> None:
        """Keep the server until it is idle, has crashed too often, or is to stop. On return it is gone."""
        leaving: ProcessLock | None = None
        next_count = time.monotonic()
        try:
            while leaving is None and not self._stop_requested:
                self._wake.wait(_WATCH_INTERVAL if self._phase == "ready" else _READINESS_INTERVAL)
                self._wake.clear()
                if self._java is None or (self._java.has_failed() and not self._start_again(self._java)):
                    return
                if self._phase != "ready" and is_ready(self._http_port):
                    self._became_ready()
                if time.monotonic() >= next_count:
                    next_count = time.monotonic() + _WATCH_INTERVAL
                    leaving = self._lock_if_idle()
        finally:
            self._leave()
            if leaving is not None:
                leaving.release()

    def note(self, text: str) -> None:
        """Write ``text`` to the launcher's log."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        self._log.write(f"{at} [{os.getpid()}] {text}\n".encode(errors="backslashreplace"))

    def _spawn(self) -> None:
        if not self._was_ready:
            # Also after a start that failed: another process may have taken a port in the meantime.
            self._bolt_port, self._http_port = free_ports()
        password = ensure_password(self._layout)
        write_logging_file(self._layout)
        write_argument_file(
            self._home,
            self._layout,
            heap_mb=self._heap_mb,
            bolt_port=self._bolt_port,
            http_port=self._http_port,
            password=password,
            options=start_options(self._home),
        )
        self._java = JavaProcess(
            java_argv(self._home, self._layout),
            environment=java_environment(os.environ),
            folder=self._layout.root,
            log=self._output,
            on_end=self._wake.set,
        )
        self.note(f"started the graph server, pid {self._java.pid}")
        self._write_state("restarting" if self._restarts else "starting")

    def _became_ready(self) -> None:
        self._was_ready = True
        with suppress(OSError):
            self._layout.argument_file.unlink(missing_ok=True)
        self._write_state("ready")
        self.note("the graph server is ready")

    def _start_again(self, failed: JavaProcess) -> bool:
        """After a crash: ``False`` when the server is given up, and the report is written."""
        exit_code = failed.stop(timeout=STOP_TIMEOUT)
        self.note(f"the graph server ended by itself, exit code {exit_code}")
        now = time.monotonic()
        if self._restarted_at is None or now - self._restarted_at > _STEADY_SECONDS:
            self._restarts += 1
            self._restarted_at = now
            try:
                self._spawn()
                return True
            except OSError as error:
                self.note(f"it could not be started again: {error}")
        report = CrashReport(
            at=time.time(),
            exit_code=exit_code,
            restarts=self._restarts,
            last_lines=failed.last_lines(),
            log=str(self._layout.logs),
        )
        with suppress(OSError):
            write_crash_report(self._layout, report)
        self._write_state("crashed")
        return False

    def _lock_if_idle(self) -> ProcessLock | None:
        """The start lock when no client has come for the idle time: nobody can attach while it is held."""
        if not self._folder_is_ours():
            self.request_stop()
            return None
        lock = start_lock(self._layout)
        try:
            if not lock.acquire(timeout=0):
                self._idle_since = None  # somebody is attaching
                return None
            claims = live_claims(self._layout)
        except OSError as error:
            self.note(f"the clients could not be counted: {error}")
            claims = 1
        now = time.monotonic()
        if claims:
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = now
        if self._idle_since is not None and now - self._idle_since >= self._idle_seconds:
            self.note("no client is left")
            return lock
        lock.release()
        return None

    def _folder_is_ours(self) -> bool:
        """Whether the folder is still there, and not another one of the same name."""
        try:
            return _identity(self._layout.root) == self._folder
        except OSError:
            return False

    def _leave(self) -> None:
        if not self._folder_is_ours():
            # The path may by now belong to another store: nothing is closed, saved or removed there.
            if self._java is not None:
                self._java.stop(timeout=0)
            return
        if self._java is not None and self._java.exit_code() is None:
            self._write_state("stopping")
            exit_code = self._java.stop(timeout=STOP_TIMEOUT)
            self.note(f"stopped the graph server, exit code {exit_code}")
        with suppress(OSError):
            self._layout.argument_file.unlink(missing_ok=True)
        clear_server_state(self._layout)

    def _write_state(self, phase: Phase) -> None:
        self._phase = phase
        state = ServerState(
            phase=phase,
            pid=self._java.pid if self._java else 0,
            launcher_pid=os.getpid(),
            bolt_port=self._bolt_port,
            http_port=self._http_port,
            started_at=self._started_at,
            restarts=self._restarts,
            heap_mb=self._heap_mb,
        )
        try:
            write_server_state(self._layout, state)
        except OSError as error:
            self.note(f"the state could not be written: {error}")


def _identity(folder: Path) -> tuple[int, int]:
    status = folder.stat()
    return status.st_dev, status.st_ino
