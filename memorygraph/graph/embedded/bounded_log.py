"""A log file that cannot fill the disk: at a size limit it becomes ``<name>.1`` and a new one begins."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

__all__ = ["BoundedLog"]


class BoundedLog:
    """Appends bytes to ``path``. Together with ``<path>.1`` it takes at most twice ``limit`` bytes.

    A disk that refuses a write loses the line and nothing else: whoever logs must go on.
    """

    def __init__(self, path: Path, *, limit: int) -> None:
        self._path = path
        self._limit = limit

    def write(self, data: bytes) -> None:
        """Append ``data``; of more than ``limit`` bytes at once only the last ones."""
        data = data[-self._limit :]
        with suppress(OSError):
            if self._path.exists() and self._path.stat().st_size + len(data) > self._limit:
                self._path.replace(self._path.with_name(f"{self._path.name}.1"))
            with self._path.open("ab") as file:
                file.write(data)
