"""Whose turn it is to write for a user, among the processes that share an embedded server.

The server finds out only at commit that two transactions wrote for one user, and throws the work
of one away. A file lock taken beforehand spares that work, where more than one process has a claim
on the server. It is a courtesy and no guarantee: whoever waited long goes ahead, and the server decides.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from memorygraph.graph.embedded.locks import ProcessLock

__all__ = ["Turns"]

# Users are spread over so many files, made when needed; two users on one file wait for each other some milliseconds.
_FILES = 4096
_LONGEST_WAIT = 5.0  # seconds
_LOOK_AGAIN = (0.002, 0.02)  # seconds between two looks, at first and at most: each costs a tenth of a millisecond


class Turns:
    """File locks in ``folder``, which is made with the first. ``clients`` holds the claims on the server."""

    def __init__(self, folder: Path, *, clients: Path) -> None:
        self._folder = folder
        self._clients = clients
        self._idle: dict[int, ProcessLock] = {}

    @asynccontextmanager
    async def taken(self, end_user_id: str) -> AsyncIterator[None]:
        """Hold the user's turn within this block; go without it after five seconds, or where none is needed."""
        if self._is_alone():
            yield
            return
        digest = hashlib.sha256(end_user_id.encode()).digest()
        number = int.from_bytes(digest[:4], "big") % _FILES
        lock = self._idle.pop(number, None) or ProcessLock(self._folder / f"{number:03x}.lock")
        deadline = time.monotonic() + _LONGEST_WAIT
        pause, longest = _LOOK_AGAIN
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Polled: nobody in this process knows when another one lets go.
            while not lock.acquire(timeout=0) and time.monotonic() < deadline:
                await asyncio.sleep(random.uniform(pause / 2, pause))
                pause = min(pause * 1.5, longest)
        except OSError:
            pass  # a full disk or one that is going away is told by the write itself
        try:
            yield
        finally:
            lock.release()
            self._idle[number] = lock

    def _is_alone(self) -> bool:
        """Whether no other claim is there; the claim of a process that was killed only makes others look twice."""
        try:
            with os.scandir(self._clients) as claims:
                return sum(1 for _ in claims) < 2
        except OSError:
            return False
