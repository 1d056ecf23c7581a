"""When in the world claims hold: those of one slot one after the other, whatever the order in which they were told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "BEGINNING",
    "Period",
    "Place",
    "Span",
    "began",
    "holds_from",
    "period_of",
    "place_among",
    "told_period",
]

BEGINNING = -(2**62)  # epoch ms: before everything


@dataclass(frozen=True, slots=True)
class Period:
    """Since when and until when a claim holds; epoch ms."""

    since: int | None  # inclusive; None: ever since
    until: int | None  # exclusive; None: for good

    def meets(self, other: Period) -> bool:
        """Whether the two have an instant in common."""
        return _begins_before_end(self, other) and _begins_before_end(other, self)


def _begins_before_end(one: Period, other: Period) -> bool:
    return one.since is None or other.until is None or one.since < other.until


def holds_from(claim: Mapping[str, Any]) -> int:
    """Since when, epoch ms, a claim holds: as it was told, else when it happened, else when it was written."""
    for name in ("valid_from", "occurred_at"):
        if (at := claim.get(name)) is not None:
            return int(at)
    return int(claim["recorded_at"])


def began(claim: Mapping[str, Any]) -> int:
    """As :func:`holds_from`; of what was only told to end, and had ended when it happened, the beginning of time."""
    since = holds_from(claim)
    ended = claim.get("valid_from") is None and claim.get("valid_to") is not None and claim["valid_to"] <= since
    return BEGINNING if ended else since


def told_period(claim: Mapping[str, Any]) -> Period:
    """When a claim was told to hold; for good, where nothing was told."""
    return Period(claim.get("valid_from"), claim.get("valid_to"))


def period_of(claim: Mapping[str, Any]) -> Period:
    """When a claim is known to hold: as it was told, else since it happened or was written."""
    told = told_period(claim)
    return Period(holds_from(claim), None) if told == Period(None, None) else told


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """For how long a claim holds before another takes its place; epoch ms."""

    id: str
    since: int  # inclusive
    until: int | None = None  # exclusive; None: nothing took its place
    holder: str | None = None  # what holds from ``until`` on; None when that holds no more
    over: bool = False  # whether it was told to hold until an instant that has passed: it takes the place of none


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a claim stands among the others of its slot."""

    ends: tuple[str, ...]  # ids of those that hold until it does
    until: int | None  # epoch ms, exclusive; None: nothing takes its place
    holder: str | None  # what takes its place then


def place_among(spans: Sequence[Span], since: int, *, over: bool = False) -> Place:
    """The place of a claim that holds since ``since`` (epoch ms) and was told after those of ``spans``.

    It ends what holds at that instant, and holds until the next one begins, or until what had ended
    those was to begin. So at every instant one claim holds, the latest to begin, in whichever order they were told.
    What is ``over``, the claim or one of ``spans``, ends no other: what was so in the past does not say what is so
    after it. It is ended itself.
    """
    ended = [
        span
        for span in spans
        if not over
        and (span.since < since or (span.since == since and not span.over))
        and (span.until is None or span.until > since)
    ]
    passed = {span.id for span in spans if span.over}
    # One that is told to end no later than it begins never holds.
    later = [
        (span.since, span.id)
        for span in spans
        if span.id not in passed and since < span.since < (span.since + 1 if span.until is None else span.until)
    ]
    later += [
        (span.until, span.holder)
        for span in ended
        if span.until is not None and span.holder is not None and span.holder not in passed
    ]
    until, holder = min(later, key=lambda end: end[0], default=(None, None))
    return Place(ends=tuple(span.id for span in ended), until=until, holder=holder)
