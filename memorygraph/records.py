"""What the engine answers with: frozen records; times are aware UTC datetimes.

``to_dict()`` of each gives values that JSON can hold, times as ISO 8601.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from memorygraph.access.state import ParametersInForce, history_of
from memorygraph.confidence import effective_confidence_of
from memorygraph.times import from_ms

if TYPE_CHECKING:
    from memorygraph_forgetting import AccessHistory, DecayParameters
from memorygraph_forgetting import activation_terms, retention

__all__ = [
    "Answer",
    "BatchItem",
    "Check",
    "Contradiction",
    "EntityRef",
    "Explanation",
    "Fault",
    "Hit",
    "Lineage",
    "MemoryRecord",
    "Original",
    "Record",
    "Refusal",
    "Similar",
    "Written",
]

Outcome = Literal["found", "no_match", "filtered_out", "unknown_user"]
MemoryType = Literal["Statement", "MemorySummary", "Forgotten"]


def _plain(value: object) -> object:
    match value:
        case Record():
            return value.to_dict()
        case datetime():
            return value.isoformat()
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case str():
            return value
        case Sequence():
            return [_plain(item) for item in value]
        case _:
            return value


class Record:
    """Base of the answers."""

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON-ready values, nested records too."""
        return {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(cast(Any, self))}


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRef(Record):
    """An entity, in short."""

    id: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord(Record):
    """A statement, a summary, or the stub of what was fused, as it is at one instant."""

    id: str
    type: MemoryType
    text: str
    kind: str
    status: str  # active, superseded, retracted or expired; forgotten for a stub
    trust: str  # accepted, candidate or rejected
    importance: float  # [0, 1]
    confidence: float | None  # [0, 1], the caller's; None for a summary
    title: str | None
    context: str | None
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    project: str | None
    pinned: bool
    speaker: str | None
    session_id: str | None
    position: int | None
    source: str | None
    agent: str | None
    assertion_count: int  # times said
    source_count: int  # distinct (source, agent, session) it was said by
    revision: int
    changed_seq: int  # the event that changed it last
    occurred_at: datetime | None
    subject: str | None
    predicate: str | None
    value: str | None
    valid_from: datetime | None
    valid_to: datetime | None  # as it was told
    superseded_from: datetime | None  # since when, in the world, another statement holds in its place
    expires_at: datetime | None
    retired_at: datetime | None  # when it was superseded, retracted or expired
    effective_confidence: float | None  # [0, 1], now: the caller's, weighted by sources and freshness
    open_questions: int  # contradictions that nobody has decided yet
    model: str | None  # what derived it; None for what was told
    reviewed_by: str | None  # who approved or rejected it; "rule:review_sources" when enough sources said it
    reviewed_at: datetime | None
    recorded_at: datetime
    created_at: datetime
    updated_at: datetime
    last_confirmed_at: datetime | None
    first_access_at: datetime
    last_access_at: datetime
    access_count: int
    retention: float  # [0, 1], now
    cold_at: datetime | None  # when retention falls to the threshold unless it is used; None: never
    fusable_at: datetime | None  # when it may be fused unless it is used; None: never
    entities: tuple[EntityRef, ...]
    generation: int | None = None  # summaries: 1 when made of statements, else one more than its newest original
    fused_count: int | None = None  # summaries: statements in it, those of earlier summaries included
    cycle_id: str | None = None  # summaries and stubs: the forgetting cycle
    summarizer: str | None = None
    covers_from: datetime | None = None  # summaries: when the first and the last of it happened
    covers_to: datetime | None = None
    forgotten_at: datetime | None = None  # stubs
    summary_id: str | None = None  # stubs: the live summary that stands for it

    @classmethod
    def from_properties(
        cls,
        type: MemoryType,
        properties: Mapping[str, Any],
        *,
        entities: Sequence[Mapping[str, Any]],
        parameters: ParametersInForce,
        now: int,
        forgotten: Mapping[str, Any] | None = None,
        summary_id: str | None = None,
    ) -> MemoryRecord:
        """The record of a node's stored ``properties`` at ``now`` (epoch ms); of a stub, those of its original."""

        def at(name: str) -> datetime | None:
            value = properties.get(name)
            return None if value is None else from_ms(value)

        importance = properties["importance"]
        history = history_of(properties)
        return cls(
            id=properties["id"],
            type=type,
            text=properties["text"],
            kind=properties["kind"],
            status="forgotten" if forgotten is not None else properties["status"],
            trust=properties["trust"],
            importance=importance,
            confidence=properties.get("confidence"),
            title=properties.get("title"),
            context=properties.get("context"),
            keywords=tuple(properties.get("keywords") or ()),
            tags=tuple(properties.get("tags") or ()),
            project=properties.get("project"),
            pinned=bool(properties.get("pinned")),
            speaker=properties.get("speaker"),
            session_id=properties.get("session_id"),
            position=properties.get("position"),
            source=properties.get("source"),
            agent=properties.get("agent"),
            assertion_count=properties.get("assertion_count", 1),
            source_count=properties.get("source_count", 1),
            revision=properties["revision"],
            changed_seq=properties["changed_seq"],
            occurred_at=at("occurred_at"),
            subject=properties.get("subject"),
            predicate=properties.get("predicate"),
            value=properties.get("value"),
            valid_from=at("valid_from"),
            valid_to=at("valid_to"),
            superseded_from=at("superseded_from"),
            expires_at=at("expires_at"),
            retired_at=at("retired_at"),
            effective_confidence=effective_confidence_of(properties, now),
            open_questions=properties.get("open_questions") or 0,
            model=properties.get("model"),
            reviewed_by=properties.get("reviewed_by"),
            reviewed_at=at("reviewed_at"),
            recorded_at=from_ms(properties["recorded_at"]),
            created_at=from_ms(properties["created_at"]),
            updated_at=from_ms(properties["updated_at"]),
            last_confirmed_at=at("last_confirmed_at"),
            first_access_at=from_ms(history.first),
            last_access_at=from_ms(history.last),
            access_count=history.count,
            retention=retention(history, now, parameters.values, importance=importance),
            cold_at=at("cold_at"),
            fusable_at=None if forgotten is not None else at("fusable_at"),
            entities=tuple(
                EntityRef(id=entity["id"], name=entity["name"], kind=entity["kind"])
                for entity in {e["id"]: e for e in entities}.values()
            ),
            generation=properties.get("generation"),
            fused_count=properties.get("fused_count"),
            cycle_id=forgotten["cycle_id"] if forgotten is not None else properties.get("cycle_id"),
            summarizer=properties.get("summarizer"),
            covers_from=at("covers_from"),
            covers_to=at("covers_to"),
            forgotten_at=None if forgotten is None else from_ms(forgotten["forgotten_at"]),
            summary_id=summary_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar(Record):
    """A live memory that is near to what was written."""

    id: str
    text: str
    score: float  # cosine, [-1, 1]
    linked: bool  # whether a link was made


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction(Record):
    """An open question: which of two statements holds."""

    id: str  # of the other statement
    text: str
    reason: str  # same_slot, negation, number, version, state or model


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal(Record):
    """Why a value was not taken."""

    kind: str  # of the tombstone: rejected or erased
    fingerprint: str  # names the tombstone
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written(Record):
    """What became of a request to remember.

    ``created``, or ``candidate`` when it waits for a review first; ``confirmed`` when the value was
    there already; ``refused`` when a tombstone stands against it.
    """

    # Of the statement, or of the summary that a known turn was fused into; when refused, the tombstone's fingerprint.
    id: str
    outcome: Literal["created", "candidate", "confirmed", "refused"]
    seq: int  # number of the user's newest event after it
    entities: tuple[EntityRef, ...] = ()
    similar: tuple[Similar, ...] = ()  # nearest first
    contradictions: tuple[Contradiction, ...] = ()  # questions opened
    supersedes: tuple[str, ...] = ()  # statements that it took the place of
    superseded_by: str | None = None  # the statement of a later time that holds in its place
    relations: tuple[str, ...] = ()  # ids of the relations it is evidence for
    restates: tuple[str, ...] = ()  # stubs of forgotten memories whose value was said again
    replayed: bool = False  # the idempotency key was seen before; nothing was written this time
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchItem(Record):
    """What became of one item of a batch; what failed has left nothing behind."""

    position: int  # in the batch, from 0
    outcome: Literal["created", "candidate", "confirmed", "refused", "failed"]
    written: Written | None  # None when it failed
    code: str | None = None  # of the error, when it failed
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(Record):
    """How active a memory was when it was recalled, that recall not counted, and what that comes from."""

    at: datetime
    last_age: float  # days since the last use, at least 1e-4
    sum: float  # Σ t^(-d) over all uses
    activation: float | None  # base-level activation B, ln(2·importance·Σ); None when importance is 0
    retention: float  # [0, 1]
    threshold: float  # retention at which it is cold

    @classmethod
    def of(cls, history: AccessHistory, now: int, parameters: DecayParameters, *, importance: float) -> Explanation:
        """That of ``history`` at ``now`` (epoch ms)."""
        values = activation_terms(history, now, parameters, importance=importance).to_dict()
        return cls(**values | {"at": from_ms(now), "threshold": parameters.threshold})


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Record):
    """One recalled memory and why it was."""

    memory: MemoryRecord
    rank: int  # from 1
    score: float  # [0, 1], comparable within this answer only
    lexical: float  # BM25 of the shared words; 0 when there are none
    dense: float | None  # cosine of query and memory, [-1, 1]
    explanation: Explanation | None = None  # when it was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Record):
    """What recall found, and among what."""

    query: str
    outcome: Outcome
    hits: tuple[Hit, ...]
    searched: int  # live memories of the user
    passed: int  # of them, those that passed the filters
    timings_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Original(Record):
    """One original behind a summary."""

    memory: MemoryRecord
    lineage: Lineage | None  # when it was a summary itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage(Record):
    """A summary and what it was made of, down to the first statements."""

    summary: MemoryRecord
    originals: tuple[Original, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(Record):
    """Something in the store that must not be."""

    kind: str  # a word that stays: events, ownership, relationship, shape, counts, access, question, index, forgotten
    end_user_id: str | None  # None: of nobody
    ids: tuple[str, ...]  # of the nodes concerned, as far as they have one
    detail: str
    advice: str  # what to do


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Record):
    """One line of a diagnosis."""

    name: str
    ok: bool
    detail: str
    advice: str | None = None  # what to do, when it is not ok
    faults: tuple[Fault, ...] = ()  # of a check that looks at every memory, what it found
