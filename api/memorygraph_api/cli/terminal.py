"""What people see: tables and lines on standard output.

Text from a memory is printed as it is, never as markup, and its control characters are shown, not
obeyed. Colour follows the terminal and ``NO_COLOR``; without a terminal a line has 80 columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memorygraph.times import from_ms
from memorygraph_api.cli.chart import line_chart
from memorygraph_api.wire import outward, plain

if TYPE_CHECKING:
    from memorygraph import Cycle
    from memorygraph.migrate import Migrated
    from memorygraph.records import Answer, Check, Hit, MemoryRecord, Written
    from memorygraph_forgetting import Curve

__all__ = ["Terminal", "day", "moment"]

_CHART_LINES = 8
_WIDEST_CHART = 78
_NARROWEST_CHART = 45  # two dates below it do not touch

_NOTHING_FOUND = {
    "no_match": "Nothing matches.",
    "filtered_out": "Nothing passes the filters.",
    "unknown_user": "This user has no memory yet.",
}


def moment(at: datetime | None) -> str:
    """An instant for people, UTC to the minute; "-" for none."""
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M}"


def day(at: datetime) -> str:
    """A date for people."""
    return f"{at.day} {at:%B %Y}"


class Terminal:
    """Standard output for people, one method for each kind of result."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(markup=False, highlight=False, emoji=False)

    def say(self, text: str = "", style: str = "") -> None:
        """One paragraph."""
        self.console.print(Text(plain(text), style=style))

    def written(self, written: Written) -> None:
        """What ``remember`` did."""
        done = "Remembered" if written.outcome == "created" else written.outcome.capitalize()
        self.say(f"{done}: {written.id}", "bold")
        if written.entities:
            self.say("about " + ", ".join(entity.name for entity in written.entities))
        if written.restates:
            self.say(f"said again; it had been forgotten as {', '.join(written.restates)}")

    def answer(self, answer: Answer) -> None:
        """What ``recall`` found."""
        if not answer.hits:
            self.say(_NOTHING_FOUND.get(answer.outcome, answer.outcome))
        else:
            table = self.table(("#", "right"), ("score", "right"), ("memory", "left"))
            for hit in answer.hits:
                table.add_row(str(hit.rank), f"{hit.score:.3f}", self._hit_cell(hit))
            self.console.print(table)

    def memory(self, record: MemoryRecord) -> None:
        """Every field of one memory that has a value."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in _fields(record):
            grid.add_row(name, Text(plain(value)))
        self.console.print(grid)

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

    def checks(self, checks: Sequence[Check]) -> None:
        """One line a check, and what to do below one that failed."""
        width = max((len(check.name) for check in checks), default=0)
        for check in checks:
            line = Text.assemble(
                ("ok  " if check.ok else "FAIL", "green" if check.ok else "bold red"),
                f"  {check.name:<{width}}  {plain(' '.join(check.detail.split()))}",
            )
            # A path in it is to be copied: the terminal wraps, not we.
            self.console.print(line, soft_wrap=True)
            if check.advice:
                advice = Text(f"{'':6}{plain(check.advice)}", style="" if check.ok else "yellow")
                self.console.print(advice, soft_wrap=True)

    def migrated(self, migrated: Migrated) -> None:
        """From which schema versions to which."""
        for name, before, after in (
            ("graph", migrated.graph_before, migrated.graph_after),
            ("ledger", migrated.ledger_before, migrated.ledger_after),
        ):
            self.say(f"{name}: {after}, nothing to do" if before == after else f"{name}: {_version(before)} -> {after}")

    def table(self, *columns: tuple[str, str]) -> Table:
        """An empty table with ``columns`` of (heading, ``left`` or ``right``)."""
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for heading, side in columns:
            right = side == "right"
            table.add_column(heading, justify="right" if right else "left", overflow="fold", no_wrap=right)
        return table

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

    def _hit_cell(self, hit: Hit) -> Text:
        cell, why = self._memory_cell(hit.memory), hit.explanation
        if why is not None:
            activation = "none" if why.activation is None else f"{why.activation:.3f}"
            terms = f"activation {activation}, sum {why.sum:.4g}, last used {why.last_age:.1f} days before"
            cell.append(f"\n{terms}", style="dim")
        return cell

    def _memory_cell(self, record: MemoryRecord) -> Text:
        said = f"{record.speaker}: {record.text}" if record.speaker else record.text
        at = moment(record.occurred_at or record.recorded_at)
        known = f"{record.kind}, {at}, retention {record.retention:.2f}  {record.id}"
        return Text.assemble(plain(said), "\n", (plain(known), "dim"))


def _count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _times(uses: int) -> str:
    return "once" if uses == 1 else f"{uses:,} times"


def _version(version: object) -> str:
    return "none" if version is None else str(version)


def _fields(record: MemoryRecord) -> list[tuple[str, str]]:
    shown: list[tuple[str, str]] = []
    for name, value in outward(record.to_dict()).items():
        if value is None or value in ("", [], {}):
            continue
        shown.append((name, _shown(name, value)))
    return shown


def _shown(name: str, value: Any) -> str:
    if name == "entities":
        return ", ".join(f"{entity['name']} ({entity['kind']})" for entity in value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
