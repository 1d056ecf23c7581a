"""Behaviour 37: kill -9 at any moment, and what was acknowledged is there, whole, and nothing half."""

import random
import signal
import subprocess
from collections.abc import Iterator
from string import ascii_lowercase

import pytest

from memorygraph import MemoryEngine
from memorygraph.invariants import check_user
from tests.support.crashes import CrashableStore, write_and_crash
from tests.support.graph_servers import GraphKind
from tests.support.raw_graph import raw_graph
from tests.support.writers import Plan, acknowledged, plan_for, start_writer

_LONGEST_START = 6.0  # seconds, most of them imports


@pytest.fixture(scope="module")
def store(graph_kind: GraphKind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrashableStore]:
    """One store for all rounds: starting a server takes longer than they do. What kills migrations comes first."""
    store = CrashableStore(graph_kind, tmp_path_factory.mktemp("crashes"))
    yield store
    store.close()


async def check_whole(store: CrashableStore, end_user_id: str, told: list[dict[str, str]]) -> None:
    """Everything acknowledged is there; everything there is whole; the chain has no hole."""
    async with await MemoryEngine.open(store.settings) as engine, raw_graph(store.settings) as raw:
        memory = engine.memory(end_user_id)
        report = await memory.verify_events()
        assert report.ok, report
        assert await check_user(engine.tools, end_user_id) == []
        statements = await raw.run(
            "MATCH (s:Statement {end_user_id: $u}) RETURN s.id AS id, s.text AS text, s.changed_seq AS seq, "
            "s.search_text AS search_text, size(s.access_times) AS accesses, "
            "COLLECT { MATCH (s)-[:MENTIONS]->(e:Entity) RETURN e.name } AS names",
            u=end_user_id,
        )
        events = await raw.run(
            "MATCH (v:Event {end_user_id: $u}) RETURN v.target_id AS id, v.seq AS seq", u=end_user_id
        )
        assert report.checked == len(events)
        stored = {row["id"]: row for row in statements}
        assert {memory["id"]: memory["text"] for memory in told}.items() <= {
            id: row["text"] for id, row in stored.items()
        }.items()
        assert {(event["id"], event["seq"]) for event in events} == {(row["id"], row["seq"]) for row in statements}
        for row in statements:
            assert len(row["names"]) == 2
            assert row["accesses"] == 1
            assert row["search_text"]
        if told:
            answer = await memory.recall(told[-1]["text"], limit=5, reinforce=False)
            assert told[-1]["id"] in {hit.memory.id for hit in answer.hits}


def start_plan(store: CrashableStore, number: int) -> Plan:
    """What one start writes when it comes through: no two of them the same."""
    return plan_for(store.settings, end_user_id="first", label=f"start {ascii_lowercase[number]}", count=1)


async def migration_rounds(store: CrashableStore, rounds: int) -> int:
    """Kill the first start of a store, each time a little later, until one comes through; then later ones. How many."""
    draw = random.Random(rounds)
    assert not store.settings.data_dir.exists(), "there is nothing to migrate"
    told: list[dict[str, str]] = []
    killed = 0
    for number in range(rounds):
        starter = start_writer(start_plan(store, number))
        try:
            # On a fast machine a start takes two seconds, on a slow one six: the kills go through all of that.
            starter.wait(timeout=number * _LONGEST_START / rounds + draw.uniform(0.5, 2.0))
        except subprocess.TimeoutExpired:
            killed += 1
            starter.send_signal(signal.SIGKILL)
            store.kill_server(draw)
        output, _ = starter.communicate()
        told += acknowledged(output.splitlines(keepends=True))
        store.start_again()
    last = start_writer(start_plan(store, rounds))
    output, _ = last.communicate(timeout=120)
    assert last.returncode == 0
    told += acknowledged(output.splitlines(keepends=True))
    await check_whole(store, "first", told)
    async with raw_graph(store.settings) as raw:
        assert await raw.run("MATCH (s:Store) RETURN count(s) AS n, min(s.schema_version) AS v") == [{"n": 1, "v": 3}]
    return killed


@pytest.mark.timeout(600)
async def test_behaviour_37_kill_9_during_migration_leaves_a_store_that_opens(store: CrashableStore) -> None:
    await migration_rounds(store, 1)


@pytest.mark.crash
@pytest.mark.timeout(3600)
async def test_behaviour_37_twenty_kills_during_migration_leave_a_store_that_opens(store: CrashableStore) -> None:
    assert await migration_rounds(store, 20) > 0


async def crash_rounds(store: CrashableStore, rounds: int) -> None:
    draw = random.Random(rounds)
    end_user_id = f"{rounds}-rounds"
    told: list[dict[str, str]] = []
    for number in range(rounds):
        plan = plan_for(store.settings, end_user_id=end_user_id, label=f"round {number}", count=0)
        told += write_and_crash(store, plan, draw)
        assert told
        store.start_again()
        await check_whole(store, end_user_id, told)


@pytest.mark.timeout(600)
async def test_behaviour_37_kill_9_during_writes_loses_nothing(store: CrashableStore) -> None:
    await crash_rounds(store, 1)


@pytest.mark.crash
@pytest.mark.timeout(3600)
async def test_behaviour_37_thirty_rounds_of_kill_9_during_writes_lose_nothing(store: CrashableStore) -> None:
    await crash_rounds(store, 30)
