"""What the events of one memory tell, and which of them are still in effect."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.store import UserStore
from memorygraph.past.entries import HistoryEntry

__all__ = ["fields_of", "in_effect_since", "whole_history"]

_PAGE = 1000
_AFTER_ALL = 2**62


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
