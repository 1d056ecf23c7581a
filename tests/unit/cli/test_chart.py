"""The chart of characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_api.cli.chart import line_chart

lines = st.lists(st.floats(-0.5, 1.5), min_size=2, max_size=200)


def drawn(line: str) -> str:
    return line[5:].rstrip()


@given(lines, st.integers(10, 120), st.integers(2, 20), st.none() | st.floats(0, 1), st.booleans())
def test_a_chart_keeps_to_its_width_and_height(
    values: list[float], width: int, height: int, threshold: float | None, ascii_only: bool
) -> None:
    chart = line_chart(values, width=width, height=height, threshold=threshold, ascii_only=ascii_only)
    assert len(chart) == height
    assert all(len(line) == width for line in chart)
    if ascii_only:
        assert "".join(chart).isascii()


@given(lines, st.booleans())
def test_the_line_has_no_gaps(values: list[float], ascii_only: bool) -> None:
    chart = [line[5:] for line in line_chart(values, width=45, height=6, ascii_only=ascii_only)]
    assert all(any(line[column] != " " for line in chart) for column in range(40))


def test_a_line_at_1_is_drawn_at_the_top_and_one_at_0_at_the_bottom() -> None:
    top = line_chart([1, 1], width=25, height=4)
    assert [bool(drawn(line)) for line in top] == [True, False, False, False]
    bottom = line_chart([0, 0], width=25, height=4)
    assert [bool(drawn(line)) for line in bottom] == [False, False, False, True]


def test_a_peak_between_two_columns_is_not_lost() -> None:
    values = [0.0] * 1001
    values[500] = 1.0
    assert drawn(line_chart(values, width=25, height=5, ascii_only=True)[0]) != ""
    assert drawn(line_chart([0.0] * 1001, width=25, height=5, ascii_only=True)[0]) == ""


def test_the_threshold_is_drawn_and_labelled() -> None:
    chart = line_chart([1, 1], width=25, height=11, threshold=0.3, ascii_only=True)
    assert chart[7] == ".30 |" + ". " * 10
    assert chart[0] == "  1 |" + "*" * 20
    assert chart[10].startswith("  0 |")


@pytest.mark.parametrize(("values", "width", "height"), [([1.0], 40, 5), ([1.0, 0.0], 9, 5), ([1.0, 0.0], 40, 1)])
def test_a_chart_without_room_or_line_is_refused(values: list[float], width: int, height: int) -> None:
    with pytest.raises(ValueError, match="at least"):
        line_chart(values, width=width, height=height)
