"""Ledgers on both back ends: a SQLite file and a PostgreSQL database."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest

from memorygraph.ledger import Ledger
from memorygraph.ledger.location import locate
from memorygraph.ledger.schema import bring_up_to_date
from tests.support.postgres import Postgres, start_postgres

LedgerKind = Literal["sqlite", "postgresql"]
NewUrl = Callable[[], str]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all ledger tests."""
    with start_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_kind(request: pytest.FixtureRequest) -> LedgerKind:
    """Each test that asks for a ledger runs on both."""
    kind: LedgerKind = request.param
    return kind


@pytest.fixture
def new_url(ledger_kind: LedgerKind, request: pytest.FixtureRequest, tmp_path: Path) -> NewUrl:
    """Names, at each call, a place where there is no ledger yet: a missing file, an empty database."""
    if ledger_kind == "postgresql":
        server: Postgres = request.getfixturevalue("postgres")
        return server.create_database
    numbers = itertools.count(1)
    return lambda: f"sqlite:///{tmp_path / f'ledger-{next(numbers)}.sqlite'}"


@pytest.fixture
def empty_url(new_url: NewUrl) -> str:
    """One such place."""
    return new_url()


@pytest.fixture
def ledger_url(empty_url: str, tmp_path: Path) -> str:
    """A ledger with nothing in it but its schema, which nobody has open."""
    bring_up_to_date(locate(empty_url, data_dir=tmp_path))
    return empty_url


@pytest.fixture
async def ledger(empty_url: str, tmp_path: Path) -> AsyncIterator[Ledger]:
    """An open ledger, new."""
    ledger = await Ledger.open(empty_url, data_dir=tmp_path)
    yield ledger
    await ledger.close()


@pytest.fixture
async def replica(ledger: Ledger, empty_url: str, tmp_path: Path) -> AsyncIterator[Ledger]:
    """The same ledger, opened a second time with connections of its own."""
    replica = await Ledger.open(empty_url, data_dir=tmp_path)
    yield replica
    await replica.close()
