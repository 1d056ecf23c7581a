"""An event as those who read the past take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memorygraph.records import Record
from memorygraph.times import from_ms
from memorygraph.writing.events import payload_of

__all__ = ["HistoryEntry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry(Record):
    """One event: who changed what, and how it was before."""

    seq: int
    at: datetime
    actor: str
    action: str  # "verb" or "verb:outcome"
    target_id: str
    target_type: str
    before: Mapping[str, Any] | None  # properties as they are stored: times in epoch ms
    after: Mapping[str, Any] | None
    reason: str | None
    reverts: int | None  # the event that this one undid
    erased: bool  # what it said is gone for good: before, after and reason

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> HistoryEntry:
        """That of an Event node's properties."""
        erased = event.get("payload") is None
        payload = payload_of(event)
        after = payload.get("after")
        return cls(
            seq=event["seq"],
            at=from_ms(event["at"]),
            actor=event["actor"],
            action=event["action"],
            target_id=event["target_id"],
            target_type=event["target_type"],
            before=payload.get("before"),
            after=after,
            reason=payload.get("reason") or (after or {}).get("reason"),
            reverts=payload.get("reverts"),
            erased=erased,
        )
