"""``recall``, ``list``, ``get`` and ``curve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memorygraph_api.cli.arguments import text_or_standard_input
from memorygraph_api.cli.invocation import Invocation, operation
from memorygraph_api.cli.options import AsOfRecorded, AsOfValid, Cursor, complete_kind
from memorygraph_api.wire import outward, outward_curve

if TYPE_CHECKING:
    from memorygraph import Memory
    from memorygraph.memory.records import Relatives
    from memorygraph.records import Answer, MemoryRecord

__all__ = ["register"]


_Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind", metavar="KIND", help="Only memories of this kind; may be repeated.", autocompletion=complete_kind
    ),
]
_Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="Only memories with this tag; may be repeated.")
]
_Project = Annotated[str | None, typer.Option("--project", metavar="NAME", help="Only this project.")]
_Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="Only this conversation.")]
_Include = Annotated[
    list[str] | None,
    typer.Option("--include", metavar="WHAT", help="Add memories that are candidate, or superseded; may be repeated."),
]
_ReadId = Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, a summary or a forgotten original.")]


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    app.command("recall")(recall)
    app.command("list")(list_memories)
    app.command("get")(get)
    app.command("curve")(curve)


@operation
def recall(
    call: Invocation,
    query: Annotated[str, typer.Argument(metavar="QUERY", help='What to look for; "-" reads it from standard input.')],
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most memories to return.")] = 10,
    kinds: _Kinds = None,
    tags: _Tags = None,
    project: _Project = None,
    session_id: _Session = None,
    min_confidence: Annotated[
        float,
        typer.Option("--min-confidence", metavar="SHARE", help="Only memories at least this sure now, from 0 to 1."),
    ] = 0.0,
    include: _Include = None,
    as_of_valid: AsOfValid = None,
    as_of_recorded: AsOfRecorded = None,
    reinforce: Annotated[
        bool,
        typer.Option(
            "--reinforce/--no-reinforce", help="Count what is returned as used, which keeps it from being forgotten."
        ),
    ] = True,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say of each how active it is and what that comes from.")
    ] = False,
) -> None:
    """Find memories, best first. Nothing found is an answer too: the exit code is 0.

    What is asked as of another time does not count as used.
    """
    asked = text_or_standard_input(query, field="query")

    async def search(memory: Memory) -> Answer:
        return await memory.recall(
            asked,
            limit=limit,
            kinds=kinds or None,
            tags=tags or None,
            project=project,
            session_id=session_id,
            min_confidence=min_confidence,
            include=include or (),
            as_of_valid=as_of_valid,
            as_of_recorded=as_of_recorded,
            reinforce=reinforce,
            explain=explain,
        )

    answer = call.with_memory(search)
    call.answer(outward(answer.to_dict()), lambda terminal: terminal.answer(answer))


@operation
def list_memories(
    call: Invocation,
    *,
    kinds: _Kinds = None,
    tags: _Tags = None,
    project: _Project = None,
    session_id: _Session = None,
    include: _Include = None,
    as_of_valid: AsOfValid = None,
    as_of_recorded: AsOfRecorded = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most memories to show, up to 1,000.")] = 50,
    cursor: Cursor = None,
) -> None:
    """Show memories, the newest first. Nothing counts as used."""
    page = call.with_memory(
        lambda memory: memory.list(
            kinds=kinds or None,
            tags=tags or None,
            project=project,
            session_id=session_id,
            include=include or (),
            as_of_valid=as_of_valid,
            as_of_recorded=as_of_recorded,
            limit=limit,
            after=cursor,
        )
    )
    call.answer(outward(page.to_dict()), lambda terminal: terminal.memories(page))


@operation
def get(
    call: Invocation,
    memory_id: _ReadId,
    *,
    as_of_recorded: AsOfRecorded = None,
    relatives: Annotated[
        bool,
        typer.Option(
            "--relatives", help="Also what it is tied to: links, contradictions, what it took the place of, evidence."
        ),
    ] = False,
) -> None:
    """Show one memory: a statement, a summary, or the stub of a forgotten original."""

    async def read(memory: Memory) -> tuple[MemoryRecord, Relatives | None]:
        record = await memory.get(memory_id, as_of_recorded=as_of_recorded)
        return record, await memory.relatives(memory_id) if relatives else None

    record, tied = call.with_memory(read)
    told = outward(record.to_dict())
    call.answer(
        told if tied is None else {**told, "relatives": tied.to_dict()},
        lambda terminal: terminal.memory(record, tied),
    )


@operation
def curve(
    call: Invocation,
    memory_id: _ReadId,
    *,
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            metavar="TIME",
            help="ISO 8601 with an offset. Without it, creation; never before the oldest use whose time is kept.",
        ),
    ] = None,
    end: Annotated[
        str | None,
        typer.Option(
            "--end",
            metavar="TIME",
            help="ISO 8601 with an offset. Without it, 30 days after it is cold, and at least 30 days from now.",
        ),
    ] = None,
    points: Annotated[int, typer.Option("--points", metavar="N", help="How many points, 2 to 10,000.")] = 200,
) -> None:
    """Draw how one memory is retained over time.

    After its last use the curve tells how it would go on without another. With --json it is points with their terms.
    """
    drawn = call.with_memory(lambda memory: memory.curve(memory_id, start=start, end=end, points=points))
    call.answer(outward_curve(drawn), lambda terminal: terminal.curve(drawn))
