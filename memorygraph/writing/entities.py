"""Which entity a name stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memorygraph.access.state import ParametersInForce, access_properties
from memorygraph.ids import new_id
from memorygraph.records import EntityRef
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


def _existing(entity: NamedEntity, known: Sequence[dict[str, Any]]) -> tuple[str, dict[str, Any] | None]:
    """The kind that a mention is of, and the entity of that name and kind if there is one."""
    by_kind = {row["kind"]: row for row in known if row["name_key"] == entity.name_key}
    kind = entity.kind
    if kind is None:
        # A person and a city called Jordan: a bare "Jordan" is then neither for certain.
        kind = next(iter(by_kind)) if len(by_kind) == 1 else UNKNOWN_ENTITY_KIND
    return kind, by_kind.get(kind)


def mentions(
    entities: Sequence[NamedEntity],
    known: Sequence[dict[str, Any]],
    *,
    now: int,
    seq: int,
    parameters: ParametersInForce,
) -> tuple[list[dict[str, Any]], tuple[EntityRef, ...]]:
    """The ``mentions`` of ``create_statement``, and the entities that they mean.

    Each has the key of its entity, and that entity's properties should it be new. A name without a
    kind means the one entity of ``known`` that bears it; when none does, or several do, one of kind
    ``unknown``. Names never merge by likeness.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    meant: dict[tuple[str, str], EntityRef] = {}
    for entity in entities:
        kind, existing = _existing(entity, known)
        key = (entity.name_key, kind)
        properties = {
            "id": new_id(now),
            "name": entity.name,
            "importance": _IMPORTANCE,
            "revision": 1,
            "changed_seq": seq,
            "created_at": now,
            "updated_at": now,
            **access_properties(AccessHistory.created(now), parameters, importance=_IMPORTANCE, standing=None),
        }
        rows[key] = {"name_key": entity.name_key, "kind": kind, "role": "about", "properties": properties}
        of = existing or properties
        meant[key] = EntityRef(id=of["id"], name=of["name"], kind=kind)
    return list(rows.values()), tuple(meant.values())
