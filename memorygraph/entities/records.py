"""What the verbs of entities answer with: frozen records; times are aware UTC datetimes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memorygraph.access.state import ParametersInForce, history_of
from memorygraph.records import EntityRef, MemoryRecord, Record
from memorygraph.times import from_ms
from memorygraph_forgetting import retention

__all__ = [
    "EntityCard",
    "EntityChange",
    "EntityPage",
    "EntityRecord",
    "MergeSuggestion",
    "Merged",
    "Relation",
    "RelationChange",
    "Split",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRecord(Record):
    """A person, place or thing that memories mention, as it is at one instant."""

    id: str
    name: str
    kind: str
    aliases: tuple[str, ...]  # other names that lead to it
    description: str | None
    importance: float  # [0, 1]
    pinned: bool
    merged_ids: tuple[str, ...]  # of the entities merged into it, which lead to it too; the newest is the last
    revision: int
    changed_seq: int  # the event that changed it last
    created_at: datetime
    updated_at: datetime
    first_access_at: datetime
    last_access_at: datetime
    access_count: int
    retention: float  # [0, 1], now
    cold_at: datetime | None  # when retention falls to the threshold unless it is used; None: never

    @classmethod
    def from_properties(cls, properties: Mapping[str, Any], *, parameters: ParametersInForce, now: int) -> EntityRecord:
        """The record of a node's stored ``properties`` at ``now`` (epoch ms)."""
        history = history_of(properties)
        cold = properties.get("cold_at")
        return cls(
            id=properties["id"],
            name=properties["name"],
            kind=properties["kind"],
            aliases=tuple(properties.get("aliases") or ()),
            description=properties.get("description"),
            importance=properties["importance"],
            pinned=bool(properties.get("pinned")),
            merged_ids=tuple(properties.get("merged_ids") or ()),
            revision=properties["revision"],
            changed_seq=properties["changed_seq"],
            created_at=from_ms(properties["created_at"]),
            updated_at=from_ms(properties["updated_at"]),
            first_access_at=from_ms(history.first),
            last_access_at=from_ms(history.last),
            access_count=history.count,
            retention=retention(history, now, parameters.values, importance=properties["importance"]),
            cold_at=None if cold is None else from_ms(cold),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPage(Record):
    """A page of entities in the order of their normalised names."""

    entities: tuple[EntityRecord, ...]
    next_cursor: str | None  # for the page after this one; None: it was the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(Record):
    """What one entity is to another, as believed from one instant on."""

    id: str
    subject: EntityRef
    predicate: str  # as first written
    object: EntityRef
    weight: float  # (0, 1]
    evidence_count: int  # times it was stated, once for each statement that was not withdrawn
    source_ids: tuple[str, ...]  # the statements that it comes from
    valid_from: datetime | None  # true from then on; None: since ever
    valid_to: (
        datetime | None
    )  # and until just before then, as it was told or its statements were superseded; None: still
    recorded_at: datetime
    retired_at: datetime | None  # no longer believed from then on

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Relation:
        """The relation of a row of ``read_relation``, or of a map of ``read_relations``."""
        properties = row["properties"]

        def at(name: str) -> datetime | None:
            value = properties.get(name)
            return None if value is None else from_ms(value)

        return cls(
            id=properties["id"],
            subject=EntityRef(**row["subject"]),
            predicate=properties["predicate"],
            object=EntityRef(**row["object"]),
            weight=properties["weight"],
            evidence_count=properties["evidence_count"],
            source_ids=tuple(properties["source_ids"] or ()),
            valid_from=at("valid_from"),
            valid_to=min((end for end in (at("valid_to"), at("superseded_from")) if end is not None), default=None),
            recorded_at=from_ms(properties["recorded_at"]),
            retired_at=at("retired_at"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityChange(Record):
    """One merge of another entity into this one, or the undoing of one."""

    seq: int
    at: datetime
    actor: str
    action: str  # entity:merged or entity:split
    other: EntityRef | None  # None when what the event said was erased
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationChange(Record):
    """One event in the life of a relation."""

    seq: int
    at: datetime
    actor: str
    action: str  # relate:…, or entity:merged, entity:split when it was carried along
    before: dict[str, Any] | None  # stored properties that changed, times in epoch ms
    after: dict[str, Any] | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCard(Record):
    """What is known of an entity."""

    entity: EntityRecord
    statements: tuple[MemoryRecord, ...]  # that mention it, newest first
    next_cursor: str | None  # for the statements after these; None: there are no more
    summaries: tuple[MemoryRecord, ...]  # that mention it, newest first, at most 50
    relations: tuple[Relation, ...]  # in force, newest first
    merges: tuple[EntityChange, ...]  # oldest first


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeSuggestion(Record):
    """Two entities that may be one."""

    first: EntityRef
    second: EntityRef
    score: float  # [0, 1]; from 0.8 on they are one more often than not
    why: tuple[str, ...]  # what speaks for it, and what against it


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged(Record):
    """What became of a merge."""

    entity: EntityRecord  # the one that was kept
    merged_id: str  # of the other one; leads to the kept one from now on
    seq: int  # the event to name when it is to be undone


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(Record):
    """What became of the undoing of a merge."""

    entity: EntityRecord  # the one that had been kept
    restored: EntityRecord  # the one that is back
    seq: int
