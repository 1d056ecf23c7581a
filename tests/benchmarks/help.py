"""How long the command line takes to answer ``memorygraph --help``, as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.harness import Benchmark, Figures, latency

_PROGRAM = Path(sys.executable).with_name("memorygraph")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--runs", type=int, default=20, help="how often it is asked, after one time that is not counted"
    )


async def run(arguments: argparse.Namespace) -> Figures:
    durations = [await asyncio.to_thread(_ask) for _ in range(arguments.runs + 1)]
    return latency(durations[1:])


def _ask() -> float:
    begun = time.perf_counter()
    subprocess.run([_PROGRAM, "--help"], check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return time.perf_counter() - begun


BENCHMARK = Benchmark(about=__doc__, run=run, add_arguments=add_arguments)
