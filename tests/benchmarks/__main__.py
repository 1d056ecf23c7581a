"""Run one benchmark: ``python -m tests.benchmarks NAME [options]``, which is what ``make bench NAME=…`` does."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import sys
from pathlib import Path

from tests.benchmarks.harness import Benchmark, report


def names() -> list[str]:
    """Every benchmark there is: the modules beside this one that define ``BENCHMARK``."""
    modules = Path(__file__).parent.glob("*.py")
    return sorted(path.stem for path in modules if "\nBENCHMARK = " in path.read_text(encoding="utf-8"))


def main(words: list[str]) -> int:
    if not words or words[0] not in names():
        print(f"Name a benchmark, NAME={'|'.join(names())}.", file=sys.stderr)
        return 2
    name, *options = words
    benchmark: Benchmark = importlib.import_module(f"tests.benchmarks.{name}").BENCHMARK
    parser = argparse.ArgumentParser(prog=f"make bench NAME={name} ARGS=…", description=benchmark.about)
    benchmark.add_arguments(parser)
    figures = asyncio.run(benchmark.run(parser.parse_args(options)))
    report(name, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
