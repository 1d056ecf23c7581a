"""Brings a ledger's schema up to date, once, however many processes start on it together.

All of a migration is one transaction, taken under a lock of the database itself: an advisory lock
on PostgreSQL, the write lock on SQLite. A process that dies in it leaves the schema that was there.
Everything here blocks; it runs in a worker thread.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.pool import NullPool

from memorygraph.errors import ConfigurationError, SchemaTooNew, ServerTooOld, StatementFailed
from memorygraph.ledger import sqlite_file
from memorygraph.ledger.error_mapping import translated
from memorygraph.ledger.location import LedgerLocation

__all__ = [
    "CONNECT_ARGS_POSTGRESQL",
    "HEAD",
    "REVISIONS",
    "VERSION_TABLE",
    "bring_up_to_date",
    "migration_config",
]

VERSION_TABLE = "ledger_revision"
"""Not Alembic's default name: the database may hold another application's."""

REVISIONS = ("0001", "0002")
"""Every revision this version knows, oldest first; a test holds it against the migrations' files.

Written down so that a start that has nothing to migrate need not import Alembic.
"""
HEAD = REVISIONS[-1]

CONNECT_ARGS_POSTGRESQL: dict[str, Any] = {
    "connect_timeout": 10,
    "application_name": "memorygraph",
    # A server that vanished without a word is noticed after a minute, not after two hours.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
_OLDEST_POSTGRESQL = 15
_ADVISORY_LOCK = 0x6D67_6C65_6467_6572  # "mgledger"
_LOCK_TIMEOUT_SECONDS = 60

# Alembic keeps the migration in progress in module globals.
_one_at_a_time = threading.Lock()


def bring_up_to_date(location: LedgerLocation) -> str | None:
    """Create or upgrade the schema at ``location``; nothing happens when it is at :data:`HEAD`.

    Answers the revision that was there, None for a new ledger.

    Raises :class:`SchemaTooNew`, :class:`StoreCorrupt`, :class:`ServerTooOld`,
    :class:`DataFolderUnusable` or :class:`ConfigurationError` with the database untouched, and the
    other :class:`StoreError` as drivers report them.
    """
    with translated(str(location)):
        if location.path is not None:
            found = sqlite_file.look_at(location.path, version_table=VERSION_TABLE)
            _refuse_newer(found, location)
            sqlite_file.prepare(location.path)
            if found == HEAD:
                return found
        engine = _engine(location)
        try:
            with engine.connect() as connection, connection.begin():
                return _migrate(connection, location)
        finally:
            engine.dispose()


def _engine(location: LedgerLocation) -> Engine:
    connect_args = CONNECT_ARGS_POSTGRESQL if location.kind == "postgresql" else {}
    engine = create_engine(location.sync_url, poolclass=NullPool, connect_args=connect_args)
    if location.kind == "sqlite":

        @event.listens_for(engine, "connect")
        def configure(dbapi_connection: Any, record: object) -> None:
            # SQLite alters many things by copying a table and dropping it, which must not cascade.
            sqlite_file.configure(dbapi_connection, foreign_keys=False)

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _migrate(connection: Connection, location: LedgerLocation) -> str | None:
    if location.kind == "postgresql":
        refuse_older_server(connection.dialect.server_version_info)
        if _revision(connection) == HEAD:
            return HEAD
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT_SECONDS}s'")
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    found = _revision(connection)
    _refuse_newer(found, location)
    if found == HEAD:
        return found
    if found is None:
        _refuse_foreign_tables(connection, location)
    from alembic import command

    with _one_at_a_time:
        command.upgrade(migration_config(connection), "head")
    if location.kind == "sqlite":
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        if broken is not None:
            raise StatementFailed(f"A migration of {location} would break a reference of table {broken[0]}.")
    return found


def migration_config(connection: Connection) -> Any:
    """An ``alembic.config.Config`` of our migrations that works on ``connection``, within its transaction."""
    from alembic.config import Config

    config = Config()
    folder = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    row = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).first()
    return None if row is None else str(row[0])


def _refuse_newer(found: str | None, location: LedgerLocation) -> None:
    if found is not None and found not in REVISIONS:
        raise SchemaTooNew(
            f"The ledger {location} has schema {found}; this version knows up to {HEAD}. It was left as it is.",
            hint="Upgrade memorygraph, or open the ledger with the version that wrote it.",
        )


def refuse_older_server(version: tuple[Any, ...] | None) -> None:
    """Raise :class:`ServerTooOld` for a PostgreSQL ``server_version_info`` below 15."""
    if version is not None and version[0] < _OLDEST_POSTGRESQL:
        found = ".".join(map(str, version))
        raise ServerTooOld(
            f"The ledger's PostgreSQL is version {found}.", hint=f"{_OLDEST_POSTGRESQL} or newer is needed."
        )


def _refuse_foreign_tables(connection: Connection, location: LedgerLocation) -> None:
    from memorygraph.ledger.tables import metadata

    taken = sorted(set(metadata.tables) & set(inspect(connection).get_table_names()))
    if taken:
        raise ConfigurationError(
            f"The database {location} already has tables of something else: {', '.join(taken)}.",
            hint="Let ledger_url name a database of its own.",
        )
