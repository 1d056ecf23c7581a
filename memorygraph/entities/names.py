"""Which entity a name or an id stands for, and whether a name is free."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memorygraph.access.state import ParametersInForce, access_properties
from memorygraph.errors import Conflict, InvalidInput, NotFound
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ids import new_id
from memorygraph.text.normalise import normalise_name
from memorygraph.validation import UNKNOWN_ENTITY_KIND
from memorygraph_forgetting import AccessHistory

__all__ = ["check_free", "described", "find_entity", "look_up", "name_key", "new_entity"]

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_IMPORTANCE = 0.5


def name_key(name: str, *, field: str) -> str:
    """The key of ``name``. Raises :class:`InvalidInput` when nothing is left of it."""
    key = normalise_name(name)
    if not key:
        raise InvalidInput(f"{field} is empty: it has no visible character.", field=field)
    return key


def new_entity(name: str, kind: str | None, *, now: int, seq: int, parameters: ParametersInForce) -> dict[str, Any]:
    """The properties of an entity made at ``now`` (epoch ms) by event ``seq``."""
    return {
        "id": new_id(now),
        "name": name.strip(),
        "name_key": name_key(name, field="entity"),
        "kind": UNKNOWN_ENTITY_KIND if kind is None else kind,
        "importance": _IMPORTANCE,
        "revision": 1,
        "changed_seq": seq,
        "created_at": now,
        "updated_at": now,
        **access_properties(AccessHistory.created(now), parameters, importance=_IMPORTANCE, standing=None),
    }


async def find_entity(store: UserStore, which: str, kind: str | None, *, field: str) -> Row:
    """The properties of the one entity that ``which`` stands for: an id, or a name or alias of ``kind`` or of any.

    The id of an entity that was merged stands for the one it was merged into. Raises
    :class:`NotFound`, and :class:`InvalidInput` when a name without a kind is that of several.
    """
    found = await look_up(store, which, kind, field=field)
    if found is None:
        of_kind = "" if kind is None else f" of kind {kind[:60]!r}"
        raise NotFound(f"There is no entity {which[:60]!r}{of_kind} of this user.")
    return found


async def look_up(store: UserStore, which: str, kind: str | None, *, field: str) -> Row | None:
    """As :func:`find_entity`; None when there is no such entity and ``which`` is a name."""
    if kind is None and _ID.fullmatch(which):
        rows = await store.read_entities(ids=[which])
        row = rows[0] if rows else await store.read_merged_into(id=which)
        if row is None:
            raise NotFound(f"There is no entity {which!r} of this user.")
        return dict(row["properties"])
    keys = [name_key(which, field=field)]
    rows = _of_kind(await store.read_named_entities(name_keys=keys), kind)
    # A name that an entity bears goes before one that only leads to it.
    rows = rows or _of_kind(await store.read_aliased_entities(name_keys=keys), kind)
    found = {row["properties"]["id"]: row["properties"] for row in rows}
    if len(found) > 1:
        kinds = ", ".join(sorted(properties["kind"] for properties in found.values()))
        raise InvalidInput(
            f"{field} {which[:60]!r} is the name of several entities, of the kinds {kinds}.",
            field=field,
            hint="Name the kind too, or the id.",
        )
    return next(iter(found.values()), None)


def _of_kind(rows: Sequence[Row], kind: str | None) -> list[Row]:
    return [row for row in rows if kind is None or kind in (row["kind"], row["properties"]["kind"])]


async def check_free(store: UserStore, name: str, key: str, kind: str, *, own_id: str) -> None:
    """Raise :class:`Conflict` when ``key`` is in ``kind`` a name or an alias of another entity than ``own_id``."""
    named = await store.read_named_entities(name_keys=[key])
    aliased = await store.read_aliased_entities(name_keys=[key])
    for rows, what in ((named, "the name"), (aliased, "an alias")):
        for row in rows:
            if row["kind"] == kind and row["properties"]["id"] != own_id:
                raise Conflict(
                    f"{name[:60]!r} is {what} of {described(row['properties'])} already.",
                    hint="Merge the two if they are one, or choose another name.",
                )


def described(properties: Mapping[str, Any]) -> str:
    """An entity as messages name it."""
    return f"the {properties['kind'][:60]} {properties['name'][:60]!r} ({properties['id']})"
