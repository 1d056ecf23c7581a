"""How far the bounded form of base-level activation is from the full history, by how the accesses are spaced."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from memorygraph_forgetting import (
    MS_PER_DAY,
    AccessHistory,
    DecayParameters,
    base_level_activation,
    base_level_activation_bounded,
    cold_at,
)
from tools.illustrations.tables import days, signed, table

__all__ = ["SPACINGS", "Spacing", "cold_table", "error_tables", "errors", "even_table"]

MOMENTS: Final = (1e-4, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0)
"""Days after the last access at which the error is looked at."""
COUNTS: Final = (40, 200, 1_000, 10_000)
KEPT: Final = (8, 32, 100)
DECAYS: Final = (0.1, 0.5, 0.8, 1.0)
BOUNDS: Final = ((8, 0.014), (32, 0.0033))
"""The largest error that is claimed, by how many accesses are kept: evenly spaced ones, at most 1,000."""

_EVEN_COUNTS = (9, 10, 12, 16, 24, 33, 34, 40, 48, 64, 80, 100, 128, 160, 200, 300, 500, 1_000)
_DECAY_HEADS = tuple(f"d = {decay:g}" for decay in DECAYS)
_PRESETS = (("`balanced()`", DecayParameters.balanced()), ("`aggressive()`", DecayParameters.aggressive()))
_SEED = 2006


@dataclass(frozen=True, slots=True)
class Spacing:
    """A way in which ``n`` accesses lie in time: ``gaps(n)`` are the days from each to the last, ascending from 0."""

    name: str
    gaps: Callable[[int], list[float]]


def _even(n: int) -> list[float]:
    return [float(i) for i in range(n)]


def _accelerating(n: int) -> list[float]:
    return [i * i / (n - 1) for i in range(n)]


def _slowing(n: int) -> list[float]:
    span = n - 1.0
    return [span - (n - 1 - i) ** 2 / span for i in range(n)]


def _bursts(n: int) -> list[float]:
    return [10.0 * (i // 10) + (i % 10) / 240 for i in range(n)]


def _bunched(n: int) -> list[float]:
    return [i / 32 if i < 32 else 365.0 + 1e-3 * (i - 32) for i in range(n)]


def _random(n: int) -> list[float]:
    draw = random.Random(_SEED)
    ages = sorted(10 ** draw.uniform(-2.0, 3.0) for _ in range(n))
    return [age - ages[0] for age in ages]


SPACINGS: Final = (
    Spacing("even", _even),
    Spacing("accelerating", _accelerating),
    Spacing("slowing", _slowing),
    Spacing("bursts", _bursts),
    Spacing("bunched", _bunched),
    Spacing("random", _random),
)


def errors(gaps: list[float], decay: float, *, kept: tuple[int, ...] = KEPT) -> list[float]:
    """For each number of kept accesses the error of B of the largest size over :data:`MOMENTS`, with its sign."""
    worst = [0.0] * len(kept)
    for since in MOMENTS:
        ages = [since + gap for gap in gaps]
        exact = base_level_activation(ages, decay=decay)
        for place, k in enumerate(kept):
            if k >= len(ages):
                continue  # all are kept, and nothing is approximated
            bounded = base_level_activation_bounded(
                ages[:k], older_count=len(ages) - k, oldest_age=ages[-1], decay=decay
            )
            if abs(bounded - exact) > abs(worst[place]):
                worst[place] = bounded - exact
    return worst


def even_table() -> str:
    """The largest error for evenly spaced accesses, a day apart, up to 1,000, and the bound that is claimed."""
    kept = tuple(k for k, _ in BOUNDS)
    rows = []
    worst = {decay: [errors(_even(n), decay, kept=kept) for n in _EVEN_COUNTS] for decay in DECAYS}
    for place, (k, bound) in enumerate(BOUNDS):
        largest = [max(abs(of_count[place]) for of_count in worst[decay]) for decay in DECAYS]
        rows.append([str(k), *(f"{error:.4f}" for error in largest), f"{bound:g}"])
    return table(["K", *_DECAY_HEADS, "bound"], rows)


def error_tables() -> dict[int, str]:
    """By the number of accesses kept: the error for every spacing, number of accesses and decay.

    Where all are kept nothing is approximated, and there is no row.
    """
    rows: dict[int, list[list[str]]] = {k: [] for k in KEPT}
    for spacing in SPACINGS:
        for n in COUNTS:
            gaps = spacing.gaps(n)
            by_decay = [errors(gaps, decay) for decay in DECAYS]
            for place, k in enumerate(KEPT):
                if k < n:
                    rows[k].append([spacing.name, f"{n:,}", *(signed(of_decay[place]) for of_decay in by_decay)])
    return {k: table(["spacing", "n", *_DECAY_HEADS], of_k) for k, of_k in rows.items()}


def cold_table() -> str:
    """What the error does to the day on which 1,000 accesses go cold, counted from the last of them."""
    rows = []
    for spacing in SPACINGS:
        times = sorted(-round(gap * MS_PER_DAY) for gap in spacing.gaps(1_000))
        for preset, parameters in _PRESETS:
            cold = [_cold_days(times, k, parameters) for k in (*KEPT, len(times))]
            rows.append([spacing.name, preset, *map(days, cold)])
    return table(["spacing", "preset", *(f"K = {k}" for k in KEPT), "all kept"], rows)


def _cold_days(times: list[int], kept: int, parameters: DecayParameters) -> float | None:
    history = AccessHistory(times=tuple(times[-kept:]), count=len(times), first=times[0])
    at = cold_at(history, parameters)
    return None if at is None else (at - history.last) / MS_PER_DAY
