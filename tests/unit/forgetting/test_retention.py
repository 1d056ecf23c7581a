from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_forgetting import (
    MS_PER_DAY,
    AccessHistory,
    DecayParameters,
    recall_probability,
    retention,
)
from tests.unit.forgetting.strategies import START, YEAR, histories, importances, parameters

ROUNDING = 1e-12


@given(
    history=histories(),
    decay=parameters(),
    importance=importances,
    waits=st.tuples(st.integers(0, 200 * YEAR), st.integers(0, 200 * YEAR)),
)
def test_retention_never_rises_without_an_access(
    history: AccessHistory, decay: DecayParameters, importance: float, waits: tuple[int, int]
) -> None:
    sooner, later = sorted(waits)
    before = retention(history, history.last + sooner, decay, importance=importance)
    after = retention(history, history.last + later, decay, importance=importance)
    assert after <= before + ROUNDING


@given(
    history=histories(),
    decay=parameters(),
    importance=importances,
    wait=st.integers(0, 5 * YEAR),
    limit=st.integers(1, 40),
)
def test_an_access_now_never_lowers_retention(
    history: AccessHistory, decay: DecayParameters, importance: float, wait: int, limit: int
) -> None:
    now = history.last + wait
    kept = max(limit, len(history.times))
    before = retention(history, now, decay, importance=importance)
    after = retention(history.record(now, limit=kept, debounce=60), now, decay, importance=importance)
    assert after >= before - ROUNDING


@given(history=histories(), decay=parameters(), importance=importances, wait=st.integers(-YEAR, 200 * YEAR))
def test_retention_stays_between_the_offset_and_one(
    history: AccessHistory, decay: DecayParameters, importance: float, wait: int
) -> None:
    found = retention(history, history.last + wait, decay, importance=importance)
    assert decay.offset <= found <= 1.0


@given(history=histories(), decay=parameters(), less=importances, more=importances, wait=st.integers(0, 200 * YEAR))
def test_more_importance_never_retains_less(
    history: AccessHistory, decay: DecayParameters, less: float, more: float, wait: int
) -> None:
    less, more = sorted((less, more))
    now = history.last + wait
    assert retention(history, now, decay, importance=less) <= retention(history, now, decay, importance=more) + ROUNDING


@given(history=histories(), wait=st.integers(0, 10 * YEAR), importance=importances)
def test_aggressive_never_retains_more_than_balanced(history: AccessHistory, wait: int, importance: float) -> None:
    now = history.last + wait
    aggressive = retention(history, now, DecayParameters.aggressive(), importance=importance)
    assert aggressive <= retention(history, now, DecayParameters.balanced(), importance=importance) + ROUNDING


@pytest.mark.parametrize("preset", [DecayParameters.balanced(), DecayParameters.rehearsed()])
def test_importance_zero_retains_the_offset_and_no_more(preset: DecayParameters) -> None:
    history = AccessHistory.created(START)
    assert retention(history, START, preset, importance=0.0) == preset.offset
    assert retention(history, START, preset, importance=0.5) > preset.offset


@pytest.mark.parametrize("preset", [DecayParameters.balanced(), DecayParameters.rehearsed()])
def test_retention_tends_to_the_offset(preset: DecayParameters) -> None:
    history = AccessHistory.created(START)
    assert retention(history, START + 10_000 * YEAR, preset) == pytest.approx(preset.offset, abs=1e-3)


def test_a_rehearsed_memory_outlives_under_the_power_law() -> None:
    history = AccessHistory.created(START)
    for day in range(1, 5):
        history = history.record(START + day * MS_PER_DAY)
    after_a_year = START + 365 * MS_PER_DAY
    assert retention(history, after_a_year, DecayParameters.rehearsed()) > 0.3
    assert retention(history, after_a_year, DecayParameters.balanced()) < 0.3


def test_an_access_after_now_counts_as_happening_now() -> None:
    history = AccessHistory.created(START)
    parameters = DecayParameters()
    assert retention(history, START - YEAR, parameters) == retention(history, START, parameters)


@pytest.mark.parametrize("importance", [-0.1, 1.1, math.nan, math.inf])
def test_an_importance_out_of_range_is_refused(importance: float) -> None:
    with pytest.raises(ValueError, match="importance"):
        retention(AccessHistory.created(START), START, DecayParameters(), importance=importance)


def test_the_probability_of_recall_is_a_half_at_the_threshold_and_never_overflows() -> None:
    assert recall_probability(-1.2) == 0.5
    assert recall_probability(-math.inf) == 0.0
    assert recall_probability(1e308, noise=1e-308) == 1.0
    assert recall_probability(-1e308, noise=1e-308) == 0.0


@pytest.mark.parametrize(
    ("activation", "threshold", "noise"),
    [(1.0, 0.0, 0.0), (1.0, 0.0, -1.0), (1.0, 0.0, math.nan), (math.nan, 0.0, 1.0)],
)
def test_a_probability_of_nothing_is_refused(activation: float, threshold: float, noise: float) -> None:
    with pytest.raises(ValueError, match=r"noise|activation"):
        recall_probability(activation, retrieval_threshold=threshold, noise=noise)


@given(activation=st.floats(-50, 50), threshold=st.floats(-5, 5), noise=st.floats(0.01, 5))
def test_the_probability_of_recall_is_the_logistic_function(activation: float, threshold: float, noise: float) -> None:
    found = recall_probability(activation, retrieval_threshold=threshold, noise=noise)
    assert found == pytest.approx(0.5 * (1 + math.tanh((activation - threshold) / noise / 2)), abs=1e-12)


def test_extreme_parameters_give_no_overflow_and_no_nan() -> None:
    history = AccessHistory.created(START)
    for rate in (5e-324, 1e308):
        found = retention(
            history, START + 200 * YEAR, replace(DecayParameters(), forgetting_rate=rate), importance=5e-324
        )
        assert 0.1 <= found <= 1.0
