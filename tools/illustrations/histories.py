"""Access histories written as days, and the retention curves that pictures are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memorygraph_forgetting import MS_PER_DAY, AccessHistory, DecayParameters, retention

__all__ = ["COMPARED", "Usage", "history_of_days", "log_days", "over_log_days", "since_last_use"]


@dataclass(frozen=True, slots=True)
class Usage:
    """When something was used, and how that is said: ``days`` ascend from the first use, which is at 0."""

    name: str
    days: tuple[float, ...]


COMPARED: Final = (
    Usage("used once", (0.0,)),
    Usage("daily for five days", (0.0, 1.0, 2.0, 3.0, 4.0)),
    Usage("five days within a month", (0.0, 7.0, 14.0, 21.0, 28.0)),
    Usage("every 30 days for a year", tuple(30.0 * i for i in range(13))),
    Usage("30 uses within a day", tuple(i / 96 for i in range(30))),
    Usage("200 uses in three years", tuple(5.5 * i for i in range(200))),
)
"""The histories that decay rules are compared on."""


def history_of_days(days: Sequence[float], *, limit: int = 32) -> AccessHistory:
    """The history of something created at ``days[0]`` and used at the others, ascending; the newest ``limit`` kept."""
    first, *others = (round(day * MS_PER_DAY) for day in days)
    history = AccessHistory.created(first)
    for at in others:
        history = history.record(at, limit=limit, debounce=0.0)
    return history


def since_last_use(
    history: AccessHistory, parameters: DecayParameters, *, until: float, points: int = 36, importance: float = 0.5
) -> tuple[list[float], list[float]]:
    """Days since the last use, from 0 to ``until`` and closer together at first, and retention at each."""
    days = [until * (i / (points - 1)) ** 2 for i in range(points)]
    return days, _retention_after(history, parameters, days, importance)


def over_log_days(
    history: AccessHistory, parameters: DecayParameters, *, first: float, last: float, points: int = 60
) -> tuple[list[float], list[float]]:
    """Days since the last use, each the same factor after the one before, from ``first`` to ``last``; retention."""
    days = log_days(first, last, points)
    return days, _retention_after(history, parameters, days, 0.5)


def log_days(first: float, last: float, points: int) -> list[float]:
    """``points`` numbers from ``first`` to ``last``, each the same factor above the one before."""
    return [first * (last / first) ** (i / (points - 1)) for i in range(points)]


def _retention_after(
    history: AccessHistory, parameters: DecayParameters, days: Sequence[float], importance: float
) -> list[float]:
    instants = [history.last + round(day * MS_PER_DAY) for day in days]
    return [retention(history, at, parameters, importance=importance) for at in instants]
