"""Parameters in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memorygraph_forgetting.cold import cold_at
from memorygraph_forgetting.eligibility import fusable_at
from memorygraph_forgetting.history import AccessHistory
from memorygraph_forgetting.units import MS_PER_DAY

if TYPE_CHECKING:
    from memorygraph_forgetting.parameters import DecayParameters

__all__ = ["describe"]

_DAYS_PER_YEAR = 365.25


def describe(parameters: DecayParameters) -> str:
    """When two example memories are forgotten, as one sentence."""
    once = _after(parameters, days=1)
    daily = _after(parameters, days=5)
    return (
        f"A memory of importance 0.5 used once is {_forgotten(once)}; "
        f"used daily for five days, it is {_forgotten(daily, ' the last use')}."
    )


def _after(parameters: DecayParameters, *, days: int) -> float | None:
    """Days from the last of daily uses until the memory may be fused."""
    history = AccessHistory.created(0)
    for day in range(1, days):
        history = history.record(day * MS_PER_DAY, limit=parameters.history_limit, debounce=0.0)
    at = fusable_at(history, cold_at(history, parameters, importance=0.5), parameters)
    return None if at is None else (at - history.last) / MS_PER_DAY


def _forgotten(days: float | None, since: str = "") -> str:
    if days is None:
        return "never forgotten"
    if days * 24 < 0.5:
        return f"forgotten within the hour after{since}" if since else "forgotten within the hour"
    if days < 2:
        span = _amount(days * 24, "hour")
    elif days < 2 * _DAYS_PER_YEAR:
        span = _amount(days, "day")
    else:
        span = _amount(days / _DAYS_PER_YEAR, "year")
    return f"forgotten {span} after{since}" if since else f"forgotten after {span}"


def _amount(value: float, unit: str) -> str:
    number = round(value)
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
