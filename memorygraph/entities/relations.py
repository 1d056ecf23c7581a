"""Relations between entities: stating, retiring and reading them, and taking back the evidence of a statement."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from memorygraph.entities.change import Change
from memorygraph.entities.names import find_entity, look_up, new_entity
from memorygraph.entities.records import Relation, RelationChange
from memorygraph.entities.standing import handle_of, is_withdrawn, read_standings, settled, stated_ids
from memorygraph.errors import Conflict, NotFound
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ids import new_id
from memorygraph.past.relations import relations_as_of
from memorygraph.text.normalise import normalise_predicate
from memorygraph.times import from_ms
from memorygraph.validation import EntitySpec, RelationSpec, check_period
from memorygraph.writing.events import canonical_json, payload_of

__all__ = [
    "Relating",
    "Retirement",
    "drop_evidence",
    "drop_relations",
    "in_force",
    "read_history",
    "read_relations",
    "relation_rows",
    "state_relations",
]


def relation_rows(
    relations: Sequence[RelationSpec],
    *,
    key_of: Callable[[EntitySpec], tuple[str, str]],
    now: int,
    statement_id: str | None,
    withheld: bool = False,
    weight: float | None = None,
    valid_from: int | None = None,
    valid_to: int | None = None,
) -> list[Row]:
    """The rows of ``relate_entities`` for relations that a statement tells, each once. Times are epoch ms.

    ``key_of`` gives the ``(name_key, kind)`` of the entity that a name stands for. With ``withheld`` the
    statement is no evidence yet: its relations are written, and believed once it is.
    """
    rows: dict[tuple[str, ...], Row] = {}
    for relation in relations:
        subject, object_ = key_of(relation.subject), key_of(relation.object)
        key = normalise_predicate(relation.predicate)
        rows[(*subject, key, *object_)] = {
            "id": new_id(now),
            "subject_key": subject[0],
            "subject_kind": subject[1],
            "predicate": relation.predicate,
            "predicate_key": key,
            "object_key": object_[0],
            "object_kind": object_[1],
            "weight": weight,
            "valid_from": valid_from,
            "valid_to": valid_to,
            "source_id": statement_id,
            "withheld": withheld,
            "at": now,
        }
    return list(rows.values())


async def state_relations(
    store: UserStore,
    rows: Sequence[Row],
    *,
    superseded: bool,
    now: int,
    note: Callable[[str, str, Row | None, Row], Awaitable[None]],
) -> list[str]:
    """State the relations of ``rows``, made by :func:`relation_rows`, whose entities are there; their ids.

    ``superseded`` tells whether the statement is superseded already. ``note`` appends an event: it is handed
    action, id, what was there before, and what is now. A relation that the same statement told before is
    left as it is.
    """
    ids = []
    for related in await store.relate_entities(rows=rows):
        row = await store.read_relation(id=related["id"])
        assert row is not None
        if superseded:
            standings = await read_standings(store, [row["properties"]])
            after = settled(row["properties"], standings, now=now)
            await store.write_relations(rows=[_handle(row["subject"]["id"], row, row["object"]["id"], after)])
            row["properties"] |= after
        before = None if related["before"] is None else _kept(related["before"])
        after = _kept(row["properties"])
        ids.append(str(related["id"]))
        if before != after:
            outcome = "created" if before is None else "confirmed" if before["id"] == after["id"] else "corrected"
            ends = {"subject": row["subject"], "object": row["object"]}
            await note(f"relate:{outcome}", related["id"], before, {**after, **ends})
    return ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Relating:
    """A relation that is to be stated; times are epoch ms."""

    subject: EntitySpec
    predicate: str
    object: EntitySpec
    weight: float | None
    valid_from: int | None
    valid_to: int | None
    statement_id: str | None
    create_missing: bool

    async def run(self, change: Change) -> str:
        """Raises :class:`NotFound` for an unknown entity or statement, :class:`Conflict` for a statement that was
        withdrawn; returns the relation's id.
        """
        store = change.store
        source = await self._source(store)
        ends: dict[EntitySpec, tuple[str, str]] = {}
        created: list[Row] = []
        for field, spec in (("subject", self.subject), ("object", self.object)):
            if spec not in ends:
                ends[spec] = await self._end(change, spec, created, field=field)
        rows = relation_rows(
            [RelationSpec(subject=self.subject, predicate=self.predicate, object=self.object)],
            key_of=ends.__getitem__,
            now=change.now,
            statement_id=self.statement_id,
            withheld=source is not None and is_withdrawn(source),
            weight=self.weight,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
        )

        async def note(action: str, id: str, before: Row | None, after: Row) -> None:
            check_period(after.get("valid_from"), after.get("valid_to"))
            told = {**after, "created_entities": [entity["id"] for entity in created]}
            await change.note(action, id, target_type="Relation", before=before, after=told)

        if self.statement_id is not None:
            head = {"seq": change.head.seq, "hash": change.head.hash}
            stating = {"id": self.statement_id, "properties": {"states_relations": True}}
            await store.update_memories(head=head, events=[], rows=[stating])
        superseded = source is not None and source["status"] == "superseded"
        (relation_id,) = await state_relations(store, rows, superseded=superseded, now=change.now, note=note)
        return relation_id

    async def _source(self, store: UserStore) -> Row | None:
        if self.statement_id is None:
            return None
        rows = await store.read_standings(ids=[self.statement_id])
        if not rows:
            raise NotFound(f"There is no memory {self.statement_id[:60]!r} of this user.")
        if rows[0]["status"] not in ("active", "superseded"):
            raise Conflict(f"{self.statement_id} is {rows[0]['status']}, not active.", hint="Reinstate it first.")
        return rows[0]

    async def _end(self, change: Change, spec: EntitySpec, created: list[Row], *, field: str) -> tuple[str, str]:
        if self.create_missing:
            entity = await look_up(change.store, spec.name, spec.kind, field=field)
            if entity is None:
                entity = new_entity(spec.name, spec.kind, now=change.now, seq=change.seq, parameters=change.parameters)
                await change.store.create_entities(rows=[{"id": entity["id"], "properties": entity}])
                created.append(entity)
        else:
            entity = await find_entity(change.store, spec.name, spec.kind, field=field)
        return entity["name_key"], entity["kind"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """A relation that is believed no more."""

    relation_id: str
    reason: str | None

    async def run(self, change: Change) -> str:
        """Raises :class:`NotFound`, and :class:`Conflict` when it was retired before; returns the relation's id."""
        row = await change.store.read_relation(id=self.relation_id)
        if row is None:
            raise NotFound(f"There is no relation {self.relation_id[:60]!r} of this user.")
        if (retired_at := row["properties"].get("retired_at")) is not None:
            raise Conflict(f"The relation {self.relation_id} was retired at {from_ms(retired_at).isoformat()}.")
        after = {"retired_at": change.now, "final": True}
        await change.store.write_relations(rows=[_handle(row["subject"]["id"], row, row["object"]["id"], after)])
        await change.note(
            "relate:retired",
            self.relation_id,
            target_type="Relation",
            before={"retired_at": None, "final": None},
            after=after,
            reason=self.reason,
        )
        return self.relation_id


