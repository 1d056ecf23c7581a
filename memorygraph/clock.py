"""Where time comes from.

Everything about memory asks an injected clock; leases, sessions and rate limits run on database
time instead and never look here.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Protocol

from memorygraph.times import to_ms

__all__ = ["Clock", "SimulatedClock", "SystemClock"]


class Clock(Protocol):
    """Anything that tells the time as epoch milliseconds UTC."""

    def now_ms(self) -> int: ...


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


class SimulatedClock:
    """A clock that stands still until it is moved: for tests, the demo and what-if views.

    ``start`` is an aware datetime, not before 1970, where ids begin. That and moving it back are refused
    with ``ValueError``: nothing that was remembered may lie in the future.
    """

    def __init__(self, start: datetime) -> None:
        self._now = to_ms(start, field="start")
        if self._now < 0:
            raise ValueError("a simulated clock does not begin before 1970")

    def now_ms(self) -> int:
        return self._now

    def advance(self, by: timedelta) -> None:
        """Move forward by ``by`` (not negative)."""
        if by < timedelta(0):
            raise ValueError("a simulated clock only moves forward")
        self._now += round(by / timedelta(milliseconds=1))

    def move_to(self, at: datetime) -> None:
        """Move forward to the aware datetime ``at``."""
        target = to_ms(at, field="at")
        if target < self._now:
            raise ValueError("a simulated clock only moves forward")
        self._now = target
