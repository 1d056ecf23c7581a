from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memorygraph_forgetting import (
    HORIZON_DAYS,
    MS_PER_DAY,
    NEVER,
    AccessHistory,
    DecayParameters,
    Histories,
    activation,
    activation_many,
    cold_at,
    cold_at_many,
    retention,
    retention_many,
)
from memorygraph_forgetting.roots import brent
from tests.unit.forgetting.strategies import START, YEAR, histories, importances, parameters

SECOND = 1_000
mp: Any = mpmath.mp  # which ships no types
mpf: Any = mpmath.mpf
HORIZON = round(HORIZON_DAYS * MS_PER_DAY)
ROUNDING = 1e-11


@given(history=histories(), decay=parameters(), importance=importances)
def test_retention_crosses_the_threshold_at_the_cold_time(
    history: AccessHistory, decay: DecayParameters, importance: float
) -> None:
    cold = cold_at(history, decay, importance=importance)
    if cold is None:
        assert retention(history, history.last + HORIZON, decay, importance=importance) > decay.threshold - ROUNDING
        return
    assert history.last <= cold <= history.last + HORIZON + 1
    assert retention(history, cold, decay, importance=importance) <= decay.threshold + ROUNDING
    if cold > history.last:
        before = max(cold - SECOND, history.last)
        assert retention(history, before, decay, importance=importance) >= decay.threshold - ROUNDING


@given(history=histories(), decay=parameters(), less=importances, more=importances)
def test_more_importance_never_goes_cold_sooner(
    history: AccessHistory, decay: DecayParameters, less: float, more: float
) -> None:
    less, more = sorted((less, more))
    sooner = cold_at(history, decay, importance=less)
    later = cold_at(history, decay, importance=more)
    assert later is None or (sooner is not None and sooner <= later + 2)


@given(history=histories(), decay=parameters(), importance=importances, wait=st.integers(60_000, YEAR))
def test_an_access_never_brings_the_cold_time_nearer(
    history: AccessHistory, decay: DecayParameters, importance: float, wait: int
) -> None:
    before = cold_at(history, decay, importance=importance)
    after = cold_at(history.record(history.last + wait, limit=1_000), decay, importance=importance)
    if before is None:  # the two hundred years count from the last access, so that never may become a date beyond
        assert after is None or after >= history.last + HORIZON - 2
    else:
        assert after is None or before <= after + 2


@given(history=histories(), importance=importances)
def test_aggressive_never_goes_cold_later_than_balanced(history: AccessHistory, importance: float) -> None:
    aggressive = cold_at(history, DecayParameters.aggressive(), importance=importance)
    balanced = cold_at(history, DecayParameters.balanced(), importance=importance)
    assert balanced is None or (aggressive is not None and aggressive <= balanced)


