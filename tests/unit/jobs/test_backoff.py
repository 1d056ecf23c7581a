"""How long the next try waits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.jobs import DEFAULT_BACKOFF, Backoff

SECONDS = st.floats(0.001, 1e6)


def test_the_bound_doubles_with_each_failure_up_to_the_cap() -> None:
    backoff = Backoff(base_seconds=2, cap_seconds=30)
    assert [backoff.bound(failures) for failures in range(1, 8)] == [2, 4, 8, 16, 30, 30, 30]


def test_the_wait_is_the_share_of_the_bound_that_was_drawn() -> None:
    backoff = Backoff(base_seconds=2, cap_seconds=30)
    assert backoff.delay(3, lambda: 0.25) == 2.0
    assert backoff.delay(3, lambda: 0.0) == 0.0


@given(
    base=SECONDS, factor=st.floats(1, 1e6), failures=st.integers(1, 10_000), drawn=st.floats(0, math.nextafter(1, 0))
)
def test_no_wait_is_negative_or_beyond_its_bound_however_often_it_failed(
    base: float, factor: float, failures: int, drawn: float
) -> None:
    backoff = Backoff(base_seconds=base, cap_seconds=base * factor)
    bound = backoff.bound(failures)
    assert 0 < bound <= backoff.cap_seconds
    assert bound <= backoff.bound(failures + 1), "it never gets shorter"
    assert 0 <= backoff.delay(failures, lambda: drawn) <= bound


def test_the_longest_wait_of_all_is_five_minutes_unless_told_otherwise() -> None:
    assert DEFAULT_BACKOFF.bound(1_000_000) == 300


@pytest.mark.parametrize(("base", "cap"), [(0, 1), (-1, 1), (2, 1), (1, math.inf), (math.nan, 1), (1, math.nan)])
def test_bounds_that_cannot_be_are_refused(base: float, cap: float) -> None:
    with pytest.raises(ValueError, match="base_seconds"):
        Backoff(base_seconds=base, cap_seconds=cap)


def test_before_the_first_failure_there_is_nothing_to_wait_for() -> None:
    with pytest.raises(ValueError, match="failures"):
        DEFAULT_BACKOFF.bound(0)
