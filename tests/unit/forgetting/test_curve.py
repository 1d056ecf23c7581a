from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_forgetting import (
    MS_PER_DAY,
    AccessHistory,
    DecayParameters,
    activation,
    base_level_activation,
    cold_at,
    curve,
    retention,
)
from tests.unit.forgetting.strategies import START, YEAR, histories, importances, parameters


def used_daily(days: int) -> AccessHistory:
    history = AccessHistory.created(START)
    for day in range(1, days):
        history = history.record(START + day * MS_PER_DAY)
    return history


def test_a_curve_has_evenly_spaced_points_from_start_to_end() -> None:
    drawn = curve(used_daily(5), DecayParameters(), start=START, end=START + 100 * MS_PER_DAY, points=11)
    assert [point.at for point in drawn.points] == [START + 10 * i * MS_PER_DAY for i in range(11)]


def test_a_point_knows_only_the_accesses_up_to_its_instant() -> None:
    history = used_daily(5)
    drawn = curve(history, DecayParameters(), start=START, end=START + 8 * MS_PER_DAY, points=17)
    half_a_day_in = drawn.points[1]
    assert half_a_day_in.activation == pytest.approx(base_level_activation([0.5]), abs=1e-12)
    assert drawn.points[-1].activation == pytest.approx(base_level_activation([8, 7, 6, 5, 4]), abs=1e-12)


@given(history=histories(), decay=parameters(), importance=importances, wait=st.integers(1, 20 * YEAR))
def test_points_after_the_last_access_are_what_retention_and_cold_at_say(
    history: AccessHistory, decay: DecayParameters, importance: float, wait: int
) -> None:
    end = history.last + wait
    drawn = curve(history, decay, importance=importance, start=history.last, end=end, points=5)
    for point in drawn.points:
        assert point.retention == retention(history, point.at, decay, importance=importance)
        assert point.activation == activation(history, point.at, decay, importance=importance)
    assert drawn.cold_at == cold_at(history, decay, importance=importance)
    assert drawn.threshold == decay.threshold


@given(history=histories(), decay=parameters(), wait=st.integers(1, YEAR))
def test_the_shares_of_all_accesses_add_up_to_one(history: AccessHistory, decay: DecayParameters, wait: int) -> None:
    drawn = curve(history, decay, start=START, end=history.last + wait, points=2)
    assert [mark.at for mark in drawn.accesses] == list(history.times)
    assert math.fsum(mark.share for mark in drawn.accesses) + drawn.older_share == pytest.approx(1.0)
    assert drawn.older_count == history.older_count
    assert (drawn.older_share > 0) == (history.older_count > 0)


def test_a_curve_begins_where_accesses_are_known_one_by_one() -> None:
    history = AccessHistory(times=(START,), count=5, first=START - YEAR)
    drawn = curve(history, DecayParameters(), start=START - 2 * YEAR, end=START + YEAR)
    assert drawn.points[0].at == START
    assert len(drawn.points) == 200


def test_a_curve_is_json_even_without_activation() -> None:
    drawn = curve(
        AccessHistory.created(START), DecayParameters(), importance=0.0, start=START, end=START + YEAR, points=2
    )
    data = json.loads(json.dumps(drawn.to_dict(), allow_nan=False))
    assert data["points"][0] == {
        "at": START,
        "last_age": 1e-4,
        "sum": 100.0,
        "activation": None,
        "retention": 0.1,
    }
    assert data["accesses"] == [{"at": START, "share": 1.0}]


@pytest.mark.parametrize(("end", "points"), [(START, 10), (START - 1, 10), (START + YEAR, 1)])
def test_a_curve_of_no_length_is_refused(end: int, points: int) -> None:
    with pytest.raises(ValueError, match="curve"):
        curve(AccessHistory.created(START), DecayParameters(), start=START, end=end, points=points)
