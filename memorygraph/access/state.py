"""The access fields of a node: its history, and the instants computed from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memorygraph.validation import PROTECTED_KINDS
from memorygraph_forgetting import AccessHistory, DecayParameters, cold_at, fusable_at

__all__ = ["ParametersInForce", "access_properties", "history_of", "is_barred"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParametersInForce:
    """The decay parameters of a user and the version they are stored under (0: the built-in defaults)."""

    values: DecayParameters
    version: int


def history_of(properties: Mapping[str, Any]) -> AccessHistory:
    """The access history in a node's properties."""
    return AccessHistory(
        times=tuple(properties["access_times"]),
        count=properties["access_count"],
        first=properties["first_access_at"],
    )


def is_barred(properties: Mapping[str, Any]) -> bool:
    """Whether a statement or summary may not be fused, however cold: pinned, protected, candidate or not active."""
    return bool(
        properties.get("pinned")
        or properties.get("kind") in PROTECTED_KINDS
        or properties.get("trust") != "accepted"
        or properties.get("status") != "active"
    )


def access_properties(
    history: AccessHistory,
    parameters: ParametersInForce,
    *,
    importance: float,
    barred: bool,
    hold_until: int | None = None,
) -> dict[str, Any]:
    """The eight access fields of data-model order, times in epoch ms, ready to be stored."""
    cold = cold_at(history, parameters.values, importance=importance)
    return {
        "access_times": list(history.times),
        "access_count": history.count,
        "first_access_at": history.first,
        "last_access_at": history.last,
        "cold_at": cold,
        "fusable_at": fusable_at(history, cold, parameters.values, hold_until=hold_until, barred=barred),
        "parameters_version": parameters.version,
    }
