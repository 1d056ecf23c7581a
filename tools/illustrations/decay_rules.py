"""Published rules of forgetting, one function each, over one kind of input: the days on which something was used.

A rule takes the days of use, ascending, the first of them being the creation, and gives the retention curve after the
last use: a function of the days since then, from 1 down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from math import ceil, exp, inf, log

from fsrs import Card, Rating, Scheduler

from memorygraph_forgetting import HORIZON_DAYS, MS_PER_DAY, DecayParameters, retention
from tools.illustrations.histories import history_of_days

__all__ = ["Curve", "Rule", "days_until", "fsrs", "memorybank", "memorygraph", "sm2", "sm2_interval", "time_to_live"]

Curve = Callable[[float], float]
Rule = Callable[[Sequence[float]], Curve]

_EASINESS = 2.5
_DUE_RECALL = 0.9
_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
_HALVINGS = 60  # of 200 years: far below a millisecond


def memorygraph(days: Sequence[float], *, parameters: DecayParameters, importance: float = 0.5) -> Curve:
    """Retention as memorygraph computes it."""
    history = history_of_days(days, limit=parameters.history_limit)

    def after(since: float) -> float:
        now = history.last + round(since * MS_PER_DAY)
        return retention(history, now, parameters, importance=importance)

    return after


def memorybank(days: Sequence[float]) -> Curve:
    """``R = exp(-t/S)`` with t days since the last recall; S is 1 at first and grows by 1 with each recall.

    Zhong, W., Guo, L., Gao, Q., Ye, H., Wang, Y. (2024). MemoryBank: Enhancing large language models with long-term
    memory. AAAI 38(17), after the forgetting curve of Ebbinghaus (1885).
    """
    strength = len(days)
    return lambda since: exp(-since / strength)


def sm2_interval(repetitions: int, *, easiness: float = _EASINESS) -> float:
    """Days from repetition number ``repetitions`` to the next: 1, 6, then the last times ``easiness``, rounded up.

    ``easiness`` stays what it is while every answer is graded 4 of 5. Wozniak, P. A. (1990). Optimization of learning.
    Master's thesis, University of Technology in Poznan, ch. 3.2. ``inf`` beyond the horizon of 200 years.
    """
    interval = 1.0
    for repetition in range(2, repetitions + 1):
        interval = 6.0 if repetition == 2 else float(ceil(interval * easiness))
        if interval > HORIZON_DAYS:
            return inf
    return interval


def sm2(days: Sequence[float]) -> Curve:
    """SM-2 (:func:`sm2_interval`) read as an exponential that has fallen to 0.9 when the next repetition is due.

    SM-2 itself says only when a repetition is due; the exponential, and 0.9 at that time, are this module's reading.
    """
    interval = sm2_interval(len(days))
    return lambda since: exp(log(_DUE_RECALL) * since / interval)


def fsrs(days: Sequence[float]) -> Curve:
    """FSRS-6 as the package ``fsrs`` computes it, with its default weights, every use a review graded Good.

    Ye, J., Su, J., Cao, Y. (2022). A stochastic shortest path algorithm for optimizing spaced repetition scheduling.
    KDD '22. The package counts whole days, so its retrievability falls once a day.
    """
    scheduler = Scheduler(enable_fuzzing=False)
    card = Card(card_id=1, due=_BEGINNING)
    for day in days:
        card, _ = scheduler.review_card(card, Rating.Good, _BEGINNING + timedelta(days=day))
    last = _BEGINNING + timedelta(days=days[-1])
    return lambda since: scheduler.get_card_retrievability(card, last + timedelta(days=since))


def time_to_live(days: Sequence[float], *, lifetime: float, renewed: bool) -> Curve:
    """Kept whole for ``lifetime`` days, then gone: counted from the last use when ``renewed``, else from creation."""
    left = lifetime if renewed else lifetime - (days[-1] - days[0])
    return lambda since: 1.0 if since < left else 0.0


def days_until(curve: Curve, level: float) -> float | None:
    """Days after the last use until ``curve``, which never rises, has fallen to ``level``; 0 when it never was above.

    None when it is still above at the horizon of 200 years.
    """
    if curve(0.0) <= level:
        return 0.0
    if curve(HORIZON_DAYS) > level:
        return None
    warm, cold = 0.0, HORIZON_DAYS
    for _ in range(_HALVINGS):
        middle = (warm + cold) / 2.0
        if curve(middle) > level:
            warm = middle
        else:
            cold = middle
    return cold
