"""Empty ledgers for tests: SQLite files, and databases on a real PostgreSQL of the session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import select

from memorygraph.ledger import Ledger
from memorygraph.ledger.database import Database
from memorygraph.ledger.database_time import database_now_ms
from tests.support.postgres import Postgres, start_postgres

__all__ = ["Ledgers", "database_now"]


class Ledgers:
    """Makes ledgers as they are asked for. ``new_folder`` makes an empty folder of the name it is given."""

    def __init__(self, new_folder: Callable[[str], Path]) -> None:
        self._new_folder = new_folder
        self._postgres: Postgres | None = None

    def new_sqlite(self, folder: Path | None = None) -> str:
        """The URL of a SQLite ledger that does not exist yet, in ``folder`` or in one of its own."""
        return f"sqlite:///{(folder or self._new_folder('ledger')) / 'ledger.sqlite'}"

    def new_postgresql(self) -> str:
        """The URL of an empty PostgreSQL database."""
        if self._postgres is None:
            self._postgres = start_postgres()
        return self._postgres.create_database()

    def close(self) -> None:
        """Stop the PostgreSQL, if one was started."""
        if self._postgres is not None:
            self._postgres.stop()
            self._postgres = None


async def database_now(ledger: Ledger) -> int:
    """The time of the ledger's database, in epoch ms."""
    database = Database(ledger.location)
    try:
        (row,) = await database.read_rows(select(database_now_ms().label("now")))
        now: int = row["now"]
        return now
    finally:
        await database.close()
