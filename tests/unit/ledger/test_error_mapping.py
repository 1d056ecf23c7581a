"""Every error of the drivers becomes one of ours."""

from __future__ import annotations

import inspect
import sqlite3
from typing import Any

import psycopg
import psycopg.errors
import pytest
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
from memorygraph.ledger.error_mapping import translate, translated

SQLSTATES: dict[str, type[psycopg.Error]] = {
    cls.sqlstate: cls
    for _, cls in inspect.getmembers(psycopg.errors, inspect.isclass)
    if issubclass(cls, psycopg.Error) and cls.sqlstate is not None
}

# What each class of SQLSTATE means to us; the exceptions to its class follow.
BY_CLASS: dict[str, type[MemoryGraphError]] = {
    "08": StoreUnavailable,
    "23": ConstraintViolated,
    "28": AuthenticationFailed,
    "40": StoreBusy,
    "53": StoreUnavailable,
    "57": StoreUnavailable,
    "58": StoreUnavailable,
    "F0": StoreUnavailable,
}
BY_CODE: dict[str, type[MemoryGraphError]] = {
    "25006": StoreUnavailable,
    "3D000": ConfigurationError,
    "42501": AuthenticationFailed,
    "53300": StoreBusy,
    "55006": StoreBusy,
    "55P03": StoreBusy,
    "57014": StoreBusy,
    "XX001": StoreCorrupt,
    "XX002": StoreCorrupt,
}

SQLITE_CODES: dict[str, int] = {
    name: code
    for name, code in vars(sqlite3).items()
    if name.startswith("SQLITE_") and name.removeprefix("SQLITE_") in {
        "ABORT", "AUTH", "BUSY", "CANTOPEN", "CONSTRAINT", "CORRUPT", "EMPTY", "ERROR", "FORMAT", "FULL", "INTERNAL",
        "INTERRUPT", "IOERR", "LOCKED", "MISMATCH", "MISUSE", "NOLFS", "NOMEM", "NOTADB", "NOTFOUND", "PERM",
        "PROTOCOL", "RANGE", "READONLY", "SCHEMA", "TOOBIG",
    }
}  # fmt: skip
BY_SQLITE_CODE: dict[str, type[MemoryGraphError]] = {
    "AUTH": DataFolderUnusable,
    "BUSY": StoreBusy,
    "CANTOPEN": DataFolderUnusable,
    "CONSTRAINT": ConstraintViolated,
    "CORRUPT": StoreCorrupt,
    "FORMAT": StoreCorrupt,
    "FULL": DataFolderUnusable,
    "INTERRUPT": StoreBusy,
    "IOERR": DataFolderUnusable,
    "LOCKED": StoreBusy,
    "NOMEM": StoreUnavailable,
    "NOTADB": StoreCorrupt,
    "PERM": DataFolderUnusable,
    "PROTOCOL": StoreBusy,
    "READONLY": DataFolderUnusable,
}


def wrapped(error: Exception, dbapi_error: type[Exception], *, lost: bool = False) -> exc.SQLAlchemyError:
    """``error`` as SQLAlchemy raises it."""
    made = exc.DBAPIError.instance("SELECT 1", {"text": "secret"}, error, dbapi_error, connection_invalidated=lost)
    assert isinstance(made, exc.SQLAlchemyError)
    return made


def sqlite_error(code: int, kind: type[sqlite3.Error] = sqlite3.OperationalError) -> sqlite3.Error:
    error = kind("told by SQLite")
    error.sqlite_errorcode = code
    return error


def test_there_are_errors_to_walk() -> None:
    assert len(SQLSTATES) > 200
    assert set(BY_CODE) <= set(SQLSTATES)
    assert len(SQLITE_CODES) == 26


@pytest.mark.parametrize("sqlstate", sorted(SQLSTATES))
def test_every_error_of_postgresql_is_mapped(sqlstate: str) -> None:
    expected = BY_CODE.get(sqlstate) or BY_CLASS.get(sqlstate[:2]) or StatementFailed
    error = translate(wrapped(SQLSTATES[sqlstate]("told by PostgreSQL"), psycopg.Error), ledger="here")
    assert type(error) is expected
    assert "here" in error.message


