from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_forgetting import (
    AccessHistory,
    DecayParameters,
    activation,
    base_level_activation,
    base_level_activation_bounded,
    spreading_activation,
)
from tests.unit.forgetting.strategies import START

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it imports deprecated parts of its own dependencies
    import pyactup


def pyactup_activation(times: list[float], now: float, *, decay: float) -> float:
    """Base-level activation of a chunk learned at ``times`` and looked at ``now``, by pyactup."""
    memory: Any = pyactup.Memory(noise=0, temperature=1, decay=decay, threshold=None)
    memory.activation_history = []
    for time in times:
        if time > memory.time:
            memory.advance(time - memory.time)
        memory.learn({"fact": "known"}, advance=0)
    memory.advance(now - memory.time)
    memory.retrieve({"fact": "known"})
    return float(memory.activation_history[-1]["base_level_activation"])


increasing_times = st.lists(st.floats(0.0, 1_000.0), min_size=1, max_size=60).map(
    lambda times: sorted(map(float, times))
)


@given(times=increasing_times, since=st.floats(1e-3, 10_000.0), decay=st.floats(0.05, 0.95))
def test_activation_agrees_with_pyactup(times: list[float], since: float, decay: float) -> None:
    now = times[-1] + since
    ages = [now - time for time in times]
    expected = pyactup_activation(times, now, decay=decay)
    assert base_level_activation(ages, decay=decay) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(
    youngest=st.floats(1e-3, 1e3),
    span=st.floats(1e-3, 1e3),
    decay=st.one_of(st.just(1.0), st.floats(0.05, 1.0)),
    older=st.integers(1, 1_000),
)
def test_the_older_accesses_add_the_integral_of_an_even_spread(
    youngest: float, span: float, decay: float, older: int
) -> None:
    # Gauss-Legendre quadrature over the logarithm of the age, where the integrand is an exponential.
    oldest = youngest + span
    nodes, weights = np.polynomial.legendre.leggauss(60)
    low, high = math.log(youngest), math.log(oldest)
    logs = low + (high - low) * (nodes + 1.0) / 2.0
    integral = float(np.sum(weights * np.exp((1.0 - decay) * logs))) * (high - low) / 2.0
    expected = math.log(youngest**-decay + older * integral / span)
    found = base_level_activation_bounded([youngest], older_count=older, oldest_age=oldest, decay=decay)
    assert found == pytest.approx(expected, abs=1e-9)


def test_importance_half_is_the_canonical_equation_and_importance_scales_inside_the_logarithm() -> None:
    canonical = math.log(1 + 1 / math.sqrt(4))
    assert base_level_activation([1, 4]) == pytest.approx(canonical, abs=1e-12)
    assert base_level_activation([1, 4], importance=1.0) == pytest.approx(canonical + math.log(2), abs=1e-12)


def test_nothing_accessed_and_importance_zero_have_no_activation() -> None:
    assert base_level_activation([]) == -math.inf
    assert base_level_activation([1.0], importance=0.0) == -math.inf
    assert base_level_activation([1.0], importance=0.1) > -math.inf


def test_ages_below_the_floor_count_as_the_floor() -> None:
    assert base_level_activation([0.0, -3.0]) == base_level_activation([1e-4, 1e-4])
    assert base_level_activation([2e-4]) < base_level_activation([1e-4])


def test_an_array_of_ages_gives_what_a_list_gives() -> None:
    assert base_level_activation(np.array([1.0, 2.0, 5.0])) == base_level_activation([1.0, 2.0, 5.0])


@pytest.mark.parametrize(("kept", "bound"), [(8, 0.014), (32, 0.0033)])
@pytest.mark.parametrize("decay", [0.1, 0.5, 0.8, 1.0])
def test_the_bounded_form_errs_within_its_stated_bound_for_even_spacing(kept: int, bound: float, decay: float) -> None:
    errors = []
    for since_last in (1e-4, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0):
        for count in (kept + 1, kept + 2, 2 * kept, 4 * kept, 200, 500, 1_000):
            ages = [since_last + i for i in range(count)]
            bounded = base_level_activation_bounded(
                ages[:kept], older_count=count - kept, oldest_age=ages[-1], decay=decay
            )
            errors.append(abs(bounded - base_level_activation(ages, decay=decay)))
    assert max(errors) <= bound
    assert max(errors) > 0.0


def test_the_bounded_form_errs_more_when_the_old_accesses_are_bunched() -> None:
    ages = [1 / 32 * (i + 1) for i in range(32)] + [365.0 + 1e-3 * i for i in range(968)]
    bounded = base_level_activation_bounded(ages[:32], older_count=968, oldest_age=ages[-1])
    assert bounded - base_level_activation(ages) == pytest.approx(0.35, abs=0.05)


@given(
    youngest=st.floats(1e-3, 1e4),
    apart=st.floats(0.0, 1e4),
    decay=st.one_of(st.just(1.0), st.floats(0.05, 1.0)),
    older=st.integers(1, 1_000_000),
)
def test_what_the_older_accesses_add_lies_between_their_extremes(
    youngest: float, apart: float, decay: float, older: int
) -> None:
    oldest = youngest + apart
    bounded = base_level_activation_bounded([youngest], older_count=older, oldest_age=oldest, decay=decay)
    added = (math.exp(bounded) - youngest**-decay) / older
    assert oldest**-decay * (1 - 1e-9) - 1e-9 <= added <= youngest**-decay * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("decay", [0.3, 0.5, 0.999999999, 1.0])
