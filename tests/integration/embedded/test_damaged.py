"""A graph whose files are damaged is not opened: the server itself would, and would lose what it cannot find."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memorygraph.errors import StoreCorrupt
from memorygraph.graph.embedded import attach, run_sql
from tests.integration.embedded.client import processes_of
from tests.support.waiting import wait_until


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with 20 notes and an index on them, cleanly closed."""
    data_dir = tmp_path_factory.mktemp("intact") / "data"

    async def fill() -> None:
        server = await attach(data_dir, heap_mb=128, idle_seconds=0)
        for command in (
            "CREATE VERTEX TYPE Note",
            "CREATE PROPERTY Note.text STRING",
            "CREATE INDEX ON Note (text) UNIQUE",
            *(f"INSERT INTO Note SET text = 'note {i}'" for i in range(20)),
        ):
            await run_sql(server, command, 30)
        await server.close()

    asyncio.run(fill())
    wait_until(lambda: not any(processes_of(data_dir).values()), timeout=60, what="no process left", interval=0.1)
    return data_dir


def remove(file: Path) -> None:
    file.unlink()


def overwrite(file: Path) -> None:
    file.write_bytes(b"garbage " * 9)


def cut_short(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])


def graph_files(data_dir: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (data_dir / "graph" / "databases").rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("pattern", "damage", "reason"),
    [
        ("schema.json", remove, "schema.json is missing"),
        ("schema.json", overwrite, "schema.json cannot be read"),
        ("schema.json", cut_short, "schema.json cannot be read"),
        ("configuration.json", overwrite, "configuration.json cannot be read"),
        ("dictionary.*.dict", remove, "the file of dictionary is missing"),
        ("dictionary.*.dict", overwrite, "ends in the middle of a page"),
        ("Note_0.*.bucket", remove, "the file of Note_0 is missing"),
        ("Note_0.*.bucket", cut_short, "ends in the middle of a page"),
        ("Note_0_*idx", remove, "the file of Note_0_"),
        ("Note_0_*idx", overwrite, "ends in the middle of a page"),
    ],
)
def test_a_damaged_graph_is_refused_untouched(
    pattern: str, damage: Callable[[Path], None], reason: str, intact: Path, tmp_path: Path
) -> None:
    data_dir = tmp_path / "data"
    shutil.copytree(intact, data_dir)
    (file,) = (data_dir / "graph" / "databases" / "memory").glob(pattern)
    damage(file)
    before = graph_files(data_dir)

    with pytest.raises(StoreCorrupt, match="Restore the data folder from a backup") as refused:
        asyncio.run(attach(data_dir, heap_mb=128, idle_seconds=0))

    assert reason in refused.value.message
    assert graph_files(data_dir) == before
    assert not any(processes_of(data_dir).values())


async def test_a_copy_that_is_not_damaged_is_opened_with_all_it_holds(intact: Path, data_dir: Path) -> None:
    shutil.copytree(intact, data_dir)

    server = await attach(data_dir, heap_mb=128, idle_seconds=0)

    assert await run_sql(server, "SELECT count(*) AS notes FROM Note", 30) == [{"notes": 20}]
    await server.close()
