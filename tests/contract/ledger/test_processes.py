"""Several processes on one ledger, and processes that are killed."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

from sqlalchemy import create_engine, inspect
from sqlalchemy.pool import NullPool

from memorygraph.ledger import Ledger
from memorygraph.ledger.location import locate
from memorygraph.ledger.schema import HEAD, VERSION_TABLE
from memorygraph.ledger.tables import metadata
from tests.contract.ledger.conftest import LedgerKind, NewUrl
from tests.support.ledger_workers import (
    Opened,
    Span,
    die_while_migrating,
    hold_a_lease_in_turn,
    open_at_once,
    run_processes,
)


def tables_at(url: str) -> set[str]:
    engine = create_engine(locate(url, data_dir=Path()).sync_url, poolclass=NullPool)
    try:
        return set(inspect(engine).get_table_names())
    finally:
        engine.dispose()


async def use(url: str, data_dir: Path) -> Opened:
    ledger = await Ledger.open(url, data_dir=data_dir)
    try:
        await ledger.cycles.start(
            "alice", trigger_type="manual", started_at=1, fencing_token=1, parameters={}, actor="tester"
        )
        return Opened(await ledger.revision(), (await ledger.identity()).store_id, await ledger.fingerprint_key())
    finally:
        await ledger.close()


def test_four_processes_that_start_on_an_empty_database_at_once_make_one_ledger(
    new_url: NewUrl, tmp_path: Path
) -> None:
    urls = [new_url() for _ in range(5)]
    answers: list[list[Opened]] = run_processes(4, open_at_once, urls, tmp_path)
    for number, url in enumerate(urls):
        seen = {answer[number] for answer in answers}
        assert seen == {asyncio.run(use(url, tmp_path))}, "all see the one identity and the one key"
        assert {opened.revision for opened in seen} == {HEAD}


def test_processes_hold_a_lease_one_after_another(new_url: NewUrl, tmp_path: Path) -> None:
    url = new_url()
    asyncio.run(use(url, tmp_path))
    answers: list[list[Span]] = run_processes(3, hold_a_lease_in_turn, url, tmp_path, 15)
    spans = sorted((span for answer in answers for span in answer), key=lambda span: span.token)
    assert [span.token for span in spans] == list(range(1, 46)), "every token is handed out once"
    assert all(earlier.end <= later.start for earlier, later in itertools.pairwise(spans))


def test_a_migration_killed_before_any_of_its_statements_leaves_nothing_half_done(
    ledger_kind: LedgerKind, new_url: NewUrl, tmp_path: Path
) -> None:
    # A new database costs PostgreSQL a tenth of a second, so it is killed at fewer of the statements.
    step = 3 if ledger_kind == "sqlite" else 8
    urls = [new_url() for _ in range(96 // step)]
    (killed,) = run_processes(1, die_while_migrating, urls, 1, step, tmp_path)
    assert len(killed) >= 30 // step, "the migration has that many statements to be killed at"
    assert len(killed) < len(urls), "the last one ran to its end"
    for url, statement in killed:
        assert tables_at(url) == set(), f"killed before statement {statement}"
    for url in urls[: len(killed) + 1]:
        assert asyncio.run(use(url, tmp_path)).revision == HEAD
        assert tables_at(url) == {*metadata.tables, VERSION_TABLE}
