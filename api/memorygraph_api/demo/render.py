"""The demonstration for people: each stage as soon as it is over."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text
from rich.tree import Tree

from memorygraph_api.cli.terminal import day
from memorygraph_api.demo.played import Aged, Asked, Forgot, Opened, Progress, Remembered, Retained, Stage, Told
from memorygraph_api.wire import plain

if TYPE_CHECKING:
    from memorygraph.records import Lineage, MemoryRecord
    from memorygraph_api.cli.terminal import Terminal
    from memorygraph_api.demo.played import Answered, Found

__all__ = ["Watcher"]

_SHOWN_TEXT = 300


class Watcher:
    """Prints stages on ``terminal``; a progress bar goes to standard error when that is a terminal."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        errors = Console(stderr=True)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=errors,
            transient=True,
            # It would take what is printed on standard output along to standard error.
            redirect_stdout=False,
            redirect_stderr=False,
            disable=not errors.is_terminal,
        )
        self._doing = ""
        self._task = self._start("starting", None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, stage: Stage) -> None:
        """Print one stage."""
        if isinstance(stage, Progress):
            if stage.doing != self._doing:
                self._bar.remove_task(self._task)
                self._task = self._start(stage.doing, stage.of)
            self._bar.update(self._task, completed=stage.done)
            self._bar.start()
            return
        # The bar is wiped before anything is printed, and the next step of the progress draws it again.
        self._bar.stop()
        match stage:
            case Opened():
                self._opened(stage)
            case Remembered():
                self._remembered(stage)
            case Asked():
                self._asked(stage)
            case Aged():
                self._aged(stage)
            case Forgot():
                self._forgot(stage)
            case Told():
                self._told(stage)

    def _start(self, doing: str, of: int | None) -> TaskID:
        self._doing = doing
        return self._bar.add_task(doing, total=of)

    def _opened(self, stage: Opened) -> None:
        say = self._terminal.say
        speakers = " and ".join(stage.speakers)
        say(f"{speakers}: {stage.turns} turns from {day(stage.first)} to {day(stage.last)}", "bold")
        if stage.store == "embedded":
            kept = f"in {stage.data_dir}" if stage.data_dir else "in a temporary folder, removed at the end"
            say(f"On the embedded graph server, {kept}.")
        else:
            say(f"On {stage.store}. What is written stays there.")
        say(f'The user is "{stage.end_user_id}". Opened in {stage.open_ms / 1000:.1f} s.')

    def _remembered(self, stage: Remembered) -> None:
        self._heading("Remember")
        names = {name for turn in stage.turns for name in turn.entities}
        self._terminal.say(
            f"{len(stage.turns)} turns about {len(names)} people and things in {stage.total_ms / 1000:.1f} s "
            f"(median {stage.median_ms:.0f} ms each, embedding included). The first three:"
        )
        for turn in stage.turns[:3]:
            self._indented(Text(plain(f"{turn.turn}  {turn.speaker}: {turn.text}")))

    def _asked(self, stage: Asked) -> None:
        if stage.when == "before":
            self._heading("Ask")
            for answer in stage.answers:
                self._answer(answer, shown=2)
        else:
            self._heading("Ask again")
            table = self._terminal.table(("question", "left"), ("rank", "right"), ("found as", "left"))
            for answer in stage.answers:
                rank = answer.evidence_rank
                found = answer.found[rank - 1] if rank else None
                table.add_row(plain(answer.question), str(rank or "-"), _form(found))
            self._terminal.console.print(table)
            self._terminal.say("Rank of the first memory that is, or stands for, a turn with the answer.", "dim")
        self._terminal.say(f"Median {stage.median_ms:.0f} ms a question, embedding included.", "dim")

    def _answer(self, answer: Answered, *, shown: int) -> None:
        self._terminal.say(answer.question, "bold")
        for rank, found in enumerate(answer.found[:shown], 1):
            mark = " <- the answer" if rank == answer.evidence_rank else ""
            line = Text.assemble((f"{found.score:.2f}  ", "cyan"), plain(_said(found)), (mark, "green"))
            self._indented(line)
        if not answer.found:
            self._indented(Text(f"nothing ({answer.outcome})"))

    def _aged(self, stage: Aged) -> None:
        self._heading(f"{stage.days} days pass")
        asked = list(dict.fromkeys(reuse.question for reuse in stage.reused))
        days = sorted({reuse.day for reuse in stage.reused})
        if asked:
            self._terminal.say(f"On days {', '.join(map(str, days))} these were asked again; what they find is used:")
            for question in asked:
                self._indented(Text(plain(question)))
        if stage.kept:
            self._retained("Used on the way", stage.kept)
        if stage.fading:
            self._retained("Not used", stage.fading)
        self._terminal.say(f"{stage.cold} of {stage.live} memories are cold: below the threshold of retention.")

    def _retained(self, title: str, memory: Retained) -> None:
        self._terminal.say(f"{title}: {_cut(memory.text, 90)}")
        self._terminal.chart(memory.curve)

    def _forgot(self, stage: Forgot) -> None:
        self._heading("Forget")
        self._terminal.cycle(stage.cycle, list_summaries=False)
        for lineage in stage.summaries:
            fused = f"{len(lineage.originals):>4} -> 1  "
            opening = " ".join(lineage.summary.text.split())
            width = self._terminal.console.width - len(fused) - 1
            self._terminal.console.print(Text.assemble((fused, "cyan"), plain(_cut(opening, width))), no_wrap=True)
        self._terminal.say(f"Took {stage.total_ms / 1000:.1f} s.", "dim")

    def _told(self, stage: Told) -> None:
        self._heading("What became of one answer")
        if stage.answered is None or stage.lineage is None:
            self._terminal.say("No question's evidence was fused and found.")
        else:
            self._terminal.say(stage.answered.question, "bold")
            self._terminal.console.print(_tree(stage.lineage, evidence=frozenset(stage.evidence_ids)))
            self._terminal.say("The arrow marks the originals that hold the answer.", "dim")
        self._terminal.say(f"{len(stage.still_live)} memories that were used are still there as they were said.")
        state = "verifies" if stage.chain_ok else "DOES NOT VERIFY"
        self._terminal.say(f"The chain of {stage.events} events {state}.", "" if stage.chain_ok else "bold red")

    def _heading(self, text: str) -> None:
        self._terminal.say()
        self._terminal.console.rule(Text(text, style="bold"), align="left")

    def _indented(self, text: Text) -> None:
        self._terminal.console.print(Padding(text, (0, 0, 0, 2), expand=False))


def _tree(lineage: Lineage, *, evidence: frozenset[str]) -> Tree:
    summary = lineage.summary
    tree = Tree(
        Text.assemble(
            (f"summary of {len(lineage.originals)}, {_span(summary)}\n", "dim"),
            plain(summary.text),
        )
    )
    for original in lineage.originals:
        memory = original.memory
        text = f"{memory.speaker}: {memory.text}" if memory.speaker else memory.text
        mark = (" <-", "green") if memory.id in evidence else ("", "")
        branch = Text.assemble(plain(text), mark)
        if original.lineage is None:
            tree.add(branch)
        else:
            tree.add(_tree(original.lineage, evidence=evidence))
    return tree


def _span(summary: MemoryRecord) -> str:
    if summary.covers_from is None or summary.covers_to is None:
        return "of unknown time"
    return f"{day(summary.covers_from)} to {day(summary.covers_to)}"


def _said(found: Found) -> str:
    return _cut(f"{found.speaker}: {found.text}" if found.speaker else found.text, _SHOWN_TEXT)


def _form(found: Found | None) -> str:
    if found is None:
        return "not found"
    return f"a summary of {len(found.turns)}" if found.type == "MemorySummary" else "what was said"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
