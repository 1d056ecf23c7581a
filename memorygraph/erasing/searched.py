"""What memories are found by: their own words, and the names of what they mention as these are now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from memorygraph.formats import INDEX_FORMAT
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.text.tokens import search_text

__all__ = ["find_lost_names", "names_of", "searched_property", "without_lost_names", "words_left"]


def searched_property(properties: Mapping[str, Any]) -> str:
    """The property that keeps what a memory is found by: another one when it is retired."""
    return "search_text" if properties.get("past_search_text") is None else "past_search_text"


def names_of(entity: Mapping[str, Any]) -> list[str]:
    """The name of an entity, of its properties, and its aliases."""
    return [entity["name"], *(entity.get("aliases") or ())]


def words_left(end_user_id: str, properties: Row, names: Collection[str]) -> str:
    """The words that a memory is found by, without those that are neither its own nor of ``names``."""
    extra = [properties.get("title"), properties.get("context"), *(properties.get("keywords") or ()), *names]
    said = [name for name in extra if name is not None]
    known = set(search_text(end_user_id, properties["text"], speaker=properties.get("speaker"), names=said).split(" "))
    return " ".join(word for word in properties[searched_property(properties)].split(" ") if word in known)


def without_lost_names(end_user_id: str, properties: Row, names: Collection[str]) -> Row:
    """What changes of a memory when it is found by no other names than ``names``; nothing when it is not.

    Names of what it mentioned stay among its search words when they were changed, or were merged into another's.
    """
    searched = searched_property(properties)
    if properties.get(searched) is None or properties.get("index_format") != INDEX_FORMAT:
        return {}
    left = words_left(end_user_id, properties, names)
    return {} if left == properties[searched] else {searched: left}


async def find_lost_names(store: UserStore, ids: Sequence[str]) -> dict[str, Row]:
    """The properties that change, by id, of those of the memories ``ids`` that are found by names nothing bears now."""
    members = await store.read_members(ids=ids)
    mentioned = {
        row["properties"]["id"]: [tie["id"] for tie in row["relationships"] if tie["type"] == "MENTIONS"]
        for row in members
    }
    entities = await store.read_entities(ids=sorted({id for of in mentioned.values() for id in of}))
    names = {row["properties"]["id"]: names_of(row["properties"]) for row in entities}
    found: dict[str, Row] = {}
    for row in members:
        properties = row["properties"]
        known = [name for id in mentioned[properties["id"]] for name in names.get(id, ())]
        if changed := without_lost_names(store.end_user_id, properties, known):
            found[properties["id"]] = changed
    return found
