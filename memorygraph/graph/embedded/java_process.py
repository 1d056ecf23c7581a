"""The Java process as its supervisor holds it: born to die with it, heard, and stopped cleanly."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memorygraph.graph.embedded.bounded_log import BoundedLog

__all__ = ["JavaProcess"]

_PR_SET_PDEATHSIG = 1
_REMEMBERED_LINES = 20
_READ_BYTES = 65536
# Printed by Java itself. The server's log writes its lines without an end, so it may stand inside one.
_MAIN_THREAD_DIED = 'Exception in thread "main"'
_CAUSE = "Caused by: "


class JavaProcess:
    """A running Java process. What it prints goes to ``log``.

    ``on_end`` is called, from a thread, when the process has ended or its main thread died: Java then lives on
    for as long as other threads do, a server that could not start among them.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path,
        log: BoundedLog,
        on_end: Callable[[], None],
    ) -> None:
        """Start it. Raises ``OSError``. Must run in the main thread: the parent-death signal is tied to that thread."""
        self._log = log
        self._on_end = on_end
        self._lines: deque[str] = deque(maxlen=_REMEMBERED_LINES)
        self._main_thread_died = False
        self._process = subprocess.Popen(
            argv,
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=_die_with(os.getpid()) if sys.platform == "linux" else None,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._reader = threading.Thread(target=self._read, name="java-output", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def exit_code(self) -> int | None:
        """``None`` while it runs; negative is the signal that ended it."""
        return self._process.poll()

    def has_failed(self) -> bool:
        """Whether it has ended, or its main thread has and the rest is to be stopped."""
        return self._main_thread_died or self.exit_code() is not None

    def last_lines(self) -> tuple[str, ...]:
        """The last lines that it printed, oldest first; once it is over, up to why that was."""
        if self.exit_code() is not None:
            self._reader.join(timeout=5)
        return tuple(self._lines)

    def stop(self, *, timeout: float) -> int:
        """Ask it to close its databases and wait; kill it after ``timeout`` seconds. Returns the exit code."""
        if self.exit_code() is None:
            # On Windows this kills: the write-ahead log is replayed at the next start.
            self._process.terminate()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
        return self._process.wait()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        rest = b""
        while chunk := os.read(stream.fileno(), _READ_BYTES):
            self._log.write(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-_READ_BYTES:]
            for line in lines:
                self._hear(line)
        self._hear(rest)
        stream.close()
        self._process.wait()
        self._on_end()

    def _hear(self, line: bytes) -> None:
        text = line.decode(errors="replace").strip()
        # Of a trace, what happened and not where; after it, nothing of the shutdown that it causes.
        if text and not text.startswith(("at ", "... ")) and (not self._main_thread_died or text.startswith(_CAUSE)):
            self._lines.append(text)
        if _MAIN_THREAD_DIED in text:
            self._main_thread_died = True
            self._on_end()


def _die_with(parent: int) -> Callable[[], None]:
    """For the child between fork and exec (Linux): be killed when ``parent`` dies, at once if it is dead."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def arrange() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return arrange
