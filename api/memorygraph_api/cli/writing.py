"""``remember`` and ``revise``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memorygraph.errors import InvalidInput
from memorygraph_api.cli.arguments import relation, text_or_standard_input
from memorygraph_api.cli.failures import EXIT_ERROR
from memorygraph_api.cli.fields import (
    Confidence,
    Context,
    Entities,
    ExpiresAt,
    Importance,
    Keywords,
    Kind,
    OccurredAt,
    Predicate,
    Project,
    Speaker,
    Subject,
    Tags,
    Title,
    ValidFrom,
    ValidTo,
    Value,
    given,
)
from memorygraph_api.cli.invocation import Invocation, operation
from memorygraph_api.cli.options import MemoryId
from memorygraph_api.wire import outward

if TYPE_CHECKING:
    from memorygraph import Memory
    from memorygraph.records import MemoryRecord, Written

__all__ = ["register"]

# What `revise` can take away, and what stands there then.
_CLEARED = {
    **dict.fromkeys(("title", "context", "project", "speaker", "subject", "predicate", "value")),
    **dict.fromkeys(("valid_from", "valid_to", "expires_at")),
    **dict.fromkeys(("keywords", "tags", "entities"), ()),
}


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    app.command("remember")(remember)
    app.command("revise")(revise)


def _complete_cleared(incomplete: str) -> list[str]:
    return [name for name in _CLEARED if name.startswith(incomplete)]


@operation
def remember(
    call: Invocation,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help='What to remember; "-" reads it from standard input.')
    ] = None,
    *,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Remember every line of this file, each a JSON object of the SDK's arguments, importance a mark from "
            '1 to 10; "-" is standard input. What a line does not say, the options say.',
        ),
    ] = None,
    speaker: Speaker = None,
    session_id: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The conversation it was said in.")
    ] = None,
    position: Annotated[
        int | None,
        typer.Option("--position", metavar="N", help="Its place in that conversation, from 0; needs --session."),
    ] = None,
    kind: Kind = "fact",
    importance: Importance = 5,
    entities: Entities = None,
    relations: Annotated[
        list[str] | None,
        typer.Option(
            "--relation",
            metavar="S|P|O",
            help="What one entity is to another, SUBJECT|PREDICATE|OBJECT, or a JSON object of these; may be repeated.",
        ),
    ] = None,
    title: Title = None,
    context: Context = None,
    keywords: Keywords = None,
    tags: Tags = None,
    project: Project = None,
    subject: Subject = None,
    predicate: Predicate = None,
    value: Value = None,
    functional: Annotated[
        bool | None,
        typer.Option(
            "--functional/--not-functional",
            help="Whether that predicate has one value at a time; unset, another value is a question for the review.",
        ),
    ] = None,
    valid_from: ValidFrom = None,
    valid_to: ValidTo = None,
    occurred_at: OccurredAt = None,
    expires_at: ExpiresAt = None,
    confidence: Confidence = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="TEXT", help="What it was taken from, for example a file.")
    ] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="The agent that writes it.")] = None,
    derived: Annotated[
        bool, typer.Option("--derived", help="A model concluded it: it waits for somebody to approve it.")
    ] = False,
    supersedes: Annotated[
        list[str] | None,
        typer.Option("--supersedes", metavar="ID", help="A memory whose place it takes; may be repeated."),
    ] = None,
    idempotency_key: Annotated[
        str | None,
        typer.Option("--idempotency-key", metavar="KEY", help="Sent again with the same key, it is written once."),
    ] = None,
) -> None:
    """Remember one statement, or a file of them.

    It can be recalled as soon as the command returns. The same statement again confirms the first. The
    exit code is 1 when a value is refused because it was rejected or erased before, and when a line of a
    file was not written; the other lines are.
    """
    own = given(position=position, supersedes=supersedes, idempotency_key=idempotency_key)
    told = given(
        speaker=speaker,
        session_id=session_id,
        kind=kind,
        importance=importance,
        entities=entities,
        relations=[relation(words) for words in relations or ()],
        title=title,
        context=context,
        keywords=keywords,
        tags=tags,
        project=project,
        subject=subject,
        predicate=predicate,
        value=value,
        functional=functional,
        valid_from=valid_from,
        valid_to=valid_to,
        occurred_at=occurred_at,
        expires_at=expires_at,
        confidence=confidence,
        source=source,
        agent=agent,
        derived=derived,
    )
    if file is not None:
        from memorygraph_api.cli.batches import remember_file

        if text is not None:
            raise InvalidInput("TEXT and --file were both given.", field="text", hint="Give one of them.")
        if own:
            raise InvalidInput(f"{next(iter(own))} is of one statement, not of a file of them.", field=next(iter(own)))
        remember_file(call, file, told)
        return
    if text is None:
        raise typer.BadParameter("Give TEXT, or --file FILE.")
    said = text_or_standard_input(text, field="text")

    async def write(memory: Memory) -> Written:
        return await memory.remember(said, **told, **own)

    written = call.with_memory(write)
    call.answer(outward(written.to_dict()), lambda terminal: terminal.written(written))
    if written.outcome == "refused":
        raise typer.Exit(EXIT_ERROR)


@operation
def revise(
    call: Invocation,
    memory_id: MemoryId,
    *,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help='New words; "-" reads them from standard input.')
    ] = None,
    title: Title = None,
    context: Context = None,
    keywords: Keywords = None,
    tags: Tags = None,
    kind: Kind = None,
    importance: Importance = None,
    confidence: Confidence = None,
    project: Project = None,
    speaker: Speaker = None,
    subject: Subject = None,
    predicate: Predicate = None,
    value: Value = None,
    valid_from: ValidFrom = None,
    valid_to: ValidTo = None,
    expires_at: ExpiresAt = None,
    occurred_at: OccurredAt = None,
    entities: Entities = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(
            "--clear",
            metavar="FIELD",
            help=f"Take this away, one of {', '.join(_CLEARED)}; may be repeated.",
            autocompletion=_complete_cleared,
        ),
    ] = None,
    if_revision: Annotated[
        int | None,
        typer.Option("--if-revision", metavar="N", help="Change nothing unless this is the memory's revision."),
    ] = None,
) -> None:
    """Change what one memory says: the fields that are given.

    Keywords, tags and entities that are given take the place of those that are there. Other words are
    embedded and linked anew. Of a summary, and of a verbatim turn, the words cannot be changed.
    """
    changed = given(
        text=None if text is None else text_or_standard_input(text, field="text"),
        title=title,
        context=context,
        keywords=keywords,
        tags=tags,
        kind=kind,
        importance=importance,
        confidence=confidence,
        project=project,
        speaker=speaker,
        subject=subject,
        predicate=predicate,
        value=value,
        valid_from=valid_from,
        valid_to=valid_to,
        expires_at=expires_at,
        occurred_at=occurred_at,
        entities=entities,
    )
    for name in clear or ():
        if name not in _CLEARED or name in changed:
            why = "was given a value too" if name in changed else "cannot be taken away"
            raise InvalidInput(f"{name[:60]} {why}.", field="clear", hint=f"Fields: {', '.join(_CLEARED)}.")
        changed[name] = _CLEARED[name]

    async def change(memory: Memory) -> MemoryRecord:
        return await memory.revise(memory_id, if_revision=if_revision, **changed)

    record = call.with_memory(change)
    call.answer(outward(record.to_dict()), lambda terminal: terminal.memory(record))
