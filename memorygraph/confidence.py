"""How far a statement can be relied on: what it was given, what speaks for it, and how long ago it was confirmed.

``effective = c · (0.40 + 0.30·min(source_count/5, 1) + 0.30·exp(-days/90))``, days since the last confirmation. The
part that evidence gives never decays.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import TYPE_CHECKING, Any

from memorygraph.times import MS_PER_DAY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["effective_confidence", "effective_confidence_of", "effective_confidences"]

_STANDING = 0.40  # of any statement, however old and lonely
_EVIDENCE = 0.30
_ENOUGH_SOURCES = 5
_RECENCY = 0.30
_DAYS = 90.0  # after which recency is down to 1/e


def effective_confidence(confidence: float, *, source_count: int, last_confirmed_at: int, now: int) -> float:
    """The share of certainty left at ``now``, from 0.4 to 1 times ``confidence``.

    ``confidence`` is in [0, 1], ``source_count`` at least 1; both instants are epoch milliseconds, and
    a confirmation in the future of ``now`` counts as happening now. Raises :class:`ValueError` when a
    number is out of its range, and :class:`TypeError` for an instant or a count that is no whole number.
    """
    if not 0.0 <= confidence <= 1.0:
        raise ValueError(f"confidence is between 0 and 1, not {confidence!r}")
    if not all(isinstance(value, int) for value in (source_count, last_confirmed_at, now)):
        raise TypeError("instants are whole epoch milliseconds, and a count is a whole number")
    if source_count < 1:
        raise ValueError(f"what was said has at least one source, not {source_count}")
    days = max(now - last_confirmed_at, 0) / MS_PER_DAY
    evidence = min(source_count / _ENOUGH_SOURCES, 1.0)
    return float(confidence) * (_STANDING + _EVIDENCE * evidence + _RECENCY * exp(-days / _DAYS))


def effective_confidence_of(memory: Mapping[str, Any], now: int) -> float | None:
    """That of a memory's stored properties at ``now`` (epoch ms); None for one that has none, such as a summary."""
    confidence = memory.get("confidence")
    if confidence is None:
        return None
    return effective_confidence(
        confidence,
        source_count=memory.get("source_count", 1),
        last_confirmed_at=memory.get("last_confirmed_at", memory["recorded_at"]),
        now=now,
    )


def effective_confidences(
    confidence: ArrayLike, *, source_count: ArrayLike, last_confirmed_at: ArrayLike, now: int
) -> NDArray[np.float64]:
    """:func:`effective_confidence` of n statements at once, shape (n,), equal to it within 1e-15.

    The three arrays have shape (n,): floats in [0, 1], whole numbers of at least 1, epoch milliseconds.
    Raises :class:`ValueError` when one of them is out of its range or the shapes differ.
    """
    import numpy as np  # scalar callers, such as a command line that only shows help, never need it

    given = np.asarray(confidence, dtype=np.float64)
    sources = np.asarray(source_count, dtype=np.int64)
    confirmed = np.asarray(last_confirmed_at, dtype=np.int64)
    if given.ndim != 1 or not given.shape == sources.shape == confirmed.shape:
        raise ValueError(f"the arrays differ in shape: {given.shape}, {sources.shape}, {confirmed.shape}")
    if not ((given >= 0.0) & (given <= 1.0)).all():
        raise ValueError("confidence is between 0 and 1")
    if not (sources >= 1).all():
        raise ValueError("what was said has at least one source")
    days = np.maximum(now - confirmed, 0) / MS_PER_DAY
    evidence = np.minimum(sources / _ENOUGH_SOURCES, 1.0)
    effective: NDArray[np.float64] = given * (_STANDING + _EVIDENCE * evidence + _RECENCY * np.exp(-days / _DAYS))
    return effective
