"""What the events of one memory tell: which of them are still in effect, and how it was at an earlier time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memorygraph.errors import Conflict
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.memory.records import HistoryEntry
from memorygraph.times import to_ms

__all__ = ["fields_of", "in_effect_since", "row_as_of", "whole_history"]

_PAGE = 1000
_AFTER_ALL = 2**62

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


async def whole_history(store: UserStore, target_id: str, *, since: int = 0) -> list[HistoryEntry]:
    """The events of one target after number ``since``, newest first."""
    entries: list[HistoryEntry] = []
    while True:
        before = entries[-1].seq if entries else _AFTER_ALL
        rows = await store.read_history(target_id=target_id, before=before, page=_PAGE)
        page = [HistoryEntry.of(row["event"]) for row in rows if row["event"]["seq"] > since]
        entries += page
        if len(page) < _PAGE:
            return entries


def fields_of(entry: HistoryEntry) -> set[str]:
    """What an event changed. Of links and questions each is its own."""
    told = {**(entry.before or {}), **(entry.after or {})}
    if "linked" in told:
        return {f"linked {told['linked']}"}
    if entry.action.startswith("question:"):
        return {f"question {told.get('contradicted_by')}"}
    return told.keys() - {"reason", "superseded_by", "tombstones", "restates"}


def in_effect_since(entries: Sequence[HistoryEntry], seq: int) -> list[HistoryEntry]:
    """Of ``entries`` (newest first) those after ``seq`` that still count: neither undone nor undoing one of them.

    What undoes ``seq`` itself or something older counts.
    """
    counting = []
    undone: set[int] = set()
    for entry in entries:
        if entry.seq <= seq:
            break
        if entry.seq in undone:
            continue
        if entry.reverts is not None and entry.reverts > seq:
            undone.add(entry.reverts)
            continue
        counting.append(entry)
    return counting


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
        if entry.action == "revise":
            properties["revision"] -= 1
    if later:
        moved = any("status" in (entry.after or {}) for entry in later)
        properties |= _bookkeeping(properties, known) | ({} if moved else _retirement(properties))
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
        retired = next((entry for entry in known if "status" in (entry.after or {})), None)
        if retired is not None:
            told |= {"retired_at": _ms(retired), "superseded_from": (retired.after or {}).get("superseded_from")}
    return told


def _retirement(properties: Mapping[str, Any]) -> dict[str, Any]:
    """What the memory itself says of it; of the event that retired it the payload may be erased."""
    return {name: properties.get(name) for name in ("retired_at", "superseded_from")}


def _ms(entry: HistoryEntry) -> int:
    return to_ms(entry.at, field="at")
