"""Remembering values and turns: the work of one transaction, for one item or for many."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from memorygraph.access.state import ParametersInForce, access_properties, standing_of
from memorygraph.errors import Conflict, InvalidInput, MemoryGraphError, NotFound
from memorygraph.formats import INDEX_FORMAT
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.recall.index import IndexRow, Neighbour, RowType
from memorygraph.records import EntityRef, Refusal, Written
from memorygraph.writing.changes import Changes
from memorygraph.writing.confirming import confirmation
from memorygraph.writing.entities import EntityNames
from memorygraph.writing.events import Event, reused_key
from memorygraph.writing.items import LIFT_HINT, Item, check_next_position
from memorygraph.writing.mutation import Head
from memorygraph.writing.neighbours import Neighbours
from memorygraph.writing.places import read_places
from memorygraph.writing.questions import answer_questions
from memorygraph.writing.relating import relate
from memorygraph.writing.same_values import SameValues, holder_of
from memorygraph.writing.slots import hold_slot, status_at, supersede, take_slot
from memorygraph.writing.surroundings import Surroundings
from memorygraph_forgetting import AccessHistory

__all__ = ["Remember", "Remembered"]

_OUTCOMES = {"created", "candidate", "confirmed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What a transaction did: an answer or an error for each item, and what it means for the recall index."""

    answers: list[Written | MemoryGraphError]
    before: int  # number of the newest event before it
    seq: int  # and after it
    rows: list[IndexRow] | None  # created; None when more than that has changed for recall
    to_compare: list[str]  # ids of created ones that a language model is to look at


