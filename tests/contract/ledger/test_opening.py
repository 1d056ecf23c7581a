"""Opening, closing and refusing a ledger, on both back ends."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, insert, text, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.pool import NullPool

from memorygraph.errors import ConfigurationError, ConstraintViolated, SchemaTooNew, StoreCorrupt, StoreUnavailable
from memorygraph.ledger import Ledger, StoreIdentity
from memorygraph.ledger.database import Database
from memorygraph.ledger.location import locate
from memorygraph.ledger.schema import HEAD, VERSION_TABLE
from memorygraph.ledger.tables import forgetting_cycle, forgetting_plan, job, lease, store
from tests.contract.ledger.conftest import LedgerKind


def execute(url: str, *statements: str) -> None:
    """Change a ledger behind its back."""
    engine = create_engine(locate(url, data_dir=Path()).sync_url, poolclass=NullPool)
    try:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))
    finally:
        engine.dispose()


def test_a_ledger_is_opened_in_two_event_loops_of_one_process(empty_url: str, tmp_path: Path) -> None:
    async def identity() -> StoreIdentity:
        ledger = await Ledger.open(empty_url, data_dir=tmp_path)
        try:
            return await ledger.identity()
        finally:
            await ledger.close()

    assert asyncio.run(identity()) == asyncio.run(identity())


async def test_an_open_ledger_tells_its_kind_and_revision(ledger: Ledger, ledger_kind: LedgerKind) -> None:
    await ledger.ping()
    assert ledger.kind == ledger_kind
    assert await ledger.revision() == HEAD


async def test_a_ledger_is_nobodys_until_somebody_asks_whose_it_is(ledger: Ledger, replica: Ledger) -> None:
    assert await ledger.peek_identity() is None
    assert await ledger.peek_identity() is None, "to look is not to ask"
    identity = await ledger.identity()
    assert not identity.ready
    assert await replica.peek_identity() == identity
    assert await replica.identity() == identity


async def test_a_store_is_ready_when_it_was_marked_so(ledger: Ledger, replica: Ledger) -> None:
    identity = await ledger.identity()
    await ledger.mark_ready()
    assert await replica.identity() == StoreIdentity(store_id=identity.store_id, ready=True)


async def test_many_who_ask_at_once_get_one_identity_and_one_key(ledger: Ledger, replica: Ledger) -> None:
    identities = await asyncio.gather(*(worker.identity() for worker in [ledger, replica] * 8))
    keys = await asyncio.gather(*(worker.fingerprint_key() for worker in [ledger, replica] * 8))
    assert len(set(identities)) == 1
    assert len(set(keys)) == 1


async def test_the_fingerprint_key_is_32_bytes_and_stays(ledger: Ledger, replica: Ledger) -> None:
    key = await ledger.fingerprint_key()
    assert len(key) == 32
    assert await replica.fingerprint_key() == key


async def test_another_ledger_has_another_identity_and_another_key(ledger: Ledger, tmp_path: Path) -> None:
    other = await Ledger.open(None, data_dir=tmp_path / "other")
    try:
        assert await other.identity() != await ledger.identity()
        assert await other.fingerprint_key() != await ledger.fingerprint_key()
    finally:
        await other.close()


async def test_closing_lets_what_runs_come_to_its_end_and_then_keeps_no_connection(ledger: Ledger) -> None:
    database = ledger._database
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work(connection: AsyncConnection) -> int:
        begun.set()
        await go_on.wait()
        return int((await connection.execute(text("SELECT 7"))).scalar_one())

    running = asyncio.create_task(database.read(work))
    await begun.wait()
    closing = asyncio.create_task(ledger.close())
    await asyncio.wait([closing], timeout=0.05)
    assert not closing.done()
    with pytest.raises(StoreUnavailable, match="closed"):
        await ledger.ping()
    go_on.set()
    assert await running == 7
    await asyncio.wait_for(closing, 20)
    gc.collect()  # a connection that nobody closed would warn now, and a warning is an error


async def test_a_closed_ledger_says_so(ledger: Ledger) -> None:
    await ledger.ping()
    await ledger.close()
    await ledger.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await ledger.ping()
    with pytest.raises(StoreUnavailable, match="closed"):
        await ledger.identity()


async def test_a_newer_schema_is_refused_and_the_database_left_as_it_is(
    ledger_url: str, ledger_kind: LedgerKind, tmp_path: Path
) -> None:
    execute(ledger_url, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    before = _contents(ledger_url, ledger_kind)
    with pytest.raises(SchemaTooNew, match="9999") as refusal:
        await Ledger.open(ledger_url, data_dir=tmp_path)
    assert refusal.value.hint
    assert _contents(ledger_url, ledger_kind) == before

    execute(ledger_url, f"UPDATE {VERSION_TABLE} SET version_num = '{HEAD}'")
    ledger = await Ledger.open(ledger_url, data_dir=tmp_path)
    await ledger.close()


async def test_a_database_that_holds_something_else_is_refused_and_left_as_it_is(
    empty_url: str, ledger_kind: LedgerKind, tmp_path: Path
) -> None:
    execute(empty_url, "CREATE TABLE job (theirs INTEGER)", "INSERT INTO job VALUES (7)")
    before = _contents(empty_url, ledger_kind)
    with pytest.raises((StoreCorrupt, ConfigurationError), match="tables of something else"):
        await Ledger.open(empty_url, data_dir=tmp_path)
    assert _contents(empty_url, ledger_kind) == before

    execute(empty_url, "DROP TABLE job")
    ledger = await Ledger.open(empty_url, data_dir=tmp_path)
    await ledger.close()


async def test_a_cancelled_write_leaves_nothing_and_is_in_nobodys_way(ledger: Ledger) -> None:
    database = Database(ledger.location)
    inside = asyncio.Event()

    async def never_ends(connection: AsyncConnection) -> None:
        await connection.execute(insert(store).values(only_row=1, store_id="half", ready=False, created_at=1))
        inside.set()
        await asyncio.Event().wait()

    try:
        writing = asyncio.create_task(database.write(never_ends))
        await inside.wait()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert await ledger.peek_identity() is None
        async with asyncio.timeout(10):
            await ledger.identity()
            await database.write_rows(update(store).values(ready=True))
        assert (await ledger.identity()).ready
    finally:
        await database.close()


async def test_a_hundred_writes_at_once_are_all_there(ledger: Ledger, replica: Ledger) -> None:
    workers = [ledger, replica] * 50
    leases = await asyncio.gather(
        *(
            worker.leases.acquire(f"name-{number}", holder="one", ttl_seconds=60)
            for number, worker in enumerate(workers)
        )
    )
    assert all(lease is not None and lease.token == 1 for lease in leases)


async def test_a_row_that_breaks_a_constraint_is_refused_and_undone_with_its_transaction(ledger: Ledger) -> None:
    database = Database(ledger.location)

    async def work(connection: AsyncConnection) -> None:
        await connection.execute(insert(lease).values(name="first", holder="one", token=1, expires_at=0))
        await connection.execute(insert(lease).values(name="second", holder="one", token=0, expires_at=0))

    try:
        with pytest.raises(ConstraintViolated, match="ck_lease_token_positive"):
            await database.write(work)
    finally:
        await database.close()
    assert await ledger.leases.acquire("first", holder="two", ttl_seconds=60)


@pytest.mark.parametrize(
    "statement",
    [
        insert(forgetting_plan).values(
            end_user_id="alice",
            cycle_id="none",
            group_no=0,
            statement_ids=[],
            pair_count=0,
            state="pending",
            updated_at=1,
        ),
        insert(forgetting_cycle).values(
            id="c",
            end_user_id="alice",
            trigger_type="manual",
            status="succeeded",
            started_at=1,
            finished_at=None,
            parameters={},
            actor="a",
            heartbeat_at=1,
            fencing_token=1,
        ),
        insert(forgetting_cycle).values(
            id="c",
            end_user_id="alice",
            trigger_type="by hand",
            status="running",
            started_at=1,
            parameters={},
            actor="a",
            heartbeat_at=1,
            fencing_token=1,
        ),
        insert(job).values(
            id="j",
            end_user_id="alice",
            kind="ingest",
            state="running",
            payload={},
            max_attempts=1,
            run_at=1,
            created_at=1,
            updated_at=1,
        ),
        insert(store).values(only_row=2, store_id="x", created_at=1),
    ],
    ids=["a plan of no cycle", "ended without an end", "unknown trigger", "a running job nobody holds", "second store"],
)
async def test_what_cannot_be_is_refused_by_the_database_itself(ledger: Ledger, statement: object) -> None:
    database = Database(ledger.location)
    try:
        with pytest.raises(ConstraintViolated):
            await database.write_rows(statement)  # type: ignore[arg-type]
        await database.write_rows(insert(store).values(only_row=1, store_id="x", created_at=1))
    finally:
        await database.close()


def _contents(url: str, kind: LedgerKind) -> object:
    location = locate(url, data_dir=Path())
    if location.path is not None:
        return {path.name: path.read_bytes() for path in location.path.parent.iterdir() if path.is_file()}
    engine = create_engine(location.sync_url, poolclass=NullPool)
    try:
        with engine.connect() as connection:
            return _rows(connection)
    finally:
        engine.dispose()


def _rows(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    names = connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).scalars()
    return {name: [tuple(row) for row in connection.execute(text(f'SELECT * FROM "{name}"'))] for name in names}
