"""A line chart of characters: braille dots, or plain ASCII where the terminal has no more."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["line_chart"]

# Bit of each dot of a braille cell, by row and column (Unicode block U+2800).
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_ROWS, _COLUMNS = 4, 2


def line_chart(
    values: Sequence[float], *, width: int, height: int, threshold: float | None = None, ascii_only: bool = False
) -> list[str]:
    """``height`` lines of at most ``width`` characters that draw ``values``, evenly spaced, from 0 to 1.

    Values outside [0, 1] are drawn at the edge. A dotted line marks ``threshold``. On the left stand the
    marks 1 and 0, and that of the threshold. Raises :class:`ValueError` when there are fewer than two
    values, or no room: ``width`` below 10, ``height`` below 2.
    """
    if len(values) < 2:
        raise ValueError(f"a line has at least 2 values, not {len(values)}")
    if width < 10 or height < 2:
        raise ValueError(f"a chart has at least 10 columns and 2 lines, not {width} and {height}")
    cells = width - 5
    rows = height if ascii_only else height * _ROWS
    columns = cells if ascii_only else cells * _COLUMNS
    line = _drawn(values, columns, rows)
    marked = _row(threshold, rows) if threshold is not None else None
    drawn = _ascii(line, marked, columns, rows) if ascii_only else _braille(line, marked, cells, height)
    labels = {height - 1: "0"}
    if threshold is not None and marked is not None:
        labels[marked * height // rows] = f"{threshold:.2f}".lstrip("0")
    labels[0] = "1"
    edge = "|" if ascii_only else "│"
    return [f"{labels.get(n, ''):>3} {edge}{text}" for n, text in enumerate(drawn)]


def _row(value: float, rows: int) -> int:
    return round((1 - min(max(value, 0.0), 1.0)) * (rows - 1))


def _drawn(values: Sequence[float], columns: int, rows: int) -> set[tuple[int, int]]:
    # A column covers a stretch of the line and is filled from its lowest to its highest row, so that
    # the line has no gaps and a short peak is not lost between two columns.
    last = len(values) - 1
    dots: set[tuple[int, int]] = set()
    for column in range(columns):
        stretch = [_at(values, column / columns * last), _at(values, (column + 1) / columns * last)]
        stretch += [values[n] for n in range(last + 1) if column / columns < n / last < (column + 1) / columns]
        reached = [_row(value, rows) for value in stretch]
        dots.update((column, row) for row in range(min(reached), max(reached) + 1))
    return dots


def _at(values: Sequence[float], place: float) -> float:
    left = min(int(place), len(values) - 2)
    return values[left] + (values[left + 1] - values[left]) * (place - left)


def _ascii(line: set[tuple[int, int]], marked: int | None, columns: int, rows: int) -> list[str]:
    def character(column: int, row: int) -> str:
        if (column, row) in line:
            return "*"
        return "." if row == marked and column % 2 == 0 else " "

    return ["".join(character(column, row) for column in range(columns)) for row in range(rows)]


def _braille(line: set[tuple[int, int]], marked: int | None, cells: int, height: int) -> list[str]:
    def character(cell: int, row: int) -> str:
        bits = 0
        for dot_row, bits_of_row in enumerate(_DOTS):
            for dot_column, bit in enumerate(bits_of_row):
                column, at = cell * _COLUMNS + dot_column, row * _ROWS + dot_row
                if (column, at) in line or (at == marked and column % 4 == 0):
                    bits |= bit
        return chr(0x2800 + bits) if bits else " "

    return ["".join(character(cell, row) for cell in range(cells)) for row in range(height)]
