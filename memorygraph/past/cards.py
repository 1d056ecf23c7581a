"""What an entity's card told at an earlier time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.past.memories import rows_as_of
from memorygraph.past.truth import is_true
from memorygraph.writing.events import payload_of
from memorygraph.writing.slots import has_expired, holds

__all__ = ["entity_as_of", "statements_as_of", "summaries_as_of"]

_READ_AT_ONCE = 20  # at least: how many of them belong on the page shows only when it is known how they were
# The properties of an entity that events change, by the name that they have there.
_TOLD = frozenset({"name", "kind", "aliases", "description", "importance", "pinned", "merged_ids"})


async def statements_as_of(
    store: UserStore,
    entity: Row,
    at: int,
    *,
    before: tuple[int, str],
    valid_at: int | None,
    any_status: bool,
    any_trust: bool,
    count: int,
    now: int,
) -> list[Row]:
    """``count`` rows of ``read_entity_statements`` that come after the place ``before``, as they were at ``at``.

    What mentions the entity no more but did then is among them, and what does only since is not. All
    times are epoch ms; the rest is as in that statement.
    """
    page = max(count, _READ_AT_ONCE)
    ids = {entity["id"], *(entity.get("merged_ids") or ())}
    known_at = min(at, now)

    async def held(rows: Sequence[Row]) -> list[Row]:
        return [
            row
            for row in await rows_as_of(store, rows, at)
            if not ids.isdisjoint(entity["id"] for entity in row["entities"])
            and _counts(row["properties"], known_at, valid_at=valid_at, any_status=any_status, any_trust=any_trust)
        ]

    told = {row["id"] for row in await store.read_mentioning_before(entity_ids=sorted(ids), at=at)}
    others = [row for row in await store.read_memories(ids=sorted(told)) if row["properties"] is not None]
    found = {
        row["properties"]["id"]: row
        for row in await held([row for row in others if row["type"] == "Statement"])
        if _place(row) < before
    }
    mentioning = 0
    last = before
    while True:
        rows = await store.read_entity_statements(
            id=entity["id"],
            before_at=last[0],
            before_id=last[1],
            valid_at=None,
            now=now,
            any_status=True,
            any_trust=True,
            page=page,
        )
        more = await held(rows)
        mentioning += len(more)
        found |= {row["properties"]["id"]: row for row in more}
        if mentioning >= count or len(rows) < page:
            return sorted(found.values(), key=_place, reverse=True)[:count]
        last = _place(rows[-1])


async def summaries_as_of(store: UserStore, entity_id: str, at: int, *, count: int) -> list[Row]:
    """The newest ``count`` rows of ``read_entity_summaries`` that were active at ``at`` (epoch ms), as they were."""
    page = max(count, _READ_AT_ONCE)
    while True:
        rows = await store.read_entity_summaries(id=entity_id, now=at, any_status=True, page=page)
        then = await rows_as_of(store, rows, at)
        held = [row for row in then if holds(row["properties"], now=at)]
        if len(held) >= count or len(rows) < page:
            return held[:count]
        page *= 4


def entity_as_of(entity: Row, events: Sequence[Row], at: int) -> Row:
    """An entity's properties as they were at ``at`` (epoch ms), by its events; its uses are those of now."""
    then = dict(entity)
    for event in sorted(events, key=lambda event: -int(event["seq"])):
        if event["at"] > at and event["payload"] is not None:
            before = payload_of(event).get("before") or {}
            before = before.get("kept", before)
            then |= {name: value for name, value in before.items() if name in _TOLD}
    return then


def _place(row: Row) -> tuple[int, str]:
    return row["properties"]["recorded_at"], row["properties"]["id"]


def _counts(
    memory: Mapping[str, Any], known_at: int, *, valid_at: int | None, any_status: bool, any_trust: bool
) -> bool:
    if not any_trust and memory["trust"] != "accepted":
        return False
    if valid_at is not None and not is_true(memory, valid_at):
        return False
    if any_status:
        return True
    if has_expired(memory, now=known_at):
        return False
    return memory["status"] == "active" or (memory["status"] == "superseded" and valid_at is not None)
