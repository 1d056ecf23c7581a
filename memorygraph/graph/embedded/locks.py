"""Who uses the graph server: locks that the operating system drops when their process dies, however it dies.

Every process that uses the server holds a lock on a file of its own, its *claim*. Claims are
taken, counted and swept only while ``start.lock`` is held, and the launcher keeps that lock from the
moment it finds no claim until the server is gone: nobody can attach to a server that is leaving.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from memorygraph.graph.embedded.layout import DataFolderLayout

__all__ = ["Claim", "ProcessLock", "claimants", "launcher_is_alive", "live_claims", "start_lock"]

# A claim is taken under the start lock, so only an outsider could be looking at its file.
_CLAIM_TIMEOUT = 5.0
_CLAIM_SUFFIX = ".lock"


class ProcessLock:
    """An exclusive lock on a file, held by this object, not by its thread. Not re-entrant."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = FileLock(path, mode=0o600, thread_local=False)

    def acquire(self, *, timeout: float) -> bool:
        """Wait up to ``timeout`` seconds (0: only try). Raises ``OSError`` when the file cannot be used."""
        try:
            self._lock.acquire(timeout=timeout, poll_interval=0.02)
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Let go; doing so twice does no harm."""
        self._lock.release(force=True)


def start_lock(layout: DataFolderLayout) -> ProcessLock:
    """The lock under which servers start, clients come and idle servers leave."""
    return ProcessLock(layout.start_lock)


def launcher_is_alive(layout: DataFolderLayout) -> bool:
    """Whether a launcher holds its lock. ``False`` also when there is no folder yet.

    Looking takes the lock for an instant, which is why a launcher waits for its lock. Raises ``OSError``.
    """
    if not layout.launcher_lock.exists():
        return False
    lock = ProcessLock(layout.launcher_lock)
    if not lock.acquire(timeout=0):
        return True
    lock.release()
    return False


class Claim:
    """This process's claim on the server. Take it under the start lock."""

    def __init__(self, layout: DataFolderLayout) -> None:
        self._lock = ProcessLock(layout.clients / f"{os.getpid()}-{secrets.token_hex(4)}{_CLAIM_SUFFIX}")
        if not self._lock.acquire(timeout=_CLAIM_TIMEOUT):
            raise OSError(f"{self._lock.path} is locked by another process")

    def release(self) -> None:
        """Give the claim up; doing so twice does no harm."""
        # While still locked: nobody can have taken the name for another file. Windows refuses, and is swept.
        with suppress(OSError):
            self._lock.path.unlink()
        self._lock.release()
        if os.name == "nt":
            with suppress(OSError):
                self._lock.path.unlink()


def live_claims(layout: DataFolderLayout) -> int:
    """How many claims are held; files left by dead clients are removed. Call it under the start lock.

    Raises ``OSError`` when that cannot be found out.
    """
    return len(claimants(layout))


def claimants(layout: DataFolderLayout) -> list[int]:
    """The process of each claim that is held, one that holds several as often; see :func:`live_claims`."""
    held = []
    for path in layout.clients.glob(f"*{_CLAIM_SUFFIX}"):
        lock = ProcessLock(path)
        if not lock.acquire(timeout=0):
            held.append(int(path.name.split("-")[0]))
            continue
        with suppress(OSError):
            path.unlink()
        lock.release()
    return held
