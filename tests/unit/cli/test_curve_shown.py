"""A curve on terminals of every width."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from memorygraph_api.cli.terminal import Terminal
from memorygraph_forgetting import AccessHistory, Curve, DecayParameters, curve

BEGINNING = round(datetime(2026, 9, 27, tzinfo=UTC).timestamp() * 1000)
END = round(datetime(2199, 12, 30, tzinfo=UTC).timestamp() * 1000)


def drawn(history: AccessHistory, *, importance: float = 0.5, end: int = END) -> Curve:
    return curve(history, DecayParameters(), importance=importance, start=BEGINNING, end=end, points=50)


def shown(told: Curve, *, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False, emoji=False)
    Terminal(console).curve(told)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [1, 9, 10, 20, 21, 30, 40, 44, 45, 46, 78, 200])
def test_both_dates_are_told_apart_on_a_terminal_of_any_width(width: int) -> None:
    text = shown(drawn(AccessHistory.created(BEGINNING)), width=width)
    assert max(map(len, text.splitlines())) <= width
    letters = "".join(text.split())
    assert "27September2026" in letters
    assert "30December2199" in letters
    assert (" │" in text) == (width >= 45)
    if width >= 45:
        assert "27 September 2026 " in text


def test_uses_are_counted_up_to_the_end_that_is_named_and_the_cold_time_is_that_of_all() -> None:
    day = 86_400_000
    history = AccessHistory(times=(BEGINNING, BEGINNING + 40 * day), count=2, first=BEGINNING)
    whole, part = (shown(drawn(history, end=end), width=78) for end in (END, BEGINNING + 20 * day))
    assert "Used 2 times until 30 December 2199." in whole
    assert "Used once until 17 October 2026." in part
    cold = "Cold (retention 0.3): 2026-12"
    assert cold in whole
    assert cold in part


def test_what_is_never_cold_is_told_so() -> None:
    told = curve(AccessHistory.created(BEGINNING), DecayParameters(threshold=0.1), start=BEGINNING, end=END, points=2)
    assert "Cold (retention 0.1): never." in shown(told, width=78)
