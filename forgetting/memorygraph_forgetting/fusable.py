"""When a memory may be fused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memorygraph_forgetting.units import MS_PER_DAY

if TYPE_CHECKING:
    from memorygraph_forgetting.history import AccessHistory
    from memorygraph_forgetting.parameters import DecayParameters

__all__ = ["fusable_at"]


def fusable_at(
    history: AccessHistory,
    cold_at: int | None,
    parameters: DecayParameters,
    *,
    hold_until: int | None = None,
    barred: bool = False,
) -> int | None:
    """``max(cold_at, last access + min_idle_days, hold_until)``, epoch milliseconds; None is never.

    Never: when ``barred`` (pinned, protected, a candidate, not active, in an open contradiction), and when the memory
    never goes cold (``cold_at`` is None). ``hold_until`` is set on what was restored, None on everything else.
    """
    if barred or cold_at is None:
        return None
    idle = history.last + round(parameters.min_idle_days * MS_PER_DAY)
    return max(cold_at, idle) if hold_until is None else max(cold_at, idle, hold_until)
