"""Options that several commands share, each declared once.

A settings option carries the variable of its setting, so that ``--help`` names it; leaving the
option out leaves the decision to the environment, then to ``memorygraph.toml``, then to the default.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "DataDir",
    "Embedder",
    "EndUser",
    "Json",
    "LedgerUrl",
    "Neo4jDatabase",
    "Neo4jUri",
    "Neo4jUser",
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
