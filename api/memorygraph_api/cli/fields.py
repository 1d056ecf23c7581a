"""Options for the fields of a memory, each declared once for the verbs that take it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memorygraph.validation import KINDS
from memorygraph_api.cli.arguments import entity
from memorygraph_api.cli.options import complete_kind
from memorygraph_api.wire import importance_from_mark

__all__ = [
    "Confidence",
    "Context",
    "Entities",
    "ExpiresAt",
    "Importance",
    "Keywords",
    "Kind",
    "OccurredAt",
    "Predicate",
    "Project",
    "Speaker",
    "Subject",
    "Tags",
    "Title",
    "ValidFrom",
    "ValidTo",
    "Value",
    "given",
]

Speaker = Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Who said it.")]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind", metavar="KIND", help=f"What it is, one of {', '.join(KINDS)}.", autocompletion=complete_kind
    ),
]
Importance = Annotated[
    float | None, typer.Option("--importance", metavar="MARK", help="From 1 (trifle) to 10 (vital); 5 is usual.")
]
Entities = Annotated[
    list[str] | None,
    typer.Option(
        "--entity",
        metavar="NAME",
        help="Somebody or something it is about: NAME, NAME|KIND, or a JSON object of both; may be repeated.",
    ),
]
Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="A short title.")]
Context = Annotated[str | None, typer.Option("--context", metavar="TEXT", help="Where it comes from, in a sentence.")]
Keywords = Annotated[list[str] | None, typer.Option("--keyword", metavar="WORD", help="A keyword; may be repeated.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.")]
Project = Annotated[str | None, typer.Option("--project", metavar="NAME", help="The project it belongs to.")]
OccurredAt = Annotated[
    str | None, typer.Option("--occurred-at", metavar="TIME", help="When it happened: ISO 8601 with an offset.")
]
Confidence = Annotated[
    float | None, typer.Option("--confidence", metavar="SHARE", help="How sure it is, from 0 to 1; 1 if unset.")
]
Subject = Annotated[
    str | None, typer.Option("--subject", metavar="NAME", help="Whom or what it claims something of; else the speaker.")
]
Predicate = Annotated[
    str | None, typer.Option("--predicate", metavar="WORDS", help="What it claims of the subject; needs --value.")
]
Value = Annotated[
    str | None, typer.Option("--value", metavar="TEXT", help="The value that the predicate has; needs --predicate.")
]
ValidFrom = Annotated[
    str | None, typer.Option("--valid-from", metavar="TIME", help="True from then on: ISO 8601 with an offset.")
]
ValidTo = Annotated[
    str | None, typer.Option("--valid-to", metavar="TIME", help="True until just before then: ISO 8601 with an offset.")
]
ExpiresAt = Annotated[
    str | None,
    typer.Option("--expires-at", metavar="TIME", help="Not to be recalled from then on: ISO 8601 with an offset."),
]


def given(*, importance: float | None = None, entities: list[str] | None = None, **values: Any) -> dict[str, Any]:
    """The arguments of the SDK among options: what was not given is left out, the importance is a share.

    Raises :class:`InvalidInput` for an importance or an entity that cannot be read.
    """
    told = {name: value for name, value in values.items() if value not in (None, [])}
    if importance is not None:
        told["importance"] = importance_from_mark(importance)
    if entities:
        told["entities"] = [entity(text) for text in entities]
    return told
