"""Transactions on the ledger: the engine, one way to read and one way to write."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, RowMapping, Table, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from memorygraph.errors import StoreUnavailable
from memorygraph.ledger import sqlite_file
from memorygraph.ledger.error_mapping import translated
from memorygraph.ledger.location import LedgerLocation
from memorygraph.ledger.schema import CONNECT_ARGS_POSTGRESQL

__all__ = ["LOCK_WAIT_SECONDS", "Database"]

T = TypeVar("T")

LOCK_WAIT_SECONDS = 30.0
"""How long a write on PostgreSQL waits for rows that another transaction holds."""

_ATTEMPTS = 5
_WRITES = "memorygraph_writes"


class Database:
    """The connections of one process to one ledger, on one event loop. The schema is taken as it is."""

    def __init__(self, location: LedgerLocation) -> None:
        self.location = location
        self._name = str(location)
        options: dict[str, Any] = {"json_serializer": partial(json.dumps, ensure_ascii=False, allow_nan=False)}
        if location.kind == "postgresql":
            # A connection that a restarted server forgot is replaced before it is used.
            options |= {"pool_pre_ping": True, "connect_args": CONNECT_ARGS_POSTGRESQL}
        self._engine = create_async_engine(location.url, hide_parameters=True, **options)
        self._writing_engine = self._engine.execution_options(**{_WRITES: True})
        # SQLite lets one transaction write, and its waiters poll; within a process they rather queue up here.
        self._writer: AbstractAsyncContextManager[None] = nullcontext()
        if location.kind == "sqlite":
            self._writer = asyncio.Lock()
            event.listen(self._engine.sync_engine, "connect", _configure_sqlite)
            event.listen(self._engine.sync_engine, "begin", _begin_sqlite)
        else:
            event.listen(self._engine.sync_engine, "begin", _begin_postgresql)
        self._closed = False
        self._running = 0
        self._idle = asyncio.Event()  # no transaction runs or waits for its turn
        self._idle.set()

    async def read(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """What ``work`` answers, in one transaction; on SQLite all of it sees one state."""
        with translated(self._name), self._counted():
            async with self._engine.begin() as connection:
                return await work(connection)

    async def write(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """What ``work`` answers, once its transaction is committed and on the disk.

        ``work`` runs again after a deadlock or a serialization failure, so it must do nothing but
        talk to its connection. Raises :class:`StoreBusy` when that, or the wait for other
        writers, does not end.
        """
        with translated(self._name):
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    with self._counted():
                        async with self._writer, self._writing_engine.begin() as connection:
                            return await work(connection)
                except DBAPIError as error:
                    if attempt == _ATTEMPTS or not _rolled_back_for_others(error):
                        raise
                await asyncio.sleep(random.uniform(0.005, 0.05))
        raise AssertionError("unreachable")

    async def read_rows(self, statement: Executable) -> Sequence[RowMapping]:
        """The rows that one statement selects."""

        async def work(connection: AsyncConnection) -> Sequence[RowMapping]:
            return (await connection.execute(statement)).mappings().all()

        return await self.read(work)

    async def write_rows(
        self, statement: Executable, values: Sequence[Mapping[str, Any]] | None = None
    ) -> Sequence[RowMapping]:
        """The rows that one writing statement is ``RETURNING``; with ``values``, it runs once for each of them."""

        async def work(connection: AsyncConnection) -> Sequence[RowMapping]:
            result = await connection.execute(statement, values)
            return result.mappings().all() if result.returns_rows else ()

        return await self.write(work)

    def insert(self, table: Table) -> Any:
        """An INSERT that can say ON CONFLICT, which the two dialects spell alike but keep apart."""
        return postgresql.insert(table) if self.location.kind == "postgresql" else sqlite.insert(table)

    async def close(self) -> None:
        """Let what runs come to its end, and close every connection.

        What is asked for later raises :class:`StoreUnavailable`.
        """
        self._closed = True
        # A connection that comes back after the pool was disposed of would never be closed. A server that does not
        # answer is waited for no longer than a lock.
        with suppress(TimeoutError):
            await asyncio.wait_for(self._idle.wait(), LOCK_WAIT_SECONDS)
        await self._engine.dispose()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """One transaction that :meth:`close` waits for; refused once the ledger is closed."""
        if self._closed:
            raise StoreUnavailable(f"The ledger {self._name} is closed.")
        self._running += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()


def _configure_sqlite(dbapi_connection: Any, record: object) -> None:
    sqlite_file.configure(dbapi_connection)


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later could not wait for the lock: it would fail at once.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    # Its default is to wait for ever.
    if connection.get_execution_options().get(_WRITES, False):
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(LOCK_WAIT_SECONDS * 1000)}")


def _rolled_back_for_others(error: DBAPIError) -> bool:
    return (getattr(error.orig, "sqlstate", None) or "").startswith("40")