@pytest.mark.parametrize("name", sorted(SQLITE_CODES))
def test_every_error_of_sqlite_is_mapped_raw_wrapped_and_extended(name: str) -> None:
    expected = BY_SQLITE_CODE.get(name.removeprefix("SQLITE_"), StatementFailed)
    code = SQLITE_CODES[name]
    assert type(translate(sqlite_error(code), ledger="here")) is expected
    assert type(translate(wrapped(sqlite_error(code), sqlite3.Error), ledger="here")) is expected
    assert type(translate(sqlite_error(code | 7 << 8), ledger="here")) is expected, "an extended code of the same"


def _errors_of(module: Any, base: type[BaseException]) -> list[type[Any]]:
    return [cls for _, cls in inspect.getmembers(module, inspect.isclass) if issubclass(cls, base)]


@pytest.mark.parametrize("kind", _errors_of(sqlite3, sqlite3.Error))
def test_every_class_of_sqlite_without_a_code_is_a_bug_of_ours_unless_the_connection_is_gone(
    kind: type[sqlite3.Error],
) -> None:
    assert type(translate(kind("no code"), ledger="here")) is StatementFailed
    assert type(translate(wrapped(kind("no code"), sqlite3.Error, lost=True), ledger="here")) is StoreUnavailable


@pytest.mark.parametrize("kind", _errors_of(exc, exc.SQLAlchemyError))
def test_every_class_of_sqlalchemy_is_mapped(kind: type[exc.SQLAlchemyError]) -> None:
    error = kind.__new__(kind)
    Exception.__init__(error, "told by SQLAlchemy")
    if isinstance(error, exc.StatementError):
        error = kind("told by SQLAlchemy", "SELECT 1", {"text": "secret"}, ValueError("why"))
    expected: type[MemoryGraphError] = StatementFailed
    if issubclass(kind, exc.TimeoutError):
        expected = StoreBusy
    elif issubclass(kind, (exc.DisconnectionError, exc.OperationalError)):
        expected = StoreUnavailable
    assert type(translate(error, ledger="here")) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('FATAL:  password authentication failed for user "ana"', AuthenticationFailed),
        ("fe_sendauth: no password supplied", AuthenticationFailed),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.1", user "ana", database "m"', AuthenticationFailed),
        ('FATAL:  role "ana" does not exist', AuthenticationFailed),
        ('FATAL:  role "ana" is not permitted to log in', AuthenticationFailed),
        ('FATAL:  permission denied for database "m"', AuthenticationFailed),
        ('FATAL:  database "m" does not exist', ConfigurationError),
        ("FATAL:  sorry, too many clients already", StoreBusy),
        ("FATAL:  remaining connection slots are reserved", StoreBusy),
        ('FATAL:  too many connections for database "m"', StoreBusy),
        ("Connection refused\n\tIs the server running on that host?", StoreUnavailable),
        ("FATAL:  the database system is starting up", StoreUnavailable),
    ],
)
def test_a_refused_connection_is_told_apart_by_the_servers_words(said: str, expected: type[MemoryGraphError]) -> None:
    error = translate(wrapped(psycopg.OperationalError(f"connection failed: {said}"), psycopg.Error), ledger="here")
    assert type(error) is expected


@pytest.mark.parametrize("kind", [psycopg.InterfaceError, psycopg.DatabaseError, psycopg.OperationalError])
def test_a_connection_that_went_away_makes_the_ledger_unavailable(kind: type[psycopg.Error]) -> None:
    error = translate(wrapped(kind("the connection is lost"), psycopg.Error, lost=True), ledger="here")
    assert type(error) is StoreUnavailable


def test_what_was_to_be_written_is_not_in_the_message() -> None:
    duplicate = psycopg.errors.UniqueViolation('duplicate key breaks "pk_lease"\nDETAIL:  Key (name)=(secret) exists.')
    told = translate(wrapped(duplicate, psycopg.Error), ledger="here").message
    assert "pk_lease" in told
    assert "secret" not in told
    invalid = psycopg.errors.InvalidTextRepresentation('invalid input syntax for type integer: "secret"')
    told = translate(wrapped(invalid, psycopg.Error), ledger="here").message
    assert "22P02" in told
    assert "secret" not in told
    unprintable = exc.StatementError("not JSON: secret", "INSERT", {"text": "secret"}, ValueError("secret"))
    told = translate(unprintable, ledger="here").message
    assert "StatementError" in told
    assert "secret" not in told


def test_the_drivers_error_stays_the_cause() -> None:
    cause = sqlite_error(sqlite3.SQLITE_BUSY)
    with pytest.raises(StoreBusy) as raised, translated("here"):
        raise cause
    assert raised.value.__cause__ is cause
    with pytest.raises(KeyError), translated("here"):
        raise KeyError("not a driver's")
