"""How much of a memory is retained: two models over one sum.

Both are 1 at most, ``offset`` at least, and only fall while nothing is accessed.
"""

from __future__ import annotations

from math import exp, inf, log
from typing import TYPE_CHECKING

from memorygraph_forgetting.units import age_days

if TYPE_CHECKING:
    from memorygraph_forgetting.history import AccessHistory
    from memorygraph_forgetting.parameters import DecayParameters

__all__ = ["activation", "recall_probability", "retention"]


def retention(history: AccessHistory, now: int, parameters: DecayParameters, *, importance: float = 0.5) -> float:
    """The share of a memory still retained at ``now`` (epoch milliseconds), from ``offset`` to 1.

    Model ``retention``: ``R = offset + (1 - offset)·exp(-λ·t_last / Σ_k I·t_k^(-d))``. Model ``actr``:
    ``R = offset + (1 - offset)·P`` with P the :func:`recall_probability` of the base-level activation. ``importance``
    I is in [0, 1]; at 0 nothing is retained beyond ``offset``. An access in the future of ``now`` counts as happening
    now. Raises :class:`ValueError` when importance is out of range.
    """
    check_importance(importance)
    total = history.decayed_sum(now, decay=parameters.decay)
    return retention_of_sum(total, age_days(history.last, now), parameters, importance)


def activation(history: AccessHistory, now: int, parameters: DecayParameters, *, importance: float = 0.5) -> float:
    """Base-level activation B of ``history`` at ``now`` (epoch milliseconds), older accesses by Petrov's form.

    ``-inf`` when importance is 0. Raises :class:`ValueError` when importance is outside [0, 1].
    """
    check_importance(importance)
    return activation_of_sum(history.decayed_sum(now, decay=parameters.decay), importance)


def recall_probability(activation: float, *, retrieval_threshold: float = -1.2, noise: float = 0.4) -> float:
    """ACT-R's probability of recall, ``1 / (1 + exp((τ - A)/s))`` (Anderson 2007).

    ``activation`` may be ``-inf`` (0). ``noise`` s is above 0; neither end overflows.
    """
    z = (activation - retrieval_threshold) / noise
    if z >= 0.0:
        return 1.0 / (1.0 + exp(-z))
    odds = exp(z)
    return odds / (1.0 + odds)


def retention_of_sum(total: float, last_age: float, parameters: DecayParameters, importance: float) -> float:
    """Retention from ``Σ_k t_k^(-d)`` and the age in days of the last access, both already floored."""
    offset = parameters.offset
    if parameters.model == "actr":
        share = recall_probability(
            activation_of_sum(total, importance),
            retrieval_threshold=parameters.retrieval_threshold,
            noise=parameters.noise,
        )
    else:
        weighted = importance * total
        share = exp(-parameters.forgetting_rate * last_age / weighted) if weighted > 0.0 else 0.0
    return offset + (1.0 - offset) * share


def activation_of_sum(total: float, importance: float) -> float:
    """``ln(2·I·Σ)``; ``-inf`` when that is the logarithm of 0."""
    weighted = 2.0 * importance * total
    return log(weighted) if weighted > 0.0 else -inf


def check_importance(importance: float) -> None:
    if not 0.0 <= importance <= 1.0:
        raise ValueError(f"importance is between 0 and 1, not {importance!r}")
