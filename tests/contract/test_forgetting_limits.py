"""Parameters at their ends and odd calls of forgetting, on every graph server."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.errors import ConfigurationError, IdempotencyConflict, InvalidInput, InvalidParameters
from memorygraph.fusion import figures, run
from memorygraph.ledger import ParameterScope
from memorygraph_forgetting import MS_PER_DAY, DecayParameters


async def save(engine: MemoryEngine, user: str, **values: Any) -> None:
    await engine.store.ledger.parameters.save(ParameterScope(user), values, actor="test", at=0)


@pytest.mark.parametrize("looked_at", [10_000, 2])
async def test_a_cycle_of_one_fusion_finds_the_pair_behind_what_stands_alone(
    engine: MemoryEngine, user: str, clock: SimulatedClock, monkeypatch: pytest.MonkeyPatch, looked_at: int
) -> None:
    monkeypatch.setattr(run, "_LOOK_AT_LEAST", looked_at)
    await save(engine, user, max_fusions_per_cycle=1, group_limit=2)
    memory = engine.memory(user)
    for name in ("Zed", "Yak"):
        await memory.remember(f"{name} is alone", entities=[name])
    clock.advance(timedelta(seconds=1))
    for number in range(4):
        await memory.remember(f"Crate {number} went to Hull", entities=["Hull"])
    clock.advance(timedelta(days=60))
    merged = [(await engine.forgetting.run(user)).merged_count for _ in range(3)]
    assert merged == [2, 2, 0]


async def test_companions_that_a_small_window_cut_off_are_not_put_off_as_alone(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    await save(engine, user, max_fusions_per_cycle=2, group_limit=2)
    memory = engine.memory(user)
    for part in range(2):
        for number in range(6):
            clock.advance(timedelta(seconds=1))
            await memory.remember(f"Crate {number}, part {part}", entities=[f"Crate {number}"])
    clock.advance(timedelta(days=60))
    cycles = [await engine.forgetting.run(user) for _ in range(4)]
    assert [(cycle.merged_count, cycle.skipped_count) for cycle in cycles] == [(4, 0), (4, 0), (4, 0), (0, 0)]


async def test_the_sample_is_as_large_as_it_says_when_all_was_written_at_once(
    engine: MemoryEngine, user: str, clock: SimulatedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "_SAMPLE", 20)
    memory = engine.memory(user)
    for number in range(40):
        await memory.remember(f"Crate {number}", importance=1.0 if number % 2 else 0.2)
    clock.advance(timedelta(days=20))
    cycle = await engine.forgetting.run(user)
    assert (cycle.total_nodes_before, cycle.sample_size) == (40, 20)
    kept = [(await memory.recall(f"Crate {n}", limit=1, reinforce=False)).hits[0].memory.retention for n in (0, 1)]
    assert cycle.average_activation_before == pytest.approx(sum(kept) / 2, abs=0.15)


async def test_what_happened_at_the_beginning_of_1970_is_covered_from_there(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    memory = engine.memory(user)
    for year in ("1970", "1980"):
        await memory.remember(f"Hull won the cup of {year}", entities=["Hull"], occurred_at=f"{year}-01-01T00:00:00Z")
    clock.advance(timedelta(days=60))
    cycle = await engine.forgetting.run(user)
    summary = await memory.get(cycle.summaries[0])
    assert (summary.covers_from, summary.covers_to) == (
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(1980, 1, 1, tzinfo=UTC),
    )


async def test_stored_parameters_that_cannot_stand_are_named_and_stop_nobody_else(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    broken, other = engine.memory(user), engine.memory(f"{user}-other")
    written = await other.remember("Ana works at Acme")
    await save(engine, user, threshold=0.05)
    for call in (broken.remember("Ben works at Acme"), engine.forgetting.run(user)):
        with pytest.raises(ConfigurationError, match=r"threshold = 0\.05"):
            await call
    clock.advance(timedelta(hours=1))
    await broken.reinforce([written.id])
    await other.reinforce([written.id])
    await engine.flush()
    assert (await other.get(written.id)).access_count == 2
    assert engine.dropped_accesses == 1


async def test_reinforcing_makes_no_user(engine: MemoryEngine, user: str) -> None:
    await engine.memory(user).reinforce(["nothing"])
    await engine.flush()
    assert (await engine.memory(user).recall("anything")).outcome == "unknown_user"
    await engine.memory(user).remember("Ana works at Acme")
    assert (await engine.memory(user).recall("Acme")).outcome == "found"


async def test_an_idempotency_key_gives_its_answer_after_the_memory_was_forgotten(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    memory = engine.memory(user)
    await memory.remember("Ben keeps bees", entities=["Ben", "bees"])
    first = await memory.remember("Kay has a parrot", entities=["Kay"], idempotency_key="k")
    await memory.remember("Kay has a canary", entities=["Kay"])
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(user)).merged_count == 2
    again = await memory.remember("Kay has a parrot", entities=["Kay"], idempotency_key="k")
    assert (again.id, again.outcome, again.replayed) == (first.id, "created", True)
    assert again.entities == ()  # those of nobody else
    assert (await memory.get(again.id)).type == "Forgotten"
    with pytest.raises(IdempotencyConflict):
        await memory.remember("Kay has a dog", idempotency_key="k")
    restating = await memory.remember("Kay has a parrot", idempotency_key="new")
    replayed = await memory.remember("Kay has a parrot", idempotency_key="new")
    assert restating.restates == (first.id,)
    assert (replayed.id, replayed.restates) == (restating.id, restating.restates)
    summary_id = (await memory.get(first.id)).summary_id
    assert summary_id is not None
    await engine.flush()
    accesses = (await memory.get(summary_id)).access_count
    clock.advance(timedelta(hours=1))
    await memory.remember("Kay has a parrot", idempotency_key="new")
    await engine.flush()
    assert (await memory.get(summary_id)).access_count == accesses


@pytest.mark.parametrize(
    "arguments",
    [{"trigger": "at will"}, {"trigger": None}, {"actor": None}, {"actor": "\ud800"}, {"actor": "x" * 201}],
)
async def test_a_cycle_with_bad_arguments_is_refused_and_leaves_no_row(
    engine: MemoryEngine, user: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        await engine.forgetting.run(user, **arguments)
    assert await engine.forgetting.cycles(user) == []
    await engine.forgetting.run(user, trigger="scheduled", actor="nightly")
    assert [(c.trigger_type, c.actor) for c in await engine.forgetting.cycles(user)] == [("scheduled", "nightly")]


async def test_a_cycle_id_that_is_no_text_is_refused(engine: MemoryEngine, user: str) -> None:
    for bad in ("\ud800", 5, None, "a\x00b"):
        with pytest.raises(InvalidInput):
            await engine.forgetting.get(user, cast(str, bad))


async def test_a_curve_that_cannot_be_drawn_is_refused_by_name(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    written = await memory.remember("Ana works at Acme")
    for bad in (
        {"start": 5},
        {"end": 5},
        {"start": "0001-01-01T00:00:00Z", "end": "0002-01-01T00:00:00Z"},
        {"start": "2025-01-01T00:00:00Z", "end": "2026-03-02T09:00:00Z"},
        {"points": 10**5000},
    ):
        with pytest.raises(InvalidInput):
            await memory.curve(written.id, **cast(Any, bad))
    with pytest.raises(InvalidParameters):
        await memory.curve(written.id, parameters=cast(Any, {"decay": 0.5}))
    drawn = await memory.curve(written.id, start="0001-01-01T00:00:00Z", end="9999-12-31T00:00:00Z", points=3)
    assert drawn.points[0].at == (await memory.get(written.id)).created_at.timestamp() * 1000


async def test_parameters_that_were_changed_since_a_memory_was_used_do_not_keep_its_group_from_being_fused(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    memory = engine.memory(user)
    for number in range(3):
        await memory.remember(f"Crate {number} went to Hull", entities=["Hull"])
    clock.advance(timedelta(days=40))
    await memory.remember("Crate 9 went to Hull", entities=["Hull"])
    clock.advance(timedelta(days=35))
    await save(engine, user, min_idle_days=60.0)
    await save(engine, other := f"{user}-other", min_idle_days=60.0)
    # Stored instants stand until they are computed anew; what is written under the new parameters waits longer.
    await engine.memory(other).remember("Crate 0 went to Hull", entities=["Hull"])
    await engine.memory(other).remember("Crate 1 went to Hull", entities=["Hull"])
    first, second = await engine.forgetting.run(user), await engine.forgetting.run(user)
    assert (first.merged_count, first.skipped_count, first.group_count) == (4, 0, 1)
    assert (second.merged_count, second.skipped_count, second.group_count) == (0, 0, 0)
    clock.advance(timedelta(days=35))
    assert (await engine.forgetting.run(other)).merged_count == 0
    clock.advance(timedelta(days=26))
    assert (await engine.forgetting.run(other)).merged_count == 2


async def test_a_summary_is_not_fused_by_itself_over_and_over(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    await save(engine, user, min_group=1, min_idle_days=0.0, max_fusions_per_cycle=5)
    memory = engine.memory(user)
    await memory.remember("A crate went to Hull", importance=0.0, entities=["Hull"])
    clock.advance(timedelta(seconds=1))
    first, second = await engine.forgetting.run(user), await engine.forgetting.run(user)
    assert (first.merged_count, first.summary_count) == (1, 1)
    assert (second.merged_count, second.summary_count) == (0, 0)
    assert (await memory.get(first.summaries[0])).generation == 1


async def test_a_curve_under_other_parameters_goes_on_until_it_is_cold_under_them(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    written = await memory.remember("A crate went to Hull")
    slow = DecayParameters(forgetting_rate=1e-4)
    drawn = await memory.curve(written.id, points=3, parameters=slow)
    usual = await memory.curve(written.id, points=3)
    assert drawn.cold_at is not None
    assert drawn.points[-1].at == drawn.cold_at + 30 * MS_PER_DAY > usual.points[-1].at
