"""Memories as they were at an earlier time, rebuilt from what their events say of before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from memorygraph.errors import Conflict
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.past.entries import HistoryEntry
from memorygraph.times import to_ms

__all__ = ["row_as_of", "rows_as_of"]

# The properties of a memory that events change, by the name that they have there.
_TOLD = frozenset(
    {
        "text",
        "title",
        "context",
        "keywords",
        "tags",
        "kind",
        "importance",
        "confidence",
        "project",
        "speaker",
        "subject",
        "predicate",
        "value",
        "valid_from",
        "valid_to",
        "expires_at",
        "occurred_at",
        "pinned",
        "status",
        "trust",
        "reviewed_by",
        "reviewed_at",
        "assertion_count",
        "source_count",
    }
)


async def rows_as_of(store: UserStore, rows: Sequence[Row], at: int) -> list[Row]:
    """``rows`` of ``read_memories`` as they were at ``at`` (epoch ms), in their order.

    Left out is what was not recorded yet, and what nobody can tell of any more because an event since was erased.
    """
    recorded = [row for row in rows if row["properties"]["recorded_at"] <= at]
    ids = [row["properties"]["id"] for row in recorded]
    entries, questions = await _entries(store, ids, at), await _questions(store, ids)
    found = []
    for row in recorded:
        id = row["properties"]["id"]
        with suppress(Conflict):
            found.append(row_as_of(row, entries.get(id, ()), at, questions=questions.get(id, ())))
    return found


async def _entries(store: UserStore, ids: Sequence[str], at: int) -> dict[str, list[HistoryEntry]]:
    """All events of those of ``ids`` that have one after ``at``, newest first."""
    changed = [row["id"] for row in await store.read_changed_since(ids=ids, at=at)] if ids else []
    entries: dict[str, list[HistoryEntry]] = defaultdict(list)
    if changed:
        for row in reversed(await store.read_events_of(target_ids=changed)):
            entries[row["event"]["target_id"]].append(HistoryEntry.of(row["event"]))
    return entries


async def _questions(store: UserStore, ids: Sequence[str]) -> dict[str, list[Row]]:
    questions: dict[str, list[Row]] = defaultdict(list)
    if ids:
        for row in await store.read_questions(ids=ids):
            questions[row["id"]].append(row)
    return questions


def row_as_of(
    row: Mapping[str, Any], entries: Sequence[HistoryEntry], at: int, *, questions: Sequence[Mapping[str, Any]]
) -> Row:
    """A row of ``read_memories`` as it was at ``at`` (epoch ms), which is not before it was recorded.

    ``entries`` are all its events, newest first, ``questions`` its contradictions as the graph has
    them. Raises :class:`Conflict` when an event that has to be undone for it was erased.
    """
    properties, entities = dict(row["properties"]), list(row["entities"])
    later = [entry for entry in entries if _ms(entry) > at]
    known = entries[len(later) :]
    for entry in later:
        if entry.erased and entry.action != "erase":  # that one changes nothing of it
            raise Conflict(
                f"What event {entry.seq} changed was erased, so that nobody can say how it was before.",
                hint="Ask for a later time.",
            )
        before = entry.before or {}
        for name in (before.keys() | (entry.after or {}).keys()) & _TOLD:
            properties[name] = before.get(name)
        entities = before.get("entities", entities)
        if (
            entry.action == "revise" and entry.seq <= row["properties"]["changed_seq"]
        ):  # else the row was read before it
            properties["revision"] -= 1
    if later:
        moved = any("status" in (entry.after or {}) for entry in later)
        properties |= _bookkeeping(properties, known) | ({} if moved else _retirement(properties))
    if (properties.get("retired_at") or at) > at:  # without an event that says so
        properties |= {"status": "active", "retired_at": None, "superseded_from": None}
    properties["open_questions"] = sum(
        question["opened_at"] <= at and (question["resolved_at"] is None or question["resolved_at"] > at)
        for question in questions
    )
    return {"type": row["type"], "properties": properties, "entities": entities}


def _bookkeeping(properties: Mapping[str, Any], known: Sequence[HistoryEntry]) -> dict[str, Any]:
    """What follows from the events known by then, newest first."""
    revised = next((_ms(entry) for entry in known if entry.action == "revise"), properties["created_at"])
    told: dict[str, Any] = {"updated_at": revised, "retired_at": None, "superseded_from": None}
    # An answer is an event of the question, and leaves the memory as it is.
    changes = (entry for entry in known if entry.action == "question:opened" or "question:" not in entry.action)
    if (last := next(changes, None)) is not None:
        told["changed_seq"] = last.seq
    if properties.get("last_confirmed_at") is not None:
        said = (_ms(entry) for entry in known if entry.action.startswith("remember:"))
        told["last_confirmed_at"] = next(said, properties["recorded_at"])
    if properties["status"] != "active":
        moves = [entry for entry in known if "status" in (entry.after or {})]
        # What is rejected once it is retired is retired since then.
        left = (entry for entry in moves if (entry.before or {}).get("status") == "active")
        told |= {
            "retired_at": next((_ms(entry) for entry in left), None),
            "superseded_from": (moves[0].after or {}).get("superseded_from") if moves else None,
        }
    return told


def _retirement(properties: Mapping[str, Any]) -> dict[str, Any]:
    """What the memory itself says of it; of the event that retired it the payload may be erased."""
    return {name: properties.get(name) for name in ("retired_at", "superseded_from")}


def _ms(entry: HistoryEntry) -> int:
    return to_ms(entry.at, field="at")
