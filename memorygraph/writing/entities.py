"""Which entity a name stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memorygraph.access.state import ParametersInForce, access_properties
from memorygraph.ids import new_id
from memorygraph.text.normalise import normalise_name
from memorygraph.validation import UNKNOWN_ENTITY_KIND, EntitySpec
from memorygraph_forgetting import AccessHistory

__all__ = ["NamedEntity", "mentions", "named_entities"]

_IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEntity:
    """A mention as asked for, with the key that its name is unique under."""

    name: str
    kind: str | None
    name_key: str


def named_entities(specs: Sequence[EntitySpec]) -> tuple[NamedEntity, ...]:
    """The mentions with their keys, each name and kind once; a name without visible characters is left out."""
    found: dict[tuple[str, str | None], NamedEntity] = {}
    for spec in specs:
        key = normalise_name(spec.name)
        if key:
            found.setdefault((key, spec.kind), NamedEntity(name=spec.name.strip(), kind=spec.kind, name_key=key))
    return tuple(found.values())


def _kind(entity: NamedEntity, existing: Sequence[dict[str, Any]]) -> str:
    if entity.kind is not None:
        return entity.kind
    kinds = {row["kind"] for row in existing if row["name_key"] == entity.name_key}
    # A person and a city called Jordan: a bare "Jordan" is then neither for certain.
    return kinds.pop() if len(kinds) == 1 else UNKNOWN_ENTITY_KIND


def mentions(
    entities: Sequence[NamedEntity],
    existing: Sequence[dict[str, Any]],
    *,
    now: int,
    seq: int,
    parameters: ParametersInForce,
) -> list[dict[str, Any]]:
    """The ``mentions`` of ``create_statement``: the key of each entity, and its properties should it be new.

    A name without a kind means the one entity that bears it; when none does, or several do, one of
    kind ``unknown``. Names never merge by likeness.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for entity in entities:
        kind = _kind(entity, existing)
        rows[entity.name_key, kind] = {
            "name_key": entity.name_key,
            "kind": kind,
            "role": "about",
            "properties": {
                "id": new_id(now),
                "name": entity.name,
                "importance": _IMPORTANCE,
                "revision": 1,
                "changed_seq": seq,
                "created_at": now,
                "updated_at": now,
                **access_properties(AccessHistory.created(now), parameters, importance=_IMPORTANCE, barred=False),
            },
        }
    return list(rows.values())
