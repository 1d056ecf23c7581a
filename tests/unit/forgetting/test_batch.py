from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_forgetting import (
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
from tests.unit.forgetting.strategies import START, YEAR, histories, importances, parameters

rows = st.lists(st.tuples(histories(), importances), max_size=12)


def same_instant(found: int, expected: int | None) -> bool:
    """Within 1e-12 of each other, or a millisecond, the unit of instants."""
    if expected is None:
        return found == NEVER
    return abs(found - expected) <= max(1, 1e-12 * abs(expected))


@given(rows=rows, decay=parameters(), wait=st.integers(-YEAR, 200 * YEAR))
def test_retention_of_many_is_that_of_each(
    rows: list[tuple[AccessHistory, float]], decay: DecayParameters, wait: int
) -> None:
    now = START + wait
    many = retention_many(Histories.of(h for h, _ in rows), now, decay, importance=[i for _, i in rows])
    each = [retention(history, now, decay, importance=importance) for history, importance in rows]
    np.testing.assert_allclose(many, each, rtol=1e-12)


@given(rows=rows, decay=parameters())
def test_cold_times_of_many_are_those_of_each(rows: list[tuple[AccessHistory, float]], decay: DecayParameters) -> None:
    many = cold_at_many(Histories.of(h for h, _ in rows), decay, importance=[i for _, i in rows]).tolist()
    each = [cold_at(history, decay, importance=importance) for history, importance in rows]
    for found, expected in zip(many, each, strict=True):
        assert same_instant(found, expected)


@given(rows=rows, decay=parameters(), wait=st.integers(-YEAR, 200 * YEAR))
def test_activation_of_many_is_that_of_each(
    rows: list[tuple[AccessHistory, float]], decay: DecayParameters, wait: int
) -> None:
    now = START + wait
    many = activation_many(Histories.of(h for h, _ in rows), now, decay, importance=[i for _, i in rows])
    each = [activation(history, now, decay, importance=importance) for history, importance in rows]
    np.testing.assert_allclose(many, each, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("importance", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seconds", [0, 2, 8, 9, 60])
def test_what_crosses_within_the_floor_or_is_cold_from_the_start_is_solved_alike(
    importance: float, seconds: int
) -> None:
    history = AccessHistory.created(START).record(START + seconds * 1_000, debounce=0)
    older = AccessHistory(times=history.times, count=9, first=START - MS_PER_DAY)
    for threshold in np.linspace(0.5, 8.0, 60):
        decay = replace(DecayParameters.rehearsed(), retrieval_threshold=float(threshold))
        each = [cold_at(one, decay, importance=importance) for one in (history, older)]
        many = cold_at_many(Histories.of([history, older]), decay, importance=importance).tolist()
        assert all(map(same_instant, many, each))


def test_more_histories_than_one_block_are_all_solved() -> None:
    base = [AccessHistory.created(START + i * MS_PER_DAY).record(START + (i + 1) * MS_PER_DAY) for i in range(100)]
    many = Histories.of(base * 400)
    cold = cold_at_many(many, DecayParameters())
    assert cold.shape == (40_000,)
    expected = [cold_at(history, DecayParameters()) for history in base]
    assert np.abs(cold.reshape(400, 100) - np.array(expected)).max() <= 1


def test_one_importance_serves_all() -> None:
    many = Histories.of([AccessHistory.created(START)] * 3)
    now = START + MS_PER_DAY
    np.testing.assert_allclose(retention_many(many, now, DecayParameters()), [0.991044850374] * 3, atol=1e-9)


def test_no_histories_have_no_retention() -> None:
    empty = Histories.of([])
    assert retention_many(empty, START, DecayParameters()).shape == (0,)
    assert cold_at_many(empty, DecayParameters()).shape == (0,)


@given(history=histories())
def test_a_history_comes_back_out_of_the_arrays(history: AccessHistory) -> None:
    many = Histories.of([AccessHistory.created(START), history])
    assert many.history(1) == history
    assert len(many) == 2


@pytest.mark.parametrize("i", [-1, 2])
def test_a_history_that_is_not_there_is_refused(i: int) -> None:
    many = Histories.of([AccessHistory.created(START), AccessHistory.created(START + 1)])
    assert many.history(0).last == START
    with pytest.raises(IndexError, match="no history"):
        many.history(i)


@pytest.mark.parametrize(
    ("times", "offsets", "counts", "firsts"),
    [
        ([1, 2], [0, 1, 1], [1, 1], [1, 1]),
        ([1, 2], [0, 1], [1], [1]),
        ([1, 2], [0, 2], [1], [1]),
        ([1, 2], [0, 2], [2, 2], [1]),
    ],
    ids=["an empty history", "times left over", "count below the kept times", "shapes that differ"],
)
def test_arrays_that_do_not_fit_together_are_refused(
    times: list[int], offsets: list[int], counts: list[int], firsts: list[int]
) -> None:
    with pytest.raises(ValueError, match=r"offsets|count"):
        Histories(times=np.array(times), offsets=np.array(offsets), counts=np.array(counts), firsts=np.array(firsts))


@pytest.mark.parametrize("importance", [[0.5, 1.5], [0.5, float("nan")], [0.5, 0.5, 0.5]])
def test_importances_out_of_range_or_shape_are_refused(importance: list[float]) -> None:
    many = Histories.of([AccessHistory.created(START)] * 2)
    with pytest.raises(ValueError, match=r"importance|shape"):
        retention_many(many, START, DecayParameters(), importance=importance)
    assert retention_many(many, START, DecayParameters(), importance=[0.5, 1.0]).shape == (2,)
