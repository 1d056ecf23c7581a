"""Forgetting as people see it: cycles, and the curve of a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from memorygraph.times import from_ms
from memorygraph_api.cli.chart import line_chart
from memorygraph_api.cli.terminal.page import Page, day, moment

if TYPE_CHECKING:
    from memorygraph import Cycle
    from memorygraph_forgetting import Curve

__all__ = ["ForgettingPage"]

_CHART_LINES = 8
_WIDEST_CHART = 78
_NARROWEST_CHART = 45  # two dates below it do not touch


class ForgettingPage(Page):
    """What the verbs of forgetting answer."""

    def cycle(self, cycle: Cycle, *, list_summaries: bool = True) -> None:
        """One forgetting cycle, with the ids of its summaries."""
        self.say(
            f"Cycle {cycle.status}: {cycle.merged_count} merged, {cycle.failed_count} failed, "
            f"{cycle.skipped_count} skipped (pairs of memory and entity).",
            "bold",
        )
        fused = f"{cycle.group_count} groups of them became {cycle.summary_count} summaries"
        self.say(
            f"{fused if cycle.group_count else 'Nothing was due'}; "
            f"{_count(cycle.total_nodes_before)} live nodes before, {_count(cycle.total_nodes_after)} after."
        )
        for summary in cycle.summaries if list_summaries else ():
            self.say(f"  summary {summary}")
        if cycle.error:
            self.say(cycle.error, "red")

    def cycles(self, user: str, cycles: Sequence[Cycle]) -> None:
        """The latest forgetting cycles of one user."""
        if not cycles:
            self.say(f"No forgetting cycle has run for {user}.")
            return
        table = self.table(
            ("started", "left"),
            ("trigger", "left"),
            ("status", "left"),
            ("merged", "right"),
            ("failed", "right"),
            ("skipped", "right"),
            ("summaries", "right"),
        )
        for cycle in cycles:
            table.add_row(
                moment(cycle.started_at),
                cycle.trigger_type,
                cycle.status,
                str(cycle.merged_count),
                str(cycle.failed_count),
                str(cycle.skipped_count),
                str(cycle.summary_count),
            )
        self.console.print(table)

    def curve(self, curve: Curve) -> None:
        """A memory's retention over time, and when it is cold."""
        self.chart(curve)
        cold = "never" if curve.cold_at is None else moment(from_ms(curve.cold_at))
        uses = len(curve.accesses) + curve.older_count
        until = day(from_ms(curve.points[-1].at))
        self.say(f"Cold (retention {curve.threshold:g}): {cold}. Used {_times(uses)} until {until}.")

    def chart(self, curve: Curve) -> None:
        """A memory's retention over time, with the dates at which it begins and ends."""
        first, last = (day(from_ms(curve.points[n].at)) for n in (0, -1))
        if self.console.width < _NARROWEST_CHART:
            begins, ends = (curve.points[n].retention for n in (0, -1))
            self.say(f"Retention {begins:.2f} on {first}, {ends:.2f} on {last}.")
            return
        chart = line_chart(
            [point.retention for point in curve.points],
            width=min(self.console.width, _WIDEST_CHART),
            height=_CHART_LINES,
            threshold=curve.threshold,
            ascii_only=self.console.options.ascii_only,
        )
        axis = f"     {first}{last:>{len(chart[0]) - 5 - len(first)}}"
        for line in (*chart, axis):
            self.console.print(Text(line.rstrip()), no_wrap=True)


def _count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _times(uses: int) -> str:
    return "once" if uses == 1 else f"{uses:,} times"
