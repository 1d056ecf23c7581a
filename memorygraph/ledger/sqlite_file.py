"""What is special about a ledger in a SQLite file: looked at before it is touched, opened durable.

Looking is done without locks, journal or write-ahead log files of our own making, so that a file
that is refused stays as it was, and so does its folder.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memorygraph.errors import DataFolderUnusable, ServerTooOld, StoreBusy, StoreCorrupt

__all__ = ["BUSY_TIMEOUT_SECONDS", "configure", "look_at", "prepare", "rewrite"]

BUSY_TIMEOUT_SECONDS = 30.0
"""How long one connection waits for another process's write transaction."""

_OLDEST = (3, 35, 0)  # RETURNING
_HEADER = b"SQLite format 3\0"
# A whole check reads the whole file, at about 1 GB a second: for a usual ledger a start does not feel it.
_CHECKED_WHOLE_UP_TO_BYTES = 64 * 1024 * 1024


def look_at(path: Path, *, version_table: str) -> str | None:
    """The schema revision of the file at ``path``, or None when there is no ledger in it yet.

    None is answered for a missing and for an empty file. Raises :class:`StoreCorrupt` when the
    file is no SQLite database, is damaged, or belongs to something else,
    :class:`DataFolderUnusable` when it cannot be opened, and lets other ``sqlite3`` errors pass.
    Changes nothing.
    """
    if sqlite3.sqlite_version_info < _OLDEST:
        raise ServerTooOld(f"SQLite {sqlite3.sqlite_version} is too old.", hint="3.35 or newer is needed.")
    try:
        with path.open("rb") as file:
            head = file.read(len(_HEADER))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, error) from error
    if not head:
        return None
    if head != _HEADER:
        raise _corrupt(path, "it is not a SQLite database")
    alone = not _has_log(path)
    try:
        return _read_revision(path, version_table, alone=alone)
    except (sqlite3.DatabaseError, StoreCorrupt):
        if not alone or not _has_log(path):
            raise
    # Somebody began to write between our looking for a log and our reading: look again, with the log.
    return _read_revision(path, version_table, alone=False)


def _read_revision(path: Path, version_table: str, *, alone: bool) -> str | None:
    # `immutable` reads the one file and makes none beside it; right only while no write-ahead log exists.
    options = "mode=ro&immutable=1" if alone else "mode=ro"
    uri = f"file:{quote(str(path))}?{options}"
    with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if path.stat().st_size <= _CHECKED_WHOLE_UP_TO_BYTES:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise _corrupt(path, verdict)
        if version_table not in tables:
            if tables:
                raise _corrupt(path, "it holds tables of something else")
            return None
        row = connection.execute(f'SELECT version_num FROM "{version_table}"').fetchone()
        return None if row is None else str(row[0])


def _has_log(path: Path) -> bool:
    return any(path.with_name(path.name + suffix).exists() for suffix in ("-wal", "-shm", "-journal"))


def _create_file(path: Path) -> None:
    # For this user only: the fingerprint key will be in it.
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise _unusable(path, error) from error


def prepare(path: Path) -> None:
    """Make the file if there is none, and have it keep a write-ahead log. Blocks while others do the same.

    Raises :class:`DataFolderUnusable`, and lets ``sqlite3`` errors pass.
    """
    _create_file(path)
    with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)) as connection:
        # Changing the mode needs the file for itself, and gives up at once when another has begun to write.
        deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
        mode = None
        while mode is None:
            try:
                (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
    if mode != "wal":
        raise DataFolderUnusable(
            f"The file system of {path} cannot keep a write-ahead log.",
            hint="Set data_dir to a folder on a local disk, or ledger_url to a PostgreSQL database.",
        )


def configure(dbapi_connection: Any, *, foreign_keys: bool = True) -> None:
    """Set a new connection up: durable commits, deletions that erase, foreign keys, transactions begun by us alone."""
    dbapi_connection.isolation_level = None
    cursor = dbapi_connection.cursor()
    try:
        cursor.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_SECONDS * 1000)}")
        cursor.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        # In WAL mode the default of many builds, NORMAL, does not sync at commit.
        cursor.execute("PRAGMA synchronous = FULL")
        # What is deleted is overwritten in the file, not only given free.
        cursor.execute("PRAGMA secure_delete = ON")
    finally:
        cursor.close()


def rewrite(path: Path) -> None:
    """Make the file anew from the rows that are in it, and empty its write-ahead log.

    Raises :class:`StoreBusy` while others read or write, and lets other ``sqlite3`` errors pass; the file is then as it
    was, or already made anew.
    """
    with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)) as connection:
        configure(connection)
        connection.execute("VACUUM")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise StoreBusy(f"The ledger {path} is in use by another process.", hint="Close what uses it, and try again.")


def _corrupt(path: Path, reason: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"The ledger {path} cannot be used: {reason}. It was left as it is.",
        hint="Put a backup in its place, or let ledger_url name another file.",
    )


def _unusable(path: Path, error: OSError) -> DataFolderUnusable:
    return DataFolderUnusable(
        f"The ledger {path} cannot be used: {error.strerror}.",
        hint="Make the folder writable for this user, or set data_dir to another.",
    )