@given(
    history=histories(),
    decay=parameters(),
    importance=importances,
    fractions=st.lists(st.floats(0.0, 0.999), min_size=2, max_size=2),
)
def test_the_cold_time_is_what_plain_bisection_finds_from_whichever_moment_before_it(
    history: AccessHistory, decay: DecayParameters, importance: float, fractions: list[float]
) -> None:
    def warm(at: int) -> bool:
        return retention(history, at, decay, importance=importance) > decay.threshold

    cold = cold_at(history, decay, importance=importance)
    assume(cold is not None and warm(history.last) and not warm(history.last + HORIZON))
    assert cold is not None
    # Where retention is all but flat, the threshold is crossed anywhere within the rounding of retention itself.
    slope = retention(history, cold - SECOND, decay, importance=importance) - retention(
        history, cold + SECOND, decay, importance=importance
    )
    assume(slope > 1e-12)
    for fraction in (0.0, *fractions):
        low, high = history.last + int(fraction * (cold - history.last - SECOND)), history.last + HORIZON
        assume(low >= history.last)
        assert warm(low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if warm(middle) else (low, middle)
        assert abs(cold - high) <= SECOND


@given(
    ages=st.lists(st.floats(-4.0, math.log10(200 * 365.25)).map(lambda x: 10.0**x), min_size=1, max_size=12),
    older=st.one_of(st.just(0), st.integers(1, 999_988)),
    older_days=st.floats(0.0, 200 * 365.25),
    decay=parameters(),
    importance=st.one_of(st.just(0.0), st.floats(1e-9, 1.0)),
)
def test_ages_from_seconds_to_two_centuries_and_a_million_accesses_give_numbers_without_a_warning(
    ages: list[float], older: int, older_days: float, decay: DecayParameters, importance: float
) -> None:
    now = START + 1_000 * YEAR
    times = tuple(sorted(now - round(age * MS_PER_DAY) for age in ages))
    first = times[0] - round(older_days * MS_PER_DAY) if older else times[0]
    history = AccessHistory(times=times, count=len(times) + older, first=first)
    many = Histories.of([history])
    values = [
        retention(history, now, decay, importance=importance),
        float(retention_many(many, now, decay, importance=importance)[0]),
        activation(history, now, decay, importance=importance),
        float(activation_many(many, now, decay, importance=importance)[0]),
    ]
    assert not any(map(math.isnan, values))
    assert values[0] == pytest.approx(values[1], rel=1e-12)
    assert all(decay.offset <= value <= 1.0 for value in values[:2])
    assert all(math.isfinite(value) == (importance > 0.0) for value in values[2:])
    cold = cold_at(history, decay, importance=importance)
    assert cold is None or history.last <= cold <= history.last + HORIZON + 1
    assert (cold_at_many(many, decay, importance=importance)[0] == NEVER) == (cold is None)


def test_a_thousand_accesses_and_a_million_older_ones_have_a_cold_time() -> None:
    times = tuple(START + i * 3_600_000 for i in range(1_000))
    history = AccessHistory(times=times, count=1_000_000, first=START - 20 * YEAR)
    cold = cold_at(history, DecayParameters.aggressive())
    assert cold is not None
    assert retention(history, cold, DecayParameters.aggressive()) == pytest.approx(0.3, abs=1e-9)


def test_importance_zero_is_cold_at_the_last_access() -> None:
    history = AccessHistory.created(START).record(START + MS_PER_DAY)
    assert cold_at(history, DecayParameters(), importance=0.0) == START + MS_PER_DAY
    later = cold_at(history, DecayParameters(), importance=0.1)
    assert later is not None
    assert later > START + MS_PER_DAY


def test_what_is_below_the_threshold_from_the_start_is_cold_at_its_last_access() -> None:
    hopeless = replace(DecayParameters.rehearsed(), retrieval_threshold=20.0)
    assert cold_at(AccessHistory.created(START), hopeless) == START
    assert cold_at(AccessHistory.created(START).record(START + MS_PER_DAY), hopeless) == START + MS_PER_DAY


def test_a_crossing_within_the_floor_is_found() -> None:
    # Below the floor the newest access does not age, so only the one before it moves activation across.
    history = AccessHistory.created(START).record(START + 9_000, debounce=0)
    now, floored = (
        math.log(sum(1 / math.sqrt(max(age, 8.64) / 86_400) for age in ages)) for ages in ((0, 9), (8.64, 17.64))
    )
    p = 2 / 9
    tau = (now + floored) / 2 - 0.4 * math.log(p / (1 - p))
    decay = replace(DecayParameters.rehearsed(), retrieval_threshold=tau)
    cold = cold_at(history, decay)
    assert cold is not None
    assert history.last < cold < history.last + 8_640
    assert retention(history, cold, decay) == pytest.approx(0.3, abs=1e-4)


def test_a_memory_that_would_outlive_two_centuries_never_goes_cold() -> None:
    history = AccessHistory.created(START)
    slow = replace(DecayParameters.rehearsed(), decay=0.05)
    assert cold_at(history, slow) is None
    for day in range(1, 30):
        history = history.record(START + day * MS_PER_DAY)
    assert cold_at(history, DecayParameters.rehearsed()) is not None
    assert cold_at(history, replace(DecayParameters.rehearsed(), retrieval_threshold=-4.0)) is None


def test_two_centuries_are_two_hundred_years_of_365_and_a_quarter_days() -> None:
    # One access under the actr model is cold after e^(-2·B) days, for a decay of a half.
    history = AccessHistory.created(START)

    def parameters(days: float) -> DecayParameters:
        p = 2 / 9
        return replace(
            DecayParameters.rehearsed(), retrieval_threshold=-math.log(days) / 2 - 0.4 * math.log(p / (1 - p))
        )

    assert cold_at(history, parameters(73_049.0)) == pytest.approx(START + 73_049 * MS_PER_DAY, abs=SECOND)
    assert cold_at(history, parameters(73_051.0)) is None


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_a_threshold_just_below_one_is_crossed_to_a_second(gap: float) -> None:
    history, threshold = AccessHistory.created(START), 1.0 - gap
    gap = 1.0 - threshold  # as a double has it
    with mp.workdps(50):
        odds = mp.log((mpf(threshold) - mpf(0.1)) / mpf(gap))
        for days in (100, 60_000):
            tau = -math.log(days) / 2 - 0.4 * float(odds)
            decay = replace(DecayParameters.rehearsed(), threshold=threshold, retrieval_threshold=tau)
            expected = mp.exp(-2 * (mpf(tau) + mpf(0.4) * odds)) * MS_PER_DAY
            cold = cold_at(history, decay)
            assert cold is not None
            assert abs(cold - START - expected) <= SECOND
        usual = replace(DecayParameters(), threshold=threshold)
        lost = mpf(gap) / (1 - mpf(0.1))
        rate = mpf(0.5) * -mp.log(1 - lost) / mpf(usual.forgetting_rate)
        found = cold_at(history, usual)
        assert found is not None
        assert abs(found - START - max(rate ** (mpf(2) / 3), mpf(0)) * MS_PER_DAY) <= 8_640 + SECOND


def test_nothing_goes_cold_when_the_threshold_is_not_above_the_offset() -> None:
    history = AccessHistory.created(START)
    assert cold_at(history, replace(DecayParameters(), threshold=0.1)) is None
    assert cold_at(history, replace(DecayParameters(), threshold=0.11)) is not None


@pytest.mark.parametrize("importance", [-0.1, 1.1, math.nan])
def test_an_importance_out_of_range_is_refused(importance: float) -> None:
    with pytest.raises(ValueError, match="importance"):
        cold_at(AccessHistory.created(START), DecayParameters(), importance=importance)


@given(
    root=st.floats(-10, 10), below=st.floats(0.001, 20), above=st.floats(0.001, 20), power=st.sampled_from([1, 3, 9])
)
def test_brent_finds_the_root_between_the_ends(root: float, below: float, above: float, power: int) -> None:
    def function(x: float) -> float:
        return float((root - x) ** power)

    low, high = root - below, root + above
    found = brent(function, low, high, at_low=function(low), at_high=function(high), tolerance=1e-9)
    assert found == pytest.approx(root, abs=3e-9)


def test_brent_refuses_ends_of_one_sign() -> None:
    with pytest.raises(ValueError, match="sign"):
        brent(lambda x: x, 1.0, 2.0, at_low=1.0, at_high=2.0, tolerance=1e-9)