def _handle(subject_id: str, row: Row, object_id: str, properties: Row) -> Row:
    relation_id = row["properties"]["id"]
    return {"id": relation_id, "subject_id": subject_id, "object_id": object_id, "properties": properties}


def _kept(properties: Mapping[str, Any]) -> Row:
    return {name: value for name, value in properties.items() if name != "end_user_id" and value is not None}


async def drop_evidence(store: UserStore, statement_ids: Sequence[str], *, now: int, remove: bool) -> list[Row]:
    """Take back what statements said for relations, within the transaction of whatever takes back the statements.

    Each relation has ``source_ids`` and ``withdrawn_ids`` without them and as much less evidence; one without
    any evidence left is retired at ``now`` (epoch ms), or removed if ``remove`` and nothing else might be
    evidence again. Returns what changed, for the event:
    ``id``, ``subject_id``, ``object_id``, ``before`` and ``after`` (None: removed).
    """
    gone = set(statement_ids)
    changes: list[Row] = []
    rows = await store.read_relations_from(statement_ids=list(gone))
    standings = await read_standings(store, [row["properties"] for row in rows])
    for row in rows:
        properties = row["properties"]
        left = [id for id in properties["source_ids"] if id not in gone]
        waiting = [id for id in properties.get("withdrawn_ids") or () if id not in gone]
        evidence = properties["evidence_count"] - (len(properties["source_ids"]) - len(left))
        after: Row | None = None
        if evidence > 0 or waiting or not remove:
            after = {"source_ids": left, "evidence_count": evidence}
            if waiting != (properties.get("withdrawn_ids") or []):
                after["withdrawn_ids"] = waiting or None
            after |= settled(properties | after, standings, now=now)
        before = {name: properties.get(name) for name in ("source_ids", "evidence_count", "retired_at")}
        changes.append({**handle_of(row), "before": before, "after": after})
    await store.delete_relations(rows=[change for change in changes if change["after"] is None])
    await store.write_relations(
        rows=[{**change, "properties": change["after"]} for change in changes if change["after"] is not None]
    )
    removed = {change["id"] for change in changes if change["after"] is None}
    await _unstate(
        store, {id for row in rows if row["properties"]["id"] in removed for id in stated_ids(row["properties"])}
    )
    return changes


