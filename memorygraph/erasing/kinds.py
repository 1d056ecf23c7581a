"""Taking words out of the kinds of entities, which are the caller's own words like their names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain, count

from memorygraph.entities.naming import Names
from memorygraph.erasing.words import Words
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.validation import UNKNOWN_ENTITY_KIND

__all__ = ["is_erased_kind", "new_kinds", "rekind"]

_STEMS = (UNKNOWN_ENTITY_KIND, "other")  # no phrase says both


def is_erased_kind(kind: str, words: Words) -> bool:
    """Whether a kind says the words. The one that is given to what has none is ours, and stays."""
    return kind != UNKNOWN_ENTITY_KIND and words.said_in(kind)


def new_kinds(words: Words) -> Iterator[str]:
    """Kinds that do not say the words, without end, the best first."""
    yield UNKNOWN_ENTITY_KIND
    numbered = (f"{stem} {number}" for number in count(2) for stem in _STEMS)
    yield from (kind for kind in numbered if not words.said_in(kind))


@dataclass(frozen=True, slots=True)
class _Taken:
    """The names and kinds that lead to other entities."""

    pairs: Collection[tuple[str, str]]

    @classmethod
    async def by_others(cls, store: UserStore, keys: Collection[str], *, own_id: str) -> _Taken:
        named = await store.read_named_entities(name_keys=sorted(keys))
        aliased = await store.read_aliased_entities(name_keys=sorted(keys))
        rows = (row for row in chain(named, aliased) if row["properties"]["id"] != own_id)
        return cls({(row["key"], row["kind"]) for row in rows})

    def is_free(self, keys: Collection[str], kind: str) -> bool:
        return not any((key, kind) in self.pairs for key in keys)


async def rekind(store: UserStore, entity_id: str, words: Words) -> None:
    """Give an entity, and the keys of its aliases, other kinds where theirs say the words; they stay unique."""
    rows = await store.read_entities(ids=[entity_id])
    if not rows:
        return
    entity: Row = rows[0]["properties"]
    names = Names.of(entity)
    keys = {entity["name_key"], *names.alias_keys}
    taken = await _Taken.by_others(store, keys, own_id=entity_id)
    kind = entity["kind"]
    if is_erased_kind(kind, words):
        kind = next(kind for kind in new_kinds(words) if taken.is_free(keys, kind))
        await store.write_entity(id=entity_id, properties={"kind": kind})
    leading = await store.read_aliases(entity_id=entity_id, name_keys=sorted(keys))
    erased = [row for row in leading if is_erased_kind(row["kind"], words)]
    await store.delete_aliases(rows=[row | {"entity_id": entity_id} for row in erased])
    left = {row["name_key"] for row in leading if row not in erased}
    lost = sorted({row["name_key"] for row in erased} - left - {entity["name_key"]})
    await store.write_aliases(
        rows=[{"name_key": key, "kind": _kind_for(key, kind, taken, words), "entity_id": entity_id} for key in lost]
    )


def _kind_for(key: str, kind: str, taken: _Taken, words: Words) -> str:
    return next(of for of in chain([kind], new_kinds(words)) if taken.is_free([key], of))
