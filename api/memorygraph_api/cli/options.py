"""Options that several commands share, each declared once.

A settings option carries the variable of its setting, so that ``--help`` names it; leaving the
option out leaves the decision to the environment, then to ``memorygraph.toml``, then to the default.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memorygraph.validation import KINDS

__all__ = [
    "AsOfRecorded",
    "AsOfValid",
    "Cursor",
    "DataDir",
    "Embedder",
    "EndUser",
    "Json",
    "LedgerUrl",
    "MemoryId",
    "Neo4jDatabase",
    "Neo4jUri",
    "Neo4jUser",
    "Reason",
    "complete_kind",
]


def complete_kind(incomplete: str) -> list[str]:
    """The kinds of memories that begin with ``incomplete``."""
    return [kind for kind in KINDS if kind.startswith(incomplete)]


MemoryId = Annotated[str, typer.Argument(metavar="ID", help="Id of a memory.")]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why; kept with the event.")]
Cursor = Annotated[
    str | None, typer.Option("--cursor", metavar="CURSOR", help="Go on where the last page ended, which says so.")
]
AsOfValid = Annotated[
    str | None, typer.Option("--as-of-valid", metavar="TIME", help="What was true then: ISO 8601 with an offset.")
]
AsOfRecorded = Annotated[
    str | None,
    typer.Option("--as-of-recorded", metavar="TIME", help="What was held to be true then: ISO 8601 with an offset."),
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text for people.")]

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        metavar="DIR",
        envvar="MEMORYGRAPH_DATA_DIR",
        help="Folder of the embedded graph, the SQLite ledger and the assembled embedding model.",
    ),
]
EndUser = Annotated[
    str | None,
    typer.Option(
        "--user", metavar="NAME", envvar="MEMORYGRAPH_END_USER_ID", help='Whose memory it is; "default" if unset.'
    ),
]
Neo4jUri = Annotated[
    str | None,
    typer.Option(
        "--neo4j-uri",
        metavar="URI",
        envvar="MEMORYGRAPH_NEO4J_URI",
        help="A Neo4j server, 5.26 or newer, in place of the embedded one. Its password is read from "
        "MEMORYGRAPH_NEO4J_PASSWORD only.",
    ),
]
Neo4jUser = Annotated[
    str | None,
    typer.Option("--neo4j-user", metavar="NAME", envvar="MEMORYGRAPH_NEO4J_USER", help="User name on that server."),
]
Neo4jDatabase = Annotated[
    str | None,
    typer.Option(
        "--neo4j-database", metavar="NAME", envvar="MEMORYGRAPH_NEO4J_DATABASE", help="Database on that server."
    ),
]
LedgerUrl = Annotated[
    str | None,
    typer.Option(
        "--ledger-url",
        metavar="URL",
        envvar="MEMORYGRAPH_LEDGER_URL",
        help="postgresql://… or sqlite:///… of the ledger; a file in the data folder if unset.",
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="NAME",
        envvar="MEMORYGRAPH_EMBEDDER",
        help="auto, a fastembed model name, a folder with an ONNX model, or litellm:<model>.",
    ),
]
