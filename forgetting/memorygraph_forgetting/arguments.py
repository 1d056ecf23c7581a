"""What the equations take: the ranges of their arguments, refused with a word that says what is meant."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan

__all__ = ["check_ages", "check_decay", "check_importance"]


def check_importance(importance: float) -> None:
    """Raises :class:`ValueError` unless ``importance`` is in [0, 1]."""
    if not 0.0 <= importance <= 1.0:
        raise ValueError(f"importance is between 0 and 1, not {importance!r}")


def check_decay(decay: float) -> None:
    """Raises :class:`ValueError` unless ``decay`` is in (0, 1]."""
    if not 0.0 < decay <= 1.0:
        raise ValueError(f"decay is above 0 and at most 1, not {decay!r}")


def check_ages(ages: Iterable[float]) -> None:
    """Raises :class:`ValueError` when one of ``ages`` is not a number."""
    if any(map(isnan, ages)):
        raise ValueError("an age is a number of days, and one of these is not a number")
