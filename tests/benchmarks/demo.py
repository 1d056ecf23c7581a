"""How long the shipped demonstration takes, from the command to its end, on a machine where it is installed."""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.harness import Benchmark, Figures

__all__ = ["BENCHMARK"]

_PROGRAM = Path(sys.executable).with_name("memorygraph")


async def run(arguments: argparse.Namespace) -> Figures:
    begun = time.perf_counter()
    told = await asyncio.to_thread(_play)
    seconds = time.perf_counter() - begun
    played: dict[str, Any] = json.loads(told)
    return {"total_s": round(seconds, 2), "played_s": round(played["timings"]["total_ms"] / 1000, 2)}


def _play() -> bytes:
    command: list[str | Path] = [_PROGRAM, "demo", "--json"]
    return subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL).stdout


BENCHMARK = Benchmark(about=__doc__, run=run)
