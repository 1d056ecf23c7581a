"""Putting one database in another's place so that at every moment one of the two counts, and can be told.

The new one is made elsewhere, whole and on the disk, and then moved to ``compacted``: from that moment it counts, and
whoever next looks finishes what is left. All of it happens under the start lock, while no server runs.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from memorygraph.graph.embedded.command_line import DATABASE
from memorygraph.graph.embedded.layout import DataFolderLayout

__all__ = ["finish_replacing", "replace_database"]


def replace_database(layout: DataFolderLayout, new: Path) -> None:
    """Put the database folder ``new``, which lies on the same disk, in the place of the one that is there.

    Raises ``OSError``; the old one counts until this returns, or until :func:`finish_replacing` is called.
    """
    for folder, _, names in os.walk(new):
        for name in names:
            _sync(Path(folder, name))
        _sync(Path(folder))
    new.rename(layout.compacted)
    _sync(layout.root)
    finish_replacing(layout)


def finish_replacing(layout: DataFolderLayout) -> None:
    """Finish a replacement that was cut off, and clear away what one left behind. Raises ``OSError``."""
    database = layout.databases / DATABASE
    if layout.compacted.exists():
        if database.exists():
            # Left by a replacement that was over but for this.
            shutil.rmtree(layout.replaced, ignore_errors=True)
            database.rename(layout.replaced)
        layout.compacted.rename(database)
        _sync(layout.databases)
        _sync(layout.root)
    for leftover in (layout.replaced, layout.compacting):
        if leftover.exists():
            # Of a copy the server may still be on its way out.
            shutil.rmtree(leftover, ignore_errors=True)


def _sync(path: Path) -> None:
    if os.name != "posix" and path.is_dir():
        return  # Windows cannot open folders and orders the rename itself
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
