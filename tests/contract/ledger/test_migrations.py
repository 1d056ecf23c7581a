"""What an older version wrote is still there after the migrations, and works."""

from __future__ import annotations

import asyncio
from pathlib import Path

from alembic import command
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from memorygraph.ledger import JobRecord, Ledger
from memorygraph.ledger.location import locate
from memorygraph.ledger.schema import HEAD, bring_up_to_date, migration_config

JOBS_OF_REVISION_1 = """
    INSERT INTO job (id, end_user_id, kind, state, dedupe_key, payload, progress, attempt, max_attempts, run_at,
                     holder, fencing_token, lease_expires_at, created_at, updated_at, finished_at)
    VALUES ('j1', 'alice', 'x', 'queued', 'k', '{"n": 1}', '{"chunk": 2}', 1, 5, 7, NULL, 3, NULL, 5, 6, NULL),
           ('j2', 'alice', 'x', 'running', NULL, '{}', NULL, 1, 5, 7, 'one', 1, 9, 5, 6, NULL),
           ('j3', 'alice', 'x', 'dead', NULL, '{}', NULL, 5, 5, 7, NULL, 5, NULL, 5, 6, 8)
"""


def write_with_revision_1(url: str) -> None:
    engine = create_engine(locate(url, data_dir=Path()).sync_url, poolclass=NullPool)
    try:
        with engine.begin() as connection:
            command.upgrade(migration_config(connection), "0001")
            connection.execute(text(JOBS_OF_REVISION_1.replace(": ", "\\: ")))
    finally:
        engine.dispose()


def test_jobs_of_the_first_revision_are_kept_and_run(empty_url: str, tmp_path: Path) -> None:
    write_with_revision_1(empty_url)
    assert bring_up_to_date(locate(empty_url, data_dir=tmp_path)) == "0001"

    async def work() -> tuple[str, JobRecord, list[JobRecord]]:
        ledger = await Ledger.open(empty_url, data_dir=tmp_path)
        try:
            queued = await ledger.jobs.get("alice", "j1")
            claimed = await ledger.jobs.claim(holder="two", kinds=["x"], lease_seconds=60, limit=3)
            return await ledger.revision(), queued, list(claimed)
        finally:
            await ledger.close()

    revision, queued, claimed = asyncio.run(work())
    assert revision == HEAD
    assert queued == JobRecord(
        id="j1",
        end_user_id="alice",
        kind="x",
        state="queued",
        dedupe_key="k",
        payload={"n": 1},
        progress={"chunk": 2},
        result=None,
        error=None,
        attempt=1,
        max_attempts=5,
        run_at=7,
        holder=None,
        fencing_token=3,
        lease_expires_at=None,
        created_at=5,
        updated_at=6,
        finished_at=None,
        cancel_requested=False,
        claimed_at=None,
        takeovers=0,
        outages=0,
        outage_since=None,
        calls=0,
        prompt_tokens=0,
        completion_tokens=0,
    )
    assert {job.id: job.fencing_token for job in claimed} == {"j1": 4, "j2": 2}
