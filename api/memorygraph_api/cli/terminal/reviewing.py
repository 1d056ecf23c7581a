"""What waits for a person, as people see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from memorygraph_api.cli.terminal.page import Page, moment
from memorygraph_api.wire import plain

if TYPE_CHECKING:
    from memorygraph.memory.records import Answered, ReviewItem, TombstoneRecord
    from memorygraph.paging import Page as Part

__all__ = ["ReviewingPage"]

_DECIDED = {"supersede": "One holds in place of the other", "keep_both": "Both are kept", "reject": "One is rejected"}


class ReviewingPage(Page):
    """What the verbs of the review answer."""

    def review_queue(self, page: Part[ReviewItem]) -> None:
        """What waits for a decision."""
        if not page.items:
            self.say("Nothing waits for a review.")
            return
        table = self.table(("waits for", "left"), ("since", "left"), ("memory", "left"))
        for item in page.items:
            cell = self.memory_cell(item.memory)
            for question in item.contradictions:
                cell.append(plain(f"\nagainst it, {question.reason}: {question.text}  {question.id}"), style="yellow")
            table.add_row(item.waits_for, moment(item.since), cell)
        self.console.print(table)
        self.more(page.after)

    def answered(self, answered: Answered) -> None:
        """What became of the two statements of a question."""
        self.say(_DECIDED[answered.decision], "bold")
        for memory in (answered.memory, answered.other):
            self.console.print(self.memory_cell(memory))

    def tombstones(self, page: Part[TombstoneRecord]) -> None:
        """Values that are refused, or were."""
        if not page.items:
            self.say("No value is refused.")
            return
        table = self.table(("value", "left"), ("since", "left"), ("by", "left"), ("tombstone", "left"))
        for stone in page.items:
            state = stone.kind if stone.lifted_at is None else f"{stone.kind}, lifted {moment(stone.lifted_at)}"
            cell = Text(plain("\n".join(word for word in (stone.reason, stone.memory_id) if word)))
            cell.append(f"\n{stone.fingerprint}" if cell else stone.fingerprint, style="dim")
            table.add_row(state, moment(stone.created_at), Text(plain(stone.actor or "-")), cell)
        self.console.print(table)
        self.more(page.after)
