"""``ingest``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memorygraph_api.cli.arguments import STANDARD_INPUT, bytes_of
from memorygraph_api.cli.fields import Project, Tags, Title, given
from memorygraph_api.cli.invocation import Invocation, operation
from memorygraph_api.cli.jobs import answer_with, followed

if TYPE_CHECKING:
    from memorygraph import MemoryEngine
    from memorygraph.runs import Job
    from memorygraph.settings import Settings

__all__ = ["FORMATS", "register"]

FORMATS = ("markdown", "text", "messages", "locomo")


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command("ingest")(ingest)


def _complete_format(incomplete: str) -> list[str]:
    return [name for name in FORMATS if name.startswith(incomplete)]


@operation
def ingest(
    call: Invocation,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help='A Markdown or text file, or a conversation in JSON; "-" reads standard input.'
        ),
    ],
    *,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="What it is: markdown, text, messages (as of chat APIs) or locomo; told by the file's name and "
            "content if unset.",
            autocompletion=_complete_format,
        ),
    ] = None,
    title: Title = None,
    session_id: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The conversation it is, or the document's id.")
    ] = None,
    occurred_at: Annotated[
        str | None,
        typer.Option(
            "--occurred-at",
            metavar="TIME",
            help='When it was said or written, which "yesterday" in it goes by: ISO 8601 with an offset; now if unset.',
        ),
    ] = None,
    zone: Annotated[
        str, typer.Option("--zone", metavar="ZONE", help='Where it was, as an IANA name: "Europe/Berlin".')
    ] = "UTC",
    project: Project = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="TEXT", help="What it was taken from; shown with every memory.")
    ] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="The agent that hands it over.")] = None,
    tags: Tags = None,
    idempotency_key: Annotated[
        str | None,
        typer.Option("--idempotency-key", metavar="KEY", help="Sent again with the same key, it is taken once."),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait/--no-wait", help="Make memories of it before the command returns, or leave that to a later run."
        ),
    ] = True,
) -> None:
    """Keep a document or a conversation verbatim, and make memories of it.

    It is kept as soon as it was read; making memories is a job that survives interruptions, and
    "jobs run" goes on with it. The same file twice is one ingestion. The exit code is 1 when the job
    has failed, or was put off because a model was away.
    """
    from memorygraph.ingest.formats import MAX_SOURCE_BYTES

    data = bytes_of(file, most=MAX_SOURCE_BYTES)
    told = given(
        name=None if str(file) == STANDARD_INPUT else file.name,
        format=format,
        title=title,
        session_id=session_id,
        occurred_at=occurred_at,
        project=project,
        source=source,
        agent=agent,
        tags=tags,
        idempotency_key=idempotency_key,
    )
    with call.progress("ingesting") as move:

        async def work(engine: MemoryEngine, settings: Settings) -> Job:
            memory = engine.memory(settings.end_user_id, actor="cli")
            job = await memory.ingest(data=data, zone=zone, **told)
            return await followed(memory, job.id, move, timeout=None, put_off=False) if wait else job

        job = call.with_engine(work)
    if wait:
        answer_with(call, job)
    else:
        call.answer(job.to_dict(), lambda terminal: terminal.job(job))
