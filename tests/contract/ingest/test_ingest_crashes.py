"""Behaviours 25 and 37: kill -9 at any moment of an ingestion, and in the end all of it is there, once."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from memorygraph import MemoryEngine
from memorygraph.invariants import check_user
from memorygraph.settings import Settings
from tests.support.crashes import CrashableStore
from tests.support.graph_servers import GraphKind
from tests.support.ingesters import expire_leases, ingest_plan, start_ingester
from tests.support.ingestions import evidence_of, facts_document, finished
from tests.support.raw_graph import raw_graph


@pytest.fixture(scope="module")
def store(graph_kind: GraphKind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrashableStore]:
    """One store for all rounds: starting a server takes longer than they do."""
    store = CrashableStore(graph_kind, tmp_path_factory.mktemp("ingestions"))
    yield store
    store.close()


async def uninterrupted(settings: Settings, facts: int) -> list[dict[str, Any]]:
    """What the document leaves behind when nothing happens meanwhile."""
    async with await MemoryEngine.open(settings) as engine, raw_graph(settings) as raw:
        memory = engine.memory(f"uninterrupted-{facts}")
        job = await finished(engine, memory, await memory.ingest(document=facts_document(facts), source="u"))
        assert job.result == {"episodes": 1, "created": facts}
        return await evidence_of(raw, memory.end_user_id)


async def check_resumed(engine: MemoryEngine, end_user_ids: Sequence[str], *, expected: list[dict[str, Any]]) -> None:
    """The job of each user comes to its end, and has left what an uninterrupted one does."""
    await engine.background.run_until_idle(timeout=120)
    async with raw_graph(engine.settings) as raw:
        for end_user_id in end_user_ids:
            (job,) = await engine.memory(end_user_id).jobs.list()
            assert (job.state, job.result) == ("succeeded", {"episodes": 1, "created": len(expected)})
            assert await evidence_of(raw, end_user_id) == expected
            assert await check_user(engine.tools, end_user_id) == []


@pytest.mark.timeout(600)
async def test_behaviour_37_an_ingestion_whose_process_dies_before_the_job_runs_is_worked_on_later(
    store: CrashableStore,
) -> None:
    expected = await uninterrupted(store.settings, facts=20)
    process = start_ingester(
        ingest_plan(store.settings, end_user_id="not-queued", facts=20, dies="before the job is queued"),
        ingest_plan(store.settings, end_user_id="acknowledged", facts=20, dies="once it is acknowledged"),
    )
    output, _ = process.communicate(timeout=120)
    (acknowledged,) = output.split()
    async with await MemoryEngine.open(store.settings) as engine:
        assert await engine.memory("not-queued").jobs.list() == ()
        (job,) = await engine.memory("acknowledged").jobs.list()
        assert (job.id, job.state) == (acknowledged, "queued")
        await check_resumed(engine, ["not-queued", "acknowledged"], expected=expected)


async def crash_rounds(store: CrashableStore, rounds: int, *, facts: int) -> None:
    draw = random.Random(rounds)
    expected = await uninterrupted(store.settings, facts)
    for number in range(rounds):
        end_user_id = f"{rounds}-{number}"
        process = start_ingester(ingest_plan(store.settings, end_user_id=end_user_id, facts=facts))
        assert process.stdout is not None
        try:
            acknowledged = process.stdout.readline().strip()
            assert acknowledged
            # Somewhere in the job, or shortly after its end.
            threading.Event().wait(draw.uniform(0, 3))
            for victim in draw.sample(["client", "server"], draw.randint(1, 2)):
                if victim == "client":
                    process.kill()
                else:
                    store.kill_server(draw)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        store.start_again()
        expire_leases(store.settings)
        async with await MemoryEngine.open(store.settings) as engine:
            await check_resumed(engine, [end_user_id], expected=expected)


@pytest.mark.timeout(600)
async def test_behaviour_25_an_ingestion_killed_with_9_is_resumed_with_nothing_lost_and_nothing_twice(
    store: CrashableStore,
) -> None:
    await crash_rounds(store, 1, facts=50)


@pytest.mark.crash
@pytest.mark.timeout(3600)
async def test_behaviour_25_twenty_kills_of_ingestions_lose_nothing_and_double_nothing(store: CrashableStore) -> None:
    await crash_rounds(store, 20, facts=115)
