"""Which memories may be fused, since when, and why not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memorygraph_forgetting.units import MS_PER_DAY

if TYPE_CHECKING:
    from memorygraph_forgetting.history import AccessHistory
    from memorygraph_forgetting.parameters import DecayParameters

__all__ = ["PROTECTED_KINDS", "Ineligible", "Standing", "barrier", "fusable_at", "why_not_fusable"]

PROTECTED_KINDS: Final = frozenset({"preference", "decision", "constraint", "procedure", "identity", "checkpoint"})
"""Kinds of statements and summaries that are never fused: what was decided or asked for holds until it is changed."""


class Ineligible(StrEnum):
    """Why a memory may not be fused. Those down to ``contradicted`` last until somebody acts, the others pass."""

    PINNED = "pinned"
    PROTECTED_KIND = "protected_kind"
    CANDIDATE = "candidate"
    """Nobody has approved it yet."""
    REJECTED = "rejected"
    NOT_ACTIVE = "not_active"
    """Superseded, retracted or expired."""
    CONTRADICTED = "contradicted"
    """Another memory says the contrary, and nobody has decided yet."""
    STILL_WARM = "still_warm"
    """Retention is above the threshold."""
    TOO_FRESH = "too_fresh"
    """Its last access is less than ``min_idle_days`` ago."""
    HELD = "held"
    """It was restored a short while ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What decides, beside its use, whether a statement or summary may be fused."""

    kind: str
    trust: str = "accepted"
    """``accepted``, ``candidate`` or ``rejected``."""
    status: str = "active"
    pinned: bool = False
    contradicted: bool = False
    """Whether a contradiction with another memory is open."""
    hold_until: int | None = None
    """Epoch milliseconds before which what was restored is not fused again; None for everything else."""


def barrier(standing: Standing) -> Ineligible | None:
    """What keeps a memory from being fused however cold it gets; None when nothing does."""
    if standing.pinned:
        return Ineligible.PINNED
    if standing.kind in PROTECTED_KINDS:
        return Ineligible.PROTECTED_KIND
    if standing.trust != "accepted":
        return Ineligible.CANDIDATE if standing.trust == "candidate" else Ineligible.REJECTED
    if standing.status != "active":
        return Ineligible.NOT_ACTIVE
    return Ineligible.CONTRADICTED if standing.contradicted else None


def fusable_at(
    history: AccessHistory, cold_at: int | None, parameters: DecayParameters, *, standing: Standing | None = None
) -> int | None:
    """``max(cold_at, last access + min_idle_days, hold_until)``, epoch milliseconds; None is never.

    Never: while :func:`barrier` names something, and when the memory never goes cold (``cold_at`` is None).
    ``standing`` None is that of an entity, which nothing bars.
    """
    if cold_at is None or (standing is not None and barrier(standing) is not None):
        return None
    idle = _idle_from(history, parameters)
    if standing is None or standing.hold_until is None:
        return max(cold_at, idle)
    return max(cold_at, idle, standing.hold_until)


def why_not_fusable(
    history: AccessHistory,
    cold_at: int | None,
    now: int,
    parameters: DecayParameters,
    *,
    standing: Standing | None = None,
) -> Ineligible | None:
    """Why a memory may not be fused at ``now`` (epoch milliseconds); None when it may.

    None exactly from :func:`fusable_at` on. Of several reasons the one that lasts longest by its nature is named.
    """
    if standing is not None and (barred := barrier(standing)) is not None:
        return barred
    if cold_at is None or now < cold_at:
        return Ineligible.STILL_WARM
    if now < _idle_from(history, parameters):
        return Ineligible.TOO_FRESH
    if standing is not None and standing.hold_until is not None and now < standing.hold_until:
        return Ineligible.HELD
    return None


def _idle_from(history: AccessHistory, parameters: DecayParameters) -> int:
    return history.last + round(parameters.min_idle_days * MS_PER_DAY)
