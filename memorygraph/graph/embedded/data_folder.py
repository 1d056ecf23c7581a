"""Whether a data folder can hold a store, found out before anything in it is touched."""

from __future__ import annotations

import errno
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path

from memorygraph.errors import DataFolderUnusable
from memorygraph.graph.embedded.layout import DataFolderLayout

__all__ = ["PROBE_BYTES", "check_data_folder"]

# Opening the graph database writes a few hundred kilobytes; a disk with less room would fail in the middle of it.
PROBE_BYTES = 1 << 20

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ELSEWHERE = "or set MEMORYGRAPH_DATA_DIR to another folder."


def check_data_folder(data_dir: Path) -> None:
    """Write, fsync and remove a file of 1 MiB in ``data_dir``, or where it would be made. No trace is left.

    Raises :class:`DataFolderUnusable` when that fails, when ``data_dir`` is no folder, or when it or the graph in
    it belongs to another user; the message says what to do. root may begin a store in anybody's folder.
    """
    data_dir = data_dir.absolute()
    folder = next(path for path in (data_dir, *data_dir.parents) if os.path.lexists(path))
    if not folder.is_dir():
        raise DataFolderUnusable(f"{folder} is not a folder.", hint=f"Move it away, {_ELSEWHERE}")
    graph = DataFolderLayout(data_dir).root
    if folder == data_dir and _user() != 0:
        _check_owner(folder, trusted={0})
    if graph.is_dir():
        # root too: what it leaves in the graph, the owner could no longer open.
        _check_owner(graph, trusted=set())
        _probe(graph, data_dir)
    _probe(folder, data_dir)


def _user() -> int | None:
    return os.geteuid() if sys.platform != "win32" else None


def _check_owner(folder: Path, *, trusted: set[int]) -> None:
    user = _user()
    owner = folder.stat().st_uid
    if user is not None and owner != user and owner not in trusted:
        raise DataFolderUnusable(
            f"The data folder {folder} belongs to another user (uid {owner}; this process runs as {user}).",
            hint=f"Run as its owner, change its owner, {_ELSEWHERE}",
        )


def _probe(folder: Path, data_dir: Path) -> None:
    probe = folder / f".probe.{secrets.token_hex(4)}"
    try:
        descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            data = memoryview(bytes(PROBE_BYTES))
            while data:
                data = data[os.write(descriptor, data) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _unusable(data_dir, error) from error
    finally:
        with suppress(OSError):
            probe.unlink()


def _unusable(data_dir: Path, error: OSError) -> DataFolderUnusable:
    if error.errno in _FULL:
        return DataFolderUnusable(
            f"There is no room for the store in {data_dir}: {error.strerror}.", hint=f"Free some space, {_ELSEWHERE}"
        )
    if error.errno == errno.EROFS:
        return DataFolderUnusable(
            f"The data folder {data_dir} is on a read-only disk.", hint=f"Mount it for writing, {_ELSEWHERE}"
        )
    return DataFolderUnusable(
        f"The data folder {data_dir} cannot be written: {error.strerror}.",
        hint=f"Correct its permissions, {_ELSEWHERE}",
    )
