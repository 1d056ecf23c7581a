"""Files that are either the old or the new whole, whatever happens while they are written."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

__all__ = ["write_atomically"]


def write_atomically(path: Path, data: bytes, *, durable: bool) -> None:
    """Replace ``path`` by ``data``, mode 0600. ``durable`` survives a power cut: file and folder are fsynced.

    Raises ``OSError``; the old file is then still there and no temporary one is left.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if durable and os.name == "posix":
        # Windows cannot open folders and orders the rename itself.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
