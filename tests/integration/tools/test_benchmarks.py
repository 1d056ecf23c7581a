"""Benchmarks as `make bench` runs them."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from tests.benchmarks.__main__ import names
from tests.benchmarks.harness import latency
from tests.support.checkout import CHECKOUT


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.benchmarks", *words]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)


def test_the_last_line_of_a_benchmark_holds_its_name_its_figures_and_the_machine() -> None:
    done = bench("help", "--runs", "2")
    assert done.returncode == 0, done.stderr
    marker, line = done.stdout.splitlines()[-1].split(" ", 1)
    told = json.loads(line)
    assert marker == "BENCH"
    assert list(told) == ["name", "figures", "machine"]
    assert told["name"] == "help"
    assert 0 < told["figures"]["p50_ms"] <= told["figures"]["p95_ms"] <= told["figures"]["max_ms"]
    assert re.search(r"\d+ cores, \d+ GiB, .+, Python 3\.\d+\.\d+, load \d", told["machine"])


@pytest.mark.parametrize("words", [(), ("nothing",), ("harness",)])
def test_without_the_name_of_a_benchmark_the_names_are_told(words: tuple[str, ...]) -> None:
    done = bench(*words)
    assert done.returncode == 2
    assert "NAME=" + "|".join(names()) in done.stderr


def test_every_benchmark_is_explained_and_every_explained_benchmark_exists() -> None:
    page = (CHECKOUT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) != []
    assert sorted(re.findall(r"^## (.+)$", page, re.MULTILINE)) == names()


def test_percentiles_are_milliseconds_of_the_given_seconds() -> None:
    assert latency([0.001 * n for n in range(1, 102)], prefix="x_") == {"x_p50_ms": 51, "x_p95_ms": 96, "x_max_ms": 101}
