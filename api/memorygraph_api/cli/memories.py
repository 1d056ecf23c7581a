"""``remember``, ``recall``, ``get`` and ``curve``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from memorygraph.errors import InvalidInput
from memorygraph.validation import KINDS
from memorygraph_api.cli.invocation import Invocation, operation
from memorygraph_api.wire import importance_from_mark, outward, outward_curve

if TYPE_CHECKING:
    from memorygraph import MemoryEngine
    from memorygraph.records import Answer, MemoryRecord, Written
    from memorygraph.settings import Settings
    from memorygraph_forgetting import Curve

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    app.command("remember")(remember)
    app.command("recall")(recall)
    app.command("get")(get)
    app.command("curve")(curve)


def _complete_kind(incomplete: str) -> list[str]:
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def _text_or_standard_input(text: str, *, field: str) -> str:
    """``text``, or all of standard input without its last line end when ``text`` is ``-``."""
    if text != "-":
        return text
    try:
        return sys.stdin.read().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"Standard input is not {error.encoding} text.",
            field=field,
            hint="Convert it first, for example with iconv.",
        ) from None


@operation
def remember(
    call: Invocation,
    text: Annotated[str, typer.Argument(metavar="TEXT", help='What to remember; "-" reads it from standard input.')],
    *,
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Who said it.")] = None,
    session_id: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The conversation it was said in.")
    ] = None,
    position: Annotated[
        int | None,
        typer.Option("--position", metavar="N", help="Its place in that conversation, from 0; needs --session."),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="KIND",
            help=f"What it is, one of {', '.join(KINDS)}.",
            autocompletion=_complete_kind,
        ),
    ] = "fact",
    importance: Annotated[
        float, typer.Option("--importance", metavar="MARK", help="From 1 (trifle) to 10 (vital); 5 is usual.")
    ] = 5,
    entities: Annotated[
        list[str] | None,
        typer.Option("--entity", metavar="NAME", help="Somebody or something it is about; may be repeated."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="A short title.")] = None,
    context: Annotated[
        str | None, typer.Option("--context", metavar="TEXT", help="Where it comes from, in a sentence.")
    ] = None,
    keywords: Annotated[
        list[str] | None, typer.Option("--keyword", metavar="WORD", help="A keyword; may be repeated.")
    ] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")] = None,
    project: Annotated[str | None, typer.Option("--project", metavar="NAME", help="The project it belongs to.")] = None,
    occurred_at: Annotated[
        str | None,
        typer.Option("--occurred-at", metavar="TIME", help="When it happened: ISO 8601 with an offset."),
    ] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", metavar="SHARE", help="How sure it is, from 0 to 1.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="TEXT", help="What it was taken from, for example a file.")
    ] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="The agent that writes it.")] = None,
    idempotency_key: Annotated[
        str | None,
        typer.Option("--idempotency-key", metavar="KEY", help="Sent again with the same key, it is written once."),
    ] = None,
) -> None:
    """Remember one statement.

    It can be recalled as soon as the command returns. The same statement again confirms the first.
    """
    said = _text_or_standard_input(text, field="text")
    share = importance_from_mark(importance)

    async def write(engine: MemoryEngine, settings: Settings) -> Written:
        return await engine.memory(settings.end_user_id, actor="cli").remember(
            said,
            speaker=speaker,
            session_id=session_id,
            position=position,
            kind=kind,
            importance=share,
            entities=entities or (),
            title=title,
            context=context,
            keywords=keywords or (),
            tags=tags or (),
            project=project,
            occurred_at=occurred_at,
            confidence=confidence,
            source=source,
            agent=agent,
            idempotency_key=idempotency_key,
        )

    written = call.with_engine(write)
    call.answer(outward(written.to_dict()), lambda terminal: terminal.written(written))


@operation
def recall(
    call: Invocation,
    query: Annotated[str, typer.Argument(metavar="QUERY", help='What to look for; "-" reads it from standard input.')],
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most memories to return.")] = 10,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Only memories of this kind; may be repeated.",
            autocompletion=_complete_kind,
        ),
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only memories with this tag; may be repeated.")
    ] = None,
    project: Annotated[str | None, typer.Option("--project", metavar="NAME", help="Only this project.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", metavar="ID", help="Only this conversation.")] = None,
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
    """Find memories, best first. Nothing found is an answer too: the exit code is 0."""
    asked = _text_or_standard_input(query, field="query")

    async def search(engine: MemoryEngine, settings: Settings) -> Answer:
        return await engine.memory(settings.end_user_id, actor="cli").recall(
            asked,
            limit=limit,
            kinds=kinds or None,
            tags=tags or None,
            project=project,
            session_id=session_id,
            reinforce=reinforce,
            explain=explain,
        )

    answer = call.with_engine(search)
    call.answer(outward(answer.to_dict()), lambda terminal: terminal.answer(answer))


@operation
def get(
    call: Invocation,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, a summary or a forgotten original.")],
) -> None:
    """Show one memory: a statement, a summary, or the stub of a forgotten original."""

    async def read(engine: MemoryEngine, settings: Settings) -> MemoryRecord:
        return await engine.memory(settings.end_user_id, actor="cli").get(memory_id)

    record = call.with_engine(read)
    call.answer(outward(record.to_dict()), lambda terminal: terminal.memory(record))


@operation
def curve(
    call: Invocation,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, a summary or a forgotten original.")],
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

    async def draw(engine: MemoryEngine, settings: Settings) -> Curve:
        memory = engine.memory(settings.end_user_id, actor="cli")
        return await memory.curve(memory_id, start=start, end=end, points=points)

    drawn = call.with_engine(draw)
    call.answer(outward_curve(drawn), lambda terminal: terminal.curve(drawn))
