"""Where the ledger is: a SQLite file or a PostgreSQL database, from a URL or the data folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from memorygraph.errors import ConfigurationError

__all__ = ["Kind", "LedgerLocation", "locate"]

Kind = Literal["sqlite", "postgresql"]

_FILE_NAME = "ledger.sqlite"
_FORMS = "Write postgresql://user:password@host/database or sqlite:///path/to/ledger.sqlite."


@dataclass(frozen=True, kw_only=True)
class LedgerLocation:
    """``str()`` of it is safe to show: a password in ``url`` is masked."""

    kind: Kind
    url: URL
    """With the driver that is used asynchronously."""
    path: Path | None
    """The file, absolute; None on PostgreSQL."""

    def __str__(self) -> str:
        return str(self.path) if self.path is not None else self.url.render_as_string(hide_password=True)

    @property
    def sync_url(self) -> URL:
        """The same database with a driver that blocks (psycopg has both ways under one name)."""
        return self.url if self.kind == "postgresql" else self.url.set(drivername="sqlite+pysqlite")


def locate(url: str | None, *, data_dir: Path) -> LedgerLocation:
    """The ledger that ``url`` names; ``ledger.sqlite`` in ``data_dir`` when it is None.

    Known schemes are ``postgresql``, ``postgres``, ``postgresql+psycopg``, ``sqlite`` and
    ``sqlite+aiosqlite``. Raises :class:`ConfigurationError` for anything else, and for SQLite
    in memory, which no second connection could see. The message never shows a password.
    """
    if url is None:
        return _file(data_dir / _FILE_NAME)
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise ConfigurationError("ledger_url is not a database URL.", hint=_FORMS) from None
    if parsed.drivername in ("postgresql", "postgres", "postgresql+psycopg"):
        return LedgerLocation(kind="postgresql", url=parsed.set(drivername="postgresql+psycopg"), path=None)
    if parsed.drivername not in ("sqlite", "sqlite+aiosqlite"):
        raise ConfigurationError(f"ledger_url names {parsed.drivername}, which cannot hold the ledger.", hint=_FORMS)
    if parsed.query or not parsed.database or ":memory:" in parsed.database or parsed.database.startswith("file:"):
        raise ConfigurationError("A SQLite ledger needs the plain path of a file.", hint=_FORMS)
    return _file(Path(parsed.database))


def _file(path: Path) -> LedgerLocation:
    path = path.expanduser().absolute()
    return LedgerLocation(kind="sqlite", url=URL.create("sqlite+aiosqlite", database=str(path)), path=path)
