"""What one transaction is going to write, collected first and sent in as few statements as there are kinds of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memorygraph.entities.standing import STANDING_FIELDS, move_relations
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.writing.events import Event, relation_event
from memorygraph.writing.mutation import Head

__all__ = ["Changes", "Moved", "RetiredStatus", "Reversal"]

RetiredStatus = Literal["superseded", "retracted", "expired"]


class Moved(Exception):
    """Something was written since it was found that an event can be undone; nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """That what is done undoes an event."""

    seq: int  # of the event that is undone
    head: int  # of the newest event when it was found that it can be
    reason: str | None

    def told_in(self, event: Event) -> Event:
        """The event with the number of the one that it undoes, and with the reason for that if there is one."""
        told: dict[str, Any] = {"reverts": self.seq}
        if self.reason is not None:
            told["reason"] = self.reason
        return replace(event, payload={**event.payload, **told})


@dataclass(slots=True, kw_only=True)
class Changes:
    """Collects rows of the writing statements. The number of statements sent does not grow with that of the rows."""

    head: Head
    now: int  # epoch ms
    actor: str
    key: str | None = None  # of the call, by which a commit whose answer was lost is recognised
    reversal: Reversal | None = None
    events: list[Row] = field(default_factory=list)
    created: dict[str, Row] = field(default_factory=dict)  # rows of create_statements by id
    updated: dict[str, dict[str, Any]] = field(default_factory=dict)  # properties by id
    retired: dict[str, dict[str, Any]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)  # ids of what is retired here, of what was created here too
    moved: set[str] = field(default_factory=set)  # ids of what was superseded before, and by something else now
    revived: dict[str, dict[str, Any]] = field(default_factory=dict)
    restated: list[Row] = field(default_factory=list)
    superseded: list[Row] = field(default_factory=list)
    questions: list[Row] = field(default_factory=list)
    answers: list[Row] = field(default_factory=list)  # of questions
    links: list[Row] = field(default_factory=list)
    evidence: list[Row] = field(default_factory=list)  # more of it, for statements that are there
    moved_for_recall: bool = False  # whether anything that recall knows of older memories has changed

    @property
    def next_seq(self) -> int:
        """The number of the next event."""
        return self.head.next_seq

    def note(self, event: Event) -> int:
        """Append an event; its number. The first one has the key of the call, and names the event that is undone."""
        if self.key is not None and not self.events:
            event = replace(event, idempotency_key=self.key)
        if self.reversal is not None and not self.events:
            event = self.reversal.told_in(event)
        self.events.append(self.head.link(event))
        return self.head.seq

    def properties_of(self, memory_id: str) -> dict[str, Any] | None:
        """Those of a statement that is created here; None for one that was there before."""
        row = self.created.get(memory_id)
        return None if row is None else row["properties"]

    def of(self, memory_id: str) -> dict[str, Any]:
        """What is changed here so far of the properties of a statement or summary, of one that is created all."""
        return {
            **(self.properties_of(memory_id) or {}),
            **self.updated.get(memory_id, {}),
            **self.retired.get(memory_id, {}),
        }

    def update(self, memory_id: str, **properties: Any) -> None:
        """Change properties of a statement or summary, of one that is created here too. ``None`` removes one."""
        self._row(self.revived if memory_id in self.revived else self.updated, memory_id).update(properties)

    def retire(self, memory_id: str, status: RetiredStatus, **properties: Any) -> None:
        """Take a statement or summary out of what holds."""
        told = {"status": status, "retired_at": self.now, "fusable_at": None, **properties}
        self._row(self.retired, memory_id).update(told)
        self.gone.add(memory_id)
        self.moved_for_recall = True
        if (created := self.properties_of(memory_id)) is not None:
            created["past_search_text"] = created.pop("search_text")

    def end_earlier(self, memory_id: str, *, superseded_from: int, changed_seq: int) -> None:
        """Let what is superseded, here or before, hold only until ``superseded_from`` (epoch ms).

        What had taken its place, and begins later, does so no more.
        """
        told = {"superseded_from": superseded_from, "changed_seq": changed_seq}
        self.superseded = [row for row in self.superseded if row["superseded_id"] != memory_id]
        if memory_id in self.gone:
            self._row(self.retired, memory_id).update(told)
        else:
            self.update(memory_id, **told)
            self.moved.add(memory_id)
        self.moved_for_recall = True

    def revive(self, memory_id: str, **properties: Any) -> None:
        """Let a retired statement or summary hold again."""
        told = {"status": "active", "retired_at": None, "superseded_from": None, **properties}
        self._row(self.revived, memory_id).update(told)
        self.moved_for_recall = True

    def _row(self, rows: dict[str, dict[str, Any]], memory_id: str) -> dict[str, Any]:
        created = self.properties_of(memory_id)
        return rows.setdefault(memory_id, {}) if created is None else created

    def _moved(self) -> dict[str, dict[str, Any]]:
        """What is written of the properties on which relations depend, by id of the statement that was there before."""
        moved: dict[str, dict[str, Any]] = {}
        for rows in (self.updated, self.retired, self.revived):
            for id, properties in rows.items():
                if of_standing := {name: properties[name] for name in STANDING_FIELDS & properties.keys()}:
                    moved.setdefault(id, {}).update(of_standing)
        return moved

    def _note_relation(self, action: str, id: str, before: dict[str, Any], after: dict[str, Any]) -> None:
        self.note(relation_event(action, id, at=self.now, actor=self.actor, before=before, after=after))

    async def write(self, store: UserStore) -> None:
        """Send everything. Without an event nothing is sent: there is no change without one."""
        if not self.events:
            return
        await move_relations(store, self._moved(), now=self.now, note=self._note_relation)
        head = {"seq": self.head.seq, "hash": self.head.hash}
        events = self.events
        if self.created:
            await store.create_statements(head=head, events=events, rows=list(self.created.values()))
            events = []
        if self.updated or events:
            await store.update_memories(head=head, events=events, rows=_rows(self.updated))
        if self.retired:
            await store.retire_memories(rows=_rows(self.retired))
        if self.revived:
            await store.revive_memories(rows=_rows(self.revived))
        if self.restated:
            await store.restate_forgotten(rows=self.restated, at=self.now)
        if self.moved:
            await store.unsupersede_memories(ids=sorted(self.moved))
        if self.superseded:
            await store.supersede_memories(rows=self.superseded)
        if self.questions:
            await store.question_statements(rows=self.questions)
        if self.answers:
            await store.answer_questions(rows=self.answers)
        if self.links:
            await store.link_memories(rows=self.links)
        if self.evidence:
            await store.add_evidence(rows=self.evidence)


def _rows(properties: dict[str, dict[str, Any]]) -> list[Row]:
    return [{"id": id, "properties": of} for id, of in properties.items()]
