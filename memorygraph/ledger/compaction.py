"""Making the ledger's tables anew, so that nothing of deleted or changed rows is left in its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from memorygraph.ledger import sqlite_file
from memorygraph.ledger.error_mapping import translated
from memorygraph.ledger.location import LedgerLocation, locate
from memorygraph.ledger.schema import CONNECT_ARGS_POSTGRESQL, bring_up_to_date

__all__ = ["LedgerCompaction", "compact_ledger"]

_LOCK_WAIT_SECONDS = 30
_SIZE = "SELECT sum(pg_total_relation_size(to_regclass(name)))::bigint FROM unnest(CAST(:names AS text[])) AS name"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCompaction:
    """What a compaction of the ledger did; its bytes are those of the file, or of our tables in a database."""

    bytes_before: int
    bytes_after: int


def compact_ledger(url: str | None, *, data_dir: Path) -> LedgerCompaction:
    """Make the tables of the ledger at ``url`` (None: the file in ``data_dir``) anew; blocks, runs in a worker thread.

    A SQLite file is rewritten whole and its write-ahead log emptied. On PostgreSQL our tables are (``VACUUM FULL``);
    the server's own write-ahead log and backups are its administrator's. Raises :class:`StoreBusy` while others hold
    the tables for longer than half a minute, and what :meth:`Ledger.open` raises.
    """
    location = locate(url, data_dir=data_dir)
    bring_up_to_date(location)
    with translated(str(location)):
        if location.path is not None:
            before = location.path.stat().st_size
            sqlite_file.rewrite(location.path)
            return LedgerCompaction(bytes_before=before, bytes_after=location.path.stat().st_size)
        return _rewrite_tables(location)


def _rewrite_tables(location: LedgerLocation) -> LedgerCompaction:
    from memorygraph.ledger.tables import metadata

    engine = create_engine(
        location.sync_url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=CONNECT_ARGS_POSTGRESQL
    )
    names = sorted(metadata.tables)

    def size(connection: Connection) -> int:
        return int(connection.execute(text(_SIZE), {"names": names}).scalar_one())

    try:
        with engine.connect() as connection:
            before = size(connection)
            connection.exec_driver_sql(f"SET lock_timeout = '{_LOCK_WAIT_SECONDS}s'")
            connection.exec_driver_sql(f"VACUUM (FULL) {', '.join(names)}")
            return LedgerCompaction(bytes_before=before, bytes_after=size(connection))
    finally:
        engine.dispose()
