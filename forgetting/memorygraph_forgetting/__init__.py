"""The mathematics of forgetting: ACT-R activation, retention, cold times, and the policy of what is fused.

Pure: no clock, no randomness, no I/O, no logging. ``now`` is an argument. Instants are integer epoch milliseconds,
ages are days.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memorygraph_forgetting.activation import (
    base_level_activation,
    base_level_activation_bounded,
    spreading_activation,
)
from memorygraph_forgetting.cold import cold_at
from memorygraph_forgetting.curve import AccessMark, Curve, curve
from memorygraph_forgetting.eligibility import (
    PROTECTED_KINDS,
    Ineligible,
    Standing,
    barrier,
    fusable_at,
    why_not_fusable,
)
from memorygraph_forgetting.grouping import FusablePair, Group, Grouping, group_pairs
from memorygraph_forgetting.history import AccessHistory
from memorygraph_forgetting.inheritance import inherited_history, inherited_importance
from memorygraph_forgetting.parameters import BOUNDS, Bound, DecayParameters, ParameterViolations, Violation
from memorygraph_forgetting.retention import activation, recall_probability, retention
from memorygraph_forgetting.retrying import FIRST_RETRY_DAYS, MOST_ATTEMPTS, RetryState, next_try_at, retry_state
from memorygraph_forgetting.terms import ActivationTerms, activation_terms
from memorygraph_forgetting.units import AGE_FLOOR_DAYS, HORIZON_DAYS, MS_PER_DAY

if TYPE_CHECKING:
    from memorygraph_forgetting.batch import NEVER, Histories, activation_many, cold_at_many, retention_many

__all__ = [
    "AGE_FLOOR_DAYS",
    "BOUNDS",
    "FIRST_RETRY_DAYS",
    "HORIZON_DAYS",
    "MOST_ATTEMPTS",
    "MS_PER_DAY",
    "NEVER",
    "PROTECTED_KINDS",
    "AccessHistory",
    "AccessMark",
    "ActivationTerms",
    "Bound",
    "Curve",
    "DecayParameters",
    "FusablePair",
    "Group",
    "Grouping",
    "Histories",
    "Ineligible",
    "ParameterViolations",
    "RetryState",
    "Standing",
    "Violation",
    "activation",
    "activation_many",
    "activation_terms",
    "barrier",
    "base_level_activation",
    "base_level_activation_bounded",
    "cold_at",
    "cold_at_many",
    "curve",
    "fusable_at",
    "group_pairs",
    "inherited_history",
    "inherited_importance",
    "next_try_at",
    "recall_probability",
    "retention",
    "retention_many",
    "retry_state",
    "spreading_activation",
    "why_not_fusable",
]

_BATCH = frozenset({"NEVER", "Histories", "activation_many", "cold_at_many", "retention_many"})


def __getattr__(name: str) -> object:
    # Only whole batches need numpy, and a command line that shows its help should not wait for it.
    if name not in _BATCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memorygraph_forgetting import batch

    return getattr(batch, name)