def test_the_bounded_form_reaches_both_its_limits_smoothly(decay: float) -> None:
    together = base_level_activation_bounded([2.0], older_count=9, oldest_age=2.0, decay=decay)
    assert together == pytest.approx(base_level_activation([2.0] * 10, decay=decay), abs=1e-12)
    for apart in (1e-15, 1e-12, 1e-8):
        near = base_level_activation_bounded([2.0], older_count=9, oldest_age=2.0 + apart, decay=decay)
        assert near == pytest.approx(together, abs=1e-8)


def test_the_bounded_form_at_decay_one_is_the_logarithmic_mean() -> None:
    found = base_level_activation_bounded([2.0], older_count=4, oldest_age=8.0, decay=1.0)
    assert found == pytest.approx(math.log(0.5 + 4 * math.log(4) / 6), abs=1e-12)
    nearly = base_level_activation_bounded([2.0], older_count=4, oldest_age=8.0, decay=1.0 - 1e-12)
    assert nearly == pytest.approx(found, abs=1e-10)


def test_no_older_accesses_make_the_bounded_form_exact() -> None:
    ages = [0.5, 1.0, 7.0]
    assert base_level_activation_bounded(ages, older_count=0, oldest_age=7.0) == base_level_activation(ages)


@pytest.mark.parametrize(("recent", "older"), [([1.0], -1), ([], 3)])
def test_an_impossible_number_of_older_accesses_is_refused(recent: list[float], older: int) -> None:
    with pytest.raises(ValueError, match="older"):
        base_level_activation_bounded(recent, older_count=older, oldest_age=9.0)


@pytest.mark.parametrize("count", [1, 1_000_000])
@pytest.mark.parametrize("age", [1e-4, 200 * 365.25])
@pytest.mark.parametrize("decay", [0.01, 0.5, 1.0])
def test_extreme_histories_stay_finite(count: int, age: float, decay: float) -> None:
    value = base_level_activation_bounded([1e-4], older_count=count - 1, oldest_age=age, decay=decay)
    assert math.isfinite(value)


def test_the_activation_of_a_history_counts_its_older_accesses() -> None:
    day = 86_400_000
    history = AccessHistory(times=(START,), count=10, first=START - 6 * day)
    found = activation(history, START + 2 * day, DecayParameters())
    assert found == base_level_activation_bounded([2.0], older_count=9, oldest_age=8.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"importance": 1.1},
        {"importance": -0.1},
        {"importance": math.nan},
        {"decay": 0.0},
        {"decay": 1.1},
        {"decay": math.nan},
    ],
    ids=str,
)
def test_arguments_outside_their_ranges_are_refused(wrong: dict[str, float]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        base_level_activation([1.0], **wrong)
    with pytest.raises(ValueError, match=name):
        base_level_activation_bounded([1.0], older_count=1, oldest_age=2.0, **wrong)
    assert math.isfinite(base_level_activation([1.0], importance=1.0, decay=1.0))


def test_an_age_that_is_not_a_number_is_refused_rather_than_taken_for_now() -> None:
    with pytest.raises(ValueError, match="not a number"):
        base_level_activation([1.0, math.nan])
    with pytest.raises(ValueError, match="not a number"):
        base_level_activation(np.array([math.nan]))
    with pytest.raises(ValueError, match="not a number"):
        base_level_activation_bounded([1.0], older_count=1, oldest_age=math.nan)
    assert base_level_activation([1.0, math.inf]) == 0.0


def test_whole_and_short_numbers_of_numpy_are_taken_for_what_they_say() -> None:
    assert base_level_activation(np.array([1, 2, 5]), decay=1) == base_level_activation([1.0, 2.0, 5.0], decay=1.0)
    half: Any = np.float32(0.3)
    assert base_level_activation([1.0], importance=half) == base_level_activation([1.0], importance=float(half))
    assert spreading_activation(np.array([1.0, 8.0])) == spreading_activation([1, 8])  # type: ignore[arg-type]


def test_a_million_accesses_one_by_one_and_bounded_stay_finite_and_near() -> None:
    ages = np.linspace(1e-4, 200 * 365.25, 1_000_000)
    exact = base_level_activation(ages)
    bounded = base_level_activation_bounded(ages[:32], older_count=999_968, oldest_age=float(ages[-1]))
    assert bounded == pytest.approx(exact, abs=0.0033)


def test_spreading_activation_divides_the_source_activation_among_the_entities() -> None:
    assert spreading_activation([1]) == pytest.approx(2.0)
    assert spreading_activation([1, None]) == pytest.approx(1.0)
    assert spreading_activation([1, 4], maximum_strength=1.5, source_activation=2.0) == pytest.approx(
        1.5 + 1.5 - math.log(4)
    )
    assert spreading_activation([]) == 0.0


@given(fan=st.integers(1, 10_000))
def test_a_larger_fan_spreads_less(fan: int) -> None:
    assert spreading_activation([fan]) > spreading_activation([fan + 1])


def test_a_fan_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="fan"):
        spreading_activation([0])
