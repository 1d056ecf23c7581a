from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_forgetting import (
    MS_PER_DAY,
    AccessHistory,
    DecayParameters,
    cold_at,
    fusable_at,
    inherited_history,
    inherited_importance,
)
from tests.unit.forgetting.strategies import START, YEAR, histories, importances

BALANCED = DecayParameters.balanced()


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
    assert fusable_at(history, cold, BALANCED, hold_until=START + YEAR) == START + YEAR
    assert fusable_at(history, cold, BALANCED, hold_until=START) == cold


def test_what_is_barred_or_never_cold_is_never_fusable() -> None:
    history = AccessHistory.created(START)
    assert fusable_at(history, START, BALANCED, barred=True) is None
    assert fusable_at(history, None, BALANCED) is None
    assert fusable_at(history, START, BALANCED, barred=False) is not None


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
        found = fusable_at(history, cold, parameters, hold_until=hold)
        return float("inf") if found is None else found

    assert at(DecayParameters.aggressive()) <= at(BALANCED)


def test_a_summary_takes_the_history_of_its_most_active_member_and_the_largest_importance() -> None:
    quiet = AccessHistory.created(START)
    busy = quiet.record(START + MS_PER_DAY).record(START + 2 * MS_PER_DAY)
    fusion = START + 100 * MS_PER_DAY
    inherited = inherited_history([(quiet, 0.5), (busy, 0.5)], fusion, BALANCED)
    assert inherited == busy.inherited_by_summary(fusion)
    assert inherited_importance([0.2, 0.9, 0.5]) == 0.9


def test_importance_weighs_in_which_member_is_most_active() -> None:
    often = AccessHistory.created(START).record(START + MS_PER_DAY)
    once = AccessHistory.created(START)
    fusion = START + 100 * MS_PER_DAY
    assert inherited_history([(often, 0.1), (once, 1.0)], fusion, BALANCED) == once.inherited_by_summary(fusion)


@pytest.mark.parametrize("parameters", [BALANCED, DecayParameters.rehearsed(), DecayParameters.aggressive()])
@given(history=histories(max_kept=8), importance=st.floats(0.05, 1.0))
def test_a_summary_starts_warm_and_grows_cold_as_its_members_did(
    parameters: DecayParameters, history: AccessHistory, importance: float
) -> None:
    cold = cold_at(history, parameters, importance=importance)
    if cold is None:
        return
    summary = inherited_history([(history, importance)], cold, parameters)
    again = cold_at(summary, parameters, importance=importance)
    assert again is None or again > cold


def test_a_summary_without_members_is_refused() -> None:
    with pytest.raises(ValueError, match="members"):
        inherited_history([], START, BALANCED)
