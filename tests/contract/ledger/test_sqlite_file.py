"""What is true of a ledger in a SQLite file only."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from memorygraph.errors import DataFolderUnusable, SchemaTooNew, StoreBusy, StoreCorrupt
from memorygraph.ledger import Ledger, sqlite_file
from memorygraph.ledger.database import Database
from memorygraph.ledger.location import locate
from memorygraph.ledger.schema import HEAD, VERSION_TABLE, bring_up_to_date
from memorygraph.ledger.tables import lease
from tests.support.ledger_workers import open_as_nobody, open_with_little_room, run_processes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A ledger with one cycle in it, which nobody has open."""
    path = tmp_path / "folder" / "ledger.sqlite"
    bring_up_to_date(locate(f"sqlite:///{path}", data_dir=tmp_path))
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def open_and_close(path: Path) -> None:
    async def work() -> None:
        ledger = await Ledger.open(f"sqlite:///{path}", data_dir=path.parent)
        await ledger.close()

    asyncio.run(work())


async def test_the_ledger_is_a_file_of_the_data_folder_unless_a_url_says_otherwise(tmp_path: Path) -> None:
    data_dir = tmp_path / "not there yet" / "100% ours"
    ledger = await Ledger.open(None, data_dir=data_dir)
    await ledger.identity()
    await ledger.close()
    assert [path.name for path in data_dir.iterdir()] == ["ledger.sqlite"], "closing leaves nothing beside it"


def test_the_file_with_the_key_in_it_is_for_its_owner_alone(file: Path) -> None:
    open_and_close(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


async def test_commits_are_durable_and_references_enforced_on_every_connection(file: Path) -> None:
    database = Database(locate(f"sqlite:///{file}", data_dir=file.parent))
    try:
        for run in (database.read_rows, database.write_rows):
            settings = {
                name: next(iter((await run(text(f"PRAGMA {name}")))[0].values()))
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            }
            assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}
    finally:
        await database.close()
    with closing(sqlite3.connect(file)) as plain:
        assert plain.execute("PRAGMA foreign_keys").fetchone() == (0,), "it is no default"


async def test_readers_do_not_wait_for_a_writer(file: Path) -> None:
    ledger = await Ledger.open(f"sqlite:///{file}", data_dir=file.parent)
    try:
        with closing(sqlite3.connect(file, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("INSERT INTO lease VALUES ('x', 'y', 1, 1)")
            assert await ledger.peek_identity() is None
            writer.execute("ROLLBACK")
    finally:
        await ledger.close()


async def test_a_writer_that_waits_too_long_for_another_process_is_told_that_it_is_busy(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_TIMEOUT_SECONDS", 0.05)
    ledger = await Ledger.open(f"sqlite:///{file}", data_dir=file.parent)
    try:
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusy):
                await ledger.mark_ready()
            other.execute("COMMIT")
        await ledger.mark_ready()
    finally:
        await ledger.close()


async def test_writers_that_read_first_wait_for_each_other_instead_of_failing(file: Path) -> None:
    databases = [Database(locate(f"sqlite:///{file}", data_dir=file.parent)) for _ in range(3)]

    async def count(connection: AsyncConnection) -> None:
        token = (await connection.execute(select(lease.c.token))).scalar_one()
        await connection.execute(update(lease).values(token=token + 1))

    try:
        await databases[0].write_rows(insert(lease).values(name="counter", token=1, expires_at=0))
        await asyncio.gather(*(database.write(count) for database in databases * 10))
        assert [row["token"] for row in await databases[0].read_rows(select(lease.c.token))] == [31]
    finally:
        await asyncio.gather(*(database.close() for database in databases))


def test_opening_waits_while_another_process_is_writing_the_new_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as other, ThreadPoolExecutor() as executor:
        # The first steps of a process that creates it: there is a file, which keeps no write-ahead log yet.
        other.execute("PRAGMA user_version = 1")
        other.execute("BEGIN IMMEDIATE")
        opening = executor.submit(sqlite_file.prepare, path)
        with pytest.raises(TimeoutError):
            opening.result(timeout=0.2)
        other.execute("COMMIT")
        opening.result(timeout=30)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(
    ("start", "bytes_written"),
    [(0, b"this is no database at all......"), (0, b"\0" * 100), (4_096, b"\xff" * 3_000)],
    ids=["text", "zeros over the header", "damage in the middle"],
)
def test_a_damaged_file_is_refused_and_left_as_it_is(file: Path, start: int, bytes_written: bytes) -> None:
    open_and_close(file)
    with file.open("r+b") as handle:
        handle.seek(start)
        handle.write(bytes_written)
    before = contents(file.parent)
    with pytest.raises(StoreCorrupt) as refusal:
        open_and_close(file)
    assert str(file) in refusal.value.message
    assert refusal.value.hint
    assert contents(file.parent) == before


def test_a_file_that_lost_its_end_is_refused_and_left_as_it_is(file: Path) -> None:
    open_and_close(file)
    os.truncate(file, file.stat().st_size // 2)
    before = contents(file.parent)
    with pytest.raises(StoreCorrupt):
        open_and_close(file)
    assert contents(file.parent) == before


def test_a_newer_schema_that_is_still_in_the_write_ahead_log_is_seen_and_refused(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as newer:
        newer.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
        before = file.read_bytes()
        with pytest.raises(SchemaTooNew):
            open_and_close(file)
        assert file.read_bytes() == before
        newer.execute(f"UPDATE {VERSION_TABLE} SET version_num = '{HEAD}'")
    open_and_close(file)


def test_an_empty_file_becomes_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.touch()
    open_and_close(path)
    assert sqlite_file.look_at(path, version_table=VERSION_TABLE) == HEAD


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataFolderUnusable) as refusal:
        open_and_close(tmp_path / "file" / "ledger.sqlite")
    assert refusal.value.hint
    assert contents(tmp_path) == {"file": b""}


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").mkdir()
    with pytest.raises(DataFolderUnusable):
        open_and_close(tmp_path / "ledger.sqlite")


def test_a_full_disk_is_told_and_leaves_no_half_made_schema(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    assert run_processes(1, open_with_little_room, f"sqlite:///{path}", tmp_path, 60_000) == ["DataFolderUnusable"]
    assert sqlite_file.look_at(path, version_table=VERSION_TABLE) is None
    assert run_processes(1, open_with_little_room, f"sqlite:///{path}", tmp_path, 10_000_000) == ["opened"]
    assert sqlite_file.look_at(path, version_table=VERSION_TABLE) == HEAD


def test_a_file_that_may_not_be_written_is_refused_and_left_as_it_is() -> None:
    # pytest's folders are closed to other accounts; this one can be entered.
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        file = Path(base) / "folder" / "ledger.sqlite"
        url = f"sqlite:///{file}"
        bring_up_to_date(locate(url, data_dir=file.parent))
        before = contents(file.parent)

        file.chmod(0o444)
        file.parent.chmod(0o555)
        assert run_processes(1, open_as_nobody, url, file.parent) == ["DataFolderUnusable"]
        assert contents(file.parent) == before

        file.chmod(0o666)
        file.parent.chmod(0o777)
        assert run_processes(1, open_as_nobody, url, file.parent) == ["opened"]
