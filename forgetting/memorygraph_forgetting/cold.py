"""When a memory goes cold: the one instant at which its retention falls to the threshold."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, exp, fsum, log, log1p
from typing import TYPE_CHECKING

from memorygraph_forgetting.activation import mean_of_older
from memorygraph_forgetting.arguments import check_importance
from memorygraph_forgetting.roots import brent
from memorygraph_forgetting.units import AGE_FLOOR_DAYS, HORIZON_DAYS, MS_PER_DAY

if TYPE_CHECKING:
    from memorygraph_forgetting.history import AccessHistory
    from memorygraph_forgetting.parameters import DecayParameters

__all__ = ["cold_at"]

LOG_FLOOR = log(AGE_FLOOR_DAYS)
LOG_HORIZON = log(HORIZON_DAYS)
_LOG_TOLERANCE = 1e-14
_LINEAR_TOLERANCE_DAYS = 1e-10


def cold_at(history: AccessHistory, parameters: DecayParameters, *, importance: float = 0.5) -> int | None:
    """The instant (epoch milliseconds) at which retention falls to ``parameters.threshold``; None is never.

    Without a further access retention only falls, so the instant is the same whenever it is asked for. A memory that
    is at or below the threshold from the start, and one of importance 0, is cold at its last access. One that would
    go cold more than 200 years after its last access never does; nor does any with ``threshold ≤ offset``. Exact to
    a second at least where the curve is not all but flat: for a decay of 0.001 and more and a noise of 100 and less.
    The two hundred years count from the last access, so that after one more access never may be a date.

    Raises :class:`ValueError` when importance is outside [0, 1].
    """
    check_importance(importance)
    p = (parameters.threshold - parameters.offset) / (1.0 - parameters.offset)
    if p <= 0.0:
        return None
    if p >= 1.0 or importance == 0.0:
        return history.last
    after = _days_until_cold(history, *crossing(parameters, importance, p), parameters.decay)
    return None if after is None else history.last + ceil(after * MS_PER_DAY)


def crossing(parameters: DecayParameters, importance: float, p: float) -> tuple[float, float]:
    """``(k, c)`` such that retention is at the threshold where ``ln Σ_k t_k^(-d) - k·ln t_last = c``."""
    if parameters.model == "actr":
        # p is the logistic function of (B - τ)/s, and B is ln(2·I·Σ). Nothing is taken from 1 that may be near it.
        logit = log(parameters.threshold - parameters.offset) - log(1.0 - parameters.threshold)
        return 0.0, parameters.retrieval_threshold + parameters.noise * logit - log(2.0 * importance)
    # The retention model: p is the exponential of -λ·t_last / (I·Σ).
    share_lost = (1.0 - parameters.threshold) / (1.0 - parameters.offset)
    exponent = -log(p) if p < 0.5 else -log1p(-share_lost)
    return 1.0, log(parameters.forgetting_rate) - log(importance) - log(exponent)


def _days_until_cold(history: AccessHistory, k: float, c: float, decay: float) -> float | None:
    # Σ lies between that of the last access alone and that of all n at the last one's age: both have a closed form,
    # and they bracket the root.
    lowest = -c / (k + decay)
    if lowest > LOG_HORIZON:
        return None
    if history.count == 1:
        return exp(lowest) if lowest > LOG_FLOOR else 0.0
    margin = _margin(history, k, c, decay)
    if lowest < LOG_FLOOR:
        now = margin(0.0)
        if now <= 0.0:
            return 0.0
        floored = margin(AGE_FLOOR_DAYS)
        if floored <= 0.0:
            tolerance = _LINEAR_TOLERANCE_DAYS
            return brent(margin, 0.0, AGE_FLOOR_DAYS, at_low=now, at_high=floored, tolerance=tolerance)
        lowest, at_lowest = LOG_FLOOR, floored
    else:
        at_lowest = margin(exp(lowest))
    highest = min((log(history.count) - c) / (k + decay), LOG_HORIZON)
    at_highest = margin(exp(highest))
    if at_highest > 0.0:
        # Above the threshold at the closed-form upper end is rounding; at the horizon it is never.
        return None if highest == LOG_HORIZON else exp(highest)
    if at_lowest <= 0.0:
        return exp(lowest)
    return exp(
        brent(lambda x: margin(exp(x)), lowest, highest, at_low=at_lowest, at_high=at_highest, tolerance=_LOG_TOLERANCE)
    )


def _margin(history: AccessHistory, k: float, c: float, decay: float) -> Callable[[float], float]:
    """A function of the days since the last access: above 0 while warm, 0 at the threshold; strictly falling."""
    last = history.last
    gaps = [(last - at) / MS_PER_DAY for at in history.times]
    older = history.older_count
    first_gap = (last - history.first) / MS_PER_DAY

    def margin(days: float) -> float:
        ages = [days + gap for gap in gaps]
        # Ascending times: only the newest can be younger than the floor, and checking the last tells whether any is.
        if days < AGE_FLOOR_DAYS:
            ages = [max(AGE_FLOOR_DAYS, age) for age in ages]
        total = fsum([age**-decay for age in ages])
        if older:
            total += older * mean_of_older(ages[0], max(ages[0], days + first_gap), decay)
        return log(total) - k * log(ages[-1]) - c

    return margin
