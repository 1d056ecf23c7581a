"""Driver errors become ours here, once.

PostgreSQL tells what happened by SQLSTATE (Appendix A of its manual), SQLite by its primary result
code; SQLAlchemy's own errors are either an exhausted pool or a bug of ours.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from sqlalchemy import exc

from memorygraph.errors import (
    AuthenticationFailed,
    ConfigurationError,
    ConstraintViolated,
    DataFolderUnusable,
    MemoryGraphError,
    StatementFailed,
    StoreBusy,
    StoreCorrupt,
    StoreUnavailable,
)

__all__ = ["translate", "translated"]

_Verdict: TypeAlias = tuple[type[MemoryGraphError], str, str | None]

_BUSY: _Verdict = (StoreBusy, "is busy: others kept it locked for longer than we wait.", "Try again.")
_UNAVAILABLE: _Verdict = (
    StoreUnavailable,
    "cannot be reached.",
    "Check that the server runs and that ledger_url is right.",
)
_AUTHENTICATION: _Verdict = (AuthenticationFailed, "refuses us.", "Check user, password and rights in ledger_url.")
_CONSTRAINT: _Verdict = (ConstraintViolated, "refused a row that breaks a constraint.", None)
_BUG: _Verdict = (StatementFailed, "refused a statement.", None)
_CORRUPT: _Verdict = (StoreCorrupt, "is damaged; it was left as it is.", "Put a backup in its place.")
_UNUSABLE: _Verdict = (
    DataFolderUnusable,
    "cannot be written.",
    "Free space, or make file and folder writable for this user.",
)
_NO_DATABASE: _Verdict = (
    ConfigurationError,
    "names a database that does not exist.",
    "Create it, or correct ledger_url.",
)


# The longest prefix of a SQLSTATE that is listed decides; unlisted ones are statements the server refused.
_BY_SQLSTATE: dict[str, _Verdict] = {
    "08": _UNAVAILABLE,  # connection exception
    "23": _CONSTRAINT,
    "25006": _UNAVAILABLE,  # read-only transaction: a standby, or a primary that became one
    "28": _AUTHENTICATION,
    "3D000": _NO_DATABASE,
    "40": _BUSY,  # serialization failure, deadlock
    "42501": _AUTHENTICATION,  # insufficient privilege
    "53": _UNAVAILABLE,  # out of memory, disk, …
    "53300": _BUSY,  # too many connections
    "55P03": _BUSY,  # lock not available
    "55006": _BUSY,  # object in use
    "57": _UNAVAILABLE,  # shut down, crashed, starting up
    "57014": _BUSY,  # cancelled by a timeout
    "58": _UNAVAILABLE,  # system error
    "F0": _UNAVAILABLE,  # configuration file error
    "XX001": _CORRUPT,
    "XX002": _CORRUPT,
}

_BY_SQLITE_CODE: dict[int, _Verdict] = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_INTERRUPT: _BUSY,
    sqlite3.SQLITE_PROTOCOL: _BUSY,  # the WAL's locking protocol, under heavy opening and closing
    sqlite3.SQLITE_NOMEM: _UNAVAILABLE,
    sqlite3.SQLITE_CONSTRAINT: _CONSTRAINT,
    sqlite3.SQLITE_CORRUPT: _CORRUPT,
    sqlite3.SQLITE_NOTADB: _CORRUPT,
    sqlite3.SQLITE_FORMAT: _CORRUPT,
    sqlite3.SQLITE_READONLY: _UNUSABLE,
    sqlite3.SQLITE_CANTOPEN: _UNUSABLE,
    sqlite3.SQLITE_FULL: _UNUSABLE,
    sqlite3.SQLITE_IOERR: _UNUSABLE,
    sqlite3.SQLITE_PERM: _UNUSABLE,
    sqlite3.SQLITE_AUTH: _UNUSABLE,
}

# A refused connection carries no SQLSTATE: libpq passes on only the server's words, tried in this order.
_REFUSED_WORDS: tuple[tuple[str, _Verdict], ...] = (
    ("authentication failed", _AUTHENTICATION),
    ("no password supplied", _AUTHENTICATION),
    ("pg_hba.conf", _AUTHENTICATION),
    ("permission denied for database", _AUTHENTICATION),
    ("is not permitted to log in", _AUTHENTICATION),
    ('role "', _AUTHENTICATION),
    ("too many ", _BUSY),
    ("connection slots", _BUSY),
    ('database "', _NO_DATABASE),
)


def translate(error: exc.SQLAlchemyError | sqlite3.Error, *, ledger: str) -> MemoryGraphError:
    """Our error for a driver's. ``ledger`` is a name of the ledger that is safe to show.

    Statement parameters, which may be somebody's data, do not get into the message.
    """
    cause = error.orig if isinstance(error, exc.DBAPIError) and error.orig is not None else error
    kind, text, hint = _classify(error, cause)
    return kind(f"The ledger {ledger} {text} ({_describe(cause)})", hint=hint)


@contextmanager
def translated(ledger: str) -> Iterator[None]:
    """Raise :func:`translate`'s error instead of the driver's, which stays its cause."""
    try:
        yield
    except (exc.SQLAlchemyError, sqlite3.Error) as error:
        raise translate(error, ledger=ledger) from error


def _classify(error: BaseException, cause: BaseException) -> _Verdict:
    if isinstance(error, exc.TimeoutError):
        return _BUSY  # no connection of the pool became free
    lost = isinstance(error, exc.DBAPIError) and error.connection_invalidated
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", None)
        if code is None:
            return _UNAVAILABLE if lost else _BUG
        return _BY_SQLITE_CODE.get(code & 0xFF, _BUG)
    sqlstate = getattr(cause, "sqlstate", None)
    if sqlstate is not None:
        prefixes = (sqlstate[:length] for length in range(len(sqlstate), 1, -1))
        return next((_BY_SQLSTATE[prefix] for prefix in prefixes if prefix in _BY_SQLSTATE), _BUG)
    if isinstance(error, exc.OperationalError):
        words = str(cause)
        return next((verdict for word, verdict in _REFUSED_WORDS if word in words), _UNAVAILABLE)
    return _UNAVAILABLE if lost or isinstance(error, exc.DisconnectionError) else _BUG


def _describe(cause: BaseException) -> str:
    name, sqlstate = type(cause).__name__, getattr(cause, "sqlstate", None)
    if isinstance(cause, exc.StatementError) or (sqlstate or "").startswith("22"):
        # The words of these quote the offending value.
        return name if sqlstate is None else f"{name} {sqlstate}"
    return f"{name}: {next(iter(str(cause).splitlines()), '')}"
