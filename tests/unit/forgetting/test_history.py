from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_forgetting import MS_PER_DAY, AccessHistory
from tests.unit.forgetting.strategies import START, YEAR, histories

MINUTE = 60_000


def test_creation_is_the_first_access() -> None:
    history = AccessHistory.created(START)
    assert history == AccessHistory(times=(START,), count=1, first=START)
    assert history.last == START


@pytest.mark.parametrize(
    ("times", "count", "first"),
    [((), 0, 0), ((2, 1), 2, 1), ((1, 2), 1, 1), ((5,), 2, 6)],
    ids=["empty", "descending", "count below the kept times", "first after the oldest kept"],
)
def test_what_cannot_be_a_history_is_refused(times: tuple[int, ...], count: int, first: int) -> None:
    with pytest.raises(ValueError, match="access"):
        AccessHistory(times=times, count=count, first=first)


def test_an_access_within_the_debounce_is_the_same_access() -> None:
    history = AccessHistory.created(START)
    assert history.record(START + 59_999, debounce=60) is history
    assert history.record(START - 59_999, debounce=60) is history
    assert history.record(START + 60_000, debounce=60).count == 2


def test_debounce_is_measured_from_accesses_that_counted() -> None:
    history = AccessHistory.created(START)
    for seconds in (40, 80, 120):
        history = history.record(START + seconds * 1_000, debounce=60)
    assert history.times == (START, START + 80_000)


def test_equal_times_each_count_without_debounce() -> None:
    history = AccessHistory.created(START).record(START, debounce=0)
    assert history.times == (START, START)
    assert AccessHistory.created(START).record(START, debounce=1).count == 1


def test_only_the_newest_accesses_are_kept_and_all_are_counted() -> None:
    history = AccessHistory.created(START)
    for i in range(1, 50):
        history = history.record(START + i * MINUTE, limit=8)
    assert history.times == tuple(START + i * MINUTE for i in range(42, 50))
    assert (history.count, history.first, history.older_count) == (50, START, 42)


def test_a_lowered_limit_takes_effect_at_the_next_access() -> None:
    history = AccessHistory(times=tuple(range(0, 20 * MINUTE, MINUTE)), count=20, first=0)
    assert len(history.record(20 * MINUTE, limit=8).times) == 8


def test_an_access_out_of_order_takes_its_place() -> None:
    history = AccessHistory.created(START).record(START + 10 * MINUTE).record(START + 5 * MINUTE)
    assert history.times == (START, START + 5 * MINUTE, START + 10 * MINUTE)


def test_a_late_access_older_than_all_kept_is_counted_and_extends_nothing() -> None:
    times = tuple(START + i * MINUTE for i in range(8))
    full = AccessHistory(times=times, count=20, first=START - YEAR)
    late = full.record(START - 10 * MINUTE, limit=8)
    assert (late.times, late.count, late.first) == (times, 21, START - YEAR)


def test_an_access_from_before_creation_is_counted_and_creation_stands() -> None:
    late = AccessHistory.created(START).record(START - YEAR)
    assert (late.times, late.count, late.first) == ((START,), 2, START)


@given(history=histories(), at=st.integers(START - YEAR, START + 4 * YEAR), limit=st.integers(1, 50))
def test_record_keeps_the_limit_and_the_newest(history: AccessHistory, at: int, limit: int) -> None:
    recorded = history.record(at, limit=limit, debounce=0)
    assert recorded.count == history.count + 1
    assert recorded.first == history.first
    assert len(recorded.times) <= limit
    assert recorded.last == max(at, history.last) or at < history.times[0]
    assert set(recorded.times) <= {*history.times, at}


@given(
    offsets=st.lists(st.integers(0, 10_000), min_size=1, max_size=30, unique=True),
    seed=st.randoms(use_true_random=False),
)
def test_while_there_is_room_the_order_of_arrival_does_not_matter(offsets: list[int], seed: object) -> None:
    shuffled = list(offsets)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    in_order = AccessHistory.created(START)
    as_arrived = AccessHistory.created(START)
    for offset in sorted(offsets):
        in_order = in_order.record(START + offset, limit=40, debounce=0)
    for offset in shuffled:
        as_arrived = as_arrived.record(START + offset, limit=40, debounce=0)
    assert as_arrived == in_order


def test_a_summary_inherits_the_history_and_the_moment_of_fusion_even_within_the_debounce() -> None:
    history = AccessHistory.created(START).record(START + MINUTE)
    inherited = history.inherited_by_summary(START + MINUTE + 1)
    assert inherited.times == (START, START + MINUTE, START + MINUTE + 1)
    assert (inherited.count, inherited.first) == (3, START)


def test_ages_are_days_oldest_first_and_floored() -> None:
    history = AccessHistory(times=(START, START + MS_PER_DAY), count=2, first=START)
    np.testing.assert_allclose(history.ages(START + 3 * MS_PER_DAY), [3.0, 2.0])
    np.testing.assert_allclose(history.ages(START + MS_PER_DAY), [1.0, 1e-4])


def test_an_access_in_the_future_is_as_old_as_one_happening_now() -> None:
    history = AccessHistory.created(START)
    assert history.ages(START - YEAR).tolist() == [1e-4]
    assert history.decayed_sum(START - YEAR, decay=0.5) == history.decayed_sum(START, decay=0.5)


def test_a_history_as_of_an_instant_knows_nothing_later() -> None:
    history = AccessHistory(times=(10, 20, 30), count=9, first=1)
    assert history.as_of(9) is None
    assert history.as_of(20) == AccessHistory(times=(10, 20), count=8, first=1)
    assert history.as_of(30) is history


@pytest.mark.parametrize("debounce", [-1.0, float("nan")])
def test_a_debounce_below_nothing_is_refused(debounce: float) -> None:
    with pytest.raises(ValueError, match="debounce"):
        AccessHistory.created(START).record(START + MINUTE, debounce=debounce)
    assert AccessHistory.created(START).record(START + MINUTE, debounce=0.0).count == 2


@pytest.mark.parametrize(("times", "count", "first"), [((1.5,), 1, 1), ((1,), 1.0, 1), ((1,), 1, 0.5)])
def test_instants_and_counts_are_whole(times: tuple[int, ...], count: int, first: int) -> None:
    with pytest.raises(TypeError, match="whole"):
        AccessHistory(times=times, count=count, first=first)
    with pytest.raises(TypeError, match="whole"):
        AccessHistory.created(START).record(START + 0.5, debounce=0.0)  # type: ignore[arg-type]


def test_at_least_one_time_is_kept() -> None:
    with pytest.raises(ValueError, match="at least one"):
        AccessHistory.created(START).record(START + MINUTE, limit=0)
