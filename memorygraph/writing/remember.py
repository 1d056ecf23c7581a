"""Remembering one statement or turn: the work of its one transaction."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from memorygraph.access.state import ParametersInForce, access_properties, history_of, standing_of
from memorygraph.errors import IdempotencyConflict, Tombstoned
from memorygraph.formats import INDEX_FORMAT
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ids import new_id
from memorygraph.records import EntityRef, Written
from memorygraph.text.tokens import search_text
from memorygraph.validation import RememberRequest
from memorygraph.writing.entities import NamedEntity, mentions, named_entities
from memorygraph.writing.events import Event, canonical_json
from memorygraph.writing.fingerprint import Fingerprints
from memorygraph.writing.mutation import Head
from memorygraph_forgetting import AccessHistory, Standing

__all__ = ["Remember", "embedded_text"]

_MOST_SOURCE_KEYS = 64  # said by more sources than this, the newest are told apart
_Outcome = Literal["created", "confirmed"]
_ACTIONS: dict[str, _Outcome] = {"remember:created": "created", "remember:confirmed": "confirmed"}


def embedded_text(request: RememberRequest) -> str:
    """The text whose vector is stored: who speaks is part of what was said."""
    return request.text if request.speaker is None else f"{request.speaker}: {request.text}"


@dataclass(frozen=True, kw_only=True)
class Remember:
    """A checked and embedded request, ready for its transaction. Times are epoch ms."""

    end_user_id: str
    request: RememberRequest
    embedding: bytes  # float32, little-endian
    fingerprints: Fingerprints
    parameters: ParametersInForce
    actor: str
    now: int
    mutation_key: str  # of this very call: a commit whose answer was lost is recognised by it

    async def begin(self, store: UserStore) -> Row | None:
        """Take the user's lock, and read what is known of this value."""
        return await store.begin_writing(
            fingerprint=self._fingerprint,
            project=self.request.project or "",  # what is said within a project is that project's
            idempotency_key=self._key,
            name_keys=[entity.name_key for entity in self._entities],
        )

    async def run(self, store: UserStore, head: Head) -> Written:
        """Write it, after :meth:`begin`.

        Raises :class:`Tombstoned` and :class:`IdempotencyConflict`, and then nothing is written.
        """
        context = head.opened
        if context["event"] is not None:
            return await self._replay(store, head, context["event"])
        if context["tombstone"] is not None:
            raise Tombstoned(
                f"This value was {context['tombstone']} and is not taken again.",
                kind=context["tombstone"],
                fingerprint=self._fingerprint,
                hint="Somebody with the review scope can lift the tombstone.",
            )
        if self.request.kind == "turn":
            return await self._turn(store, head)
        if context["live"] is not None:
            return await self._confirm(store, head, context["live"])
        return await self._create(store, head, position=self.request.position, episode=None)

    @cached_property
    def _fingerprint(self) -> str:
        return self.fingerprints.of_value(self.end_user_id, about=self.request.speaker, text=self.request.text)

    @cached_property
    def _entities(self) -> tuple[NamedEntity, ...]:
        return named_entities(self.request.entities)

    @property
    def _key(self) -> str:
        caller = self.request.idempotency_key
        # Hashed: a key that a caller makes up may say things that an erasure must not leave behind.
        return self.mutation_key if caller is None else "key:" + hashlib.sha256(caller.encode()).hexdigest()

    @property
    def _request_digest(self) -> str:
        return self.fingerprints.of_request(self.end_user_id, canonical_json(asdict(self.request)))

    async def _replay(self, store: UserStore, head: Head, event: dict[str, Any]) -> Written:
        if event["request_digest"] != self._request_digest:
            raise IdempotencyConflict(
                "The idempotency key was used before for another request.", hint="Use a new key for a new request."
            )
        rows = await store.read_memories(ids=[event["target_id"]])
        after = {} if event["payload"] is None else json.loads(event["payload"])["after"]
        return Written(
            id=event["target_id"],
            outcome=_ACTIONS[event["action"]],
            seq=head.seq,
            entities=_refs(rows[0]["entities"]),
            restates=tuple(after.get("restates", ())),
            replayed=self.request.idempotency_key is not None,
        )

    async def _turn(self, store: UserStore, head: Head) -> Written:
        request = self.request
        session_id = request.session_id
        assert session_id is not None  # checked at the door
        position = request.position
        content_hash = self.fingerprints.of_content(self.end_user_id, request.text)
        if position is None:
            last = (await store.read_last_position(session_id=session_id))["position"]
            position = 0 if last is None else last + 1
        else:
            known = await store.read_turn(session_id=session_id, position=position, content_hash=content_hash)
            if known is not None and (ids := [*known["statements"], *known["summaries"]]):
                rows = await store.read_memories(ids=ids[:1])
                return Written(id=ids[0], outcome="confirmed", seq=head.seq, entities=_refs(rows[0]["entities"]))
        episode = {
            "id": new_id(self.now),
            "text": request.text,
            "speaker": request.speaker,
            "session_id": session_id,
            "position": position,
            "occurred_at": self.now if request.occurred_at is None else request.occurred_at,
            "recorded_at": self.now,
            "source": request.source,
            "content_hash": content_hash,
        }
        return await self._create(store, head, position=position, episode=episode)

    async def _create(
        self, store: UserStore, head: Head, *, position: int | None, episode: dict[str, Any] | None
    ) -> Written:
        statement_id, seq = new_id(self.now), head.next_seq
        said = self._said(statement_id, position)
        mentioned, entities = mentions(
            self._entities, head.opened["entities"], now=self.now, seq=seq, parameters=self.parameters
        )
        restated = head.opened["forgotten"] if episode is None else []
        names = [{"name": entity.name, "kind": entity.kind} for entity in entities]
        after = {**said, "entities": names, "restates": restated}
        await store.create_statement(
            properties={
                **said,
                **self._bookkeeping(seq),
                "search_text": search_text(
                    self.end_user_id,
                    self.request.text,
                    speaker=self.request.speaker,
                    names=[entity.name for entity in self._entities],
                ),
                "embedding": self.embedding,
            },
            mentions=mentioned,
            turns=[] if episode is None else [{"properties": episode, "start": 0, "end": len(self.request.text)}],
            event=head.link(self._event("created", statement_id, {"after": after})),
        )
        if restated:
            await store.restate_forgotten(statement_id=statement_id, forgotten_ids=restated, at=self.now)
        return Written(id=statement_id, outcome="created", seq=seq, entities=entities, restates=tuple(restated))

    async def _confirm(self, store: UserStore, head: Head, live: dict[str, Any]) -> Written:
        parameters = self.parameters.values
        history = history_of(live).record(
            self.now, limit=parameters.history_limit, debounce=parameters.debounce_seconds
        )
        # An agent that repeats itself is no evidence: only a new source, agent or session is.
        source_key = self._source_key
        new_source = source_key not in live["source_keys"]
        counts = {
            "assertion_count": live["assertion_count"] + 1,
            "source_count": live["source_count"] + new_source,
        }
        before = {name: live[name] for name in counts}
        seq = head.next_seq
        confirmed = await store.confirm_statement(
            statement_id=live["id"],
            properties={
                **counts,
                "source_keys": (live["source_keys"] + [source_key] * new_source)[-_MOST_SOURCE_KEYS:],
                "last_confirmed_at": self.now,
                "changed_seq": seq,
                **access_properties(
                    history,
                    self.parameters,
                    importance=live["importance"],
                    standing=standing_of(live),
                ),
            },
            event=head.link(self._event("confirmed", live["id"], {"before": before, "after": counts})),
        )
        return Written(id=live["id"], outcome="confirmed", seq=seq, entities=_refs(confirmed["entities"]))

    @property
    def _source_key(self) -> str:
        request = self.request
        said_by = canonical_json([request.source, request.agent, request.session_id])
        return hashlib.sha256(said_by.encode()).hexdigest()[:16]

    def _event(self, outcome: _Outcome, target_id: str, payload: dict[str, Any]) -> Event:
        return Event(
            at=self.now,
            actor=self.actor,
            action=f"remember:{outcome}",
            target_id=target_id,
            target_type="Statement",
            changed_ids=[target_id],
            payload=payload,
            idempotency_key=self._key,
            request_digest=self._request_digest,
        )

    def _said(self, statement_id: str, position: int | None) -> dict[str, Any]:
        request = self.request
        return {
            "id": statement_id,
            "text": request.text,
            "title": request.title,
            "context": request.context,
            "kind": request.kind,
            "importance": request.importance,
            "confidence": request.confidence,
            "keywords": list(request.keywords),
            "tags": list(request.tags),
            "project": request.project,
            "speaker": request.speaker,
            "session_id": request.session_id,
            "position": position,
            "occurred_at": self.now if request.occurred_at is None else request.occurred_at,
            "source": request.source,
            "agent": request.agent,
            "trust": "accepted",
            "status": "active",
        }

    def _bookkeeping(self, seq: int) -> dict[str, Any]:
        history = AccessHistory.created(self.now)
        standing = Standing(kind=self.request.kind)
        return {
            "pinned": False,
            "created_at": self.now,
            "updated_at": self.now,
            "recorded_at": self.now,
            "last_confirmed_at": self.now,
            "revision": 1,
            "changed_seq": seq,
            "fingerprint": self._fingerprint,
            "index_format": INDEX_FORMAT,
            "assertion_count": 1,
            "source_count": 1,
            "source_keys": [self._source_key],
            **access_properties(history, self.parameters, importance=self.request.importance, standing=standing),
        }


def _refs(rows: list[dict[str, Any]]) -> tuple[EntityRef, ...]:
    return tuple(EntityRef(id=row["id"], name=row["name"], kind=row["kind"]) for row in rows)
