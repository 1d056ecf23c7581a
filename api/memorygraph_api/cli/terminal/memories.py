"""Memories, written and found, as people see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from memorygraph_api.cli.terminal.page import Page, moment
from memorygraph_api.wire import outward, plain

if TYPE_CHECKING:
    from memorygraph.memory.records import Relatives
    from memorygraph.paging import Page as Part
    from memorygraph.records import Answer, BatchItem, Hit, MemoryRecord, Written

__all__ = ["MemoriesPage"]

_DONE = {"created": "Remembered", "candidate": "Remembered, waiting for a review", "confirmed": "Confirmed"}
_NOTHING_FOUND = {
    "no_match": "Nothing matches.",
    "filtered_out": "Nothing passes the filters.",
    "unknown_user": "This user has no memory yet.",
}


class MemoriesPage(Page):
    """What the verbs of memories answer."""

    def written(self, written: Written) -> None:
        """What ``remember`` did."""
        if written.refusal is not None:
            self.say(f"Refused: this value was {written.refusal.kind} before.", "bold")
            self.say(f"tombstone {written.refusal.fingerprint}")
            self.say(written.refusal.hint)
            return
        self.say(f"{_DONE.get(written.outcome, written.outcome)}: {written.id}", "bold")
        if written.entities:
            self.say("about " + ", ".join(entity.name for entity in written.entities))
        if written.restates:
            self.say(f"said again; it had been forgotten as {', '.join(written.restates)}")
        if written.supersedes:
            self.say(f"takes the place of {', '.join(written.supersedes)}")
        if written.superseded_by is not None:
            self.say(f"holds no more: {written.superseded_by} is of a later time")
        for question in written.contradictions:
            self.say(f"a question for the review, {question.reason}: {question.text}  {question.id}", "yellow")
        for near in written.similar:
            self.say(f"{'linked to' if near.linked else 'near'} ({near.score:.2f}): {near.text}  {near.id}", "dim")

    def batch(self, lines: Sequence[int], items: Sequence[BatchItem], counts: Mapping[str, int]) -> None:
        """How many lines of a file became what, and why some did not."""
        told = ", ".join(f"{outcome} {number:,}" for outcome, number in sorted(counts.items()))
        self.say(f"Lines {len(items):,}: {told}." if items else "No lines.", "bold")
        for line, item in zip(lines, items, strict=True):
            refusal = None if item.written is None else item.written.refusal
            if item.outcome == "failed":
                self.say(f"line {line}: {item.code}: {item.message}", "red")
            elif refusal is not None:
                self.say(f"line {line}: refused: this value was {refusal.kind} before. {refusal.hint}", "yellow")

    def kept(self, done: str, record: MemoryRecord) -> None:
        """What was ``done`` to a memory, and the memory."""
        self.say(done, "bold")
        self.console.print(self.memory_cell(record))

    def answer(self, answer: Answer) -> None:
        """What ``recall`` found."""
        if not answer.hits:
            self.say(_NOTHING_FOUND.get(answer.outcome, answer.outcome))
        else:
            table = self.table(("#", "right"), ("score", "right"), ("memory", "left"))
            for hit in answer.hits:
                table.add_row(str(hit.rank), f"{hit.score:.3f}", self._hit_cell(hit))
            self.console.print(table)

    def memories(self, page: Part[MemoryRecord]) -> None:
        """A page of memories."""
        if not page.items:
            self.say("No memories.")
        for record in page.items:
            self.console.print(self.memory_cell(record))
        self.more(page.after)

    def memory(self, record: MemoryRecord, tied: Relatives | None = None) -> None:
        """Every field of one memory that has a value, and what it is ``tied`` to."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in _fields(record):
            grid.add_row(name, Text(plain(value)))
        for name, value in [] if tied is None else _ties(tied):
            grid.add_row(name, Text(plain(value)))
        self.console.print(grid)

    def _hit_cell(self, hit: Hit) -> Text:
        cell, why = self.memory_cell(hit.memory), hit.explanation
        if why is not None:
            activation = "none" if why.activation is None else f"{why.activation:.3f}"
            terms = f"activation {activation}, sum {why.sum:.4g}, last used {why.last_age:.1f} days before"
            cell.append(f"\n{terms}", style="dim")
        return cell


def _fields(record: MemoryRecord) -> list[tuple[str, str]]:
    shown: list[tuple[str, str]] = []
    for name, value in outward(record.to_dict()).items():
        if value is None or value in ("", [], {}):
            continue
        shown.append((name, _shown(name, value)))
    return shown


def _ties(tied: Relatives) -> list[tuple[str, str]]:
    shown: list[tuple[str, str]] = []
    for link in tied.links:
        alike = "" if link.score is None else f" ({link.score:.2f})"
        shown.append(("link", f"{link.id}{alike}, {link.origin}"))
    for question in tied.questions:
        decided = "open" if question.resolved_at is None else f"{question.resolution} by {question.actor}"
        shown.append(("contradiction", f"{question.text}  {question.id}, {question.reason}, {decided}"))
    for name, successions in (("supersedes", tied.supersedes), ("superseded_by", tied.superseded_by)):
        for of in successions:
            why = "" if of.reason is None else f": {of.reason}"
            shown.append((name, f"{of.id}, {moment(of.at)}{why}"))
    shown += [("evidence", f"{part.id}, characters {part.start} to {part.end}") for part in tied.evidence]
    return shown + [("restates", id) for id in tied.restates]


def _shown(name: str, value: Any) -> str:
    if name == "entities":
        return ", ".join(f"{entity['name']} ({entity['kind']})" for entity in value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
