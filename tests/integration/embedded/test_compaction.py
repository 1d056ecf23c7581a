"""Behaviour 35, of files: after ``memorygraph compact`` deleted text is in none, and everything else is there."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from memorygraph import MemoryEngine
from memorygraph.compact import compact
from memorygraph.errors import StoreBusy, StoreCorrupt, StoreUnavailable
from memorygraph.graph.embedded import attach
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.settings import Settings, load_settings
from tests.integration.embedded.client import processes_of
from tests.support.canary import words_in_files
from tests.support.command_line import COMMAND, child_environment, environment_of
from tests.support.raw_graph import raw_graph
from tests.support.waiting import wait_until

USER = "ana"
KEPT = {f"kept{number}q": f"The kept{number}q parcel is at dock {number}" for number in range(30)}
DELETED = {"gonetextq", "gonelongq", "goneupdatedq", "goneentityq", "gonepayloadq", "goneedgeq"}


def settings_of(data_dir: Path) -> Settings:
    return load_settings(data_dir=data_dir, embedded_idle_seconds=0, embedder_threads=1)


def at_rest(data_dir: Path) -> None:
    wait_until(lambda: not any(processes_of(data_dir).values()), timeout=60, what="no server left", interval=0.1)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with memories, some of them deleted or overwritten behind the engine's back, cleanly closed."""
    data_dir = tmp_path_factory.mktemp("written") / "data"
    settings = settings_of(data_dir)

    async def fill() -> None:
        async with await MemoryEngine.open(settings) as engine:
            memory = engine.memory(USER)
            for text in KEPT.values():
                await memory.remember(text, entities=["dock"])
            gone = [
                await memory.remember(text, entities=entities)
                for text, entities in (
                    ("The gonetextq code", ["goneentityq"]),
                    ("gonelongq " * 190, []),  # longer than what it is overwritten by
                    ("The goneupdatedq address", []),
                )
            ]
            async with raw_graph(settings) as raw:
                await raw.run(
                    "MATCH (s:Statement {id: $id})-[r:MENTIONS]->(e) SET r.role = 'goneedgeq' DETACH DELETE s, e",
                    id=gone[0].id,
                )
                await raw.run("MATCH (s:Statement {id: $id}) SET s.text = 'x', s.search_text = 'x'", id=gone[1].id)
                await raw.run("MATCH (s:Statement {id: $id}) DETACH DELETE s", id=gone[2].id)
                await raw.run(
                    "MATCH (v:Event) WHERE v.target_id IN $ids SET v.payload = null, v.salt = null",
                    ids=[memory.id for memory in gone],
                )
                # A payload of several pages, changed and then removed.
                await raw.run("CREATE (f:Forgotten {end_user_id: $u, id: 'f', payload: $p})", u=USER, p="a" * 90_000)
                await raw.run("MATCH (f:Forgotten {id: 'f'}) SET f.payload = $p", p="gonepayloadq " * 20_000)
                await raw.run("MATCH (f:Forgotten {id: 'f'}) DELETE f")

    asyncio.run(fill())
    at_rest(data_dir)
    return data_dir


@pytest.fixture
def settings(written: Path, data_dir: Path) -> Iterator[Settings]:
    """A copy of that store, of the test's own."""
    shutil.copytree(written, data_dir)
    yield settings_of(data_dir)
    for process in processes_of(DataFolderLayout(data_dir).compacting)["launcher"]:
        process.terminate()


def graph_files(data_dir: Path) -> dict[Path, bytes]:
    databases = data_dir / "graph" / "databases"
    return {path.relative_to(databases): path.read_bytes() for path in databases.rglob("*") if path.is_file()}


async def everything(settings: Settings) -> list[dict[str, Any]]:
    """All that the graph holds of the user: nodes with their histories, relationships, events."""
    async with raw_graph(settings) as raw:
        return await raw.everything(USER)


async def check_whole(settings: Settings) -> None:
    async with await MemoryEngine.open(settings) as engine:
        memory = engine.memory(USER)
        for word, text in KEPT.items():
            answer = await memory.recall(word, limit=1, reinforce=False)
            assert [hit.memory.text for hit in answer.hits] == [text]
        report = await memory.verify_events()
        assert report.ok, report
        assert report.checked >= len(KEPT) + 3
        again = await memory.remember(KEPT["kept3q"])
        assert again.outcome == "confirmed", "found by the index on fingerprints"


async def test_behaviour_35_deleted_text_is_in_no_file_any_more_and_everything_else_is_there(
    settings: Settings,
) -> None:
    data_dir = settings.data_dir
    before = await everything(settings)
    at_rest(data_dir)
    left = words_in_files(data_dir, DELETED)
    assert set().union(*left.values()) >= {"gonetextq", "gonelongq", "goneupdatedq", "goneentityq"}
    server = await attach(data_dir, heap_mb=128, idle_seconds=30)
    with pytest.raises(StoreBusy, match=rf"in use by process {os.getpid()}\."):
        await compact(settings)
    assert psutil.pid_exists(server.pid)
    # One that only waits for clients is no obstacle.
    await server.close()

    compacted = await compact(settings)

    assert not psutil.pid_exists(server.pid)
    assert words_in_files(data_dir, DELETED) == {}
    assert "kept3q" in set().union(*words_in_files(data_dir, ["kept3q"]).values())
    assert not list(data_dir.rglob("*.wal"))
    assert not DataFolderLayout(data_dir).compacting.exists()
    assert compacted.refusal is None
    assert compacted.graph is not None
    assert compacted.graph.kept == ()
    async with raw_graph(settings) as raw:
        assert await raw.everything(USER) == before
        assert compacted.graph.records == len(before) + 1  # and the Store node
        await check_whole(settings)


async def test_a_damaged_store_and_a_folder_without_one_are_refused_untouched(
    settings: Settings, tmp_path: Path
) -> None:
    (bucket,) = (settings.data_dir / "graph" / "databases" / "memory").glob("Statement_0.*.bucket")
    bucket.write_bytes(bucket.read_bytes()[:1000])
    before = graph_files(settings.data_dir)
    with pytest.raises(StoreCorrupt, match="ends in the middle of a page"):
        await compact(settings)
    assert graph_files(settings.data_dir) == before

    with pytest.raises(StoreUnavailable, match="no store"):
        await compact(settings_of(tmp_path / "empty"))
    assert not (tmp_path / "empty").exists()


def start_compacting(settings: Settings) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, "compact"], env=child_environment(environment_of(settings)), stdout=subprocess.DEVNULL
    )


async def test_a_compaction_that_is_killed_leaves_the_store_whole(settings: Settings) -> None:
    copy = DataFolderLayout(DataFolderLayout(settings.data_dir).compacting)
    running = start_compacting(settings)
    wait_until(copy.server_file.exists, timeout=60, what="the copy is being served")
    running.kill()
    running.wait()

    await check_whole(settings)


@pytest.mark.crash
@pytest.mark.timeout(3600)
async def test_thirty_compactions_killed_at_any_moment_leave_the_store_whole(settings: Settings) -> None:
    draw = random.Random(30)
    killed = 0
    for _ in range(30):
        running = start_compacting(settings)
        try:
            running.wait(timeout=draw.uniform(0.3, 9))
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
            killed += 1
        await check_whole(settings)
        at_rest(settings.data_dir)
    assert killed > 10
    await compact(settings)
    assert words_in_files(settings.data_dir, DELETED) == {}
