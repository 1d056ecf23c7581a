"""Values computed with 30 digits outside this library."""

from __future__ import annotations

import pytest

from memorygraph_forgetting import (
    MS_PER_DAY,
    AccessHistory,
    DecayParameters,
    base_level_activation,
    cold_at,
    retention,
)

BALANCED = DecayParameters.balanced()
ACTR = DecayParameters.rehearsed()


def used_on(*days: float) -> AccessHistory:
    times = tuple(round(day * MS_PER_DAY) for day in days)
    return AccessHistory(times=times, count=len(times), first=times[0])


@pytest.mark.parametrize(
    ("ages", "expected"),
    [((1, 2, 5), 0.767475303369), ((0.5, 1, 7, 30), 1.09016074854)],
)
def test_base_level_activation_has_its_reference_value(ages: tuple[float, ...], expected: float) -> None:
    assert base_level_activation(ages) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("days", "now", "importance", "rate", "expected"),
    [
        ((0,), 1, 0.5, 0.005, 0.991044850374),
        ((0,), 30, 0.5, 0.005, 0.274029894305),
        ((0, 50, 80), 90, 0.8, 0.005, 0.908022450245),
        ((0,), 1, 0.5, 0.3, 0.593930472485),
    ],
)
def test_retention_has_its_reference_value(
    days: tuple[float, ...], now: float, importance: float, rate: float, expected: float
) -> None:
    parameters = DecayParameters(forgetting_rate=rate)
    found = retention(used_on(*days), round(now * MS_PER_DAY), parameters, importance=importance)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "days", "importance", "expected"),
    [
        (BALANCED, (0,), 0.5, 28.2822174137),
        (BALANCED, (0,), 1.0, 44.8952216745),
        (BALANCED, (0, 1, 2, 3, 4), 0.5, 86.0422399564),
        (ACTR, (0,), 0.5, 30.0304051915),
        (ACTR, (0, 1, 2, 3, 4), 0.5, 752.762127763),
    ],
)
def test_the_cold_time_has_its_reference_value_to_a_second(
    parameters: DecayParameters, days: tuple[float, ...], importance: float, expected: float
) -> None:
    cold = cold_at(used_on(*days), parameters, importance=importance)
    assert cold == pytest.approx(expected * MS_PER_DAY, abs=1_000)


def test_the_aggressive_preset_goes_cold_within_two_days() -> None:
    cold = cold_at(used_on(0), DecayParameters.aggressive())
    assert cold is not None
    assert cold / MS_PER_DAY == pytest.approx(1.8458, abs=1e-3)
