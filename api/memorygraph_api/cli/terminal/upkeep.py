"""The state of the store as people see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from memorygraph_api.cli.terminal.page import Page
from memorygraph_api.wire import plain

if TYPE_CHECKING:
    from memorygraph.compact import Compacted
    from memorygraph.migrate import Migrated
    from memorygraph.records import Check

__all__ = ["UpkeepPage"]


class UpkeepPage(Page):
    """What the verbs about the store itself answer."""

    def checks(self, checks: Sequence[Check]) -> None:
        """One line a check, and below one that failed what it found and what to do."""
        width = max((len(check.name) for check in checks), default=0)
        for check in checks:
            line = Text.assemble(
                ("ok  " if check.ok else "FAIL", "green" if check.ok else "bold red"),
                f"  {check.name:<{width}}  {plain(' '.join(check.detail.split()))}",
            )
            # A path in it is to be copied: the terminal wraps, not we.
            self.console.print(line, soft_wrap=True)
            for fault in check.faults:
                found = f"{fault.kind} of {fault.end_user_id or 'nobody'}: {' '.join(fault.ids)}: {fault.detail}"
                self.console.print(Text(f"{'':6}{plain(' '.join(found.split()))}"), soft_wrap=True)
            for advice in dict.fromkeys([check.advice, *(fault.advice for fault in check.faults)]):
                if advice:
                    self.console.print(
                        Text(f"{'':6}{plain(advice)}", style="" if check.ok else "yellow"), soft_wrap=True
                    )

    def migrated(self, migrated: Migrated) -> None:
        """From which schema versions to which."""
        for name, before, after in (
            ("graph", migrated.graph_before, migrated.graph_after),
            ("ledger", migrated.ledger_before, migrated.ledger_after),
        ):
            self.say(f"{name}: {after}, nothing to do" if before == after else f"{name}: {_version(before)} -> {after}")

    def compacted(self, compacted: Compacted) -> None:
        """Which files were made anew, and what was not."""
        graph, ledger = compacted.graph, compacted.ledger
        if graph is not None:
            self.say(
                f"graph: {graph.records:,} nodes and relationships, {_mebibytes(graph.bytes_before)} -> "
                f"{_mebibytes(graph.bytes_after)}"
            )
            for path in graph.kept:
                self.say(f"  a backup was left as it is: {path}", "yellow")
        self.say(f"ledger: {_mebibytes(ledger.bytes_before)} -> {_mebibytes(ledger.bytes_after)}")
        if compacted.refusal is not None:
            self.say(f"graph: not done. {compacted.refusal}", "yellow")


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def _version(version: object) -> str:
    return "none" if version is None else str(version)
