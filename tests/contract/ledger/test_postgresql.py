"""What is true of a ledger in PostgreSQL only."""

from __future__ import annotations

import asyncio
import socket
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from memorygraph.errors import AuthenticationFailed, ConfigurationError, StoreBusy, StoreUnavailable
from memorygraph.ledger import Ledger
from memorygraph.ledger import database as database_module
from memorygraph.ledger.database import Database
from memorygraph.ledger.location import locate
from memorygraph.ledger.tables import lease
from tests.support.postgres import Postgres


@pytest.fixture
def name() -> str:
    return f"ledger_{uuid.uuid4().hex}"


@pytest.fixture
async def ledger(postgres: Postgres, name: str, tmp_path: Path) -> AsyncIterator[Ledger]:
    """A new ledger in the database ``name``."""
    ledger = await Ledger.open(postgres.create_database(name), data_dir=tmp_path)
    yield ledger
    await ledger.close()


@pytest.fixture
async def database(ledger: Ledger) -> AsyncIterator[Database]:
    """Transactions on the ledger's tables, two of which hold a row."""
    database = Database(ledger.location)
    rows = [{"name": name, "holder": "one", "token": 1, "expires_at": 0} for name in ("a", "b")]
    await database.write_rows(insert(lease), rows)
    yield database
    await database.close()


async def test_a_database_that_does_not_exist_is_told_as_a_mistake_in_the_url(
    postgres: Postgres, name: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=name) as refusal:
        await Ledger.open(postgres.url_for(name), data_dir=tmp_path)
    assert refusal.value.hint
    postgres.create_database(name)
    ledger = await Ledger.open(postgres.url_for(name), data_dir=tmp_path)
    await ledger.close()


async def test_a_role_that_does_not_exist_may_not_enter(postgres: Postgres, name: str, tmp_path: Path) -> None:
    postgres.create_database(name)
    with pytest.raises(AuthenticationFailed) as refusal:
        await Ledger.open(postgres.url_for(name, user="nobody", password="hunter2"), data_dir=tmp_path)
    assert "hunter2" not in str(refusal.value)


async def test_a_role_without_the_right_to_make_tables_is_refused(
    postgres: Postgres, name: str, tmp_path: Path
) -> None:
    url = postgres.create_database(name)
    postgres.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
    with pytest.raises(AuthenticationFailed):
        await Ledger.open(postgres.url_for(name, user=name), data_dir=tmp_path)
    ledger = await Ledger.open(url, data_dir=tmp_path)
    await ledger.close()


async def test_a_ledger_that_is_up_to_date_opens_without_the_right_to_change_its_schema(
    ledger: Ledger, postgres: Postgres, name: str, tmp_path: Path
) -> None:
    postgres.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
    tables = sql.SQL("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO {}").format(sql.Identifier(name))
    postgres.execute(tables, database=name)
    limited = await Ledger.open(postgres.url_for(name, user=name), data_dir=tmp_path)
    try:
        assert await limited.identity() == await ledger.identity()
    finally:
        await limited.close()


async def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))  # bound, so that nobody else listens there, but not listening
        port = listener.getsockname()[1]
        with pytest.raises(StoreUnavailable) as refusal:
            await Ledger.open(f"postgresql://ana:hunter2@127.0.0.1:{port}/memory", data_dir=tmp_path)
    assert not isinstance(refusal.value, StoreBusy)
    assert str(port) in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


async def test_connections_that_the_server_dropped_are_replaced_unnoticed(
    ledger: Ledger, postgres: Postgres, name: str
) -> None:
    identity = await ledger.identity()
    cut = sql.SQL("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = {}").format(name)
    postgres.execute(cut)
    assert await ledger.identity() == identity
    postgres.execute(cut)
    await ledger.mark_ready()
    assert (await ledger.identity()).ready


async def test_a_connection_that_drops_in_a_transaction_makes_it_unavailable_and_undone(
    database: Database, postgres: Postgres, name: str
) -> None:
    cut = sql.SQL("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = {}").format(name)

    async def work(connection: AsyncConnection) -> None:
        await connection.execute(update(lease).values(token=9))
        await asyncio.to_thread(postgres.execute, cut)
        await connection.execute(update(lease).values(token=10))

    with pytest.raises(StoreUnavailable):
        await database.write(work)
    assert {row["token"] for row in await database.read_rows(select(lease.c.token))} == {1}


async def test_writers_that_deadlock_both_get_through(database: Database) -> None:
    attempts = 0
    both_hold_one = asyncio.Barrier(2)

    def writer(first: str, second: str) -> asyncio.Task[None]:
        async def work(connection: AsyncConnection) -> None:
            nonlocal attempts
            attempts += 1
            await connection.execute(update(lease).where(lease.c.name == first).values(token=lease.c.token + 1))
            if attempts <= 2:
                await both_hold_one.wait()
            await connection.execute(update(lease).where(lease.c.name == second).values(token=lease.c.token + 1))

        return asyncio.create_task(database.write(work))

    async with asyncio.timeout(30):
        await asyncio.gather(writer("a", "b"), writer("b", "a"))
    assert attempts == 3, "one of them was rolled back, and ran again"
    assert {row["token"] for row in await database.read_rows(select(lease.c.token))} == {3}


async def test_a_writer_that_waits_too_long_for_another_transaction_is_told_that_it_is_busy(
    database: Database, postgres: Postgres, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "LOCK_WAIT_SECONDS", 0.05)
    with psycopg.connect(postgres.url_for(name)) as other:
        other.execute("UPDATE lease SET token = 5")
        with pytest.raises(StoreBusy):
            await database.write_rows(update(lease).values(token=6))
        other.rollback()
    await database.write_rows(update(lease).values(token=6))


async def test_a_writer_that_is_rolled_back_every_time_is_told_that_it_is_busy(database: Database) -> None:
    attempts = 0

    async def work(connection: AsyncConnection) -> None:
        nonlocal attempts
        attempts += 1
        await connection.exec_driver_sql("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END $$")

    with pytest.raises(StoreBusy):
        await database.write(work)
    assert attempts == 5


def test_a_password_is_asked_for_and_checked(postgres: Postgres, name: str, tmp_path: Path) -> None:
    url = postgres.create_database(name)
    role = sql.Identifier(name)
    postgres.execute(sql.SQL("CREATE ROLE {} LOGIN SUPERUSER PASSWORD 'right'").format(role))
    with postgres.password_asked_of(name):
        with pytest.raises(AuthenticationFailed) as refusal:
            asyncio.run(_open(postgres.url_for(name, user=name, password="wrong"), tmp_path))
        assert "wrong" not in str(refusal.value)
        with pytest.raises(AuthenticationFailed):
            asyncio.run(_open(postgres.url_for(name, user=name), tmp_path))
        asyncio.run(_open(postgres.url_for(name, user=name, password="right"), tmp_path))
    asyncio.run(_open(url, tmp_path))


async def _open(url: str, data_dir: Path) -> None:
    assert locate(url, data_dir=data_dir).kind == "postgresql"
    ledger = await Ledger.open(url, data_dir=data_dir)
    await ledger.close()
