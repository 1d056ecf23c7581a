from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_forgetting import (
    MS_PER_DAY,
    AccessHistory,
    DecayParameters,
    cold_at,
    inherited_history,
    inherited_importance,
)
from tests.unit.forgetting.strategies import START, histories

BALANCED = DecayParameters.balanced()


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
