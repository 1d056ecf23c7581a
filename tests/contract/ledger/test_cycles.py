"""Forgetting cycles, their plans and their failures, on both back ends."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from memorygraph.errors import ConstraintViolated, CycleRunning, LeaseLost, NotFound
from memorygraph.ledger import CycleFigures, CycleRecord, FailureRecord, Ledger, PlannedGroup

PARAMETERS = {"decay": 0.5, "forgetting_rate": 0.005, "model": "retention", "offset": 0.1}


async def start(ledger: Ledger, user: str, *, at: int = 1_000, token: int = 1) -> str:
    return await ledger.cycles.start(
        user, trigger_type="manual", started_at=at, fencing_token=token, parameters=PARAMETERS, actor="tester"
    )


async def finish(ledger: Ledger, user: str, cycle_id: str, *, token: int = 1, at: int = 2_000) -> None:
    await ledger.cycles.finish(
        user, cycle_id, fencing_token=token, status="succeeded", finished_at=at, duration_seconds=1.0
    )


async def run(ledger: Ledger, user: str, *, at: int) -> str:
    cycle_id = await start(ledger, user, at=at)
    await finish(ledger, user, cycle_id, at=at + 1)
    return cycle_id


def groups(*numbers: int) -> list[PlannedGroup]:
    return [
        PlannedGroup(group_no=number, entity_id="e1", statement_ids=("s1", "s2", "s3"), pair_count=3)
        for number in numbers
    ]


async def test_a_cycle_that_only_began_has_left_a_row(ledger: Ledger) -> None:
    cycle_id = await start(ledger, "alice")
    record = await ledger.cycles.get("alice", cycle_id)
    assert record == CycleRecord(
        id=cycle_id,
        end_user_id="alice",
        trigger_type="manual",
        status="running",
        started_at=1_000,
        finished_at=None,
        duration_seconds=None,
        merged_count=0,
        failed_count=0,
        skipped_count=0,
        group_count=0,
        summary_count=0,
        average_activation_before=None,
        average_activation_after=None,
        sample_size=None,
        total_nodes_before=None,
        total_nodes_after=None,
        low_activation_nodes=None,
        parameters=PARAMETERS,
        actor="tester",
        llm_calls=0,
        llm_tokens=0,
        error=None,
        heartbeat_at=record.heartbeat_at,
        fencing_token=1,
    )


async def test_every_figure_told_on_the_way_and_at_the_end_is_in_the_row(ledger: Ledger) -> None:
    cycle_id = await ledger.cycles.start(
        "alice",
        trigger_type="scheduled",
        started_at=1_000,
        fencing_token=7,
        parameters=PARAMETERS,
        actor="scheduler",
        figures=CycleFigures(
            average_activation_before=0.25, sample_size=1_000, total_nodes_before=50, low_activation_nodes=20
        ),
    )
    started = await ledger.cycles.get("alice", cycle_id)
    await ledger.cycles.heartbeat(
        "alice", cycle_id, fencing_token=7, figures=CycleFigures(merged_count=4, llm_calls=1, llm_tokens=800)
    )
    half = await ledger.cycles.get("alice", cycle_id)
    assert half.heartbeat_at >= started.heartbeat_at
    assert half == replace(started, merged_count=4, llm_calls=1, llm_tokens=800, heartbeat_at=half.heartbeat_at)

    await ledger.cycles.finish(
        "alice",
        cycle_id,
        fencing_token=7,
        status="partial",
        finished_at=9_000,
        duration_seconds=8.25,
        figures=CycleFigures(
            merged_count=9,
            failed_count=2,
            skipped_count=1,
            group_count=4,
            summary_count=3,
            average_activation_after=0.5,
            total_nodes_after=44,
        ),
        error="one group failed",
    )
    done = await ledger.cycles.get("alice", cycle_id)
    assert done == replace(
        half,
        status="partial",
        finished_at=9_000,
        duration_seconds=8.25,
        merged_count=9,
        failed_count=2,
        skipped_count=1,
        group_count=4,
        summary_count=3,
        average_activation_after=0.5,
        total_nodes_after=44,
        error="one group failed",
        heartbeat_at=done.heartbeat_at,
    )
    assert (done.trigger_type, done.average_activation_before, done.llm_tokens) == ("scheduled", 0.25, 800)


async def test_of_many_workers_that_start_a_users_cycle_at_once_one_does(ledger: Ledger, replica: Ledger) -> None:
    workers = [ledger, replica] * 4
    outcomes = await asyncio.gather(*(start(worker, "alice") for worker in workers), return_exceptions=True)
    assert sum(isinstance(outcome, str) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, CycleRunning) for outcome in outcomes) == 7
    assert await start(replica, "bob"), "another user's cycle is not in the way"


async def test_a_finished_cycle_makes_way_for_the_next(ledger: Ledger) -> None:
    first = await start(ledger, "alice")
    with pytest.raises(CycleRunning):
        await start(ledger, "alice")
    await finish(ledger, "alice", first)
    assert await start(ledger, "alice") != first


async def test_what_a_dead_worker_left_running_is_told_as_interrupted(ledger: Ledger) -> None:
    dead = await start(ledger, "alice", token=3)
    other = await start(ledger, "bob", token=3)
    assert await ledger.cycles.interrupt_stale("alice", 3, 5_000) == [], "its own token is not stale"
    assert await ledger.cycles.interrupt_stale("alice", 4, 5_000) == [dead]

    record = await ledger.cycles.get("alice", dead)
    assert (record.status, record.error, record.finished_at, record.duration_seconds) == (
        "failed",
        "interrupted",
        5_000,
        None,
    )
    assert (await ledger.cycles.get("bob", other)).status == "running"
    assert await start(ledger, "alice", token=4)


async def test_a_worker_whose_cycle_was_interrupted_can_tell_nothing_any_more(ledger: Ledger) -> None:
    cycle_id = await start(ledger, "alice", token=3)
    await ledger.cycles.heartbeat("alice", cycle_id, fencing_token=3)
    await ledger.cycles.interrupt_stale("alice", 4, 5_000)
    interrupted = await ledger.cycles.get("alice", cycle_id)

    with pytest.raises(LeaseLost):
        await ledger.cycles.heartbeat("alice", cycle_id, fencing_token=3, figures=CycleFigures(merged_count=99))
    with pytest.raises(LeaseLost):
        await finish(ledger, "alice", cycle_id, token=3)
    assert await ledger.cycles.get("alice", cycle_id) == interrupted


async def test_only_the_worker_whose_token_a_cycle_has_can_tell_of_it(ledger: Ledger) -> None:
    cycle_id = await start(ledger, "alice", token=3)
    for other in (2, 4):
        with pytest.raises(LeaseLost):
            await ledger.cycles.heartbeat("alice", cycle_id, fencing_token=other)
        with pytest.raises(LeaseLost):
            await finish(ledger, "alice", cycle_id, token=other)
    await ledger.cycles.heartbeat("alice", cycle_id, fencing_token=3)
    assert (await ledger.cycles.get("alice", cycle_id)).status == "running"


async def test_a_cycle_finishes_once(ledger: Ledger) -> None:
    cycle_id = await start(ledger, "alice")
    await finish(ledger, "alice", cycle_id)
    with pytest.raises(LeaseLost):
        await finish(ledger, "alice", cycle_id)


async def test_cycles_are_listed_newest_first_in_pages(ledger: Ledger) -> None:
    # Two of them at the same instant: a page must neither repeat nor lose one of those.
    ids = [await run(ledger, "alice", at=at) for at in (1_000, 2_000, 2_000, 3_000)]
    await run(ledger, "bob", at=2_500)
    newest_first = [ids[3], *sorted(ids[1:3], reverse=True), ids[0]]

    assert [record.id for record in await ledger.cycles.list("alice")] == newest_first
    pages: list[str] = []
    before: str | None = None
    while page := await ledger.cycles.list("alice", limit=1, before=before):
        pages += [record.id for record in page]
        before = page[-1].id
    assert pages == newest_first


async def test_one_users_cycles_are_nothing_to_another(ledger: Ledger) -> None:
    cycle_id = await start(ledger, "alice")
    await ledger.cycles.save_plan("alice", cycle_id, groups(0))
    await ledger.cycles.record_failure(
        "alice", cycle_id, group_no=0, group_key="k", cause="llm", attempt=1, at=1, next_try_at=None
    )
    plan, failures = await ledger.cycles.plan("alice", cycle_id), await ledger.cycles.failures("alice")
    assert plan
    assert failures

    with pytest.raises(NotFound):
        await ledger.cycles.get("bob", cycle_id)
    with pytest.raises(NotFound):
        await ledger.cycles.list("bob", before=cycle_id)
    assert await ledger.cycles.list("bob") == []
    assert await ledger.cycles.plan("bob", cycle_id) == []
    assert await ledger.cycles.failures("bob") == []
    assert await ledger.cycles.failures("bob", cycle_id=cycle_id, group_key="k") == []
    with pytest.raises(LeaseLost):
        await ledger.cycles.heartbeat("bob", cycle_id, fencing_token=1)
    with pytest.raises(LeaseLost):
        await finish(ledger, "bob", cycle_id)
    assert await ledger.cycles.interrupt_stale("bob", 99, 5_000) == []
    with pytest.raises(ConstraintViolated):
        await ledger.cycles.save_plan("bob", cycle_id, groups(1))
    assert not await ledger.cycles.set_group_state("bob", cycle_id, 0, "skipped")
    with pytest.raises(ConstraintViolated):
        await ledger.cycles.record_failure(
            "bob", cycle_id, group_no=0, group_key="k", cause="llm", attempt=2, at=1, next_try_at=None
        )
    assert await ledger.cycles.resolve_failures("bob", "k", resolved_by="bob", at=2) == 0

    assert (await ledger.cycles.get("alice", cycle_id)).status == "running"
    assert await ledger.cycles.plan("alice", cycle_id) == plan
    assert await ledger.cycles.failures("alice") == failures


async def test_a_plan_is_read_back_as_it_was_saved_in_pages(ledger: Ledger, replica: Ledger) -> None:
    cycle_id = await start(ledger, "alice")
    alike = PlannedGroup(group_no=2, entity_id=None, statement_ids=("s9", "s8"), pair_count=0, reason="similar")
    await ledger.cycles.save_plan("alice", cycle_id, groups(0, 1))
    await ledger.cycles.save_plan("alice", cycle_id, [])
    await ledger.cycles.save_plan("alice", cycle_id, [alike])
    assert await replica.cycles.plan("alice", cycle_id) == [*groups(0, 1), alike]


async def test_a_page_of_a_plan_is_saved_whole_or_not_at_all(ledger: Ledger) -> None:
    cycle_id = await start(ledger, "alice")
    await ledger.cycles.save_plan("alice", cycle_id, groups(0, 1))
    with pytest.raises(ConstraintViolated):
        await ledger.cycles.save_plan("alice", cycle_id, groups(2, 1, 3))
    assert await ledger.cycles.plan("alice", cycle_id) == groups(0, 1)


async def test_the_groups_of_a_plan_change_state_one_by_one(ledger: Ledger) -> None:
    cycle_id = await start(ledger, "alice")
    await ledger.cycles.save_plan("alice", cycle_id, groups(0, 1, 2, 3))
    assert await ledger.cycles.set_group_state("alice", cycle_id, 0, "fused", summary_id="m1")
    assert await ledger.cycles.set_group_state("alice", cycle_id, 1, "failed", reason="llm unavailable")
    assert await ledger.cycles.set_group_state("alice", cycle_id, 2, "skipped", reason="accessed meanwhile")
    assert not await ledger.cycles.set_group_state("alice", cycle_id, 4, "skipped"), "there is no such group"

    plan = await ledger.cycles.plan("alice", cycle_id)
    assert [(group.state, group.summary_id, group.reason) for group in plan] == [
        ("fused", "m1", None),
        ("failed", None, "llm unavailable"),
        ("skipped", None, "accessed meanwhile"),
        ("pending", None, None),
    ]


async def test_a_fused_group_stays_fused_and_a_failed_one_may_be_fused_yet(ledger: Ledger) -> None:
    cycle_id = await start(ledger, "alice")
    await ledger.cycles.save_plan("alice", cycle_id, groups(0))
    assert await ledger.cycles.set_group_state("alice", cycle_id, 0, "failed", reason="killed")
    assert await ledger.cycles.set_group_state("alice", cycle_id, 0, "fused", summary_id="m1")
    assert await ledger.cycles.set_group_state("alice", cycle_id, 0, "fused", summary_id="m1"), "told twice"
    assert not await ledger.cycles.set_group_state("alice", cycle_id, 0, "failed", reason="late")
    assert not await ledger.cycles.set_group_state("alice", cycle_id, 0, "fused", summary_id="m2")
    (group,) = await ledger.cycles.plan("alice", cycle_id)
    assert (group.state, group.summary_id, group.reason) == ("fused", "m1", None)


@pytest.mark.parametrize(("state", "summary_id"), [("fused", None), ("skipped", "m1")])
async def test_a_summary_belongs_to_a_fused_group_only(ledger: Ledger, state: str, summary_id: str | None) -> None:
    cycle_id = await start(ledger, "alice")
    await ledger.cycles.save_plan("alice", cycle_id, groups(0))
    with pytest.raises(ConstraintViolated):
        await ledger.cycles.set_group_state("alice", cycle_id, 0, state, summary_id=summary_id)  # type: ignore[arg-type]
    assert await ledger.cycles.plan("alice", cycle_id) == groups(0)


async def test_the_attempts_at_a_group_are_kept_over_cycles_until_one_succeeds(ledger: Ledger) -> None:
    ids: list[str] = []
    cycle_id = ""
    for attempt, next_try_at in ((1, 10_000), (2, 40_000), (3, None)):
        cycle_id = await start(ledger, "alice", at=attempt)
        await ledger.cycles.save_plan("alice", cycle_id, groups(0, 1))
        failure = await ledger.cycles.record_failure(
            "alice",
            cycle_id,
            group_no=1,
            group_key="entity:e1",
            cause="timeout",
            attempt=attempt,
            at=attempt * 100,
            next_try_at=next_try_at,
        )
        ids.append(failure)
        await finish(ledger, "alice", cycle_id)
    other = await ledger.cycles.record_failure(
        "alice", cycle_id, group_no=0, group_key="entity:e2", cause="refused", attempt=1, at=50, next_try_at=60
    )

    history = await ledger.cycles.failures("alice", group_key="entity:e1")
    assert [(failure.id, failure.attempt, failure.next_try_at) for failure in history] == [
        (ids[2], 3, None),
        (ids[1], 2, 40_000),
        (ids[0], 1, 10_000),
    ]
    assert history[0] == FailureRecord(
        id=ids[2],
        cycle_id=cycle_id,
        group_no=1,
        group_key="entity:e1",
        cause="timeout",
        attempt=3,
        at=300,
        next_try_at=None,
        resolved_by=None,
        resolved_at=None,
    )
    assert [failure.id for failure in await ledger.cycles.failures("alice", cycle_id=cycle_id)] == [ids[2], other]
    assert [failure.id for failure in await ledger.cycles.failures("alice", limit=1)] == [ids[2]]

    assert await ledger.cycles.resolve_failures("alice", "entity:e1", resolved_by="cycle-9", at=900) == 3
    assert await ledger.cycles.resolve_failures("alice", "entity:e1", resolved_by="cycle-10", at=950) == 0
    assert [failure.id for failure in await ledger.cycles.failures("alice", unresolved_only=True)] == [other]
    resolved = await ledger.cycles.failures("alice", group_key="entity:e1")
    assert {(failure.resolved_by, failure.resolved_at) for failure in resolved} == {("cycle-9", 900)}
