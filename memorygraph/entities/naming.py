"""Renaming entities, and their aliases: the work of each within its transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memorygraph.access.state import access_properties, history_of
from memorygraph.entities.change import Change
from memorygraph.entities.names import check_free, described, find_entity, name_key
from memorygraph.errors import Conflict, InvalidInput, NotFound

__all__ = ["MOST_ALIASES", "AliasAddition", "AliasRemoval", "Names", "Restoration", "Revision"]

MOST_ALIASES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasAddition:
    """A name that is to lead to an entity too."""

    entity: str
    kind: str | None
    alias: str

    async def run(self, change: Change) -> str:
        """Raises :class:`NotFound`, and :class:`Conflict` when the name is another entity's; returns the entity's id.

        A name or alias that the entity has already is left as it is, without an event.
        """
        entity = await find_entity(change.store, self.entity, self.kind, field="entity")
        key = name_key(self.alias, field="name")
        names = Names.of(entity)
        if key == entity["name_key"] or key in names.alias_keys:
            return str(entity["id"])
        if len(names.aliases) >= MOST_ALIASES:
            raise InvalidInput(f"An entity is given at most {MOST_ALIASES} aliases.", field="name")
        await check_free(change.store, self.alias, key, entity["kind"], own_id=entity["id"])
        row = {"name_key": key, "kind": entity["kind"], "entity_id": entity["id"]}
        await change.store.write_aliases(rows=[row])
        await _write(change, "entity:alias_added", entity, names.with_alias(self.alias.strip(), key).properties())
        return str(entity["id"])


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasRemoval:
    """An alias that is to lead to an entity no more."""

    entity: str
    kind: str | None
    alias: str

    async def run(self, change: Change) -> str:
        """Raises :class:`NotFound` when the entity has no such alias; returns the entity's id."""
        entity = await find_entity(change.store, self.entity, self.kind, field="entity")
        key = name_key(self.alias, field="name")
        names = Names.of(entity)
        if key not in names.alias_keys:
            raise NotFound(f"{entity['name'][:60]!r} has no alias {self.alias[:60]!r}.")
        rows = await change.store.read_aliases(entity_id=entity["id"], name_keys=[key])
        await change.store.delete_aliases(rows=[row | {"entity_id": entity["id"]} for row in rows])
        await _write(change, "entity:alias_removed", entity, names.without_alias(key).properties())
        return str(entity["id"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What is to change of an entity; None leaves it as it is, and an empty description takes it away."""

    entity: str
    name: str | None
    kind: str | None
    description: str | None
    importance: float | None
    pinned: bool | None

    async def run(self, change: Change) -> str:
        """Raises :class:`NotFound`, and :class:`Conflict` when the name is another entity's; returns the entity's id.

        A new name leaves the old one as an alias. What changes nothing leaves no event.
        """
        entity = await find_entity(change.store, self.entity, None, field="entity")
        properties: dict[str, Any] = {}
        if self.description is not None and self.description != entity.get("description", ""):
            properties["description"] = self.description or None
        if self.importance is not None and self.importance != entity["importance"]:
            properties["importance"] = self.importance
        if self.pinned is not None and self.pinned != entity.get("pinned", False):
            properties["pinned"] = self.pinned
        properties |= await self._named(change, entity)
        if not properties:
            return str(entity["id"])
        if "importance" in properties:
            properties |= access_properties(
                history_of(entity), change.parameters, importance=properties["importance"], standing=None
            )
        await _write(change, "entity:revised", entity, properties)
        return str(entity["id"])

    async def _named(self, change: Change, entity: Mapping[str, Any]) -> dict[str, Any]:
        """The properties of the name and kind that change, after their keys were moved."""
        store, own_id = change.store, entity["id"]
        name = entity["name"] if self.name is None else self.name.strip()
        key = name_key(name, field="name")
        kind = entity["kind"] if self.kind is None else self.kind
        if (name, kind) == (entity["name"], entity["kind"]):
            return {}
        names = Names.of(entity)
        if key != entity["name_key"]:
            names = names.without_alias(key).with_alias(entity["name"], entity["name_key"])
        for display, own_key in ((name, key), *zip(names.aliases, names.alias_keys, strict=True)):
            await check_free(store, display, own_key, kind, own_id=own_id)
        # What is its name now leads to it without an alias.
        await store.delete_aliases(rows=[{"name_key": key, "kind": kind, "entity_id": own_id}])
        if kind != entity["kind"]:
            # Of an entity that was merged here from another kind, the keys in that kind stay.
            moved = await store.read_aliases(entity_id=own_id, name_keys=names.alias_keys)
            await store.delete_aliases(
                rows=[row | {"entity_id": own_id} for row in moved if row["kind"] == entity["kind"]]
            )
        rows = [{"name_key": alias_key, "kind": kind, "entity_id": own_id} for alias_key in names.alias_keys]
        await store.write_aliases(rows=rows)
        return {"name": name, "name_key": key, "kind": kind, **names.properties()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """Properties of an entity that are to be again what an event says they were before."""

    entity_id: str
    before: Mapping[str, Any]

    async def run(self, change: Change) -> str:
        """Raises :class:`Conflict` when the entity was merged, or another one has a name of then."""
        entity = await find_entity(change.store, self.entity_id, None, field="entity")
        own_id = str(entity["id"])
        if own_id != self.entity_id:
            raise Conflict(f"{self.entity_id} was merged into {described(entity)}.", hint="Split them first.")
        properties = {name: value for name, value in self.before.items() if name in _RESTORED}
        restored = {**entity, **properties}
        names = Names.of(restored)
        for display, key in (
            (restored["name"], restored["name_key"]),
            *zip(names.aliases, names.alias_keys, strict=True),
        ):
            await check_free(change.store, display, key, restored["kind"], own_id=own_id)
        now = [{"name_key": key, "kind": entity["kind"], "entity_id": own_id} for key in Names.of(entity).alias_keys]
        then = [{"name_key": key, "kind": restored["kind"], "entity_id": own_id} for key in names.alias_keys]
        await change.store.delete_aliases(rows=[row for row in now if row not in then])
        await change.store.write_aliases(rows=then)
        if "importance" in properties:
            properties |= access_properties(
                history_of(entity), change.parameters, importance=properties["importance"], standing=None
            )
        await _write(change, "entity:revised", entity, properties)
        return own_id


_RESTORED = frozenset({"name", "name_key", "kind", "description", "importance", "pinned", "aliases", "alias_keys"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The aliases of an entity, and the key of each in the same order."""

    aliases: tuple[str, ...]
    alias_keys: tuple[str, ...]

    @classmethod
    def of(cls, entity: Mapping[str, Any]) -> Names:
        return cls(aliases=tuple(entity.get("aliases") or ()), alias_keys=tuple(entity.get("alias_keys") or ()))

    def with_alias(self, alias: str, key: str) -> Names:
        """With one more, unless it is there."""
        if key in self.alias_keys:
            return self
        return Names(aliases=(*self.aliases, alias), alias_keys=(*self.alias_keys, key))

    def without_alias(self, key: str) -> Names:
        """Without the one of ``key``, if it is there."""
        kept = [pair for pair in zip(self.aliases, self.alias_keys, strict=True) if pair[1] != key]
        return Names(aliases=tuple(alias for alias, _ in kept), alias_keys=tuple(kept_key for _, kept_key in kept))

    def properties(self) -> dict[str, Any]:
        """As they are stored: nothing where there are none."""
        return {"aliases": list(self.aliases) or None, "alias_keys": list(self.alias_keys) or None}


async def _write(change: Change, action: str, entity: Mapping[str, Any], properties: dict[str, Any]) -> None:
    """Change ``properties`` of ``entity``, with the event that tells what they were."""
    written = {
        **properties,
        "revision": entity["revision"] + 1,
        "changed_seq": change.seq,
        "updated_at": change.now,
    }
    await change.store.write_entity(id=entity["id"], properties=written)
    before = {name: entity.get(name) for name in properties}
    await change.note(action, entity["id"], before=before, after=properties)
