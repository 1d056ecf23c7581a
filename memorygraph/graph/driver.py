"""The one connection to the graph server: transactions with retry, errors translated once."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar, cast

import neo4j
from neo4j import exceptions

from memorygraph.errors import ConstraintViolated, StoreBusy, StoreUnavailable
from memorygraph.graph.session import AdminTransaction, TornRead
from memorygraph.graph.store import UserStore
from memorygraph.graph.translation import translate

__all__ = ["GraphDriver"]

T = TypeVar("T")
_JITTER = (0.005, 0.05)  # seconds before a conflicting transaction is tried again
_LONGEST_PAUSE = 1.0  # seconds between tries to reach a server that is away


class GraphDriver:
    """Runs transactions on the graph server.

    ``timeout`` in seconds bounds a transaction with all its retries. Conflicts with other writers
    are retried after 5–50 ms, a server that is away with growing pauses, and a unique key that was
    taken meanwhile once. A commit whose answer was lost is retried too, so the work must recognise
    what it has already done.
    """

    def __init__(self, driver: neo4j.AsyncDriver, *, database: str, timeout: float) -> None:
        self._driver = driver
        self._database = database
        self._timeout = timeout
        self._closed = False
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @classmethod
    def connect(
        cls,
        uri: str,
        *,
        user: str,
        password: str | None,
        database: str,
        pool_size: int,
        connect_timeout: float,
        transaction_timeout: float,
    ) -> GraphDriver:
        """A driver for ``uri``; nothing is sent before the first transaction. Times are in seconds."""
        try:
            driver = neo4j.AsyncGraphDatabase.driver(
                uri,
                auth=None if password is None else neo4j.basic_auth(user, password),
                max_connection_pool_size=pool_size,
                connection_timeout=connect_timeout,
                connection_acquisition_timeout=transaction_timeout,
                notifications_min_severity="OFF",
                telemetry_disabled=True,
                user_agent="memorygraph",
            )
        except exceptions.DriverError as error:
            raise translate(error) from error
        return cls(driver, database=database, timeout=transaction_timeout)

    async def close(self) -> None:
        """Let running transactions end, start no other, and close every connection. Twice does no harm.

        What is asked for later raises :class:`StoreUnavailable`.
        """
        self._closed = True
        await self._idle.wait()
        await self._driver.close()

    async def read(self, end_user_id: str, work: Callable[[UserStore], Awaitable[T]]) -> T:
        """Run ``work`` in a reading transaction of one user, again from its start where a writer got in between."""
        return await self._run("READ", lambda transaction: work(UserStore(transaction, end_user_id, alone=False)))

    async def write(self, end_user_id: str, work: Callable[[UserStore], Awaitable[T]]) -> T:
        """Run ``work`` in a writing transaction of one user, again from its start after a conflict."""
        return await self._run("WRITE", lambda transaction: work(UserStore(transaction, end_user_id)))

    async def admin(self, work: Callable[[AdminTransaction], Awaitable[T]], *, patient: bool = True) -> T:
        """Run ``work`` in a writing transaction outside any user; ``patient`` waits for a server that is away."""
        return await self._run("WRITE", lambda transaction: work(AdminTransaction(transaction)), patient=patient)

    async def define(self, statement: str) -> None:
        """Run one schema statement of a migration, which takes a transaction of its own."""

        async def work(transaction: neo4j.AsyncTransaction) -> None:
            await (await transaction.run(cast(Any, statement))).consume()

        await self._run("WRITE", work)

    async def _run(
        self,
        mode: Literal["READ", "WRITE"],
        work: Callable[[neo4j.AsyncTransaction], Awaitable[T]],
        *,
        patient: bool = True,
    ) -> T:
        self._check_open()
        self._running += 1
        self._idle.clear()
        try:
            return await self._repeated(mode, work, patient=patient)
        finally:
            self._running -= 1
            if self._running == 0:
                self._idle.set()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("The connection to the graph server is closed.")

    async def _repeated(
        self,
        mode: Literal["READ", "WRITE"],
        work: Callable[[neo4j.AsyncTransaction], Awaitable[T]],
        *,
        patient: bool,
    ) -> T:
        deadline = time.monotonic() + self._timeout
        raced = False
        away = 0
        while True:
            try:
                return await self._once(mode, work, max(deadline - time.monotonic(), 1.0))
            except (exceptions.Neo4jError, exceptions.DriverError, TornRead) as error:
                translated = error if isinstance(error, TornRead) else translate(error)
                if isinstance(translated, ConstraintViolated) and not raced:
                    raced = True
                elif not isinstance(translated, StoreUnavailable if patient else StoreBusy):
                    raise translated from error
                if isinstance(error, exceptions.DriverError):
                    away += 1
                pause = min(random.uniform(*_JITTER) * 2**away, _LONGEST_PAUSE)
                if time.monotonic() + pause > deadline:
                    raise translated from error
            self._check_open()
            await asyncio.sleep(pause)

    async def _once(
        self,
        mode: Literal["READ", "WRITE"],
        work: Callable[[neo4j.AsyncTransaction], Awaitable[T]],
        timeout: float,
    ) -> T:
        async with (
            self._driver.session(database=self._database, default_access_mode=mode) as session,
            await session.begin_transaction(timeout=timeout) as transaction,
        ):
            result = await work(transaction)
            await transaction.commit()
            return result
