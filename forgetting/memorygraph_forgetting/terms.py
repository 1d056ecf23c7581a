"""What retention at one instant is made of."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from memorygraph_forgetting.activation import weighted_log
from memorygraph_forgetting.arguments import check_importance
from memorygraph_forgetting.retention import retention_of_sum
from memorygraph_forgetting.units import age_days

if TYPE_CHECKING:
    from memorygraph_forgetting.history import AccessHistory
    from memorygraph_forgetting.parameters import DecayParameters

__all__ = ["ActivationTerms", "activation_terms"]


@dataclass(frozen=True, slots=True)
class ActivationTerms:
    """Retention at one instant and its terms."""

    at: int
    """Epoch milliseconds."""
    last_age: float
    """Days since the last access, at least 1e-4."""
    sum: float
    """``Σ_k t_k^(-d)`` over all accesses."""
    activation: float
    """Base-level activation B; ``-inf`` when importance is 0."""
    retention: float
    """R, from the offset to 1."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values; an activation of ``-inf`` is None."""
        return {
            "at": self.at,
            "last_age": self.last_age,
            "sum": self.sum,
            "activation": self.activation if isfinite(self.activation) else None,
            "retention": self.retention,
        }


def activation_terms(
    history: AccessHistory, at: int, parameters: DecayParameters, *, importance: float = 0.5
) -> ActivationTerms:
    """The terms of ``history`` at ``at`` (epoch milliseconds): what :func:`activation` and :func:`retention` give.

    Raises :class:`ValueError` when importance is outside [0, 1].
    """
    check_importance(importance)
    total = history.decayed_sum(at, decay=parameters.decay)
    last_age = age_days(history.last, at)
    return ActivationTerms(
        at=at,
        last_age=last_age,
        sum=total,
        activation=weighted_log(total, importance),
        retention=retention_of_sum(total, last_age, parameters, importance),
    )
