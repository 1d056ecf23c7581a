"""Whether a data folder can hold a store, found out before anything in it is touched."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

from memorygraph.errors import DataFolderUnusable

__all__ = ["PROBE_BYTES", "check_data_folder"]

# Opening the graph database writes a few hundred kilobytes; a disk with less room would fail in the middle of it.
PROBE_BYTES = 1 << 20

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ELSEWHERE = "or set MEMORYGRAPH_DATA_DIR to another folder."


def check_data_folder(data_dir: Path) -> None:
    """Write, fsync and remove a file of 1 MiB in ``data_dir``, or where it would be made. No trace is left.

    Raises :class:`DataFolderUnusable` when that fails, when ``data_dir`` is no folder, or when it belongs to
    another user; the message says what to do.
    """
    data_dir = data_dir.absolute()
    folder = next(path for path in (data_dir, *data_dir.parents) if os.path.lexists(path))
    if not folder.is_dir():
        raise DataFolderUnusable(f"{folder} is not a folder.", hint=f"Move it away, {_ELSEWHERE}")
    if folder == data_dir:
        _check_owner(folder)
        if (data_dir / "graph").is_dir():
            _check_owner(data_dir / "graph")
            _probe(data_dir / "graph", data_dir)
    _probe(folder, data_dir)


def _check_owner(folder: Path) -> None:
    if os.name != "posix":
        return
    # root as well: a server run by root leaves files that the owner can no longer open.
    owner = folder.stat().st_uid
    if owner != os.geteuid():
        raise DataFolderUnusable(
            f"The data folder {folder} belongs to another user (uid {owner}; this process runs as {os.geteuid()}).",
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
