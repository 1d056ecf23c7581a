"""The access fields of a node: its history, and the instants computed from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memorygraph_forgetting import AccessHistory, DecayParameters, Standing, cold_at, fusable_at

__all__ = ["ParametersInForce", "access_properties", "history_of", "standing_of"]


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


def standing_of(properties: Mapping[str, Any]) -> Standing:
    """What in the properties of a statement or summary decides, beside its use, whether it may be fused."""
    return Standing(
        kind=properties["kind"],
        trust=properties["trust"],
        status=properties["status"],
        pinned=properties["pinned"],
        contradicted=bool(properties.get("open_questions")),
        hold_until=properties.get("hold_until"),
    )


def access_properties(
    history: AccessHistory,
    parameters: ParametersInForce,
    *,
    importance: float,
    standing: Standing | None,
) -> dict[str, Any]:
    """The access fields, times in epoch ms, ready to be stored; ``standing`` is None for an entity."""
    cold = cold_at(history, parameters.values, importance=importance)
    return {
        "access_times": list(history.times),
        "access_count": history.count,
        "first_access_at": history.first,
        "last_access_at": history.last,
        "cold_at": cold,
        "fusable_at": fusable_at(history, cold, parameters.values, standing=standing),
        "parameters_version": parameters.version,
    }
