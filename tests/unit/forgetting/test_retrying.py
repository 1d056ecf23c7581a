from __future__ import annotations

import pytest

from memorygraph_forgetting import MOST_ATTEMPTS, MS_PER_DAY, RetryState, next_try_at, retry_state
from tests.unit.forgetting.strategies import START


def test_a_failed_group_is_tried_again_after_growing_delays_and_then_set_aside() -> None:
    delays = [next_try_at(attempt, START) for attempt in range(1, MOST_ATTEMPTS + 1)]
    assert delays == [*(START + days * MS_PER_DAY for days in (1, 2, 4, 8)), None]
    assert next_try_at(MOST_ATTEMPTS + 1, START) is None


def test_a_failed_group_waits_for_its_time_and_what_is_set_aside_has_none() -> None:
    due = next_try_at(1, START)
    assert due is not None
    assert retry_state(due, due - 1) == RetryState.WAITING
    assert retry_state(due, due) == RetryState.DUE
    assert retry_state(None, due + 1_000 * MS_PER_DAY) == RetryState.SET_ASIDE


def test_attempts_count_from_one() -> None:
    with pytest.raises(ValueError, match="attempts count from 1"):
        next_try_at(0, START)
