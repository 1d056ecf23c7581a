"""How long to wait before the next try: exponential backoff with full jitter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["DEFAULT_BACKOFF", "Backoff"]

_MOST_DOUBLINGS = 63  # no cap is farther away than that, and a float still holds it


@dataclass(frozen=True, kw_only=True)
class Backoff:
    """Bounds that double with each failure in a row. Seconds; 0 < ``base_seconds`` ≤ ``cap_seconds``."""

    base_seconds: float
    """The longest wait after the first failure."""
    cap_seconds: float
    """The longest wait of all."""

    def __post_init__(self) -> None:
        if not 0 < self.base_seconds <= self.cap_seconds < float("inf"):
            raise ValueError("0 < base_seconds <= cap_seconds < inf must hold")

    def bound(self, failures: int) -> float:
        """The longest wait after ``failures`` ≥ 1 in a row: min(cap, base · 2^(failures − 1))."""
        if failures < 1:
            raise ValueError("failures must be 1 or more")
        return min(self.cap_seconds, self.base_seconds * 2.0 ** min(failures - 1, _MOST_DOUBLINGS))

    def delay(self, failures: int, random: Callable[[], float]) -> float:
        """``random()`` · :meth:`bound`, with ``random`` uniform in [0, 1).

        All of the span is used, so that many that failed together do not come back together.
        """
        return random() * self.bound(failures)


DEFAULT_BACKOFF = Backoff(base_seconds=2.0, cap_seconds=300.0)
"""However long an outage was, what it held up is tried again within five minutes of its end."""
