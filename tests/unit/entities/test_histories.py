"""The access history of two entities that are one, and of what is left of it."""

from hypothesis import given
from hypothesis import strategies as st

from memorygraph.entities.histories import joined_history, parted_history
from memorygraph_forgetting import AccessHistory

INSTANTS = st.integers(0, 10_000)


@st.composite
def histories(draw: st.DrawFn) -> AccessHistory:
    """Histories as uses one after the other make them, of at most eight kept times."""
    history = AccessHistory.created(draw(INSTANTS))
    for step in draw(st.lists(st.integers(0, 500), max_size=12)):
        history = history.record(history.last + step, limit=8, debounce=0)
    return history


def test_both_histories_are_there_in_the_joined_one() -> None:
    one = AccessHistory(times=(10, 30), count=2, first=10)
    other = AccessHistory(times=(20, 40), count=2, first=20)
    assert joined_history(one, other, limit=8) == AccessHistory(times=(10, 20, 30, 40), count=4, first=10)
    assert joined_history(one, other, limit=3) == AccessHistory(times=(20, 30, 40), count=4, first=10)


def test_no_time_is_kept_from_before_what_the_other_knows_by_count_only() -> None:
    counted = AccessHistory(times=(30,), count=9, first=5)
    whole = AccessHistory(times=(20, 40), count=2, first=20)
    assert joined_history(counted, whole, limit=8) == AccessHistory(times=(30, 40), count=11, first=5)


@given(histories(), histories(), st.integers(1, 8))
def test_joining_counts_every_access_once_and_does_not_ask_who_is_first(
    one: AccessHistory, other: AccessHistory, limit: int
) -> None:
    joined = joined_history(one, other, limit=limit)
    assert joined == joined_history(other, one, limit=limit)
    assert joined.count == one.count + other.count
    assert (joined.first, joined.last) == (min(one.first, other.first), max(one.last, other.last))
    assert len(joined.times) <= limit


@given(histories(), histories())
def test_parting_what_was_joined_gives_back_what_was(one: AccessHistory, other: AccessHistory) -> None:
    joined = joined_history(one, other, limit=8)
    assert parted_history(one, joined, joined, limit=8) == one


@given(histories(), histories(), st.lists(st.integers(0, 500), max_size=12))
def test_what_was_used_since_is_used_of_the_kept_one(
    one: AccessHistory, other: AccessHistory, steps: list[int]
) -> None:
    joined = now = joined_history(one, other, limit=8)
    for step in steps:
        now = now.record(now.last + step, limit=8, debounce=0)
    parted = parted_history(one, joined, now, limit=8)
    assert parted.count == one.count + len(steps)
    assert parted.first == one.first
    assert parted.last == (now.last if steps else one.last)
    assert len(parted.times) <= 8