async def drop_relations(store: UserStore, entity_ids: Sequence[str]) -> None:
    """Remove the relations of entities that go themselves."""
    rows = [of for row in await store.read_entity_edges(ids=entity_ids) for of in (*row["outgoing"], *row["incoming"])]
    await store.delete_relations(rows=[handle_of(row) for row in rows])
    await _unstate(store, {id for row in rows for id in stated_ids(row["properties"])})


async def _unstate(store: UserStore, ids: Set[str]) -> None:
    """Have those of some statements that no relation names any more say so."""
    if ids:
        left = await store.read_relations_from(statement_ids=sorted(ids))
        await store.unstate_relations(ids=sorted(ids - {id for row in left for id in stated_ids(row["properties"])}))


async def read_relations(store: UserStore, entity: Row, *, recorded_at: int | None) -> list[Relation]:
    """The relations that an entity has a part in, newest first, retired ones too.

    With ``recorded_at`` (epoch ms) as they were then, those that were recorded.
    """
    rows = await store.read_relations(ids=[entity["id"]])
    maps = {of["properties"]["id"]: of for row in rows for of in (*row["outgoing"], *row["incoming"])}
    found = list(maps.values())
    if recorded_at is not None:
        found = await relations_as_of(store, found, recorded_at, merged_ids=entity.get("merged_ids") or ())
    relations = [Relation.from_row(of) for of in found]
    return sorted(relations, key=lambda relation: (relation.recorded_at, relation.id), reverse=True)


def in_force(relation: Relation, *, valid_at: int | None, include_retired: bool) -> bool:
    """Whether a relation is true at ``valid_at`` (epoch ms; None: whenever) and believed.

    With ``include_retired`` one that is believed no more counts too.
    """
    if relation.retired_at is not None and not include_retired:
        return False
    if valid_at is None:
        return True
    at = from_ms(valid_at)
    begun = relation.valid_from is None or relation.valid_from <= at
    return begun and (relation.valid_to is None or at < relation.valid_to)


async def read_history(store: UserStore, relation_id: str) -> tuple[RelationChange, ...]:
    """The events that made a relation what it is, oldest first, those of periods that it corrected too.

    Raises :class:`NotFound`.
    """
    own: dict[int, Row] = {}
    wanted = [relation_id]
    for id in wanted:
        for found in await store.read_events_of(target_ids=[id]):
            event = found["event"]
            if event["target_type"] == "Relation":
                own[event["seq"]] = event
                before = payload_of(event).get("before") or {}
                if before.get("id", id) not in wanted:
                    wanted.append(before["id"])
    row = await store.read_relation(id=relation_id)
    if row is None and not own:
        raise NotFound(f"There is no relation {relation_id[:60]!r} of this user.")
    others: list[Row] = []
    if row is not None:
        # Merges and splits carry a relation along: they are events of the entities, and say its id.
        entities, said = sorted({row["subject"]["id"], row["object"]["id"]}), canonical_json(relation_id)
        events = [found["event"] for found in await store.read_events_of(target_ids=entities)]
        others = [event for event in events if event["payload"] is not None and said in event["payload"]]
    told = [_told(event, own=True) for event in own.values()] + [_told(event, own=False) for event in others]
    return tuple(sorted(told, key=lambda change: change.seq))


def _told(event: Row, *, own: bool) -> RelationChange:
    payload = payload_of(event)
    return RelationChange(
        seq=event["seq"],
        at=from_ms(event["at"]),
        actor=event["actor"],
        action=event["action"],
        before=payload.get("before") if own else None,
        after=payload.get("after") if own else None,
        reason=payload.get("reason"),
    )
