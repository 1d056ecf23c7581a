"""What values to be written have to do with beside their like, read within their transaction."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.writing.items import Item

__all__ = ["read_places"]

_NO_PLACE: Row = {"slot": [], "superseded": [], "evidence": [], "named_turns": [], "placed_turns": []}


async def read_places(store: UserStore, items: Sequence[Item], *, now: int) -> list[Row]:
    """Rows of the statement ``read_places`` for ``items``; of a predicate with one value at a time with the whole slot.

    ``now`` is epoch ms. Nothing is read for values that are no claim and come from nowhere.
    """
    if not any(item.is_placed for item in items):
        return [_NO_PLACE for _ in items]
    places = await store.read_places(items=[item.place() for item in items])
    functional = [number for number, item in enumerate(items) if item.slot_key and item.request.functional]
    if functional:
        slots = await store.read_slots(slots=[items[number].slot(now=now) for number in functional])
        for number, claims in zip(functional, slots, strict=True):
            places[number]["slot"] = claims
    return places
