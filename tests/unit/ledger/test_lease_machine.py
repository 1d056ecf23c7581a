"""Leases under any sequence of what holders and time may do, on a real SQLite file."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, multiple, rule
from sqlalchemy import update

from memorygraph.errors import LeaseLost
from memorygraph.ledger import Lease, Ledger
from memorygraph.ledger.database import Database
from memorygraph.ledger.tables import lease as lease_table

NAMES = st.sampled_from(["cycle:alice", "cycle:bob"])
HOLDERS = st.sampled_from(["one", "two"])


class LeaseMachine(RuleBasedStateMachine):
    """Holders acquire, renew and release; leases expire. The model is who holds which name, and every token so far."""

    leases: Bundle[Lease] = Bundle("leases")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.ledger = self.runner.run(Ledger.open(None, data_dir=Path(self.folder.name)))
        self.database = Database(self.ledger.location)
        self.current: dict[str, Lease] = {}
        self.expired: set[str] = set()
        self.highest: dict[str, int] = {}

    @rule(target=leases, name=NAMES, holder=HOLDERS, above=st.integers(0, 5))
    def acquire(self, name: str, holder: str, above: int) -> Lease:
        lease = self.runner.run(self.ledger.leases.acquire(name, holder=holder, ttl_seconds=3600, above=above))
        free = name not in self.current or name in self.expired
        assert (lease is not None) == free
        if lease is None:
            return multiple()  # type: ignore[return-value]
        assert lease.token == max(self.highest.get(name, 0), above) + 1
        self.highest[name] = lease.token
        self.current[name] = lease
        self.expired.discard(name)
        return lease

    @rule(lease=leases)
    def renew(self, lease: Lease) -> None:
        if self._holds(lease):
            renewed = self.runner.run(self.ledger.leases.renew(lease, 3600))
            assert renewed.token == lease.token
            assert renewed.expires_at >= lease.expires_at
            self.expired.discard(lease.name)
        else:
            with pytest.raises(LeaseLost):
                self.runner.run(self.ledger.leases.renew(lease, 3600))

    @rule(lease=consumes(leases))
    def release(self, lease: Lease) -> None:
        self.runner.run(self.ledger.leases.release(lease))
        if self._holds(lease):
            del self.current[lease.name]
            self.expired.discard(lease.name)

    @rule(name=NAMES)
    def expire(self, name: str) -> None:
        statement = update(lease_table).where(lease_table.c.name == name).values(expires_at=1)
        self.runner.run(self.database.write_rows(statement))
        if name in self.current:
            self.expired.add(name)

    def teardown(self) -> None:
        self.runner.run(self.database.close())
        self.runner.run(self.ledger.close())
        self.runner.close()
        self.folder.cleanup()

    def _holds(self, lease: Lease) -> bool:
        held = self.current.get(lease.name)
        return held is not None and held.token == lease.token


TestLeases = LeaseMachine.TestCase
TestLeases.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
