"""The places of claims of one slot: one timeline, in whichever order they were told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from memorygraph.writing.timeline import Period, Place, Span, period_of, place_among

INSTANTS = st.integers(min_value=-50, max_value=50)


def told(instants: Sequence[int]) -> dict[str, Span]:
    """The spans after claims that hold since ``instants`` were told in that order, by their ids "0", "1", …"""
    spans: dict[str, Span] = {}
    for number, since in enumerate(instants):
        new = Span(id=str(number), since=since)
        place = place_among(list(spans.values()), since)
        for id in place.ends:
            spans[id] = replace(spans[id], until=since, holder=new.id)
        spans[new.id] = replace(new, until=place.until, holder=place.holder)
    return spans


@given(st.sets(INSTANTS, min_size=1, max_size=9).flatmap(lambda chosen: st.permutations(sorted(chosen))))
@example([2020, 2024, 2022])
def test_behaviour_20_claims_told_in_any_order_make_one_timeline(instants: list[int]) -> None:
    spans = sorted(told(instants).values(), key=lambda span: span.since)
    assert [span.since for span in spans] == sorted(instants)
    assert [(span.until, span.holder) for span in spans] == [(after.since, after.id) for after in spans[1:]] + [
        (None, None)
    ]


@given(st.lists(INSTANTS, min_size=1, max_size=9), INSTANTS)
def test_at_every_instant_the_latest_to_begin_holds_alone_and_of_two_the_one_told_last(
    instants: list[int], at: int
) -> None:
    holding = [
        span.id for span in told(instants).values() if span.since <= at and (span.until is None or at < span.until)
    ]
    begun = [(since, number) for number, since in enumerate(instants) if since <= at]
    assert holding == ([str(max(begun)[1])] if begun else [])


def test_what_had_ended_a_claim_from_outside_the_slot_ends_the_one_that_comes_between() -> None:
    leeds = Span(id="leeds", since=2020, until=2024, holder="outside")
    assert place_among([leeds], 2022) == Place(ends=("leeds",), until=2024, holder="outside")
    assert place_among([replace(leeds, holder=None)], 2022) == Place(ends=("leeds",), until=None, holder=None)
    assert place_among([leeds], 2024) == Place(ends=(), until=None, holder=None)
    assert place_among([leeds], 2019) == Place(ends=(), until=2020, holder="leeds")


def test_a_claim_that_never_holds_ends_no_other() -> None:
    corrected = Span(id="corrected", since=2020, until=2020, holder="right")
    right = Span(id="right", since=2020)
    assert place_among([corrected, right], 2019) == Place(ends=(), until=2020, holder="right")
    assert place_among([corrected], 2019) == Place(ends=(), until=None, holder=None)


def test_all_that_hold_at_once_end_when_a_claim_with_one_value_at_a_time_is_told() -> None:
    both = [Span(id="one", since=2020), Span(id="other", since=2021), Span(id="late", since=2030)]
    assert place_among(both, 2022) == Place(ends=("one", "other"), until=2030, holder="late")


ENDS = st.none() | INSTANTS
PERIODS = st.builds(Period, ENDS, ENDS).filter(
    lambda of: of.since is None or of.until is None or of.since < of.until  # as the doors have them
)


@given(PERIODS, PERIODS)
@example(Period(0, 10), Period(10, None))
def test_two_periods_meet_when_there_is_an_instant_in_both(one: Period, other: Period) -> None:
    def has(period: Period, instant: int) -> bool:
        return (period.since is None or period.since <= instant) and (period.until is None or instant < period.until)

    assert one.meets(other) == any(has(one, instant) and has(other, instant) for instant in range(-60, 61))


@given(ENDS, ENDS, INSTANTS, INSTANTS)
def test_a_claim_holds_as_it_was_told_and_where_nothing_was_told_since_it_happened(
    since: int | None, until: int | None, happened: int, recorded: int
) -> None:
    claim = {"valid_from": since, "valid_to": until, "occurred_at": happened, "recorded_at": recorded}
    told = since is not None or until is not None
    assert period_of(claim) == (Period(since, until) if told else Period(happened, None))
    assert period_of({"recorded_at": recorded}) == Period(recorded, None)


@given(st.lists(st.tuples(INSTANTS, st.booleans()), min_size=1, max_size=6, unique_by=lambda told: told[0]), st.data())
def test_what_is_over_ends_nothing_and_the_order_of_telling_makes_no_difference(
    told: list[tuple[int, bool]], data: st.DataObject
) -> None:
    def placed(order: Sequence[tuple[int, bool]]) -> dict[int, tuple[int | None, str | None]]:
        spans: dict[str, Span] = {}
        for since, over in order:
            new = Span(id=str(since), since=since, over=over)
            place = place_among(list(spans.values()), since, over=over)
            for id in place.ends:
                spans[id] = replace(spans[id], until=since, holder=new.id)
            spans[new.id] = replace(new, until=place.until, holder=place.holder)
        return {span.since: (span.until, span.holder) for span in spans.values()}

    standing = sorted(since for since, over in told if not over)
    expected = {}
    for since, _ in told:
        after = next((later for later in standing if later > since), None)
        expected[since] = (after, None if after is None else str(after))
    assert placed(told) == expected
    assert placed(data.draw(st.permutations(told))) == expected
