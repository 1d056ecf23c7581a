"""The ledger as the rest of the engine sees it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sqlalchemy import literal, select, text

from memorygraph.ledger.cycles import Cycles
from memorygraph.ledger.database import Database
from memorygraph.ledger.erasures import Erasures
from memorygraph.ledger.jobs import Jobs
from memorygraph.ledger.leases import Leases
from memorygraph.ledger.location import Kind, LedgerLocation, locate
from memorygraph.ledger.parameters import Parameters
from memorygraph.ledger.schema import VERSION_TABLE, bring_up_to_date
from memorygraph.ledger.store_identity import StoreIdentities, StoreIdentity

__all__ = ["Ledger"]


class Ledger:
    """One open ledger, on the event loop that opened it. Made by :meth:`open`, ended by :meth:`close`.

    Any method may raise the :class:`~memorygraph.errors.StoreError` that the database's trouble
    is mapped to.
    """

    leases: Leases
    cycles: Cycles
    parameters: Parameters
    jobs: Jobs
    erasures: Erasures

    def __init__(self, database: Database, *, revision_before: str | None) -> None:
        self._database = database
        self.revision_before = revision_before
        """The schema's revision when the ledger was opened; None: it was made then."""
        self._identities = StoreIdentities(database)
        self.leases = Leases(database)
        self.cycles = Cycles(database)
        self.parameters = Parameters(database)
        self.jobs = Jobs(database)
        self.erasures = Erasures(database)

    @classmethod
    async def open(cls, url: str | None, *, data_dir: Path) -> Ledger:
        """The ledger at ``url``, or ``ledger.sqlite`` in ``data_dir`` when it is None; made or migrated if need be.

        Raises, with the database untouched, :class:`ConfigurationError` for a URL that cannot be
        used, :class:`SchemaTooNew`, :class:`StoreCorrupt`, :class:`ServerTooOld`,
        :class:`DataFolderUnusable`, :class:`AuthenticationFailed` and :class:`StoreUnavailable`.
        """
        location = locate(url, data_dir=data_dir)
        before = await asyncio.to_thread(bring_up_to_date, location)
        return cls(Database(location), revision_before=before)

    async def close(self) -> None:
        """Close every connection. Twice does no harm."""
        await self._database.close()

    @property
    def location(self) -> LedgerLocation:
        """Where it is; ``str()`` of it masks the password."""
        return self._database.location

    @property
    def kind(self) -> Kind:
        """``sqlite`` or ``postgresql``."""
        return self._database.location.kind

    async def ping(self) -> None:
        """Return when the database answers."""
        await self._database.read_rows(select(literal(1)))

    async def revision(self) -> str:
        """The schema's revision, as the database tells it."""
        (row,) = await self._database.read_rows(text(f"SELECT version_num FROM {VERSION_TABLE}"))
        return str(row["version_num"])

    async def identity(self) -> StoreIdentity:
        """Whose ledger it is; a new store id, the same for all who ask at once, when it is nobody's yet."""
        return await self._identities.get_or_create()

    async def peek_identity(self) -> StoreIdentity | None:
        """Whose ledger it is; None when it is nobody's yet, and it stays so."""
        return await self._identities.peek()

    async def mark_ready(self) -> None:
        """Note that the graph holds this ledger's store id."""
        await self._identities.mark_ready()

    async def fingerprint_key(self) -> bytes:
        """The 32 bytes under which values are fingerprinted; made once, the same for all who ask at once."""
        return await self._identities.fingerprint_key()
