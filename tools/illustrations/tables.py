"""Tables in Markdown, and how their numbers are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["days", "signed", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that hold no vertical bar."""
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows])


def days(value: float | None) -> str:
    """A number of days: one decimal below 100, none above; None is ``never``."""
    if value is None:
        return "never"
    return f"{value:.1f}" if round(value, 1) < 100 else f"{value:,.0f}"


def signed(value: float) -> str:
    """A difference with its sign, to four decimals below 0.1 and two above; 0 has none."""
    if value == 0.0:
        return "0"
    return (f"{value:+.4f}" if abs(value) < 0.1 else f"{value:+.2f}").replace("-", "−")
