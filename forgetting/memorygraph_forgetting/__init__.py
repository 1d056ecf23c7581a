"""The mathematics of forgetting: ACT-R activation, retention, cold times, and the policy of what is fused.

Pure: no clock, no randomness, no I/O, no logging. ``now`` is an argument. Instants are integer epoch milliseconds,
ages are days.
"""

from __future__ import annotations

from memorygraph_forgetting.activation import (
    base_level_activation,
    base_level_activation_bounded,
    spreading_activation,
)
from memorygraph_forgetting.cold import cold_at
from memorygraph_forgetting.curve import AccessMark, Curve, CurvePoint, curve
from memorygraph_forgetting.fusable import fusable_at
from memorygraph_forgetting.grouping import FusablePair, Group, Grouping, group_pairs
from memorygraph_forgetting.history import AccessHistory
from memorygraph_forgetting.inheritance import inherited_history, inherited_importance
from memorygraph_forgetting.parameters import BOUNDS, Bound, DecayParameters, ParameterViolations, Violation
from memorygraph_forgetting.retention import activation, recall_probability, retention
from memorygraph_forgetting.units import AGE_FLOOR_DAYS, HORIZON_DAYS, MS_PER_DAY

__all__ = [
    "AGE_FLOOR_DAYS",
    "BOUNDS",
    "HORIZON_DAYS",
    "MS_PER_DAY",
    "AccessHistory",
    "AccessMark",
    "Bound",
    "Curve",
    "CurvePoint",
    "DecayParameters",
    "FusablePair",
    "Group",
    "Grouping",
    "ParameterViolations",
    "Violation",
    "activation",
    "base_level_activation",
    "base_level_activation_bounded",
    "cold_at",
    "curve",
    "fusable_at",
    "group_pairs",
    "inherited_history",
    "inherited_importance",
    "recall_probability",
    "retention",
    "spreading_activation",
]
