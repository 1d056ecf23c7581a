"""How long retention and cold times of a million histories take on one core, beside plain numpy and a Python loop."""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable

import numpy as np

from memorygraph_forgetting import (
    MS_PER_DAY,
    DecayParameters,
    Histories,
    cold_at,
    cold_at_many,
    retention,
    retention_many,
)
from tests.benchmarks.harness import Benchmark, Figures

_NOW = 1_800_000_000_000
_KEPT = 32  # the default history limit
_SCALAR = 20_000  # histories for the functions of one, whose time is told for each
_PRESETS = {
    "balanced": DecayParameters.balanced(),
    "aggressive": DecayParameters.aggressive(),
    "rehearsed": DecayParameters.rehearsed(),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=1_000_000, help="histories")
    parser.add_argument("--mean", type=float, default=8.0, help="accesses of each, on average")
    parser.add_argument("--preset", choices=sorted(_PRESETS), default="balanced")


async def run(arguments: argparse.Namespace) -> Figures:
    parameters = _PRESETS[arguments.preset]
    histories, importance = _drawn(arguments.count, arguments.mean)
    values = np.random.default_rng(2).uniform(1e-3, 1e3, len(histories.times))
    one_by_one = [histories.history(i) for i in range(min(_SCALAR, len(histories)))]
    plain_s = _best(lambda: values**-0.5)
    many_s = _best(lambda: retention_many(histories, _NOW, parameters, importance=importance))
    cold_s = _best(lambda: cold_at_many(histories, parameters, importance=importance))
    peak_mb = _peak_mb()
    shares = importance[: len(one_by_one)].tolist()
    loop_s = _best(
        lambda: [
            retention(history, _NOW, parameters, importance=share)
            for history, share in zip(one_by_one, shares, strict=True)
        ]
    )
    cold_loop_s = _best(
        lambda: [
            cold_at(history, parameters, importance=share) for history, share in zip(one_by_one, shares, strict=True)
        ]
    )
    each = len(histories) / len(one_by_one)
    return {
        "count": len(histories),
        "accesses": len(values),
        "preset": arguments.preset,
        "retention_many_s": round(many_s, 3),
        "cold_at_many_s": round(cold_s, 3),
        "peak_mb": peak_mb,
        "plain_power_s": round(plain_s, 3),
        "retention_to_plain_power": round(many_s / plain_s, 2),
        "cold_at_to_plain_power": round(cold_s / plain_s, 2),
        "loop_to_retention_many": round(loop_s * each / many_s, 1),
        "loop_to_cold_at_many": round(cold_loop_s * each / cold_s, 1),
        "retention_us": round(loop_s / len(one_by_one) * 1e6, 1),
        "cold_at_us": round(cold_loop_s / len(one_by_one) * 1e6, 1),
    }


def _drawn(count: int, mean: float) -> tuple[Histories, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Histories of ages from minutes to ten years; of those with more accesses than are kept, the newest are."""
    rng = np.random.default_rng(1)
    uses = rng.geometric(1.0 / mean, count)
    lengths = np.minimum(uses, _KEPT)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ages = np.exp(rng.uniform(np.log(1e-3), np.log(3_650.0), int(offsets[-1])))
    owners = np.repeat(np.arange(count), lengths)
    times = np.asarray(_NOW - ages * MS_PER_DAY, dtype=np.int64)
    times = times[np.lexsort((times, owners))]
    firsts = times[offsets[:-1]] - np.where(uses > lengths, 100 * MS_PER_DAY, 0)
    histories = Histories(times=times, offsets=offsets, counts=uses.astype(np.int64), firsts=firsts)
    return histories, rng.uniform(0.05, 1.0, count)


def _best(work: Callable[[], object], *, rounds: int = 3) -> float:
    """Seconds of the fastest of some rounds: what the machine does beside them only adds."""
    seconds = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def _peak_mb() -> float:
    """The most memory this process ever had in RAM, in MiB; the histories themselves are in it."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)


BENCHMARK = Benchmark(about=__doc__, run=run, add_arguments=add_arguments)
