"""The same over many histories at once, as ragged arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memorygraph_forgetting.cold import LOG_FLOOR, LOG_HORIZON, cold_at, crossing
from memorygraph_forgetting.history import AccessHistory
from memorygraph_forgetting.parameters import DecayParameters
from memorygraph_forgetting.units import AGE_FLOOR_DAYS, MS_PER_DAY

__all__ = ["NEVER", "Histories", "activation_many", "cold_at_many", "retention_many"]

Floats = NDArray[np.float64]
Instants = NDArray[np.int64]

NEVER = int(np.iinfo(np.int64).max)
"""In an array of cold times: never."""

_ROWS_AT_A_TIME = 16_384
_NEWTON_STEPS = 60
_LOG_TOLERANCE = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class Histories:
    """n access histories. All arrays are int64; instants are epoch milliseconds.

    Raises :class:`ValueError` when the shapes do not fit together or a history is empty.
    """

    times: Instants
    """The kept access times of all histories one after another, ascending within each, which is not checked."""
    offsets: Instants
    """Shape (n + 1,): history i has ``times[offsets[i]:offsets[i + 1]]``."""
    counts: Instants
    """Shape (n,): all accesses of each."""
    firsts: Instants
    """Shape (n,): the creation of each."""

    def __post_init__(self) -> None:
        rows = len(self.offsets) - 1
        if rows < 0 or self.counts.shape != (rows,) or self.firsts.shape != (rows,):
            raise ValueError("offsets has one element more than counts and firsts")
        lengths = np.diff(self.offsets)
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.times) or (lengths < 1).any():
            raise ValueError("offsets rise from 0 to the number of times, and no history is empty")
        if (self.counts < lengths).any():
            raise ValueError("a count of all accesses is below the number of kept times")

    def __len__(self) -> int:
        return len(self.counts)

    @classmethod
    def of(cls, histories: Iterable[AccessHistory]) -> Histories:
        """The arrays of ``histories``, in their order."""
        rows = list(histories)
        lengths = np.fromiter((len(row.times) for row in rows), dtype=np.int64, count=len(rows))
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        return cls(
            times=np.fromiter(chain.from_iterable(row.times for row in rows), dtype=np.int64, count=int(offsets[-1])),
            offsets=offsets,
            counts=np.fromiter((row.count for row in rows), dtype=np.int64, count=len(rows)),
            firsts=np.fromiter((row.first for row in rows), dtype=np.int64, count=len(rows)),
        )

    def history(self, i: int) -> AccessHistory:
        """History ``i`` by itself, from 0; :class:`IndexError` where there is none."""
        if not 0 <= i < len(self):
            raise IndexError(f"there is no history {i} of {len(self)}")
        times = self.times[self.offsets[i] : self.offsets[i + 1]].tolist()
        return AccessHistory(times=tuple(times), count=int(self.counts[i]), first=int(self.firsts[i]))


def retention_many(
    histories: Histories, now: int, parameters: DecayParameters, *, importance: ArrayLike = 0.5
) -> Floats:
    """:func:`retention` of each history at ``now`` (epoch milliseconds), shape (n,).

    ``importance`` is one number or an array of shape (n,), each in [0, 1]. Equal to the scalar function within 1e-12
    (relative).
    Raises :class:`ValueError` when an importance is out of range or the shapes differ.
    """
    weights = _importances(importance, len(histories))
    retained = np.empty(len(histories))
    for rows, totals, last_ages in _sums_at(histories, now, parameters.decay):
        retained[rows] = _retention(totals, last_ages, parameters, weights[rows])
    return retained


def activation_many(
    histories: Histories, now: int, parameters: DecayParameters, *, importance: ArrayLike = 0.5
) -> Floats:
    """:func:`activation` of each history at ``now`` (epoch milliseconds), shape (n,); ``-inf`` for importance 0.

    Arguments, agreement with the scalar function and errors as in :func:`retention_many`.
    """
    weights = _importances(importance, len(histories))
    activations = np.empty(len(histories))
    for rows, totals, _ in _sums_at(histories, now, parameters.decay):
        activations[rows] = _activation(totals, weights[rows])
    return activations


def cold_at_many(histories: Histories, parameters: DecayParameters, *, importance: ArrayLike = 0.5) -> Instants:
    """:func:`cold_at` of each history, epoch milliseconds, shape (n,); :data:`NEVER` where that is None.

    ``importance`` as in :func:`retention_many`. Equal to the scalar function within 1e-12 or a
    millisecond.
    """
    weights = _importances(importance, len(histories))
    cold = np.full(len(histories), NEVER, dtype=np.int64)
    p = (parameters.threshold - parameters.offset) / (1.0 - parameters.offset)
    if p <= 0.0:
        return cold
    for rows, block in _blocks(histories):
        cold[rows] = _cold_block(block, parameters, weights[rows], p)
    return cold


def _cold_block(block: Histories, parameters: DecayParameters, weights: Floats, p: float) -> Instants:
    decay, ends = parameters.decay, block.offsets[1:] - 1
    lasts = block.times[ends]
    cold = np.full(len(block), NEVER, dtype=np.int64)
    if p >= 1.0:
        return lasts
    slope, at_full = crossing(parameters, 1.0, p)
    with np.errstate(divide="ignore"):
        level = at_full - np.log(weights)
    lowest = -level / (slope + decay)
    highest = np.minimum((np.log(block.counts) - level) / (slope + decay), LOG_HORIZON)
    early = np.flatnonzero(lowest < LOG_FLOOR)
    if len(early):
        within = _take(block, early)
        at_last = _margins(within, np.zeros(len(early)), slope, level[early], decay)
        at_floor = _margins(within, np.full(len(early), AGE_FLOOR_DAYS), slope, level[early], decay)
        cold[early[at_last <= 0.0]] = lasts[early[at_last <= 0.0]]
        # Crossings within the floor are rare, and the scalar function knows them.
        for i in early[(at_last > 0.0) & (at_floor <= 0.0)]:
            crossed = cold_at(block.history(int(i)), parameters, importance=float(weights[i]))
            cold[i] = NEVER if crossed is None else crossed
        lowest[early] = np.where(at_floor > 0.0, LOG_FLOOR, -np.inf)
    solvable = np.flatnonzero((lowest >= LOG_FLOOR) & (lowest <= LOG_HORIZON))
    distant = solvable[highest[solvable] == LOG_HORIZON]
    far = np.full(len(distant), np.exp(LOG_HORIZON))
    never = distant[_margins(_take(block, distant), far, slope, level[distant], decay) > 0.0]
    solvable = np.setdiff1d(solvable, never, assume_unique=True)
    if len(solvable):
        logs = _solve(_take(block, solvable), lowest[solvable], highest[solvable], slope, level[solvable], decay)
        cold[solvable] = lasts[solvable] + np.ceil(np.exp(logs) * MS_PER_DAY).astype(np.int64)
    return cold


def _margins(block: Histories, days: Floats, slope: float, level: Floats, decay: float) -> Floats:
    """Above 0 for each history that is still warm ``days`` after its last access; 0 at the threshold."""
    ages, oldest = _ages_after(block, days)
    totals = _decayed_sums(np.maximum(ages, AGE_FLOOR_DAYS), np.maximum(oldest, AGE_FLOOR_DAYS), block, decay)
    margins: Floats = np.log(totals) - slope * np.log(np.maximum(days, AGE_FLOOR_DAYS)) - level
    return margins


def _ages_after(block: Histories, days: Floats) -> tuple[Floats, Floats]:
    """Every access's age, and that of each first access, ``days`` after each history's last access."""
    lasts = block.times[block.offsets[1:] - 1]
    lengths = np.diff(block.offsets)
    gaps = (np.repeat(lasts, lengths) - block.times) / MS_PER_DAY
    return np.repeat(days, lengths) + gaps, days + (lasts - block.firsts) / MS_PER_DAY


def _solve(block: Histories, low: Floats, high: Floats, slope: float, level: Floats, decay: float) -> Floats:
    """The log of the days from last access to cold time: Newton, kept inside the bracket by bisection."""
    gaps, first_gaps = _ages_after(block, np.zeros(len(block)))
    x, result = low, np.empty(len(block))
    active = np.arange(len(block))
    for _ in range(_NEWTON_STEPS):
        days = np.exp(x)
        ages = np.repeat(days, np.diff(block.offsets)) + gaps
        totals, slopes = _sums_and_slopes(ages, days + first_gaps, block, decay)
        margin = np.log(totals) - slope * x - level
        low, high = np.where(margin > 0.0, x, low), np.where(margin > 0.0, high, x)
        newton = x - margin / (days * slopes / totals - slope)
        following = np.where((newton >= low) & (newton <= high), newton, (low + high) / 2.0)
        moving = np.abs(following - x) > _LOG_TOLERANCE * np.maximum(1.0, np.abs(x))
        result[active] = x = following
        if not moving.any():
            break
        if 2 * np.count_nonzero(moving) < len(moving):
            keep = np.flatnonzero(moving)
            gaps = gaps[np.repeat(moving, np.diff(block.offsets))]
            block, active, x, low, high = _take(block, keep), active[keep], x[keep], low[keep], high[keep]
            level, first_gaps = level[keep], first_gaps[keep]
    return result


def _sums_and_slopes(ages: Floats, oldest: Floats, block: Histories, decay: float) -> tuple[Floats, Floats]:
    """``Σ t^(-d)`` of each history and its derivative by time."""
    starts = block.offsets[:-1]
    powers = _power(ages, decay)
    totals = np.add.reduceat(powers, starts)
    slopes = -decay * np.add.reduceat(powers / ages, starts)
    older = np.flatnonzero(block.counts > np.diff(block.offsets))
    if len(older):
        count = (block.counts - np.diff(block.offsets))[older]
        young = ages[starts[older]]
        old = np.maximum(oldest[older], young)
        totals[older] += count * _mean_of_older(young, old, decay)
        apart = old - young
        with np.errstate(divide="ignore", invalid="ignore"):
            chord = (_power(old, decay) - _power(young, decay)) / apart
        slopes[older] += count * np.where(apart > 0.0, chord, -decay * _power(young, decay) / young)
    return totals, slopes


def _decayed_sums(ages: Floats, oldest: Floats, block: Histories, decay: float) -> Floats:
    starts = block.offsets[:-1]
    totals: Floats = np.add.reduceat(_power(ages, decay), starts)
    older = np.flatnonzero(block.counts > np.diff(block.offsets))
    if len(older):
        count = (block.counts - np.diff(block.offsets))[older]
        young = ages[starts[older]]
        totals[older] += count * _mean_of_older(young, np.maximum(oldest[older], young), decay)
    return totals


def _mean_of_older(youngest: Floats, oldest: Floats, decay: float) -> Floats:
    ratio = (oldest - youngest) / youngest
    log_ratio = np.log1p(ratio)
    exponent = (1.0 - decay) * log_ratio
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(exponent > 0.0, np.expm1(exponent) / exponent, 1.0)
        spread = np.where(ratio > 0.0, growth * log_ratio / ratio, 1.0)
    mean: Floats = _power(youngest, decay) * spread
    return mean


def _sums_at(histories: Histories, now: int, decay: float) -> Iterator[tuple[slice, Floats, Floats]]:
    """Block by block: the rows, ``Σ t^(-d)`` of each and the age of its last access."""
    for rows, block in _blocks(histories):
        days = np.maximum((now - block.times) / MS_PER_DAY, AGE_FLOOR_DAYS)
        firsts = np.maximum((now - block.firsts) / MS_PER_DAY, AGE_FLOOR_DAYS)
        yield rows, _decayed_sums(days, firsts, block, decay), days[block.offsets[1:] - 1]


def _activation(totals: Floats, weights: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(2.0 * weights * totals)
    return logs


def _retention(totals: Floats, last_ages: Floats, parameters: DecayParameters, weights: Floats) -> Floats:
    offset = parameters.offset
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        if parameters.model == "actr":
            z = (_activation(totals, weights) - parameters.retrieval_threshold) / parameters.noise
            odds = np.exp(-np.abs(z))
            share = np.where(z >= 0.0, 1.0, odds) / (1.0 + odds)
        else:
            share = np.exp(-parameters.forgetting_rate * last_ages / (weights * totals))
    retained: Floats = offset + (1.0 - offset) * share
    return retained


def _power(ages: Floats, decay: float) -> Floats:
    # Three times as fast as the general power, and ACT-R's usual decay.
    powers: Floats = 1.0 / np.sqrt(ages) if decay == 0.5 else ages**-decay
    return powers


def _importances(importance: ArrayLike, rows: int) -> Floats:
    weights = np.broadcast_to(np.asarray(importance, dtype=np.float64), (rows,))
    if not ((weights >= 0.0) & (weights <= 1.0)).all():
        raise ValueError("importance is between 0 and 1")
    return weights


def _blocks(histories: Histories) -> Iterator[tuple[slice, Histories]]:
    for start in range(0, len(histories), _ROWS_AT_A_TIME):
        rows = slice(start, min(start + _ROWS_AT_A_TIME, len(histories)))
        offsets = histories.offsets[rows.start : rows.stop + 1]
        yield (
            rows,
            Histories(
                times=histories.times[offsets[0] : offsets[-1]],
                offsets=offsets - offsets[0],
                counts=histories.counts[rows],
                firsts=histories.firsts[rows],
            ),
        )


def _take(histories: Histories, rows: NDArray[np.intp]) -> Histories:
    if len(rows) == len(histories):
        return histories
    lengths = np.diff(histories.offsets)
    chosen = np.zeros(len(histories), dtype=bool)
    chosen[rows] = True
    return Histories(
        times=histories.times[np.repeat(chosen, lengths)],
        offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths[rows])]),
        counts=histories.counts[rows],
        firsts=histories.firsts[rows],
    )
