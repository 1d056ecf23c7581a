"""How the server goes, and what it leaves."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from pathlib import Path

import pytest

from memorygraph.graph.embedded import attach, inspect, run_sql
from tests.integration.embedded.client import IDLE_SECONDS, processes_of
from tests.support.waiting import wait_until, wait_until_async

PATIENCE = 60.0


def gone(data_dir: Path) -> bool:
    return not any(processes_of(data_dir).values())


async def test_an_idle_server_closes_its_database_and_drops_the_log_of_writes(data_dir: Path) -> None:
    server = await attach(data_dir, heap_mb=128, idle_seconds=IDLE_SECONDS)
    await run_sql(server, "CREATE VERTEX TYPE Note", 30)
    await run_sql(server, "INSERT INTO Note SET text = 'a secret'", 30)
    databases = data_dir / "graph" / "databases"
    assert list(databases.rglob("*.wal"))

    await server.close()
    await server.close()

    wait_until(lambda: gone(data_dir), timeout=PATIENCE, what="no process left", interval=0.1)
    assert list(databases.rglob("*.wal")) == []
    assert not inspect(data_dir).running
    assert not (data_dir / "graph" / "server.json").exists()


async def test_a_launcher_that_is_asked_to_stop_stops_the_server_cleanly_though_clients_remain(data_dir: Path) -> None:
    server = await attach(data_dir, heap_mb=128, idle_seconds=IDLE_SECONDS)
    state = inspect(data_dir).state
    assert state is not None

    os.kill(state.launcher_pid, signal.SIGTERM)

    wait_until(lambda: gone(data_dir), timeout=PATIENCE, what="no process left", interval=0.1)
    assert list((data_dir / "graph" / "databases").rglob("*.wal")) == []
    assert inspect(data_dir).crash is None
    await server.close()


async def test_an_attach_that_is_cancelled_keeps_no_claim(data_dir: Path) -> None:
    attaching = asyncio.ensure_future(attach(data_dir, heap_mb=128, idle_seconds=IDLE_SECONDS))

    async def is_starting() -> bool:
        return inspect(data_dir).state is not None

    await wait_until_async(is_starting, timeout=PATIENCE, what="the server is starting")

    attaching.cancel()

    with pytest.raises(asyncio.CancelledError):
        await attaching
    assert list((data_dir / "graph" / "clients").iterdir()) == []
    wait_until(lambda: gone(data_dir), timeout=PATIENCE, what="no process left", interval=0.1)


async def test_a_server_whose_folder_was_removed_goes_and_does_not_bring_it_back(
    data_dir: Path, tmp_path: Path
) -> None:
    server = await attach(data_dir, heap_mb=128, idle_seconds=600)

    shutil.rmtree(data_dir)

    wait_until(lambda: gone(data_dir), timeout=PATIENCE, what="no process left", interval=0.1)
    await server.close()
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - the pathlib form is refused in a coroutine
