"""When a memory was used: the newest accesses one by one, the older ones as a count."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

from memorygraph_forgetting.activation import mean_of_older
from memorygraph_forgetting.units import AGE_FLOOR_DAYS, MS_PER_DAY, age_days

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["AccessHistory"]

DEFAULT_LIMIT = 32
DEFAULT_DEBOUNCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class AccessHistory:
    """The accesses of one memory, creation being the first.

    There is no empty history: what exists was created, and creation is an access. Raises :class:`ValueError` when
    ``times`` is empty or not ascending, ``count`` is below their number, or ``first`` is after the oldest of them, and
    :class:`TypeError` when one of them is no whole number.
    """

    times: tuple[int, ...]
    """The newest accesses, ascending epoch milliseconds; equal ones are separate accesses."""
    count: int
    """All accesses ever, kept one by one or not."""
    first: int
    """The creation, epoch milliseconds."""

    def __post_init__(self) -> None:
        times = self.times
        if not times:
            raise ValueError("an access history is never empty: creation is its first access")
        if not all(isinstance(value, int) for value in (*times, self.count, self.first)):
            raise TypeError("instants are whole epoch milliseconds, and a count is a whole number")
        if list(times) != sorted(times):
            raise ValueError("access times ascend")
        if self.count < len(times):
            raise ValueError(f"{len(times)} access times, yet the count of all accesses is {self.count}")
        if self.first > times[0]:
            raise ValueError(f"the first access ({self.first}) is after the oldest kept one ({times[0]})")

    @classmethod
    def created(cls, at: int) -> AccessHistory:
        """The history of a memory created at ``at`` (epoch milliseconds): one access."""
        return cls(times=(at,), count=1, first=at)

    @property
    def last(self) -> int:
        """The newest access, epoch milliseconds."""
        return self.times[-1]

    @property
    def older_count(self) -> int:
        """How many accesses are known by their count only."""
        return self.count - len(self.times)

    def record(
        self, at: int, *, limit: int = DEFAULT_LIMIT, debounce: float = DEFAULT_DEBOUNCE_SECONDS
    ) -> AccessHistory:
        """This history with one more access at ``at`` (epoch milliseconds); at most ``limit`` times are kept.

        Less than ``debounce`` seconds from a kept access, before or after, it is the same access: the very same
        object comes back. An access that arrives out of order takes its place among the kept times. Older than all of
        them it is counted, and is kept only while there is room and it is not before ``first``; ``first`` never moves.
        With ``debounce`` 0 equal times each count. Raises :class:`ValueError` when ``limit`` is below 1 or
        ``debounce`` below 0.
        """
        if limit < 1:
            raise ValueError(f"at least one access time is kept, not {limit}")
        if not debounce >= 0:
            raise ValueError(f"debounce is a number of seconds, not {debounce}")
        times = self.times
        place = bisect_right(times, at)
        window = debounce * 1000.0
        if place and at - times[place - 1] < window:
            return self
        if place < len(times) and times[place] - at < window:
            return self
        # Where older accesses are known by count only, or before creation, an access older than all kept has no place.
        if place > 0 or (self.older_count == 0 and at >= self.first):
            times = (*times[:place], at, *times[place:])
        return AccessHistory(times=times[-limit:], count=self.count + 1, first=self.first)

    def inherited_by_summary(self, at: int, *, limit: int = DEFAULT_LIMIT) -> AccessHistory:
        """The history of a summary whose most active member has this one: this, plus the fusion at ``at``.

        The fusion always counts, however recent the last access was.
        """
        return self.record(at, limit=limit, debounce=0.0)

    def as_of(self, at: int) -> AccessHistory | None:
        """What this history was at ``at`` (epoch milliseconds); None before the oldest access whose time is kept."""
        place = bisect_right(self.times, at)
        if place == 0:
            return None
        if place == len(self.times):
            return self
        return AccessHistory(times=self.times[:place], count=self.older_count + place, first=self.first)

    def ages(self, now: int) -> NDArray[np.float64]:
        """Days since each kept access at ``now`` (epoch milliseconds), oldest first, floored at 1e-4 day.

        An access in the future of ``now`` is as old as one that is happening now.
        """
        import numpy as np  # scalar callers, such as a command line that only shows help, never need it

        ages = (now - np.asarray(self.times, dtype=np.int64)) / MS_PER_DAY
        return np.maximum(ages, AGE_FLOOR_DAYS)

    def decayed_sum(self, now: int, *, decay: float) -> float:
        """``Σ_k t_k^(-d)`` at ``now`` (epoch milliseconds): kept accesses exactly, older ones by Petrov's mean."""
        total = fsum([age_days(at, now) ** -decay for at in self.times])
        older = self.count - len(self.times)
        if older:
            total += older * mean_of_older(age_days(self.times[0], now), age_days(self.first, now), decay)
        return total
