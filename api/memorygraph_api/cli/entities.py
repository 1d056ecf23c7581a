"""``entities …``: whom and what memories mention, and how they are related."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from memorygraph_api.cli.arguments import entity as entity_of
from memorygraph_api.cli.fields import ValidFrom, ValidTo, given
from memorygraph_api.cli.invocation import Invocation, operation
from memorygraph_api.cli.options import AsOfRecorded, AsOfValid, Cursor, Reason
from memorygraph_api.wire import outward, outward_change

if TYPE_CHECKING:
    from memorygraph import Memory
    from memorygraph.entities.records import EntityRecord, Relation

__all__ = ["register"]

_Entity = Annotated[str, typer.Argument(metavar="ENTITY", help="Its id, or a name or alias that no other entity has.")]
_EntityKind = Annotated[
    str | None, typer.Option("--kind", metavar="KIND", help="Of several with one name, the one of this kind.")
]
_RelationId = Annotated[str, typer.Argument(metavar="RELATION_ID", help="Id of a relation.")]


def register(app: typer.Typer) -> None:
    """Add the group ``entities`` to ``app``."""
    group = typer.Typer(rich_markup_mode=None, help="Whom and what memories mention, and how they are related.")
    group.command("list")(list_entities)
    for command in (show, revise, alias, suggest, merge, split, relate, unrelate, relations, relation):
        group.command(command.__name__)(command)
    app.add_typer(group, name="entities")


@operation
def list_entities(
    call: Invocation,
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="Part of a name or of an alias.")] = None,
    *,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only entities of this kind.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most entities to show, up to 1,000.")] = 100,
    cursor: Cursor = None,
) -> None:
    """Show entities in the order of their names."""
    page = call.with_memory(lambda memory: memory.entities.list(query, kind=kind, limit=limit, cursor=cursor))
    call.answer(outward(page.to_dict()), lambda terminal: terminal.entities(page))


@operation
def show(
    call: Invocation,
    entity: _Entity,
    *,
    kind: _EntityKind = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most statements to show, up to 1,000.")] = 20,
    cursor: Cursor = None,
    include_retired: Annotated[
        bool, typer.Option("--include-retired", help="Superseded, retracted and expired statements too.")
    ] = False,
    include_candidates: Annotated[
        bool, typer.Option("--include-candidates", help="Statements that wait for a review too.")
    ] = False,
    as_of_valid: AsOfValid = None,
    as_of_recorded: AsOfRecorded = None,
) -> None:
    """Show what is known of one entity, the newest first."""
    card = call.with_memory(
        lambda memory: memory.entities.get(
            entity,
            kind,
            limit=limit,
            cursor=cursor,
            include_retired=include_retired,
            include_candidates=include_candidates,
            as_of_valid=as_of_valid,
            as_of_recorded=as_of_recorded,
        )
    )
    call.answer(outward(card.to_dict()), lambda terminal: terminal.entity_card(card))


@operation
def revise(
    call: Invocation,
    entity: _Entity,
    *,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="The old one becomes an alias.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="What it is, for example person.")] = None,
    description: Annotated[
        str | None, typer.Option("--description", metavar="TEXT", help="What it is in a sentence; empty: none.")
    ] = None,
    importance: Annotated[
        float | None, typer.Option("--importance", metavar="MARK", help="From 1 (trifle) to 10 (vital).")
    ] = None,
    pinned: Annotated[
        bool | None, typer.Option("--pin/--unpin", help="Whether it is kept, however cold it gets.")
    ] = None,
) -> None:
    """Change what is given of one entity."""
    changed = given(name=name, kind=kind, description=description, importance=importance, pinned=pinned)
    _entity(call, lambda memory: memory.entities.revise(entity, **changed), done="Revised")


@operation
def alias(
    call: Invocation,
    entity: _Entity,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Another name of it.")],
    *,
    kind: _EntityKind = None,
    remove: Annotated[bool, typer.Option("--remove", help="Have the name lead to it no longer.")] = False,
) -> None:
    """Have another name lead to one entity too."""
    if remove:
        _entity(call, lambda memory: memory.entities.remove_alias(entity, name, kind=kind), done="Alias removed")
    else:
        _entity(call, lambda memory: memory.entities.add_alias(entity, name, kind=kind), done="Alias added")


@operation
def suggest(
    call: Invocation,
    entity: Annotated[
        str | None, typer.Argument(metavar="ENTITY", help="Only those that may be this one: its id, name or alias.")
    ] = None,
    *,
    least: Annotated[
        float, typer.Option("--least", metavar="SHARE", help="Least score, from 0 to 1; good ones have 0.8.")
    ] = 0.6,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most pairs to show, up to 1,000.")] = 50,
) -> None:
    """Show pairs of entities that may be one, best first. Nothing is merged."""
    found = call.with_memory(lambda memory: memory.entities.suggestions(entity, least=least, limit=limit))
    call.answer(
        {"suggestions": [suggestion.to_dict() for suggestion in found]},
        lambda terminal: terminal.merge_suggestions(found),
    )


@operation
def merge(
    call: Invocation,
    keep_id: Annotated[str, typer.Argument(metavar="KEEP", help="The entity to keep: its id, name or alias.")],
    other_id: Annotated[
        str, typer.Argument(metavar="OTHER", help="The one that becomes part of it: its id, name or alias.")
    ],
    *,
    reason: Reason = None,
) -> None:
    """Make one entity part of another: its mentions, relations and names. split undoes it."""
    merged = call.with_memory(lambda memory: memory.entities.merge(keep_id, other_id, reason=reason))
    call.answer(outward(merged.to_dict()), lambda terminal: terminal.merged(merged))


@operation
def split(
    call: Invocation,
    entity: _Entity,
    which: Annotated[
        str,
        typer.Argument(metavar="MERGE", help="Number of the merge's event, or id of the entity that was merged."),
    ],
) -> None:
    """Undo one merge into an entity: the other one is back with all that was its."""
    # Ids begin with digits too, but no id is digits only.
    named = int(which) if which.isascii() and which.isdigit() and len(which) < 16 else which
    done = call.with_memory(lambda memory: memory.entities.split(entity, named))
    call.answer(outward(done.to_dict()), lambda terminal: terminal.split(done))


@operation
def relate(
    call: Invocation,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="Id, NAME or NAME|KIND of an entity.")],
    predicate: Annotated[str, typer.Argument(metavar="PREDICATE", help='What it is to the other: "works at".')],
    target: Annotated[str, typer.Argument(metavar="OBJECT", help="Id, NAME or NAME|KIND of the other entity.")],
    *,
    weight: Annotated[
        float | None, typer.Option("--weight", metavar="SHARE", help="How strong it is: above 0, at most 1.")
    ] = None,
    valid_from: ValidFrom = None,
    valid_to: ValidTo = None,
    statement_id: Annotated[
        str | None, typer.Option("--statement", metavar="ID", help="The memory that says so.")
    ] = None,
    create_missing: Annotated[
        bool, typer.Option("--create-missing", help="Make an entity of a name that none has.")
    ] = False,
) -> None:
    """State what one entity is to another. Stated again it gains evidence."""
    _relation(
        call,
        lambda memory: memory.entities.relate(
            entity_of(subject),
            predicate,
            entity_of(target),
            weight=weight,
            valid_from=valid_from,
            valid_to=valid_to,
            statement_id=statement_id,
            create_missing=create_missing,
        ),
        done="Related",
    )


@operation
def unrelate(call: Invocation, relation_id: _RelationId, *, reason: Reason = None) -> None:
    """Have one relation believed no more. It stays readable as of earlier."""
    _relation(call, lambda memory: memory.entities.unrelate(relation_id, reason=reason), done="Not believed any more")


@operation
def relations(
    call: Invocation,
    entity: _Entity,
    *,
    include_retired: Annotated[
        bool, typer.Option("--include-retired", help="Those that are believed no more, too.")
    ] = False,
    as_of_valid: AsOfValid = None,
    as_of_recorded: AsOfRecorded = None,
) -> None:
    """Show the relations of one entity, the newest first."""
    found = call.with_memory(
        lambda memory: memory.entities.relations(
            entity, as_of_valid=as_of_valid, as_of_recorded=as_of_recorded, include_retired=include_retired
        )
    )
    call.answer({"relations": [of.to_dict() for of in found]}, lambda terminal: terminal.relations(found))


@operation
def relation(call: Invocation, relation_id: _RelationId) -> None:
    """Show what made one relation what it is, the oldest first."""
    changes = call.with_memory(lambda memory: memory.entities.relation_history(relation_id))
    call.answer(
        {"relation_id": relation_id, "changes": [outward_change(change.to_dict()) for change in changes]},
        lambda terminal: terminal.history(changes),
    )


def _entity(call: Invocation, work: Callable[[Memory], Awaitable[EntityRecord]], *, done: str) -> None:
    record = call.with_memory(work)
    call.answer(outward(record.to_dict()), lambda terminal: terminal.entity(done, record))


def _relation(call: Invocation, work: Callable[[Memory], Awaitable[Relation]], *, done: str) -> None:
    related = call.with_memory(work)
    call.answer(related.to_dict(), lambda terminal: terminal.relation(done, related))