@dataclass(kw_only=True)
class Remember:
    """Checked items and their vectors, ready for their transaction. Times are epoch ms."""

    end_user_id: str
    items: Sequence[Item]
    vectors: npt.NDArray[np.float32]  # each of length 1, shape (len(items), dimension)
    neighbours: Neighbours
    parameters: ParametersInForce
    link_floor: float  # cosine from which a link is made
    compare: bool  # whether a language model is to look for contradictions as well
    review_sources: int  # independent sources that make a candidate accepted; 0: none do
    actor: str
    now: int
    _changes: Changes = field(init=False, repr=False)
    _names: EntityNames = field(init=False, repr=False)
    _around: Surroundings = field(init=False, repr=False)
    _same: SameValues = field(init=False, repr=False)
    _turns: dict[tuple[str | None, int, str], Written] = field(init=False, repr=False)
    _keys: dict[str, tuple[str, Written]] = field(init=False, repr=False)
    _positions: dict[str, int] = field(init=False, repr=False)
    _questioned: set[str] = field(init=False, repr=False)

    async def begin(self, store: UserStore) -> Row | None:
        """Take the user's lock, and read what is known of these values."""
        projects = [item.request.project for item in self.items]
        floor = Surroundings.floor(self.link_floor)
        seen, near = await self.neighbours.near(self.end_user_id, self.vectors, projects, floor=floor, now=self.now)
        rows = await store.begin_writing(
            items=[item.lookup(now=self.now) for item in self.items],
            name_keys=sorted({entity.name_key for item in self.items for entity in item.entities}),
            near_statements=_ids(near, "Statement"),
            near_summaries=_ids(near, "MemorySummary"),
        )
        if not rows:
            return None
        told = rows[0]["near_statements"] + rows[0]["near_summaries"]
        if (head := rows[0]["seq"]) > seen:
            # Now that the lock is held, nobody else writes: looked for once more the neighbours are up to date.
            before = near
            _, near = await self.neighbours.near(
                self.end_user_id, self.vectors, projects, floor=floor, now=self.now, head=head
            )
            if near != before:
                told = await store.read_near(ids=sorted({neighbour.id for of in near for neighbour in of}))
        by_id = {row["id"]: row for row in told}
        places = await read_places(store, self.items, now=self.now)
        rows = [row | place for row, place in zip(rows, places, strict=True)]
        return {
            "seq": rows[0]["seq"],
            "head_hash": rows[0]["head_hash"],
            "fence": rows[0]["fence"],
            "entities": rows[0]["entities"] + rows[0]["aliases"],
            "near": [[(by_id[of.id], of.cosine) for of in each if of.id in by_id] for each in near],
            "items": rows,
        }

    async def run(self, store: UserStore, head: Head) -> Remembered:
        """Write them, after :meth:`begin`. An item that cannot be written is answered with its error."""
        before = head.seq
        self._changes = Changes(head=head, now=self.now, actor=self.actor)
        self._names = EntityNames(now=self.now, parameters=self.parameters)
        self._around = Surroundings(self.items, self.vectors, link_floor=self.link_floor, now=self.now)
        self._same = SameValues(self._changes, self.now)
        self._turns, self._keys, self._positions = {}, {}, {}
        self._questioned = set()
        answers: list[Written | MemoryGraphError] = []
        self._names.learn(head.opened["entities"])
        for number, (row, near) in enumerate(zip(head.opened["items"], head.opened["near"], strict=True)):
            self._around.learn(number, near)
            try:
                answers.append(await self._item(store, number, row))
            except (Conflict, InvalidInput, NotFound) as error:
                answers.append(error)
        if asked := [id for id in self._changes.gone if id in self._questioned]:
            # Whoever says that one of the two holds no more has decided.
            questions = await store.read_open_questions(ids=asked)
            await answer_questions(store, self._changes, questions, self.parameters, resolution="superseded")
        await self._around.settle(store, self._changes, self.parameters)
        await self._changes.write(store)
        for number, answer in enumerate(answers):
            answers[number] = await self._with_relations(store, number, answer)
        # Questions and what else follows from an item have events after its own.
        answers = [replace(answer, seq=head.seq) if isinstance(answer, Written) else answer for answer in answers]
        created = self._changes.created
        return Remembered(
            answers=answers,
            before=before,
            seq=head.seq,
            rows=self._index_rows(),
            to_compare=[id for id, row in created.items() if "compare_with" in row["properties"]],
        )

    async def _item(self, store: UserStore, number: int, known: Row) -> Written:
        item = self.items[number]
        if item.key in self._keys:
            return self._repeated(item, *self._keys[item.key])
        if known["events"]:
            return await self._replay(store, item, known["events"][0])
        if known["tombstones"]:
            return self._refused(known["tombstones"][0])
        if item.evidence is not None and not known["evidence"]:
            raise NotFound("The episode that this is taken from is gone.")
        self._check_superseded(item, known["superseded"])
        if item.request.kind == "turn":
            answer = await self._turn(store, number, known)
        else:
            self._same.learn(item, known["same"])
            live = self._same.of(item)
            answer = self._create(number, known) if live is None else self._confirm(item, live, known)
        self._keys[item.key] = (item.digest, answer)
        return answer

    def _check_superseded(self, item: Item, found: Sequence[dict[str, Any]]) -> None:
        if item.request.supersedes and item.trust != "accepted":
            raise InvalidInput(
                "What nobody has approved yet supersedes nothing.",
                field="supersedes",
                hint="Leave it out, and supersede once it is approved.",
            )
        by_id = {row["id"]: row for row in found}
        for old_id in item.request.supersedes:
            if old_id not in by_id:
                raise NotFound(f"There is no memory {old_id[:60]!r} of this user to be superseded.")
            status = "superseded" if old_id in self._changes.gone else status_at(by_id[old_id], now=self.now)
            if status != "active":
                raise Conflict(f"{old_id} is {status}, not active, and only what holds can be superseded.")

    def _supersede(self, new_id: str, item: Item, found: Sequence[dict[str, Any]]) -> None:
        since = item.holds_from(now=self.now)
        for row in found:
            if row["id"] != new_id:
                target = "MemorySummary" if row["is_summary"] else "Statement"
                supersede(self._changes, new_id, row["id"], holds_from=since, reason="asked", target_type=target)
                if row.get("open_questions"):
                    self._questioned.add(row["id"])

    def _refused(self, tombstone: dict[str, Any]) -> Written:
        return Written(
            id=tombstone["fingerprint"],
            outcome="refused",
            seq=self._changes.head.seq,
            refusal=Refusal(kind=tombstone["kind"], fingerprint=tombstone["fingerprint"], hint=LIFT_HINT),
        )

    def _repeated(self, item: Item, digest: str, answer: Written) -> Written:
        if digest != item.digest:
            raise reused_key()
        return Written(id=answer.id, outcome=answer.outcome, seq=answer.seq, entities=answer.entities, replayed=True)

    async def _replay(self, store: UserStore, item: Item, event: dict[str, Any]) -> Written:
        verb, _, outcome = event["action"].partition(":")
        if event["request_digest"] != item.digest or verb != "remember" or outcome not in _OUTCOMES:
            raise reused_key()
        rows = await store.read_memories(ids=[event["target_id"]])
        after = {} if event["payload"] is None else json.loads(event["payload"])["after"]
        return Written(
            id=event["target_id"],
            outcome=outcome,
            seq=self._changes.head.seq,
            entities=_refs(rows[0]["entities"]),
            restates=tuple(after.get("restates", ())),
            replayed=item.request.idempotency_key is not None,
        )

    async def _turn(self, store: UserStore, number: int, known: Row) -> Written:
        item = self.items[number]
        session_id, position = item.request.session_id, item.request.position
        assert session_id is not None  # checked at the door
        if position is None:
            if session_id not in self._positions:
                last = (await store.read_last_position(session_id=session_id))["position"]
                self._positions[session_id] = 0 if last is None else last + 1
            position = self._positions[session_id]
            check_next_position(position, session_id=session_id)
        elif (answer := self._turns.get((session_id, position, item.content_hash))) is not None:
            return answer
        else:
            # Of what was ingested the episode itself is named, else it is looked for by place and text.
            for episode in known["named_turns"] or known["placed_turns"]:
                said = [row["id"] for row in episode["statements"] if row["kind"] == "turn"]
                if ids := [*said, *episode["summaries"]]:
                    rows = await store.read_memories(ids=ids[:1])
                    entities = _refs(rows[0]["entities"])
                    return Written(id=ids[0], outcome="confirmed", seq=self._changes.head.seq, entities=entities)
        self._positions[session_id] = max(self._positions.get(session_id, 0), position + 1)
        answer = self._create(number, known, position=position)
        self._turns[session_id, position, item.content_hash] = Written(
            id=answer.id, outcome="confirmed", seq=answer.seq, entities=answer.entities
        )
        return answer

    def _create(self, number: int, known: Row, *, position: int | None = None) -> Written:
        item, changes = self.items[number], self._changes
        is_turn = item.request.kind == "turn"
        seq = changes.next_seq
        said = item.properties(now=self.now, position=item.request.position if position is None else position)
        mentioned, entities = self._names.mentions(item.entities, seq=seq)
        restated = [] if is_turn else known["forgotten"]
        properties = {
            **said,
            **self._bookkeeping(item, seq),
            "search_text": item.search_text,
            "embedding": self.vectors[number].astype("<f4").tobytes(),
            "states_relations": True if item.request.relations else None,
        }
        row: Row = {
            "properties": properties,
            "mentions": mentioned,
            "turns": [],
            "evidence": [],
            "links": [],
            "summary_links": [],
        }
        if item.evidence is not None:
            row["evidence"] = [{"id": item.evidence.episode_id, "start": item.evidence.start, "end": item.evidence.end}]
        elif is_turn:
            episode = item.episode(now=self.now, position=position)
            row["turns"] = [{"properties": episode, "start": 0, "end": len(item.request.text)}]
        changes.created[said["id"]] = row
        outcome: Literal["created", "candidate"] = "candidate" if item.trust == "candidate" else "created"
        named = [{"name": entity.name, "kind": entity.kind} for entity in entities]
        payload = {"after": said | {"entities": named, "restates": restated}}
        changes.note(self._event(item, outcome, said["id"], payload))
        self._questioned.update(row["id"] for row in known["slot"] if row.get("open_questions"))
        self._supersede(said["id"], item, known["superseded"])
        contested = [] if is_turn else take_slot(item, said["id"], known["slot"], changes, now=self.now)
        linked, similar = self._around.link(number, said["id"], retired=changes.gone)
        for near in linked:
            row["summary_links" if near.is_summary else "links"].append({"id": near.id, "score": near.cosine})
        contradictions = self._around.question(number, contested, retired=changes.gone)
        if self.compare and not is_turn and (others := self._around.comparable(number, contradictions)):
            properties |= {"compare_since": self.now, "compare_with": others}
        if restated:
            changes.restated.append({"id": said["id"], "forgotten_ids": restated})
        if not is_turn:
            told = [{"id": ref.id, "name": ref.name, "kind": ref.kind} for ref in entities]
            self._same.learn(item, [properties | {"entities": told}])
        retired = [row["superseded_id"] for row in changes.superseded if row["id"] == said["id"]]
        holder = next((row["id"] for row in changes.superseded if row["superseded_id"] == said["id"]), None)
        return Written(
            id=said["id"],
            outcome=outcome,
            seq=changes.head.seq,
            entities=entities,
            similar=similar,
            contradictions=contradictions,
            supersedes=tuple(retired),
            superseded_by=holder,
            restates=tuple(restated),
        )

    def _confirm(self, item: Item, live: dict[str, Any], known: Row) -> Written:
        if item.request.relations:
            self._changes.update(live["id"], states_relations=True)
        told = confirmation(item, live, parameters=self.parameters, review_sources=self.review_sources, now=self.now)
        live |= told.changed
        payload = {"before": told.before, "after": told.after}
        seq = self._changes.note(self._event(item, "confirmed", live["id"], payload))
        self._changes.moved_for_recall = True  # sources and freshness are part of the effective confidence
        self._changes.update(live["id"], **told.changed, changed_seq=seq)
        if item.evidence is not None:
            place = {"episode_id": item.evidence.episode_id, "start": item.evidence.start, "end": item.evidence.end}
            self._changes.evidence.append({"id": live["id"], **place})
        if item.request.functional is not None:
            self._changes.update(live["id"], functional=item.request.functional)
        before = len(self._changes.superseded)
        self._questioned.update(row["id"] for row in (live, *known["slot"]) if row.get("open_questions"))
        self._supersede(live["id"], item, known["superseded"])
        hold_slot(item, live, known["slot"], self._changes, now=self.now)
        done = self._changes.superseded[before:]
        return Written(
            id=live["id"],
            outcome="confirmed",
            seq=self._changes.head.seq,
            entities=_refs(live["entities"]),
            supersedes=tuple(row["superseded_id"] for row in done if row["id"] == live["id"]),
            superseded_by=holder_of(live, self._changes),
        )

    def _event(self, item: Item, outcome: str, target_id: str, payload: dict[str, Any]) -> Event:
        return Event(
            at=self.now,
            actor=item.actor,
            action=f"remember:{outcome}",
            target_id=target_id,
            target_type="Statement",
            changed_ids=[target_id],
            payload=payload,
            idempotency_key=item.key,
            request_digest=item.digest,
        )

    def _bookkeeping(self, item: Item, seq: int) -> dict[str, Any]:
        history = AccessHistory.created(self.now)
        standing = standing_of({"kind": item.request.kind, "trust": item.trust, "status": "active", "pinned": False})
        return {
            "pinned": False,
            "created_at": self.now,
            "updated_at": self.now,
            "recorded_at": self.now,
            "last_confirmed_at": self.now,
            "revision": 1,
            "changed_seq": seq,
            "fingerprint": item.known_by[0],
            "slot_key": item.slot_key,
            "review_since": self.now if item.trust == "candidate" else None,
            "index_format": INDEX_FORMAT,
            "assertion_count": 1,
            "source_count": 1,
            "source_keys": [item.source_key],
            **access_properties(history, self.parameters, importance=item.request.importance, standing=standing),
        }

    async def _with_relations(
        self, store: UserStore, number: int, answer: Written | MemoryGraphError
    ) -> Written | MemoryGraphError:
        item, head = self.items[number], self._changes.head
        if not item.request.relations or not isinstance(answer, Written) or answer.replayed or answer.refusal:
            return answer
        ids = await relate(store, head, self._names, item, answer.id, now=self.now)
        return replace(answer, relations=ids)

    def _index_rows(self) -> list[IndexRow] | None:
        """The created statements as the recall index takes them, if nothing else that it holds has changed."""
        if self._changes.moved_for_recall:
            return None
        return [IndexRow.of("Statement", row["properties"]) for row in self._changes.created.values()]


def _ids(near: Sequence[Sequence[Neighbour]], kind: RowType) -> list[str]:
    return sorted({neighbour.id for of in near for neighbour in of if neighbour.type == kind})


def _refs(rows: Sequence[dict[str, Any]]) -> tuple[EntityRef, ...]:
    return tuple(EntityRef(id=row["id"], name=row["name"], kind=row["kind"]) for row in rows)
