"""Making the ledger's tables anew, on both back ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from memorygraph.errors import StoreBusy
from memorygraph.ledger import sqlite_file
from memorygraph.ledger.compaction import compact_ledger
from memorygraph.ledger.database import Database
from memorygraph.ledger.location import locate
from memorygraph.ledger.tables import job
from tests.contract.ledger.conftest import LedgerKind

CANARY = "zuckerrohr"


def row(number: int, text: str) -> dict[str, object]:
    return {
        "id": f"job-{number}",
        "end_user_id": "ana",
        "kind": "ingest",
        "state": "queued",
        "payload": {"text": text},
        "max_attempts": 1,
        "run_at": 0,
        "created_at": 0,
        "updated_at": 0,
    }


def says_the_word(folder: Path) -> bool:
    return any(CANARY.encode() in path.read_bytes() for path in folder.iterdir())


async def write_and_delete(url: str, folder: Path) -> None:
    database = Database(locate(url, data_dir=folder))
    rows = [row(number, f"{CANARY} {number} " * 100) for number in range(200)]
    await database.write_rows(insert(job), [*rows, row(200, "kept")])
    await database.write_rows(delete(job).where(job.c.id != "job-200"))
    await database.close()


async def test_the_tables_become_smaller_and_keep_their_rows(ledger_url: str, tmp_path: Path) -> None:
    await write_and_delete(ledger_url, tmp_path)

    compacted = compact_ledger(ledger_url, data_dir=tmp_path)

    assert compacted.bytes_after < compacted.bytes_before
    database = Database(locate(ledger_url, data_dir=tmp_path))

    async def read(connection: AsyncConnection) -> list[object]:
        return [payload["text"] for payload in await connection.scalars(select(job.c.payload))]

    assert await database.read(read) == ["kept"]
    await database.close()


@pytest.mark.parametrize("ledger_kind", ["sqlite"], indirect=True)
async def test_deleted_text_is_in_no_file_of_a_sqlite_ledger(
    ledger_kind: LedgerKind, ledger_url: str, tmp_path: Path
) -> None:
    database = Database(locate(ledger_url, data_dir=tmp_path))
    await database.write_rows(insert(job), [row(0, CANARY)])
    await database.write_rows(delete(job))
    assert says_the_word(tmp_path), "in the write-ahead log"
    await database.close()

    compact_ledger(ledger_url, data_dir=tmp_path)

    assert not says_the_word(tmp_path)


@pytest.mark.parametrize("ledger_kind", ["sqlite"], indirect=True)
async def test_a_sqlite_ledger_that_is_being_read_is_busy(
    ledger_kind: LedgerKind, ledger_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_TIMEOUT_SECONDS", 0.1)
    database = Database(locate(ledger_url, data_dir=tmp_path))
    await database.write_rows(insert(job), [row(0, "kept")])

    async def read(connection: AsyncConnection) -> int | None:
        await connection.scalar(select(func.count()).select_from(job))
        with pytest.raises(StoreBusy):
            compact_ledger(ledger_url, data_dir=tmp_path)
        return await connection.scalar(select(func.count()).select_from(job))

    assert await database.read(read) == 1
    await database.close()
