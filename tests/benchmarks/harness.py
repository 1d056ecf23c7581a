"""What every benchmark shares: its frame, the machine's description, percentiles, and the BENCH line.

A benchmark is a module of this package with a constant ``BENCHMARK``::

    BENCHMARK = Benchmark(about=__doc__, run=run, add_arguments=add_arguments)

``run`` gets the parsed arguments and answers with the figures, whose names end in their unit
(``p50_ms``, ``resident_mb``). It may print as it goes; the BENCH line is printed for it, last.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from memorygraph.settings import load_settings
from tools.neo4j_server.releases import RELEASES
from tools.neo4j_server.server import start

if TYPE_CHECKING:
    from memorygraph import MemoryEngine
    from memorygraph.clock import Clock

__all__ = ["Benchmark", "Figures", "latency", "machine", "open_engine", "report", "resident_mb"]

Figures = Mapping[str, float | int | str | None]


def _no_arguments(_parser: argparse.ArgumentParser) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    about: str | None  # one sentence, for --help; the module's docstring
    run: Callable[[argparse.Namespace], Coroutine[Any, Any, Figures]]
    add_arguments: Callable[[argparse.ArgumentParser], None] = _no_arguments


def latency(seconds: Sequence[float], *, prefix: str = "") -> dict[str, float]:
    """``{prefix}p50_ms``, ``{prefix}p95_ms`` and ``{prefix}max_ms`` of durations in seconds, at least one."""
    milliseconds = np.asarray(seconds, dtype=np.float64) * 1000
    p50, p95 = np.percentile(milliseconds, [50, 95])
    values = {"p50_ms": p50, "p95_ms": p95, "max_ms": milliseconds.max()}
    return {f"{prefix}{name}": round(float(value), 3) for name, value in values.items()}


def resident_mb(pid: int | None = None) -> float:
    """Memory of the process ``pid`` (default: this one) that is in RAM, in MiB."""
    resident: int = psutil.Process(pid).memory_info().rss
    return round(resident / 2**20, 1)


def machine() -> str:
    """The machine in one line: processor, cores, memory, system, Python, and its load over the last minute."""
    memory = psutil.virtual_memory().total / 2**30
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{_processor()}, {cores} cores, {memory:.0f} GiB, {system}, Python {platform.python_version()}, "
        f"load {os.getloadavg()[0]:.1f}"
    )


def _processor() -> str:
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    name = re.search(r"^model name\s*:\s*(.+)$", described, re.MULTILINE)
    return name[1].strip() if name else platform.machine()


def report(name: str, figures: Figures) -> None:
    """Print the line that a benchmark ends with: ``BENCH {"name": …, "figures": {…}, "machine": …}``."""
    print(f"BENCH {json.dumps({'name': name, 'figures': dict(figures), 'machine': machine()})}", flush=True)


@asynccontextmanager
async def open_engine(
    kind: str = "embedded", *, clock: Clock | None = None, **overrides: Any
) -> AsyncIterator[MemoryEngine]:
    """An engine on a new, empty store that is thrown away, on the embedded server or on ``neo4j5``, ``neo4j2026``.

    ``overrides`` are settings. Variables of the environment count as they do for any engine.
    """
    from memorygraph import MemoryEngine  # not a part of what some benchmarks measure

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memorygraph-bench-")))
        values: dict[str, Any] = {"data_dir": folder / "data", "embedded_idle_seconds": 0, **overrides}
        if kind != "embedded":
            server = start(RELEASES[kind], folder / "neo4j")
            stack.callback(server.kill)
            values["neo4j_uri"] = server.uri
        async with await MemoryEngine.open(load_settings(**values), clock=clock) as engine:
            yield engine
