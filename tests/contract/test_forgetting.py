"""A forgetting cycle, on every graph server: cold pairs become one summary that is found, and nothing is lost."""

import json
from datetime import timedelta

import pytest

from memorygraph import Memory, MemoryEngine, MemoryRecord, SimulatedClock
from memorygraph.errors import CycleRunning, InvalidInput, LeaseLost
from memorygraph.fusion.fuse import Fusion, FusionSkipped, draft_summary
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from tests.support.raw_graph import RawGraph

SAID = [
    "I moved to Leeds on 3 February and rent a flat at 14 Park Row.",
    "The flat costs 850 pounds a month, Oleander Lettings wanted a deposit of 1,200.",
    "My neighbour Priya has a greyhound called Biscuit.",
    "The boiler broke on Sunday, a plumber called Tomasz fixed it for 90 pounds.",
]


@pytest.fixture
async def memory(engine: MemoryEngine, user: str) -> Memory:
    """Four turns about one person, and a decision, which is protected."""
    memory = engine.memory(user)
    for position, text in enumerate(SAID):
        await memory.remember(text, kind="turn", session_id="s", position=position, speaker="Ana", entities=["Ana"])
    await memory.remember("We buy no car.", kind="decision", entities=["Ana"])
    return memory


async def test_behaviour_43_cold_pairs_become_one_summary_that_is_found_with_their_lineage(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, raw: RawGraph
) -> None:
    before = await memory.recall("what is Priya's greyhound called?", reinforce=False)
    assert before.hits[0].memory.text == SAID[2]
    clock.advance(timedelta(days=60))
    cycle = await engine.forgetting.run(memory.end_user_id)
    assert (cycle.status, cycle.trigger_type) == ("succeeded", "manual")
    assert (cycle.merged_count, cycle.failed_count, cycle.skipped_count) == (4, 0, 0)
    assert (cycle.group_count, cycle.summary_count, len(cycle.summaries)) == (1, 1, 1)
    assert (cycle.total_nodes_before, cycle.total_nodes_after) == (6, 3)
    assert cycle.low_activation_nodes == 6
    assert cycle.average_activation_before is not None
    assert cycle.average_activation_after is not None
    assert cycle.average_activation_after > cycle.average_activation_before

    answer = await memory.recall("what is Priya's greyhound called?")
    summary = answer.hits[0].memory
    assert (summary.type, summary.id) == ("MemorySummary", cycle.summaries[0])
    assert "Biscuit" in summary.text
    assert {hit.memory.id for hit in answer.hits} <= {summary.id, *(hit.memory.id for hit in answer.hits)}
    assert not {hit.memory.text for hit in answer.hits} & set(SAID)
    assert (summary.generation, summary.fused_count, summary.summarizer) == (1, 4, "extractive")
    assert [entity.name for entity in summary.entities] == ["Ana"]
    assert summary.covers_from == summary.covers_to

    lineage = await memory.lineage(summary.id)
    assert [original.memory.text for original in lineage.originals] == SAID
    for original in lineage.originals:
        assert (original.memory.type, original.memory.status) == ("Forgotten", "forgotten")
        stub = await memory.get(original.memory.id)
        assert (stub.summary_id, stub.cycle_id) == (summary.id, cycle.id)
    edges = await raw.run(
        "MATCH (:MemorySummary {id: $id})-[r]->(n) RETURN type(r) AS type, properties(r) AS p, labels(n) AS l",
        id=summary.id,
    )
    derived = [edge for edge in edges if edge["type"] == "DERIVED_FROM"]
    assert [edge["l"] for edge in derived] == [["Forgotten"]] * 4
    assert all(edge["p"]["cycle_id"] == cycle.id and edge["p"]["original_type"] == "Statement" for edge in derived)
    assert len([edge for edge in edges if edge["type"] == "FROM_EPISODE"]) == 4
    assert (await memory.verify_events()).ok


