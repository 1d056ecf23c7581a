"""The units every equation shares: ages are days, instants are integer epoch milliseconds."""

from __future__ import annotations

__all__ = ["AGE_FLOOR_DAYS", "HORIZON_DAYS", "MS_PER_DAY", "age_days"]

MS_PER_DAY = 86_400_000

AGE_FLOOR_DAYS = 1e-4
"""Ages below this (8.64 seconds) count as this much: ``t ** -d`` has no value at ``t = 0``."""

HORIZON_DAYS = 200 * 365.25
"""A memory that would go cold later than this after its last access never does (200 years)."""


def age_days(at: int, now: int) -> float:
    """Days from ``at`` to ``now`` (epoch milliseconds), never below :data:`AGE_FLOOR_DAYS`.

    An instant in the future of ``now`` is as old as one that is happening now.
    """
    age = (now - at) / MS_PER_DAY
    return max(AGE_FLOOR_DAYS, age)
