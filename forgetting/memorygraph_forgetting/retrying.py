"""When a group whose fusion failed is tried again."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from memorygraph_forgetting.units import MS_PER_DAY

__all__ = ["FIRST_RETRY_DAYS", "MOST_ATTEMPTS", "RetryState", "next_try_at", "retry_state"]

FIRST_RETRY_DAYS: Final = 1
"""Days from the first failure to the second attempt; each further failure doubles them."""

MOST_ATTEMPTS: Final = 5
"""After so many failures a group is set aside until somebody asks for it."""


class RetryState(StrEnum):
    """Whether a group that failed is tried by the next cycle."""

    DUE = "due"
    WAITING = "waiting"
    SET_ASIDE = "set_aside"


def next_try_at(attempt: int, failed_at: int) -> int | None:
    """When to try again after ``attempt`` failures, the last one at ``failed_at``, epoch milliseconds.

    1, 2, 4 and 8 days after the first four; None after the fifth: set aside. Raises :class:`ValueError` when
    ``attempt`` is below 1.
    """
    if attempt < 1:
        raise ValueError(f"attempts count from 1, not {attempt}")
    if attempt >= MOST_ATTEMPTS:
        return None
    return failed_at + (FIRST_RETRY_DAYS * MS_PER_DAY << (attempt - 1))


def retry_state(next_try_at: int | None, now: int) -> RetryState:
    """What becomes of a failed group at ``now`` (epoch milliseconds), by what :func:`next_try_at` gave for it."""
    if next_try_at is None:
        return RetryState.SET_ASIDE
    return RetryState.WAITING if now < next_try_at else RetryState.DUE
