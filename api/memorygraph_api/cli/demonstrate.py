"""``demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memorygraph.errors import InvalidInput
from memorygraph_api.cli.invocation import Invocation, shared_options

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command("demo")(demo)


# Where the demonstration keeps its data is its own matter: see memorygraph_api.demo.place.
@shared_options(without=("data_dir", "end_user_id", "ledger_url"))
def demo(
    call: Invocation,
    *,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Play a conversation from this file, in LoCoMo's JSON format."),
    ] = None,
    conversation: Annotated[
        int | None,
        typer.Option("--conversation", metavar="N", min=1, help="Which conversation of the file; 1 if unset."),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Keep the embedded store in this folder, to look at it afterwards."),
    ] = None,
    days: Annotated[
        int, typer.Option("--days", metavar="N", min=1, max=3650, help="How long to wait before forgetting, simulated.")
    ] = 120,
) -> None:
    """Watch a conversation being remembered, going cold, being fused, and being found again.

    It runs on an embedded store in a temporary folder, which is removed at the end. With a Neo4j server
    configured it runs there, as a new user; what it writes stays on the server.
    """
    import asyncio

    from memorygraph_api.demo.conversation import load_file, shipped
    from memorygraph_api.demo.place import perform

    if conversation is not None and file is None:
        raise InvalidInput("--conversation chooses from a file.", field="conversation", hint="Add --file FILE.")
    talk = shipped() if file is None else load_file(file, number=conversation or 1)
    if call.as_json:
        played = asyncio.run(perform(call.settings, talk, keep=keep, days=days, watch=lambda stage: None))
        call.answer(played.to_dict(), lambda terminal: None)
        return
    from memorygraph_api.cli.terminal import Terminal
    from memorygraph_api.demo.render import Watcher

    with Watcher(Terminal()) as watcher:
        asyncio.run(perform(call.settings, talk, keep=keep, days=days, watch=watcher.show))
