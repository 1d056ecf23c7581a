"""Whose ledger this is, and the keys that it keeps."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from memorygraph.ids import new_id
from memorygraph.ledger.database import Database
from memorygraph.ledger.database_time import database_now_ms
from memorygraph.ledger.tables import secret, store

__all__ = ["StoreIdentities", "StoreIdentity"]

_FINGERPRINT_KEY = "fingerprint"
_KEY_BYTES = 32


@dataclass(frozen=True, kw_only=True)
class StoreIdentity:
    store_id: str
    """The same in the graph's Store node and in ``store.json``."""
    ready: bool
    """The graph is known to hold ``store_id``."""


class StoreIdentities:
    """The ``store`` and ``secret`` tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def peek(self) -> StoreIdentity | None:
        """The identity, or None while nobody has asked for one."""
        return await self._database.read(_read_identity)

    async def get_or_create(self) -> StoreIdentity:
        """The identity, made by the first of all who ask at once."""
        found = await self.peek()
        return found if found is not None else await self._database.write(self._create)

    async def mark_ready(self) -> None:
        """Note that the graph holds the store's id."""
        await self._database.write_rows(update(store).values(ready=True))

    async def fingerprint_key(self) -> bytes:
        """32 random bytes, made by the first of all who ask at once."""

        async def read(connection: AsyncConnection) -> bytes | None:
            return await connection.scalar(select(secret.c.value).where(secret.c.name == _FINGERPRINT_KEY))

        async def create(connection: AsyncConnection) -> bytes:
            row = {"name": _FINGERPRINT_KEY, "value": secrets.token_bytes(_KEY_BYTES), "created_at": database_now_ms()}
            await connection.execute(self._database.insert(secret).values(row).on_conflict_do_nothing())
            key = await read(connection)
            assert key is not None
            return key

        found = await self._database.read(read)
        return found if found is not None else await self._database.write(create)

    async def _create(self, connection: AsyncConnection) -> StoreIdentity:
        now_ms = await connection.scalar(select(database_now_ms()))
        assert now_ms is not None
        row = {"only_row": 1, "store_id": new_id(now_ms), "ready": False, "created_at": now_ms}
        await connection.execute(self._database.insert(store).values(row).on_conflict_do_nothing())
        identity = await _read_identity(connection)
        assert identity is not None
        return identity


async def _read_identity(connection: AsyncConnection) -> StoreIdentity | None:
    row = (await connection.execute(select(store.c.store_id, store.c.ready))).first()
    return None if row is None else StoreIdentity(store_id=row.store_id, ready=row.ready)
