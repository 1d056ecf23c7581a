"""Behaviours 33 and 38: several starts at once work, and a store that does not fit is refused untouched."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from memorygraph import MemoryEngine
from memorygraph.errors import EmbedderMismatch, SchemaTooNew, StoreCorrupt, StoreMismatch
from memorygraph.graph.embedded import inspect
from memorygraph.settings import Settings, load_settings
from tests.support.ledgers import Ledgers
from tests.support.raw_graph import RawGraph, raw_graph
from tests.support.waiting import wait_until_async
from tests.support.writers import acknowledged, plan_for, start_writer


def changed(settings: Settings, **changes: Any) -> Settings:
    return load_settings(**{**settings.model_dump(), **changes})


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


async def remember(settings: Settings, text: str) -> str:
    async with await MemoryEngine.open(settings) as engine:
        return (await engine.memory("ana").remember(text)).id


async def everything(raw: RawGraph) -> list[dict[str, Any]]:
    rows = await raw.run("MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties")
    return sorted(rows, key=repr)


def test_behaviour_33_two_event_loops_in_one_process(settings: Settings, user: str) -> None:
    async def write_and_read(text: str) -> int:
        async with await MemoryEngine.open(settings) as engine:
            await engine.memory(user).remember(text)
            return len((await engine.memory(user).recall("parcel")).hits)

    assert asyncio.run(write_and_read("The first parcel")) == 1
    assert asyncio.run(write_and_read("The second parcel")) == 2


@pytest.mark.timeout(600)
async def test_behaviour_33_four_replicas_start_on_an_empty_database_at_once(fresh_store: Settings) -> None:
    plans = [plan_for(fresh_store, end_user_id="ana", label=f"replica {number}", count=3) for number in range(4)]
    replicas = start_writer(*plans)
    output, _ = await asyncio.to_thread(replicas.communicate)
    assert replicas.returncode == 0
    told = [memory["id"] for memory in acknowledged(output.splitlines(keepends=True))]
    assert len(set(told)) == 12
    async with raw_graph(fresh_store) as raw:
        assert await raw.run("MATCH (s:Store) RETURN count(s) AS n") == [{"n": 1}]
        stored = await raw.run("MATCH (s:Statement) RETURN s.id AS id")
    assert {row["id"] for row in stored} == set(told)
    async with await MemoryEngine.open(fresh_store) as engine:
        assert (await engine.memory("ana").verify_events()).checked == 12


async def test_behaviour_38_a_graph_that_does_not_fit_is_refused_untouched(fresh_store: Settings) -> None:
    await remember(fresh_store, "Ana works at Acme")
    misfits: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"schema_version": 999}, SchemaTooNew, "schema version 999"),
        ({"normalisation_version": 999}, SchemaTooNew, "normalisation_version 999"),
        ({"index_format": 999}, SchemaTooNew, "index_format 999"),
        ({"embedder": "another-model/768/abc"}, EmbedderMismatch, "another-model/768.*MEMORYGRAPH_EMBEDDER"),
        ({"store_id": "another"}, StoreMismatch, "not of one store"),
        ({"key_check": "0" * 64}, StoreMismatch, "fingerprint key"),
    ]
    async with raw_graph(fresh_store) as raw:
        good = (await raw.run("MATCH (s:Store) RETURN properties(s) AS p"))[0]["p"]
        for misfit, refused, reason in misfits:
            await raw.run("MATCH (s:Store) SET s += $misfit", misfit=misfit)
            before = await everything(raw)
            with pytest.raises(refused, match=reason):
                await MemoryEngine.open(fresh_store)
            assert await everything(raw) == before
            await raw.run("MATCH (s:Store) SET s += $good", good=good)
            assert await remember(fresh_store, f"A control after {reason}")


async def test_graph_and_ledger_of_two_stores_are_refused_untouched(
    fresh_store: Settings, ledgers: Ledgers, tmp_path: Path
) -> None:
    await remember(fresh_store, "Ana works at Acme")
    async with raw_graph(fresh_store) as raw:
        before = await everything(raw)
        with pytest.raises(StoreMismatch):
            await MemoryEngine.open(changed(fresh_store, ledger_url=ledgers.new_sqlite(tmp_path)))
        assert await everything(raw) == before
        assert await remember(fresh_store, "Ana likes tea")
        await raw.run("MATCH (s:Store) DELETE s")
        with pytest.raises(StoreCorrupt, match="no Store node"):
            await MemoryEngine.open(fresh_store)
        await raw.run("MATCH (n) DETACH DELETE n")
        with pytest.raises(StoreMismatch, match="empty"):
            await MemoryEngine.open(fresh_store)
        assert await everything(raw) == []


@pytest.mark.only_on("neo4j5", "neo4j2026")
async def test_an_index_that_a_killed_migration_left_behind_gives_way_to_its_constraint(fresh_store: Settings) -> None:
    key = "(n.end_user_id, n.session_id, n.position, n.content_hash)"
    async with raw_graph(fresh_store) as raw:
        await raw.run(f"CREATE INDEX episode_key FOR (n:Episode) ON {key}")
        assert await remember(fresh_store, "Ana works at Acme")
        assert await raw.run("SHOW CONSTRAINTS YIELD name WHERE name = 'episode_key'") == [{"name": "episode_key"}]


@pytest.mark.only_on("embedded")
async def test_behaviour_38_a_data_folder_that_does_not_fit_is_refused_before_the_server_opens_it(
    fresh_store: Settings, tmp_path: Path
) -> None:
    settings = changed(fresh_store, ledger_url=None, embedded_idle_seconds=0)
    await remember(settings, "Ana works at Acme")
    await stopped(settings)
    store_file, ledger = settings.data_dir / "store.json", settings.data_dir / "ledger.sqlite"
    good = store_file.read_text()
    document = json.loads(good)
    misfits: list[tuple[str | None, type[Exception]]] = [
        (json.dumps({**document, "schema_version": 999}), SchemaTooNew),
        (json.dumps({**document, "format": 999}), SchemaTooNew),
        (json.dumps({**document, "store_id": "another"}), StoreMismatch),
        (json.dumps({**document, "embedder": "another-model/768/abc"}), EmbedderMismatch),
        ("not json {", StoreCorrupt),
        (None, StoreCorrupt),
    ]
    for misfit, refused in misfits:
        if misfit is None:
            store_file.unlink()
        else:
            store_file.write_text(misfit)
        await refused_untouched(settings, refused)
        store_file.write_text(good)
    kept = ledger.rename(tmp_path / "kept.sqlite")
    await refused_untouched(settings, StoreMismatch)
    kept.rename(ledger)
    assert await remember(settings, "Ana likes tea")


async def refused_untouched(settings: Settings, refused: type[Exception]) -> None:
    before = files(settings.data_dir)
    with pytest.raises(refused):
        await MemoryEngine.open(settings)
    assert files(settings.data_dir) == before


async def stopped(settings: Settings) -> None:
    """Wait until the embedded server has gone."""

    async def gone() -> bool:
        return not inspect(settings.data_dir).running

    await wait_until_async(gone, timeout=30, what="the embedded server stops")
