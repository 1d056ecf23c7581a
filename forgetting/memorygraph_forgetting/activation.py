"""Base-level and spreading activation (Anderson 2007; Petrov 2006).

Ages are days, floored at 1e-4 day; ``decay`` is the exponent d in (0, 1]; importance is in [0, 1]. Activation has no
unit: it is the logarithm of how likely a memory is needed now, as odds, up to a constant (Anderson & Schooler 1991).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import expm1, fsum, inf, log, log1p

from memorygraph_forgetting.arguments import check_ages, check_decay, check_importance
from memorygraph_forgetting.units import AGE_FLOOR_DAYS

__all__ = [
    "base_level_activation",
    "base_level_activation_bounded",
    "mean_of_older",
    "spreading_activation",
    "weighted_log",
]

DEFAULT_MAXIMUM_STRENGTH = 2.0
DEFAULT_SOURCE_ACTIVATION = 1.0


def base_level_activation(ages: Iterable[float], *, importance: float = 0.5, decay: float = 0.5) -> float:
    """ACT-R's base-level activation ``B = ln Σ_k w·t_k^(-d)`` with ``w = 2·importance`` (Anderson 2007, ch. 3).

    ``ages`` are the days since each access, in any order, equal ones counting each. Importance 0.5 gives the canonical
    equation; importance 0 and no access at all give ``-inf``. Raises :class:`ValueError` when importance is outside
    [0, 1], ``decay`` outside (0, 1], or an age is not a number.
    """
    check_importance(importance)
    return weighted_log(_decayed_sum([float(age) for age in ages], float(decay)), importance)


def base_level_activation_bounded(
    recent_ages: Iterable[float],
    *,
    older_count: int,
    oldest_age: float,
    importance: float = 0.5,
    decay: float = 0.5,
) -> float:
    """Base-level activation when only the newest accesses are kept (Petrov 2006, the hybrid form).

    ``recent_ages`` are exact. The ``older_count`` accesses before them count as spread evenly between the oldest of
    ``recent_ages`` and ``oldest_age``, the age of the very first access, all in days; an ``oldest_age`` below the
    oldest recent age counts as equal to it. For evenly spaced accesses, at most a thousand and 8.64 seconds or more
    apart, B errs by at most 0.0033
    with 32 kept and 0.014 with 8 kept; a history whose old accesses are far from evenly spaced errs more, soon after
    its last access by whole units.

    Raises :class:`ValueError` as :func:`base_level_activation` does, and when ``older_count`` is negative, or positive
    with no recent age.
    """
    check_importance(importance)
    ages = [float(age) for age in recent_ages]
    total = _decayed_sum(ages, float(decay))
    if older_count < 0:
        raise ValueError(f"older_count is a number of accesses, not {older_count}")
    if older_count:
        if not ages:
            raise ValueError("older accesses need at least one recent age beside them")
        check_ages([oldest_age])
        youngest = max(AGE_FLOOR_DAYS, float(max(ages)))
        total += older_count * mean_of_older(youngest, max(youngest, oldest_age), decay)
    return weighted_log(total, importance)


def mean_of_older(youngest: float, oldest: float, decay: float) -> float:
    """The mean of ``t^(-d)`` over t from ``youngest`` to ``oldest``, both in days and at or above the floor.

    Petrov's ``(t_n^(1-d) - t_K^(1-d)) / ((1-d)(t_n - t_K))``, arranged so that nothing cancels; the limits are
    ``t_K^(-d)`` when both ages are equal and ``ln(t_n/t_K) / (t_n - t_K)`` when d is 1.
    """
    ratio = (oldest - youngest) / youngest
    weight: float = youngest**-decay
    if ratio <= 0.0:
        return weight
    log_ratio = log1p(ratio)
    exponent = (1.0 - decay) * log_ratio
    growth = expm1(exponent) / exponent if exponent else 1.0
    return weight * growth * log_ratio / ratio


def spreading_activation(
    fans: Sequence[float | None],
    *,
    maximum_strength: float = DEFAULT_MAXIMUM_STRENGTH,
    source_activation: float = DEFAULT_SOURCE_ACTIVATION,
) -> float:
    """What a query's entities add to a memory's activation: ``Σ_j W_j·(S - ln fan_j)``, ``W_j = W/n`` (Anderson 2007).

    ``fans`` has one element for each of the n entities of the query: the number of memories that entity is linked to
    (at least 1), or None when it is not linked to this memory — it then adds nothing, and still takes its share of
    ``source_activation`` W. ``maximum_strength`` is S. A fan above ``e^S`` inhibits: its term is negative. No entities
    add 0. Raises :class:`ValueError` on a fan below 1.
    """
    if len(fans) == 0:
        return 0.0
    terms = []
    for fan in fans:
        if fan is None:
            continue
        if not fan >= 1:
            raise ValueError(f"a fan is a number of links, at least 1, not {fan!r}")
        terms.append(maximum_strength - log(fan))
    return source_activation / len(fans) * fsum(terms)


def weighted_log(total: float, importance: float) -> float:
    """``ln(2·I·Σ)`` of the sum ``Σ_k t_k^(-d)``; ``-inf`` when that is the logarithm of 0."""
    weighted = 2.0 * float(importance) * total
    return log(weighted) if weighted > 0.0 else -inf


def _decayed_sum(ages: list[float], decay: float) -> float:
    check_decay(decay)
    check_ages(ages)
    return fsum([max(AGE_FLOOR_DAYS, age) ** -decay for age in ages])
