from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_forgetting import (
    MS_PER_DAY,
    PROTECTED_KINDS,
    AccessHistory,
    DecayParameters,
    Ineligible,
    Standing,
    barrier,
    cold_at,
    fusable_at,
    why_not_fusable,
)
from tests.unit.forgetting.strategies import START, YEAR, histories, importances

BALANCED = DecayParameters.balanced()
FACT = Standing(kind="fact")


def held(until: int | None) -> Standing:
    return replace(FACT, hold_until=until)


def test_a_cold_memory_is_fusable_when_it_goes_cold() -> None:
    history = AccessHistory.created(START)
    cold = cold_at(history, BALANCED)
    assert fusable_at(history, cold, BALANCED) == cold


def test_what_went_cold_at_once_still_waits_out_the_idle_days() -> None:
    history = AccessHistory.created(START)
    cold = cold_at(history, BALANCED, importance=0.0)
    assert cold == START
    assert fusable_at(history, cold, BALANCED) == START + 7 * MS_PER_DAY
    assert fusable_at(history, cold, replace(BALANCED, min_idle_days=0.5)) == START + MS_PER_DAY // 2


def test_a_restored_memory_is_held() -> None:
    history = AccessHistory.created(START)
    cold = cold_at(history, BALANCED)
    assert fusable_at(history, cold, BALANCED, standing=held(START + YEAR)) == START + YEAR
    assert fusable_at(history, cold, BALANCED, standing=held(START)) == cold


def test_what_is_barred_or_never_cold_is_never_fusable() -> None:
    history = AccessHistory.created(START)
    assert fusable_at(history, START, BALANCED, standing=replace(FACT, pinned=True)) is None
    assert fusable_at(history, None, BALANCED, standing=FACT) is None
    assert fusable_at(history, START, BALANCED, standing=FACT) is not None


@pytest.mark.parametrize(
    ("standing", "reason"),
    [
        (Standing(kind="fact", pinned=True), Ineligible.PINNED),
        *((Standing(kind=kind), Ineligible.PROTECTED_KIND) for kind in sorted(PROTECTED_KINDS)),
        (Standing(kind="fact", trust="candidate"), Ineligible.CANDIDATE),
        (Standing(kind="fact", trust="rejected"), Ineligible.REJECTED),
        (Standing(kind="fact", status="superseded"), Ineligible.NOT_ACTIVE),
        (Standing(kind="fact", contradicted=True), Ineligible.CONTRADICTED),
        (Standing(kind="fact"), None),
        (Standing(kind="turn"), None),
    ],
)
def test_what_keeps_a_memory_from_being_fused_is_named(standing: Standing, reason: Ineligible | None) -> None:
    history, late = AccessHistory.created(START), START + 10 * YEAR
    assert barrier(standing) == reason
    assert why_not_fusable(history, START, late, BALANCED, standing=standing) == reason


def test_what_is_warm_fresh_or_held_is_named_until_its_time_has_come() -> None:
    history = AccessHistory.created(START)
    cold, week = START + 3 * MS_PER_DAY, START + 7 * MS_PER_DAY
    standing = held(START + 9 * MS_PER_DAY)

    def reason(now: int) -> Ineligible | None:
        return why_not_fusable(history, cold, now, BALANCED, standing=standing)

    assert reason(cold - 1) == Ineligible.STILL_WARM
    assert reason(cold) == reason(week - 1) == Ineligible.TOO_FRESH
    assert reason(week) == reason(START + 9 * MS_PER_DAY - 1) == Ineligible.HELD
    assert reason(START + 9 * MS_PER_DAY) is None
    assert why_not_fusable(history, None, START + 200 * YEAR, BALANCED) == Ineligible.STILL_WARM
    assert why_not_fusable(history, cold, week, BALANCED) is None


standings = st.builds(
    Standing,
    kind=st.sampled_from(["fact", "turn", "decision"]),
    trust=st.sampled_from(["accepted", "candidate", "rejected"]),
    status=st.sampled_from(["active", "superseded"]),
    pinned=st.booleans(),
    contradicted=st.booleans(),
    hold_until=st.one_of(st.none(), st.integers(START, START + YEAR)),
)


@given(
    history=histories(),
    importance=importances,
    standing=st.one_of(st.none(), st.builds(Standing, kind=st.just("fact")), standings),
    wait=st.integers(0, 20 * YEAR),
)
def test_nothing_stands_against_fusion_exactly_from_the_fusable_time_on(
    history: AccessHistory, importance: float, standing: Standing | None, wait: int
) -> None:
    cold = cold_at(history, BALANCED, importance=importance)
    at = fusable_at(history, cold, BALANCED, standing=standing)

    def eligible(now: int) -> bool:
        return why_not_fusable(history, cold, now, BALANCED, standing=standing) is None

    assert eligible(history.last + wait) == (at is not None and at <= history.last + wait)
    if at is not None:
        assert eligible(at)
        assert not eligible(at - 1)


@given(
    history=histories(),
    importance=importances,
    hold=st.one_of(st.none(), st.integers(START, START + 10 * YEAR)),
)
def test_aggressive_never_fuses_later_than_balanced(
    history: AccessHistory, importance: float, hold: int | None
) -> None:
    def at(parameters: DecayParameters) -> float:
        cold = cold_at(history, parameters, importance=importance)
        found = fusable_at(history, cold, parameters, standing=held(hold))
        return float("inf") if found is None else found

    assert at(DecayParameters.aggressive()) <= at(BALANCED)
