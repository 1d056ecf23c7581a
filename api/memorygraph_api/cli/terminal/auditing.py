"""Events as people see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from memorygraph_api.cli.terminal.page import Page, moment
from memorygraph_api.wire import outward_change, plain

if TYPE_CHECKING:
    from memorygraph.entities.records import RelationChange
    from memorygraph.memory.records import HistoryEntry
    from memorygraph.writing.events import ChainReport

__all__ = ["AuditingPage"]


class AuditingPage(Page):
    """What the verbs about events answer."""

    def history(self, entries: Sequence[HistoryEntry | RelationChange]) -> None:
        """Events, one a row: who did what, and what was before and after."""
        if not entries:
            self.say("No events.")
            return
        table = self.table(("event", "right"), ("at", "left"), ("by", "left"), ("what", "left"))
        for entry in entries:
            told = outward_change(entry.to_dict())
            cell = Text(plain(_headline(told)))
            for name, change in _changes(told["before"] or {}, told["after"] or {}):
                cell.append(plain(f"\n{name}: {change}"), style="dim")
            table.add_row(str(entry.seq), moment(entry.at), Text(plain(entry.actor)), cell)
        self.console.print(table)

    def verified(self, report: ChainReport) -> None:
        """Whether the chain of events is whole."""
        if report.ok:
            self.say(f"The chain is whole: {report.checked:,} events.", "bold green")
        else:
            self.say(f"Broken at event {report.broken_seq}: {report.reason}.", "bold red")
            self.say(f"{report.checked:,} events before it are whole.")


def _headline(told: Mapping[str, Any]) -> str:
    words = [told["action"]]
    if "target_id" in told:
        words.append(told["target_id"])
    if told.get("reverts") is not None:
        words.append(f"undoes event {told['reverts']}")
    if told.get("erased"):
        words.append("what it said was erased")
    if told["reason"] is not None:
        words.append(told["reason"])
    return ", ".join(words)


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What changed, by name: what was before and what is after, or what is after where nothing was."""
    told = []
    for name in {**before, **after}:
        was, then = _short(before.get(name)), _short(after.get(name))
        if name in before:
            told.append((name, f"{was or 'none'} → {then or 'none'}"))
        elif then:
            told.append((name, then))
    return told


def _short(value: Any) -> str:
    """A stored value on one line, empty when there is none."""
    if isinstance(value, list):
        return ", ".join(_short(inner) for inner in value)
    if isinstance(value, Mapping) and "name" in value:
        return f"{value['name']} ({value['kind']})" if value.get("kind") else str(value["name"])
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)
