"""``history``, ``revert`` and ``audit …``: what happened, whether all of it is there, and undoing it."""

from __future__ import annotations

from typing import Annotated

import typer

from memorygraph_api.cli.failures import EXIT_ERROR
from memorygraph_api.cli.invocation import Invocation, operation
from memorygraph_api.cli.options import Reason
from memorygraph_api.wire import outward_change

__all__ = ["register"]

_Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Most events to show, up to 1,000.")]
_Before = Annotated[
    int | None, typer.Option("--before", metavar="SEQ", help="Only events before the one of this number.")
]


def register(app: typer.Typer) -> None:
    """Add the commands, and the group ``audit``, to ``app``."""
    app.command("history")(history)
    app.command("revert")(revert)
    group = typer.Typer(rich_markup_mode=None, help="What happened in the memory of one user, and the proof of it.")
    group.command("events")(events)
    group.command("verify")(verify)
    app.add_typer(group, name="audit")


@operation
def history(
    call: Invocation,
    target_id: Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, fused ones included, or an entity.")],
    *,
    limit: _Limit = 100,
    before: _Before = None,
) -> None:
    """Show what happened to one memory or entity, the newest first: who changed what, and how it was before."""
    entries = call.with_memory(lambda memory: memory.history(target_id, limit=limit, before=before))
    call.answer(
        {"id": target_id, "events": [outward_change(entry.to_dict()) for entry in entries]},
        lambda terminal: terminal.history(entries),
    )


@operation
def revert(
    call: Invocation,
    seq: Annotated[int, typer.Argument(metavar="SEQ", help="Number of the event, as history shows it.")],
    *,
    reason: Reason = None,
) -> None:
    """Undo what one event did, if nothing newer changed the same."""
    entry = call.with_memory(lambda memory: memory.revert(seq, reason=reason))
    call.answer(outward_change(entry.to_dict()), lambda terminal: terminal.history([entry]))


@operation
def events(call: Invocation, *, limit: _Limit = 100, before: _Before = None) -> None:
    """Show everything that happened in the memory of one user, the newest first."""
    entries = call.with_memory(lambda memory: memory.events(limit=limit, before=before))
    call.answer(
        {"events": [outward_change(entry.to_dict()) for entry in entries]}, lambda terminal: terminal.history(entries)
    )


@operation
def verify(call: Invocation) -> None:
    """Compute the chain of one user's events anew, and tell where it is broken.

    The exit code is 1 when an event was changed or taken out.
    """
    report = call.with_memory(lambda memory: memory.verify_events())
    call.answer(
        {
            "ok": report.ok,
            "checked": report.checked,
            "head_hash": report.head_hash,
            "broken_seq": report.broken_seq,
            "reason": report.reason,
        },
        lambda terminal: terminal.verified(report),
    )
    if not report.ok:
        raise typer.Exit(EXIT_ERROR)
