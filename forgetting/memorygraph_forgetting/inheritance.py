"""What a summary takes over from the memories fused into it."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph_forgetting.history import AccessHistory
from memorygraph_forgetting.parameters import DecayParameters
from memorygraph_forgetting.retention import activation

__all__ = ["inherited_history", "inherited_importance"]


def inherited_history(
    members: Sequence[tuple[AccessHistory, float]], at: int, parameters: DecayParameters
) -> AccessHistory:
    """The history of a summary fused at ``at`` (epoch milliseconds) from ``members``, (history, importance) each.

    That of the most active member at ``at`` plus the fusion itself; of equally active members the one used last, then
    the one used more often. Raises :class:`ValueError` when there are none.
    """
    if not members:
        raise ValueError("a summary has members")
    most_active, _ = max(
        members,
        key=lambda member: (
            activation(member[0], at, parameters, importance=member[1]),
            member[0].last,
            member[0].count,
        ),
    )
    return most_active.inherited_by_summary(at, limit=parameters.history_limit)


def inherited_importance(importances: Sequence[float]) -> float:
    """The importance of a summary: the largest of its members'. Raises :class:`ValueError` when there are none."""
    return max(importances)
