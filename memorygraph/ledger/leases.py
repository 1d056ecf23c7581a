"""Leases: one holder at a time, on database time, with a fencing token that only grows."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, and_, case, update

from memorygraph.errors import LeaseLost, StoreUnavailable
from memorygraph.ledger.database import Database
from memorygraph.ledger.database_time import database_now_ms
from memorygraph.ledger.tables import lease as lease_table

__all__ = ["Lease", "Leases"]

_log = logging.getLogger(__name__)
_ASK_AGAIN = 0.05  # seconds


@dataclass(frozen=True, kw_only=True)
class Lease:
    name: str
    holder: str
    token: int
    """Greater than that of every lease of this name before it: whoever compares it fences off earlier holders."""
    expires_at: int
    """Database time, epoch ms."""


class Leases:
    """The ``lease`` table. Time to live is in seconds, greater than 0."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def held(
        self, name: str, *, ttl_seconds: float, above: int = 0, patience: float = 0
    ) -> AsyncIterator[Lease | None]:
        """A lease that is renewed while the block runs and released after it, as this process's; see :meth:`acquire`.

        None when somebody else held it for all of ``patience`` seconds. A block that lost it all the
        same, because the ledger was away, runs on: what it does has to be fenced, or do no harm twice.
        """
        holder = f"{socket.gethostname()}:{os.getpid()}"
        deadline = time.monotonic() + patience
        while (lease := await self._acquire_whole(name, holder, ttl_seconds, above)) is None:
            if time.monotonic() >= deadline:
                yield None
                return
            await asyncio.sleep(_ASK_AGAIN)
        keeper = asyncio.create_task(self._keep(lease, ttl_seconds), name="memorygraph-lease")
        try:
            yield lease
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
            try:
                await self.release(lease)
            except StoreUnavailable as error:
                # It expires by itself, and how the block ended matters more.
                _log.warning("the lease %s could not be released: %s", name, error)

    async def _acquire_whole(self, name: str, holder: str, ttl_seconds: float, above: int) -> Lease | None:
        """As :meth:`acquire`; cancelled, it leaves nothing that would keep others waiting until it expires."""
        acquiring = asyncio.ensure_future(self.acquire(name, holder=holder, ttl_seconds=ttl_seconds, above=above))
        try:
            return await asyncio.shield(acquiring)
        except asyncio.CancelledError:
            if (taken := await acquiring) is not None:
                await self.release(taken)
            raise

    async def _keep(self, lease: Lease, ttl_seconds: float) -> None:
        while True:
            await asyncio.sleep(ttl_seconds / 3)
            try:
                await self.renew(lease, ttl_seconds)
            except StoreUnavailable as error:
                # The next time is soon enough: it expires after three.
                _log.warning("the lease %s could not be renewed: %s", lease.name, error)

    async def acquire(self, name: str, *, holder: str, ttl_seconds: float, above: int = 0) -> Lease | None:
        """The lease, or None while somebody holds it (the same ``holder`` included: it is not reentrant).

        One that expired is taken over. The token exceeds ``above`` too: pass the highest token
        that another store has seen, which is ahead when the ledger was put back from a backup.
        """
        expires_at = _now_plus(ttl_seconds)
        insert = self._database.insert(lease_table).values(
            name=name, holder=holder, token=above + 1, expires_at=expires_at
        )
        highest = case((lease_table.c.token > above, lease_table.c.token), else_=above)
        statement = insert.on_conflict_do_update(
            index_elements=[lease_table.c.name],
            set_={"holder": holder, "token": highest + 1, "expires_at": expires_at},
            where=lease_table.c.expires_at <= database_now_ms(),
        ).returning(lease_table.c.token, lease_table.c.expires_at)

        for row in await self._database.write_rows(statement):
            return Lease(name=name, holder=holder, token=row["token"], expires_at=row["expires_at"])
        return None

    async def renew(self, lease: Lease, ttl_seconds: float) -> Lease:
        """The lease with ``ttl_seconds`` from now; also when it expired and nobody took it over.

        Raises :class:`LeaseLost` when it was taken over or released.
        """
        statement = (
            update(lease_table)
            .where(_held_as(lease))
            .values(expires_at=_now_plus(ttl_seconds))
            .returning(lease_table.c.expires_at)
        )
        for row in await self._database.write_rows(statement):
            return replace(lease, expires_at=row["expires_at"])
        raise LeaseLost(f"The lease {lease.name} with token {lease.token} is no longer {lease.holder}'s.")

    async def release(self, lease: Lease) -> None:
        """Let others have it at once. Nothing happens when it is lost already."""
        await self._database.write_rows(update(lease_table).where(_held_as(lease)).values(holder=None, expires_at=0))


def _now_plus(seconds: float) -> ColumnElement[int]:
    if not seconds > 0:
        raise ValueError("ttl_seconds must be greater than 0")
    return database_now_ms() + max(1, round(seconds * 1000))


def _held_as(lease: Lease) -> ColumnElement[bool]:
    columns = lease_table.c
    return and_(columns.name == lease.name, columns.token == lease.token, columns.holder == lease.holder)