async def test_a_stub_holds_all_of_its_original(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, raw: RawGraph
) -> None:
    originals = await raw.run(
        "MATCH (s:Statement {end_user_id: $u}) WHERE s.kind = 'turn' RETURN properties(s) AS p ORDER BY s.position",
        u=memory.end_user_id,
    )
    clock.advance(timedelta(days=60))
    cycle = await engine.forgetting.run(memory.end_user_id)
    stubs = await raw.run("MATCH (f:Forgotten {end_user_id: $u}) RETURN properties(f) AS p", u=memory.end_user_id)
    by_id = {stub["p"]["id"]: stub["p"] for stub in stubs}
    assert by_id.keys() == {original["p"]["id"] for original in originals}
    for original in originals:
        payload = json.loads(by_id[original["p"]["id"]]["payload"])
        kept = payload["properties"]
        assert kept.pop("embedding")["$bytes"]
        expected = {name: value for name, value in original["p"].items() if name != "embedding"}
        assert kept == expected
        assert sorted(r["type"] for r in payload["relationships"]) == ["FROM_EPISODE", "MENTIONS"]
    assert cycle.summary_count == 1


async def test_behaviour_44_protected_kinds_and_used_memories_stay_untouched(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    used = (await memory.recall("the plumber Tomasz", limit=1)).hits[0].memory
    for _ in range(4):
        clock.advance(timedelta(days=15))
        await memory.recall("the plumber Tomasz", limit=1)
    await engine.flush()
    cycle = await engine.forgetting.run(memory.end_user_id)
    assert cycle.merged_count == 3
    assert (await memory.get(used.id)).type == "Statement"
    kinds = {hit.memory.kind for hit in (await memory.recall("car", kinds=["decision"])).hits}
    assert kinds == {"decision"}


async def test_behaviour_46_a_memory_used_between_selection_and_fusion_is_left_whole(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    clock.advance(timedelta(days=60))
    ids = [hit.memory.id for hit in (await memory.recall("Leeds flat", reinforce=False, kinds=["turn"])).hits][:2]

    async def read(store: UserStore) -> list[Row]:
        return await store.read_members(ids=ids)

    members = await engine.store.graph.driver.read(memory.end_user_id, read)
    draft = await draft_summary(members, embedder=engine.embedder, now=clock.now_ms())
    fusion = Fusion(
        end_user_id=memory.end_user_id,
        members=members,
        draft=draft,
        cycle_id="cycle",
        fencing_token=1,
        parameters=await engine._tools.parameters(memory.end_user_id),
        actor="test",
        now=clock.now_ms(),
    )
    await memory.reinforce(ids[:1])
    await engine.flush()
    with pytest.raises(FusionSkipped, match="used"):
        await engine._tools.mutations.run(memory.end_user_id, fusion.run, now=clock.now_ms())
    assert [(await memory.get(id)).type for id in ids] == ["Statement", "Statement"]
    cycle = await engine.forgetting.run(memory.end_user_id)
    assert cycle.merged_count == 3


async def test_behaviour_55_a_worker_whose_lease_was_taken_over_cannot_commit(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, raw: RawGraph
) -> None:
    clock.advance(timedelta(days=60))
    ids = [hit.memory.id for hit in (await memory.recall("Leeds flat", reinforce=False, kinds=["turn"])).hits][:2]

    async def read(store: UserStore) -> list[Row]:
        return await store.read_members(ids=ids)

    members = await engine.store.graph.driver.read(memory.end_user_id, read)
    draft = await draft_summary(members, embedder=engine.embedder, now=clock.now_ms())
    parameters = await engine._tools.parameters(memory.end_user_id)

    def fusion(token: int) -> Fusion:
        return Fusion(
            end_user_id=memory.end_user_id,
            members=members,
            draft=draft,
            cycle_id="cycle",
            fencing_token=token,
            parameters=parameters,
            actor="test",
            now=clock.now_ms(),
        )

    await raw.run("MATCH (u:EndUser {end_user_id: $u}) SET u.fence = 7", u=memory.end_user_id)
    with pytest.raises(LeaseLost):
        await engine._tools.mutations.run(memory.end_user_id, fusion(6).run, now=clock.now_ms())
    assert [(await memory.get(id)).type for id in ids] == ["Statement", "Statement"]
    summary_id = await engine._tools.mutations.run(memory.end_user_id, fusion(8).run, now=clock.now_ms())
    assert (await memory.get(summary_id)).fused_count == 2
    assert (await raw.run("MATCH (u:EndUser {end_user_id: $u}) RETURN u.fence AS f", u=memory.end_user_id)) == [
        {"f": 8}
    ]


async def test_behaviour_48_a_second_cycle_under_a_frozen_clock_does_nothing(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, raw: RawGraph
) -> None:
    await memory.remember("Alone in the world", entities=["Nobody else"])
    clock.advance(timedelta(days=60))
    first = await engine.forgetting.run(memory.end_user_id)
    assert (first.merged_count, first.skipped_count) == (4, 1)
    before = [row for row in await raw.everything(memory.end_user_id) if row.get("labels") != ["EndUser"]]
    second = await engine.forgetting.run(memory.end_user_id)
    assert (second.merged_count, second.failed_count, second.skipped_count, second.group_count) == (0, 0, 0, 0)
    after = [row for row in await raw.everything(memory.end_user_id) if row.get("labels") != ["EndUser"]]
    assert after == before
    clock.advance(timedelta(days=8))
    third = await engine.forgetting.run(memory.end_user_id)
    assert third.skipped_count == 1


async def test_behaviour_48_a_value_said_again_after_fusion_restates_its_stub(
    engine: MemoryEngine, user: str, clock: SimulatedClock, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    for number in range(3):
        await memory.remember(f"Ana's locker is number {number}", speaker="Ana", entities=["Ana"])
    clock.advance(timedelta(days=60))
    cycle = await engine.forgetting.run(user)
    assert cycle.merged_count == 3
    clock.advance(timedelta(days=1))
    accesses = (await memory.get(cycle.summaries[0])).access_count
    written = await memory.remember("ana's locker is NUMBER 1", speaker="Ana", entities=["Ana"])
    assert (written.outcome, len(written.restates)) == ("created", 1)
    again = await memory.remember("Ana's locker is number 1", speaker="Ana")
    assert (again.outcome, again.id) == ("confirmed", written.id)
    edges = await raw.run("MATCH (:Statement {id: $id})-[:RESTATES]->(f:Forgotten) RETURN f.id AS id", id=written.id)
    assert [edge["id"] for edge in edges] == list(written.restates)
    await engine.flush()
    assert (await memory.get(cycle.summaries[0])).access_count == accesses + 1


async def test_behaviour_48_an_old_conversation_said_again_brings_nothing_back(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, raw: RawGraph
) -> None:
    clock.advance(timedelta(days=60))
    cycle = await engine.forgetting.run(memory.end_user_id)
    before = await raw.run("MATCH (n {end_user_id: $u}) RETURN count(n) AS n", u=memory.end_user_id)
    for position, text in enumerate(SAID):
        written = await memory.remember(
            text, kind="turn", session_id="s", position=position, speaker="Ana", entities=["Ana"]
        )
        assert (written.outcome, written.id) == ("confirmed", cycle.summaries[0])
    assert await raw.run("MATCH (n {end_user_id: $u}) RETURN count(n) AS n", u=memory.end_user_id) == before


async def test_summaries_go_cold_and_fuse_into_the_next_generation(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    memory = engine.memory(user)
    made: list[MemoryRecord] = []
    for round in range(3):
        for number in range(3):
            await memory.remember(f"Round {round}: crate {number} went to Hull", entities=["Hull"])
        clock.advance(timedelta(days=200))
        cycle = await engine.forgetting.run(user)
        assert cycle.summary_count == 1
        made.append(await memory.get(cycle.summaries[0]))
        assert (made[-1].generation, made[-1].fused_count) == (round + 1, 3 * (round + 1))
    lineage = await memory.lineage(made[-1].id)
    for generation in (2, 1):
        assert len(lineage.originals) == 4
        (inner,) = [original for original in lineage.originals if original.lineage is not None]
        assert inner.memory.generation == generation
        assert inner.lineage is not None
        lineage = inner.lineage
    assert [original.memory.text for original in lineage.originals] == [
        f"Round 0: crate {number} went to Hull" for number in range(3)
    ]


async def test_only_a_summary_has_a_lineage(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    written = await memory.remember("Ana works at Acme")
    with pytest.raises(InvalidInput, match="only a summary"):
        await memory.lineage(written.id)


async def test_behaviour_49_two_workers_of_one_user_make_one_cycle(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    clock.advance(timedelta(days=60))
    lease = await engine.store.ledger.leases.acquire(
        f"forget:{memory.end_user_id}", holder="another worker", ttl_seconds=60
    )
    assert lease is not None
    with pytest.raises(CycleRunning):
        await engine.forgetting.run(memory.end_user_id)
    await engine.store.ledger.leases.release(lease)
    assert (await engine.forgetting.run(memory.end_user_id)).merged_count == 4
    assert len(await engine.forgetting.cycles(memory.end_user_id)) == 1


async def block_fusion(raw: RawGraph, user: str) -> None:
    """Take the number of the event after the five memories', so that no fusion can commit."""
    await raw.run("CREATE (:Event {end_user_id: $u, seq: 6, idempotency_key: 'planted'})", u=user)


async def unblock_fusion(raw: RawGraph, user: str) -> None:
    await raw.run("MATCH (v:Event {end_user_id: $u, seq: 6}) DELETE v", u=user)


async def test_behaviour_47_a_group_that_failed_is_counted_waits_and_is_set_aside_after_five_attempts(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, raw: RawGraph
) -> None:
    user = memory.end_user_id
    clock.advance(timedelta(days=60))
    await block_fusion(raw, user)
    for attempt in range(1, 6):
        failed = await engine.forgetting.run(user)
        assert (failed.status, failed.merged_count, failed.failed_count, failed.skipped_count) == ("partial", 0, 4, 0)
        waiting = await engine.forgetting.run(user)
        assert (waiting.status, waiting.failed_count, waiting.skipped_count) == ("succeeded", 0, 4)
        newest = (await engine.store.ledger.cycles.failures(user))[0]
        assert (newest.attempt, newest.cause) == (attempt, "constraint_violated")
        assert (newest.next_try_at is None) == (attempt == 5)
        clock.advance(timedelta(days=2 ** (attempt - 1)))
    await unblock_fusion(raw, user)
    assert (await engine.forgetting.run(user)).skipped_count == 4
    # One more memory makes another group of them, which has not failed.
    await memory.remember("Ana's bus is the 36.", entities=["Ana"])
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(user)).merged_count == 5


async def test_behaviour_47_a_group_that_failed_once_is_fused_when_its_time_has_come(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, raw: RawGraph
) -> None:
    user = memory.end_user_id
    clock.advance(timedelta(days=60))
    await block_fusion(raw, user)
    assert (await engine.forgetting.run(user)).failed_count == 4
    await unblock_fusion(raw, user)
    clock.advance(timedelta(days=1))
    cycle = await engine.forgetting.run(user)
    assert (cycle.merged_count, cycle.status) == (4, "succeeded")
    (failure,) = await engine.store.ledger.cycles.failures(user)
    assert failure.resolved_by == cycle.id


async def test_projects_are_not_mixed_in_a_summary(engine: MemoryEngine, user: str, clock: SimulatedClock) -> None:
    memory = engine.memory(user)
    for project in ("red", "blue", None):
        for number in range(2):
            await memory.remember(f"{project} plan {number} for Acme", entities=["Acme"], project=project)
    clock.advance(timedelta(days=60))
    cycle = await engine.forgetting.run(user)
    summaries = [await memory.get(id) for id in cycle.summaries]
    assert {summary.project for summary in summaries} == {"red", "blue", None}
    for summary in summaries:
        assert not {"red", "blue"} - {str(summary.project)} & set(summary.text.split())


async def test_a_curve_falls_to_the_threshold_at_the_stored_cold_time(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    memory = engine.memory(user)
    written = await memory.remember("Ana works at Acme")
    record = await memory.get(written.id)
    drawn = await memory.curve(written.id)
    assert record.cold_at is not None
    assert (record.cold_at - record.created_at).total_seconds() / 86_400 == pytest.approx(28.2822174137, abs=1e-4)
    assert drawn.cold_at is not None
    assert drawn.cold_at == round(record.cold_at.timestamp() * 1000)
    cold_at = drawn.cold_at
    above = [point for point in drawn.points if point.at < cold_at]
    below = [point for point in drawn.points if point.at > cold_at]
    assert above
    assert below
    assert min(point.retention for point in above) >= drawn.threshold >= max(point.retention for point in below)
    clock.advance(timedelta(days=1))
    assert (await memory.get(written.id)).retention == pytest.approx(0.991044850374, abs=1e-9)
