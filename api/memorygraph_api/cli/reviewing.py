"""``review …``: what only a person decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from memorygraph_api.cli.invocation import Invocation, operation
from memorygraph_api.cli.options import Cursor, MemoryId, Reason
from memorygraph_api.wire import outward

if TYPE_CHECKING:
    from memorygraph import Memory

__all__ = ["DECISIONS", "register"]

DECISIONS = ("supersede", "keep_both", "reject")

_Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Most of them to show, up to 1,000.")]


def register(app: typer.Typer) -> None:
    """Add the group ``review`` to ``app``."""
    group = typer.Typer(
        rich_markup_mode=None, help="Decide what waits for a person: candidates, contradictions, refused values."
    )
    for command in (queue, approve, reject, answer, tombstones, lift):
        group.command(command.__name__)(command)
    app.add_typer(group, name="review")


def _complete_decision(incomplete: str) -> list[str]:
    return [decision for decision in DECISIONS if decision.startswith(incomplete)]


@operation
def queue(call: Invocation, *, limit: _Limit = 50, cursor: Cursor = None) -> None:
    """Show what waits for a decision, the longest waiting first."""
    page = call.with_memory(lambda memory: memory.review.queue(limit=limit, after=cursor))
    call.answer(outward(page.to_dict()), lambda terminal: terminal.review_queue(page))


@operation
def approve(call: Invocation, memory_id: MemoryId, *, reason: Reason = None) -> None:
    """Accept one candidate: it is recalled from now on."""
    record = call.with_memory(lambda memory: memory.review.approve(memory_id, reason=reason))
    call.answer(outward(record.to_dict()), lambda terminal: terminal.kept("Approved", record))


@operation
def reject(
    call: Invocation,
    memory_id: MemoryId,
    *,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why, in 1 to 500 characters; kept with the event.")
    ],
) -> None:
    """Take one statement out of what is known, and refuse its value from now on, however it is spelled."""
    record = call.with_memory(lambda memory: memory.review.reject(memory_id, reason))
    call.answer(outward(record.to_dict()), lambda terminal: terminal.kept("Rejected", record))


@operation
def answer(
    call: Invocation,
    memory_id: MemoryId,
    other_id: Annotated[str, typer.Argument(metavar="OTHER_ID", help="Id of the memory that contradicts it.")],
    decision: Annotated[
        str,
        typer.Argument(
            metavar="DECISION",
            help="supersede: the one to keep holds in place of the other; reject: the other was never true; "
            "keep_both: both may hold.",
            autocompletion=_complete_decision,
        ),
    ],
    *,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="ID", help="The one of the two that holds, unless both do.")
    ] = None,
    reason: Reason = None,
) -> None:
    """Decide which of two statements that contradict each other holds."""
    chosen: Any = decision.replace("-", "_")  # which of them are decisions the review says
    answered = call.with_memory(
        lambda memory: memory.review.answer(memory_id, other_id, chosen, keep=keep, reason=reason)
    )
    call.answer(outward(answered.to_dict()), lambda terminal: terminal.answered(answered))


@operation
def tombstones(call: Invocation, *, limit: _Limit = 50, cursor: Cursor = None) -> None:
    """Show the values that are refused, and those that were once."""
    page = call.with_memory(lambda memory: memory.review.tombstones(limit=limit, after=cursor))
    call.answer(page.to_dict(), lambda terminal: terminal.tombstones(page))


@operation
def lift(
    call: Invocation,
    fingerprint: Annotated[str, typer.Argument(metavar="FINGERPRINT", help="Names the tombstone.")],
    *,
    reason: Reason = None,
) -> None:
    """Let the value of one tombstone be taken again."""

    async def lifted(memory: Memory) -> None:
        await memory.review.lift(fingerprint, reason=reason)

    call.with_memory(lifted)
    call.answer({"fingerprint": fingerprint, "lifted": True}, lambda terminal: terminal.say("Lifted.", "bold"))
