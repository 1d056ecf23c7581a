"""Which statement says already what is to be written: the same value, of the same time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from memorygraph.graph.session import Row
from memorygraph.writing.changes import Changes
from memorygraph.writing.items import Item
from memorygraph.writing.slots import has_expired
from memorygraph.writing.timeline import began, holds_from, period_of

__all__ = ["SameValues", "holder_of"]


@dataclass(slots=True)
class SameValues:
    """The statements with the values of a batch: of the store, and those written before in the same transaction."""

    changes: Changes
    now: int  # epoch ms
    _known: dict[tuple[str, str], dict[str, dict[str, Any]]] = field(default_factory=dict)  # by value, then by id

    def learn(self, item: Item, rows: Iterable[dict[str, Any]]) -> None:
        """Take in statements with the value of an item, by their properties; one that is known already stays."""
        known = self._of(item)
        for row in rows:
            known.setdefault(row["id"], row)

    def of(self, item: Item) -> dict[str, Any] | None:
        """The statement that says the same as an item, of its time: the latest that holds, or else that held then."""
        times = item.times(now=self.now)
        period, since = period_of(times), began(times)
        found = []
        for row in self._of(item).values():
            # What was there, or was written before in this batch, may have been superseded in it since.
            row |= self.changes.of(row["id"])
            if has_expired(row, now=self.now) or not period_of(row).meets(period):
                continue
            if row["status"] == "active" or (
                row["status"] == "superseded" and holds_from(row) <= since < row["superseded_from"]
            ):
                found.append(row)
        return max(found, key=lambda row: (row["status"] == "active", holds_from(row), row["id"]), default=None)

    def _of(self, item: Item) -> dict[str, dict[str, Any]]:
        return self._known.setdefault((item.known_by[0], item.request.project or ""), {})


def holder_of(statement: Row, changes: Changes) -> str | None:
    """What holds in place of a statement that is known here, if something does."""
    now = next((row["id"] for row in changes.superseded if row["superseded_id"] == statement["id"]), None)
    if now is None and statement["status"] == "superseded":
        return next(iter(statement.get("holders", ())), None)
    return now
