"""Which entity a name stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memorygraph.access.state import ParametersInForce
from memorygraph.entities.names import new_entity
from memorygraph.graph.store import UserStore
from memorygraph.records import EntityRef
from memorygraph.text.normalise import normalise_name
from memorygraph.validation import UNKNOWN_ENTITY_KIND, EntitySpec

__all__ = ["EntityNames", "NamedEntity", "named_entities"]

_Row = dict[str, Any]


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


class EntityNames:
    """The entities that a transaction has to do with, by name, those included that it is about to make."""

    def __init__(self, *, now: int, parameters: ParametersInForce) -> None:
        self._now = now
        self._parameters = parameters
        self._known: dict[str, dict[str, _Row]] = {}  # by the key that was asked for, then by kind

    def learn(self, rows: Sequence[_Row]) -> None:
        """Take in entities as ``begin_writing`` tells them, those that bear a name before those it only leads to.

        ``asked`` is the key of the name or alias, ``asked_kind`` the kind it stands in.
        """
        for row in rows:
            self._known.setdefault(row["asked"], {}).setdefault(row["asked_kind"], row)

    async def look_up(self, store: UserStore, entities: Sequence[NamedEntity]) -> None:
        """Learn who bears the names of ``entities``, where ``begin_writing`` was not asked."""
        keys = sorted({entity.name_key for entity in entities})
        for row in (
            *await store.read_named_entities(name_keys=keys),
            *await store.read_aliased_entities(name_keys=keys),
        ):
            self.learn([row["properties"] | {"asked": row["key"], "asked_kind": row["kind"]}])

    async def make_missing(self, store: UserStore, specs: Sequence[EntitySpec], *, seq: int) -> None:
        """Make those entities that nothing has made yet, for relations of a statement that mentions none of them."""
        made = [self._meant(entity, seq=seq) for entity in named_entities(specs)]
        new = {row["id"]: row for row in made if "properties" in row}
        there = {
            row["properties"]["id"]
            for row in await store.read_named_entities(name_keys=[of["name_key"] for of in new.values()])
        }
        rows = [{"id": id, "properties": row["properties"]} for id, row in new.items() if id not in there]
        if rows:
            await store.create_entities(rows=rows)

    def mentions(self, entities: Sequence[NamedEntity], *, seq: int) -> tuple[list[_Row], tuple[EntityRef, ...]]:
        """The ``mentions`` of ``create_statements``, and the entities that they mean.

        Each has the key of its entity, and that entity's properties should it be new. A name without a
        kind means the one entity that bears it; when none does, or several do, one of kind
        ``unknown``. Names never merge by likeness.
        """
        meant = {row["id"]: row for row in (self._meant(entity, seq=seq) for entity in entities)}
        rows = [
            {"name_key": row["name_key"], "kind": row["kind"], "role": "about", "properties": row.get("properties", {})}
            for row in meant.values()
        ]
        return rows, tuple(EntityRef(id=row["id"], name=row["name"], kind=row["kind"]) for row in meant.values())

    def key_of(self, spec: EntitySpec, *, seq: int) -> tuple[str, str]:
        """The key and kind of the entity that ``spec`` means."""
        (named,) = named_entities([spec])
        row = self._meant(named, seq=seq)
        return row["name_key"], row["kind"]

    def _meant(self, entity: NamedEntity, *, seq: int) -> _Row:
        by_kind = self._known.setdefault(entity.name_key, {})
        kind = entity.kind
        if kind is None:
            # A person and a city called Jordan: a bare "Jordan" is then neither for certain.
            bearers = {row["id"]: row for row in by_kind.values()}
            if len(bearers) == 1:
                return next(iter(bearers.values()))
            kind = UNKNOWN_ENTITY_KIND
        if (known := by_kind.get(kind)) is not None:
            return known
        properties = new_entity(entity.name, kind, now=self._now, seq=seq, parameters=self._parameters)
        told = {name: properties[name] for name in ("id", "name", "kind", "name_key")}
        by_kind[kind] = told | {"properties": properties}
        return by_kind[kind]
