"""How much of a memory is retained: two models over one sum.

Both are 1 at most, ``offset`` at least, and only fall while nothing is accessed.
"""

from __future__ import annotations

from math import exp, isnan
from typing import TYPE_CHECKING

from memorygraph_forgetting.activation import weighted_log
from memorygraph_forgetting.arguments import check_importance
from memorygraph_forgetting.units import age_days

if TYPE_CHECKING:
    from memorygraph_forgetting.history import AccessHistory
    from memorygraph_forgetting.parameters import DecayParameters

__all__ = ["activation", "recall_probability", "retention", "retention_of_sum"]


def retention(history: AccessHistory, now: int, parameters: DecayParameters, *, importance: float = 0.5) -> float:
    """The share of a memory still retained at ``now`` (epoch milliseconds), from ``offset`` to 1.

    Model ``retention``: ``R = offset + (1 - offset)·exp(-λ·t_last / Σ_k I·t_k^(-d))``. Model ``actr``:
    ``R = offset + (1 - offset)·P`` with P the :func:`recall_probability` of the base-level activation (Anderson 2007).
    ``importance`` I is in [0, 1]; at 0 nothing is retained beyond ``offset``. An access in the future of ``now`` counts
    as happening now. Raises :class:`ValueError` when importance is out of range. ``parameters`` are taken to be such
    as :meth:`DecayParameters.validate` passes.
    """
    check_importance(importance)
    total = history.decayed_sum(now, decay=parameters.decay)
    return retention_of_sum(total, age_days(history.last, now), parameters, importance)


def activation(history: AccessHistory, now: int, parameters: DecayParameters, *, importance: float = 0.5) -> float:
    """Base-level activation B of ``history`` at ``now`` (epoch milliseconds), older accesses by Petrov's form.

    ``-inf`` when importance is 0. Raises :class:`ValueError` when importance is outside [0, 1].
    """
    check_importance(importance)
    return weighted_log(history.decayed_sum(now, decay=parameters.decay), importance)


def recall_probability(activation: float, *, retrieval_threshold: float = -1.2, noise: float = 0.4) -> float:
    """ACT-R's probability of recall, ``1 / (1 + exp((τ - A)/s))`` (Anderson 2007, ch. 3), from 0 to 1.

    ``activation`` A, ``retrieval_threshold`` τ and ``noise`` s are in units of activation; A may be ``-inf`` (0).
    Neither end overflows. Raises :class:`ValueError` unless ``noise`` is above 0, or when an argument is not a number.
    """
    if not noise > 0.0:
        raise ValueError(f"noise is above 0, not {noise!r}")
    z = (activation - retrieval_threshold) / noise
    if isnan(z):
        raise ValueError(
            f"activation {activation!r} and retrieval_threshold {retrieval_threshold!r} have no difference"
        )
    if z >= 0.0:
        return 1.0 / (1.0 + exp(-z))
    odds = exp(z)
    return odds / (1.0 + odds)


def retention_of_sum(total: float, last_age: float, parameters: DecayParameters, importance: float) -> float:
    """Retention from ``Σ_k t_k^(-d)`` and the age in days of the last access, both already floored."""
    offset = parameters.offset
    if parameters.model == "actr":
        share = recall_probability(
            weighted_log(total, importance),
            retrieval_threshold=parameters.retrieval_threshold,
            noise=parameters.noise,
        )
    else:
        weighted = float(importance) * total
        share = exp(-parameters.forgetting_rate * last_age / weighted) if weighted > 0.0 else 0.0
    return offset + (1.0 - offset) * share
