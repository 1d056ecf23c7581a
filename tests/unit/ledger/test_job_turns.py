"""The statement that chooses whose job is next looks into indexes, and reads no user's whole queue."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Executable
from sqlalchemy.dialects import sqlite

from memorygraph.ledger.job_turns import any_due, sweep_abandoned, take_abandoned, take_queued
from memorygraph.ledger.location import locate
from memorygraph.ledger.schema import bring_up_to_date


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "ledger.sqlite"
    bring_up_to_date(locate(f"sqlite:///{path}", data_dir=tmp_path))
    with closing(sqlite3.connect(path, cached_statements=0)) as connection:
        yield connection


def plan(database: sqlite3.Connection, statement: Executable) -> list[str]:
    compiled = statement.compile(  # type: ignore[attr-defined]
        dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True, "render_postcompile": True}
    )
    return [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {compiled}")]


def read_whole(steps: list[str]) -> list[str]:
    """Where all jobs are gone through, under any name of the table, in whatever order."""
    return [step for step in steps if re.match(r"SCAN (job|other|busy|served|first|head|near)\b", step)]


def test_no_statement_of_a_claim_goes_through_all_jobs(database: sqlite3.Connection) -> None:
    statements = [
        any_due(1, ["x"]),
        sweep_abandoned(1),
        take_abandoned(1, ["x"], holder="h", lease_ms=1, limit=2),
        take_queued(1, ["x"], holder="h", lease_ms=1, limit=2, postgresql=False),
    ]
    for statement in statements:
        assert read_whole(plan(database, statement)) == []
    database.execute("DROP INDEX ix_job_abandoned")
    assert read_whole(plan(database, statements[1])), "it would be seen"


@pytest.mark.parametrize(
    "look",
    [
        "other USING INDEX ix_job_waiting (end_user_id>?)",
        "first USING INDEX ix_job_waiting (end_user_id=? AND run_at<?)",
        "head USING INDEX ix_job_waiting (end_user_id=? AND run_at<?)",
        "served USING COVERING INDEX ix_job_end_user_id_claimed_at (end_user_id=?)",
        "busy USING INDEX ix_job_abandoned (lease_expires_at>?)",
    ],
)
def test_whose_turn_it_is_is_found_by_few_looks_a_user(database: sqlite3.Connection, look: str) -> None:
    steps = plan(database, take_queued(1, ["x"], holder="h", lease_ms=1, limit=2, postgresql=False))
    assert f"SEARCH {look}" in steps
