"""What everything printed for people is made of: lines, tables, and how a memory stands in one."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memorygraph_api.wire import plain

if TYPE_CHECKING:
    from memorygraph.records import MemoryRecord

__all__ = ["Page", "day", "moment"]


def moment(at: datetime | None) -> str:
    """An instant for people, UTC to the minute; "-" for none."""
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M}"


def day(at: datetime) -> str:
    """A date for people."""
    return f"{at.day} {at:%B %Y}"


class Page:
    """Standard output for people."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(markup=False, highlight=False, emoji=False)

    def say(self, text: str = "", style: str = "") -> None:
        """One paragraph."""
        self.console.print(Text(plain(text), style=style))

    def table(self, *columns: tuple[str, str]) -> Table:
        """An empty table with ``columns`` of (heading, ``left`` or ``right``)."""
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for heading, side in columns:
            right = side == "right"
            table.add_column(heading, justify="right" if right else "left", overflow="fold", no_wrap=right)
        return table

    def more(self, cursor: str | None) -> None:
        """How the next page is asked for, when there is one."""
        if cursor is not None:
            self.console.print(Text(f"more: --cursor {cursor}", style="dim"), soft_wrap=True)

    def memory_cell(self, record: MemoryRecord) -> Text:
        """A memory within a table: what was said, and below it what is known of it."""
        said = f"{record.speaker}: {record.text}" if record.speaker else record.text
        at = moment(record.occurred_at or record.recorded_at)
        standing = [word for word in (record.status, record.trust) if word not in ("active", "accepted")]
        known = ", ".join([record.kind, *standing, at, f"retention {record.retention:.2f}"]) + f"  {record.id}"
        return Text.assemble(plain(said), "\n", (plain(known), "dim"))
