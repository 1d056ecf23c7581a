"""``erase``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from memorygraph.errors import InvalidInput
from memorygraph_api.cli.failures import EXIT_ERROR
from memorygraph_api.cli.invocation import Invocation, operation

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command("erase")(erase)


@operation
def erase(
    call: Invocation,
    target_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Id of a statement, a summary, an episode or an entity.")
    ] = None,
    *,
    match: Annotated[
        str | None,
        typer.Option(
            "--match", metavar="WORDS", help="Erase everything that says these words, in any case and Unicode form."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would go, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask. Needed where nobody can be asked.")] = False,
) -> None:
    """Erase for good: by ID or by words, with everything of the same value, and refuse it from then on.

    It goes from memories, summaries, episodes, events, jobs and the ledger. The files of the embedded
    server forget it with "compact"; a Neo4j server keeps freed records in its own.
    """
    if not (dry_run or yes or _can_ask(call)):
        raise InvalidInput(
            "What is erased cannot be brought back, and nobody can be asked here.",
            field="yes",
            hint="Look at it with --dry-run, and add --yes.",
        )
    if not (dry_run or yes):
        planned = call.with_memory(lambda memory: memory.erase(target_id, match=match, dry_run=True))
        call.show(lambda terminal: terminal.erased(planned))
        if not _confirmed():
            call.show(lambda terminal: terminal.say("Nothing was erased.", "bold"))
            raise typer.Exit(EXIT_ERROR)
    erased = call.with_memory(lambda memory: memory.erase(target_id, match=match, dry_run=dry_run))
    call.answer({**asdict(erased), "dry_run": dry_run}, lambda terminal: terminal.erased(erased))


def _can_ask(call: Invocation) -> bool:
    return not call.as_json and sys.stdin is not None and sys.stdin.isatty()


def _confirmed() -> bool:
    sys.stderr.write("Erase it for good? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
