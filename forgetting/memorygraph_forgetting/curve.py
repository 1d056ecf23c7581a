"""Retention over time, with what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memorygraph_forgetting.activation import mean_of_older
from memorygraph_forgetting.arguments import check_importance
from memorygraph_forgetting.cold import cold_at
from memorygraph_forgetting.terms import ActivationTerms, activation_terms
from memorygraph_forgetting.units import age_days

if TYPE_CHECKING:
    from memorygraph_forgetting.history import AccessHistory
    from memorygraph_forgetting.parameters import DecayParameters

__all__ = ["AccessMark", "Curve", "curve"]


@dataclass(frozen=True, slots=True)
class AccessMark:
    """One access whose time is kept, and its share of ``Σ`` at the end of the curve, 0 to 1."""

    at: int
    share: float

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {"at": self.at, "share": self.share}


@dataclass(frozen=True, slots=True)
class Curve:
    """Points evenly spaced in time, the accesses up to the end, and the threshold they are read against."""

    points: tuple[ActivationTerms, ...]
    accesses: tuple[AccessMark, ...]
    older_count: int
    """Accesses before the marks, known by their number only."""
    older_share: float
    """Their share of ``Σ`` at the end of the curve, 0 to 1."""
    threshold: float
    offset: float
    cold_at: int | None
    """When the memory goes cold if it is not accessed again, epoch milliseconds; None is never."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "points": [point.to_dict() for point in self.points],
            "accesses": [mark.to_dict() for mark in self.accesses],
            "older_count": self.older_count,
            "older_share": self.older_share,
            "threshold": self.threshold,
            "offset": self.offset,
            "cold_at": self.cold_at,
        }


def curve(
    history: AccessHistory,
    parameters: DecayParameters,
    *,
    importance: float = 0.5,
    start: int,
    end: int,
    points: int = 200,
) -> Curve:
    """Retention at ``points`` instants evenly spaced from ``start`` to ``end`` (epoch milliseconds), both included.

    Each point knows the accesses up to its own instant and no later one, so a point is what :func:`retention` gave
    at that time — as far as the times that are kept tell: where there are older accesses, known by number only, they
    stand in for what was kept then, and the points before the last access are near and not exact. The curve begins at
    the oldest access whose time is kept when ``start`` is before it: what was accessed before is not known one by one.

    Raises :class:`ValueError` when ``points`` is below 2, when nothing lies between that beginning and ``end``, and
    when importance is outside [0, 1].
    """
    check_importance(importance)
    if points < 2:
        raise ValueError(f"a curve has at least 2 points, not {points}")
    begin = max(start, history.times[0])
    if end <= begin:
        raise ValueError(f"the curve ends at {end}, which is not after its beginning at {begin}")
    instants = [begin + (end - begin) * i // (points - 1) for i in range(points)]
    marks, older_count, older_share = _shares(_known(history, end), end, parameters.decay)
    return Curve(
        points=tuple(activation_terms(_known(history, at), at, parameters, importance=importance) for at in instants),
        accesses=marks,
        older_count=older_count,
        older_share=older_share,
        threshold=parameters.threshold,
        offset=parameters.offset,
        cold_at=cold_at(history, parameters, importance=importance),
    )


def _known(history: AccessHistory, at: int) -> AccessHistory:
    known = history.as_of(at)
    assert known is not None  # a curve begins no earlier than the oldest kept access
    return known


def _shares(history: AccessHistory, at: int, decay: float) -> tuple[tuple[AccessMark, ...], int, float]:
    total = history.decayed_sum(at, decay=decay)
    marks = tuple(AccessMark(time, age_days(time, at) ** -decay / total) for time in history.times)
    older = history.older_count
    mean = mean_of_older(age_days(history.times[0], at), age_days(history.first, at), decay)
    return marks, older, older * mean / total
