"""``supersede``, ``retract``, ``reinstate``, ``pin``, ``unpin``, ``link`` and ``unlink``: the life of a memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from memorygraph_api.cli.invocation import Invocation, operation
from memorygraph_api.cli.options import MemoryId, Reason
from memorygraph_api.wire import outward

if TYPE_CHECKING:
    from memorygraph import Memory
    from memorygraph.records import MemoryRecord

__all__ = ["register"]

_OtherId = Annotated[str, typer.Argument(metavar="OTHER_ID", help="Id of the other memory.")]


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    for command in (supersede, retract, reinstate, pin, unpin, link, unlink):
        app.command(command.__name__)(command)


def _do(call: Invocation, work: Callable[[Memory], Awaitable[MemoryRecord]], *, done: str) -> None:
    """Do ``work``, and answer with the memory as it is then; ``done`` says to people what was done."""
    record = call.with_memory(work)
    call.answer(outward(record.to_dict()), lambda terminal: terminal.kept(done, record))


@operation
def supersede(
    call: Invocation,
    old_id: Annotated[str, typer.Argument(metavar="OLD_ID", help="Id of the memory that holds no more.")],
    new_id: Annotated[str, typer.Argument(metavar="NEW_ID", help="Id of the memory that holds in its place.")],
    *,
    reason: Reason = None,
) -> None:
    """Let one memory take the place of another.

    The old one is not recalled any more, and stays readable. Both have to be active.
    """
    done = f"Superseded by {new_id}"
    _do(call, lambda memory: memory.supersede(old_id, new_id, reason=reason), done=done)


@operation
def retract(
    call: Invocation,
    memory_id: MemoryId,
    *,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why, in 1 to 500 characters; kept with the event.")
    ],
) -> None:
    """Withdraw one memory, for a reason. It is not recalled any more, and reinstate brings it back."""
    _do(call, lambda memory: memory.retract(memory_id, reason), done="Retracted")


@operation
def reinstate(call: Invocation, memory_id: MemoryId, *, reason: Reason = None) -> None:
    """Let a superseded, retracted or expired memory hold again."""
    _do(call, lambda memory: memory.reinstate(memory_id, reason=reason), done="Reinstated")


@operation
def pin(call: Invocation, memory_id: MemoryId) -> None:
    """Keep one memory from being fused, however cold it gets."""
    _do(call, lambda memory: memory.pin(memory_id), done="Pinned")


@operation
def unpin(call: Invocation, memory_id: MemoryId) -> None:
    """Let a pinned memory go the way of the others."""
    _do(call, lambda memory: memory.unpin(memory_id), done="Unpinned")


@operation
def link(call: Invocation, memory_id: MemoryId, other_id: _OtherId) -> None:
    """Link two memories by hand. Such a link stays when their texts change."""
    _do(call, lambda memory: memory.link(memory_id, other_id), done=f"Linked to {other_id}")


@operation
def unlink(call: Invocation, memory_id: MemoryId, other_id: _OtherId) -> None:
    """Take away the link between two memories, however it was made."""
    _do(call, lambda memory: memory.unlink(memory_id, other_id), done=f"Unlinked from {other_id}")
