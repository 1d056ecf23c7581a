"""The picture of published decay rules on the same histories."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from tools.illustrations.comparison import CURVES, FORGOTTEN
from tools.illustrations.drawing import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, days_on_a_log_axis
from tools.illustrations.histories import COMPARED, log_days

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_rules"]

_COLOURS: Final = (BLUE, SKY, ORANGE, GREEN, PURPLE, "#000000")
_FIRST, _LAST = 0.1, 30_000.0


def draw_rules(figure: Figure) -> None:
    """Retention after the last use under each rule, one panel for each history."""
    grid: Sequence[Sequence[Axes]] = figure.subplots(2, 3, sharex=True, sharey=True)
    instants = log_days(_FIRST, _LAST, 44)
    for axes, usage in zip(chain.from_iterable(grid), COMPARED, strict=True):
        for (name, rule), colour in zip(CURVES.items(), _COLOURS, strict=True):
            retained = rule(usage.days)
            # FSRS counts whole days, and so do the points that are drawn of it.
            days = [day for day in instants if day >= 1.0] if name == "FSRS" else instants
            days = [float(round(day)) for day in days] if name == "FSRS" else days
            axes.plot(days, [retained(day) for day in days], color=colour, label=name, linestyle=_style(name))
        axes.axhline(FORGOTTEN, color=GREY, linewidth=1, linestyle="--")
        days_on_a_log_axis(axes, _FIRST, _LAST)
        axes.set(title=usage.name, ylim=(0, 1.03))
    for row in grid:
        row[0].set_ylabel("retention")
    for axes in grid[-1]:
        axes.set_xlabel("days since the last use")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)


def _style(name: str) -> str:
    return "-" if name.startswith("memorygraph") else "--"
