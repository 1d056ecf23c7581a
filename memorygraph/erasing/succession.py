"""What an erased memory had taken the place of: that stays superseded, by what took the erased one's place in turn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.writing.changes import Changes
from memorygraph.writing.events import Event

__all__ = ["Uncovered", "find_uncovered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncovered:
    """A statement or summary that everything which superseded it goes from."""

    id: str
    type: str
    at: int | None  # epoch ms, when it was superseded
    heirs: tuple[str, ...]  # what superseded what goes, and supersedes this now; none: nothing does any more

    def settle(self, changes: Changes, erasure: Event) -> None:
        """Note it in an event of its own, which :mod:`memorygraph.invariants` knows it by, and tie it to its heirs."""
        event = Event(
            at=erasure.at,
            actor=erasure.actor,
            action=erasure.action,
            target_id=self.id,
            target_type=self.type,
            changed_ids=[self.id, *self.heirs],
            payload={"after": {"superseded_by": self.heirs[0] if self.heirs else None}},
        )
        changes.update(self.id, changed_seq=changes.note(event))
        # Why the erased one took its place is a reason about what is erased.
        changes.superseded += [
            {"id": heir, "superseded_id": self.id, "at": self.at, "reason": None} for heir in self.heirs
        ]


async def find_uncovered(store: UserStore, removed: Sequence[str], *, gone: Collection[str]) -> list[Uncovered]:
    """What is left of the memories that those of ids ``removed`` had superseded, and nothing else does.

    ``gone`` are the ids of all that the erasure takes, those removed now and those removed later.
    """
    known = await _climbed(store, removed, gone)
    links = {
        old["id"]: (kind, old["at"], id)
        for id in removed
        if id in known
        for kind, name in (("Statement", "statements"), ("MemorySummary", "summaries"))
        for old in known[id][name]
        if old["id"] not in gone
    }
    if not links:
        return []
    held = await store.read_successions(ids=sorted(links))
    alone = {row["id"] for row in held if set(row["superseded_by"]) <= set(gone)}
    return [
        Uncovered(id=id, type=kind, at=at, heirs=tuple(dict.fromkeys(_heirs(known, by, gone))))
        for id, (kind, at, by) in sorted(links.items())
        if id in alone
    ]


async def _climbed(store: UserStore, ids: Collection[str], gone: Collection[str]) -> Mapping[str, Row]:
    """Rows of ``read_successions`` of ``ids``, and of what goes too and superseded one of those."""
    known: dict[str, Row] = {}
    asked: set[str] = set()
    todo = set(ids)
    while todo:
        asked |= todo
        rows = await store.read_successions(ids=sorted(todo))
        known |= {row["id"]: row for row in rows}
        todo = {by for row in rows for by in row["superseded_by"] if by in gone} - asked
    return known


def _heirs(known: Mapping[str, Row], id: str, gone: Collection[str]) -> Iterator[str]:
    """What superseded ``id`` and stays, or else what superseded that."""
    for by in known[id]["superseded_by"]:
        if by in gone:
            yield from _heirs(known, by, gone)
        else:
            yield by
