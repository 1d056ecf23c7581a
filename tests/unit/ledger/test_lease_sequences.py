"""Leases under any sequence of what holders and time may do, on a real SQLite file."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from memorygraph.errors import LeaseLost
from memorygraph.ledger import Lease, Ledger
from memorygraph.ledger.database import Database
from memorygraph.ledger.tables import lease as lease_table

NAMES = st.sampled_from(["cycle:alice", "cycle:bob"])


@dataclass(frozen=True)
class Acquire:
    name: str
    holder: str
    above: int


@dataclass(frozen=True)
class Renew:
    nth: int  # of all leases had so far


@dataclass(frozen=True)
class Release:
    nth: int


@dataclass(frozen=True)
class Expire:
    name: str


Step = Acquire | Renew | Release | Expire
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(Acquire, name=NAMES, holder=st.sampled_from(["one", "two"]), above=st.integers(0, 5)),
    st.builds(Renew, nth=st.integers(0, 9)),
    st.builds(Release, nth=st.integers(0, 9)),
    st.builds(Expire, name=NAMES),
)


class Model:
    """Who holds which name, whether the time is up, and the highest token so far, told without a database."""

    def __init__(self) -> None:
        self.held: dict[str, int] = {}  # name → token
        self.expired: set[str] = set()
        self.highest: dict[str, int] = {}

    def acquire(self, step: Acquire) -> int | None:
        if step.name in self.held and step.name not in self.expired:
            return None
        token = max(self.highest.get(step.name, 0), step.above) + 1
        self.held[step.name] = self.highest[step.name] = token
        self.expired.discard(step.name)
        return token

    def renew(self, lease: Lease) -> bool:
        if self.held.get(lease.name) != lease.token:
            return False
        self.expired.discard(lease.name)
        return True

    def release(self, lease: Lease) -> None:
        if self.held.get(lease.name) == lease.token:
            del self.held[lease.name]


async def renewed(ledger: Ledger, lease: Lease) -> bool:
    try:
        renewal = await ledger.leases.renew(lease, 3600)
    except LeaseLost:
        return False
    assert renewal.token == lease.token
    return True


@settings(max_examples=20)
@given(steps=st.lists(STEPS, min_size=5, max_size=25))
async def test_leases_do_what_the_model_does_whatever_happens(steps: list[Step]) -> None:
    model, had = Model(), list[Lease]()
    with tempfile.TemporaryDirectory() as folder:
        ledger = await Ledger.open(None, data_dir=Path(folder))
        database = Database(ledger.location)
        try:
            for step in steps:
                match step:
                    case Acquire(name, holder, above):
                        lease = await ledger.leases.acquire(name, holder=holder, ttl_seconds=3600, above=above)
                        assert (None if lease is None else lease.token) == model.acquire(step)
                        had += [] if lease is None else [lease]
                    case Renew(nth) if nth < len(had):
                        assert await renewed(ledger, had[nth]) == model.renew(had[nth])
                    case Release(nth) if nth < len(had):
                        await ledger.leases.release(had[nth])
                        model.release(had[nth])
                    case Expire(name):
                        past = update(lease_table).where(lease_table.c.name == name).values(expires_at=1)
                        await database.write_rows(past)
                        model.expired.add(name)
                    case _:
                        pass
        finally:
            await database.close()
            await ledger.close()
