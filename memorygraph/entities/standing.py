"""Relations stand and fall with the statements that state them.

A relation keeps whose evidence it has: ``source_ids`` are the statements that hold or were superseded,
``withdrawn_ids`` those that are retracted, rejected, expired or not approved yet. One that has no evidence
left is believed no more; one whose statements were all superseded was true until then (``superseded_from``);
should a statement hold again, so does what it states. All of that is told from how its statements are now, and
from nothing that was kept when they changed, so that merges and splits between do not matter.

What was retired for another reason, by hand or by a correction, is ``final``, and stays as it was then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore

__all__ = [
    "STANDING_FIELDS",
    "handle_of",
    "is_withdrawn",
    "move_relations",
    "read_standings",
    "retired_for_good",
    "settled",
    "stated_ids",
]

STANDING_FIELDS = frozenset({"status", "trust", "superseded_from"})
"""The properties of a statement on which it depends what its relations are."""

Note = Callable[[str, str, dict[str, Any], dict[str, Any]], None]
"""Appends an event about a relation: action, id, before, after."""


def handle_of(row: Row) -> Row:
    """By what a relation is written or deleted: its id and those of its ends."""
    return {"id": row["properties"]["id"], "subject_id": row["subject_id"], "object_id": row["object_id"]}


def is_withdrawn(statement: Mapping[str, Any]) -> bool:
    """Whether a statement, its properties or the standing fields of them, is no evidence: not now, or not yet."""
    return statement["trust"] != "accepted" or statement["status"] not in ("active", "superseded")


def stated_ids(relation: Mapping[str, Any]) -> list[str]:
    """The statements that state a relation, given by its properties, whether they hold or not."""
    return [*(relation["source_ids"] or ()), *(relation.get("withdrawn_ids") or ())]


def retired_for_good(relation: Mapping[str, Any]) -> bool:
    """Whether a relation is believed no more for another reason than that its statements do not hold."""
    return relation.get("retired_at") is not None and bool(relation.get("final") or relation["evidence_count"])


def settled(relation: Mapping[str, Any], standings: Mapping[str, Mapping[str, Any]], *, now: int) -> Row:
    """What has to change of a relation's properties for it to be what its statements state.

    ``standings`` has the standing fields of statements by id; one that it lacks was fused, and holds.
    """
    if retired_for_good(relation):
        return {}
    stated = stated_ids(relation)
    withdrawn = [id for id in stated if id in standings and is_withdrawn(standings[id])]
    holding = [id for id in stated if id not in withdrawn]
    by_hand = relation["evidence_count"] - len(relation["source_ids"] or ())
    evidence = by_hand + len(holding)
    after = {
        "source_ids": holding,
        "withdrawn_ids": withdrawn or None,
        "evidence_count": evidence,
        "superseded_from": None if by_hand else _superseded_from([standings.get(id) for id in holding]),
        "retired_at": None if evidence else relation.get("retired_at") or now,
    }
    return {name: value for name, value in after.items() if relation.get(name) != value}


def _superseded_from(holding: Iterable[Mapping[str, Any] | None]) -> int | None:
    """Since when, in the world, none of some statements holds any more; None while one does."""
    ends = [None if one is None or one["status"] == "active" else one["superseded_from"] for one in holding]
    known = [end for end in ends if end is not None]
    return max(known) if known and len(known) == len(ends) else None


async def read_standings(store: UserStore, relations: Iterable[Mapping[str, Any]]) -> dict[str, Row]:
    """The standing fields of the statements that state some relations, given by their properties, by id."""
    ids = dict.fromkeys(id for relation in relations for id in stated_ids(relation))
    return {row["id"]: row for row in await store.read_standings(ids=list(ids))} if ids else {}


async def move_relations(store: UserStore, moved: Mapping[str, Mapping[str, Any]], *, now: int, note: Note) -> None:
    """Have relations be what their statements state, within the transaction that changes these.

    ``moved`` has by id what is written of their standing fields, in this transaction, before or after.
    """
    rows = await store.read_relations_stated(statement_ids=list(moved)) if moved else []
    if not rows:
        return
    standings = await read_standings(store, [row["properties"] for row in rows])
    standings |= {id: {**standings[id], **moved[id]} for id in standings.keys() & moved.keys()}
    changes: list[Row] = []
    for row in rows:
        relation = row["properties"]
        after = settled(relation, standings, now=now)
        if after:
            changes.append(handle_of(row) | {"properties": after})
            note(_action(relation, after), relation["id"], {name: relation.get(name) for name in after}, after)
    if changes:
        await store.write_relations(rows=changes)


def _action(relation: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    was, sources = relation["source_ids"] or (), after.get("source_ids")
    if sources is not None and set(was) - set(sources):
        return "relate:withdrawn"
    if after.get("superseded_from") is not None and not set(sources or ()) - set(was):
        return "relate:ended"
    return "relate:restored"
