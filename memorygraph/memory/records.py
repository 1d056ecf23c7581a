"""What the review, the history of a memory and its relatives are told in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memorygraph.past.entries import HistoryEntry
from memorygraph.records import Contradiction, MemoryRecord, Record
from memorygraph.times import from_ms

__all__ = [
    "Answered",
    "Evidence",
    "HistoryEntry",
    "Link",
    "Question",
    "Relatives",
    "ReviewItem",
    "Succession",
    "TombstoneRecord",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem(Record):
    """A statement that waits for somebody to decide."""

    memory: MemoryRecord
    waits_for: Literal["approval", "answer"]  # approval for a candidate; answer when only a contradiction is open
    since: datetime
    contradictions: tuple[Contradiction, ...]  # open; a question is found under both of its statements


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Record):
    """What became of the two statements of a question."""

    decision: Literal["supersede", "keep_both", "reject"]
    memory: MemoryRecord
    other: MemoryRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneRecord(Record):
    """A value that is refused, or was until the tombstone was lifted."""

    fingerprint: str
    kind: str  # rejected or erased
    actor: str | None
    created_at: datetime
    lifted_at: datetime | None  # None: in force
    memory_id: str | None  # the statement that had the value
    reason: str | None  # None as well when it was erased

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> TombstoneRecord:
        """That of a row of ``list_tombstones``."""
        payload = json.loads(row["payload"]) if row["payload"] is not None else {}
        return cls(
            fingerprint=row["fingerprint"],
            kind=row["kind"],
            actor=row["actor"],
            created_at=from_ms(row["created_at"]),
            lifted_at=None if row["lifted_at"] is None else from_ms(row["lifted_at"]),
            memory_id=row["memory_id"],
            reason=payload.get("reason"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(Record):
    """A memory that another is linked to."""

    id: str
    score: float | None  # cosine when the link was made, [-1, 1]; None for one by hand between what is not alike
    origin: Literal["auto", "manual"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Record):
    """A contradiction with another statement, open or answered."""

    id: str  # of the other statement
    text: str  # of the other statement
    reason: str  # same_slot, negation, number, version, state or model
    opened_at: datetime
    resolved_at: datetime | None
    resolution: str | None  # superseded, kept_both, rejected, retracted or expired
    actor: str | None  # who answered it


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession(Record):
    """The other end of a supersession."""

    id: str
    at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Record):
    """Where in an episode a memory was taken from, in characters."""

    id: str  # of the episode
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Relatives(Record):
    """What a statement or summary is tied to. Links are those nearest first; the rest is oldest first."""

    links: tuple[Link, ...]
    questions: tuple[Question, ...]
    supersedes: tuple[Succession, ...]
    superseded_by: tuple[Succession, ...]
    evidence: tuple[Evidence, ...]
    restates: tuple[str, ...]  # ids of forgotten memories whose value was said again

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Relatives:
        """That of a row of ``read_relatives``."""
        questions = sorted(row["questions"], key=lambda question: (question["opened_at"], question["id"]))
        return cls(
            links=tuple(Link(**link) for link in sorted(row["links"], key=_nearest_first)),
            questions=tuple(Question(**_timed(question, "opened_at", "resolved_at")) for question in questions),
            supersedes=_successions(row["supersedes"]),
            superseded_by=_successions(row["superseded_by"]),
            evidence=tuple(Evidence(**part) for part in sorted(row["evidence"], key=lambda e: (e["id"], e["start"]))),
            restates=tuple(sorted(row["restates"])),
        )


def _nearest_first(link: Mapping[str, Any]) -> tuple[float, str]:
    return (-(link["score"] if link["score"] is not None else 1.0), link["id"])


def _successions(rows: list[dict[str, Any]]) -> tuple[Succession, ...]:
    return tuple(Succession(**_timed(row, "at")) for row in sorted(rows, key=lambda row: (row["at"], row["id"])))


def _timed(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: from_ms(value) if name in names and value is not None else value for name, value in row.items()}
