"""Keeping what is ingested, verbatim and at once: the episodes, before anything is made of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ids import new_id
from memorygraph.ingest.requests import IngestRequest
from memorygraph.ingest.sources import DocumentSource, Session, Turn
from memorygraph.validation import MAX_NAME
from memorygraph.writing.events import Event, canonical_json, reused_key
from memorygraph.writing.fingerprint import Fingerprints
from memorygraph.writing.items import check_next_position
from memorygraph.writing.mutation import Head

__all__ = ["Stored", "Storing", "stored_as_told"]

_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What is kept of a request. The ingestion's id is also the key of its job."""

    ingest_id: str
    episodes: int  # new ones
    known: int  # turns, or documents, that were known already

    @property
    def job_payload(self) -> dict[str, Any]:
        """What the job that works on it is told."""
        return {"ingest_id": self.ingest_id, "episodes": self.episodes, "known": self.known}


@dataclass(frozen=True, kw_only=True)
class Storing:
    """A checked request, ready for its transaction."""

    end_user_id: str
    request: IngestRequest
    fingerprints: Fingerprints
    actor: str
    now: int  # epoch ms

    async def begin(self, store: UserStore) -> Row | None:
        """Take the user's lock, and read what is known of the sessions."""
        return await store.begin_ingestion(
            idempotency_key=self._key, session_ids=[session_id for session_id, _ in self._sessions]
        )

    async def run(self, store: UserStore, head: Head) -> Stored:
        """Keep it, after :meth:`begin`. Raises :class:`IdempotencyConflict`; nothing is kept then."""
        for event in head.opened["events"]:
            if event["action"] != "ingest" or event["request_digest"] != self._digest:
                raise reused_key()
            return stored_as_told(event["target_id"], event["payload"])
        ingest_id = new_id(self.now)
        rows, known = self._episodes(ingest_id, head.opened["said"])
        for part in _parts(rows, _ROWS_AT_ONCE):
            await store.create_episodes(rows=part)
        event = Event(
            at=self.now,
            actor=self.actor,
            action="ingest",
            target_id=ingest_id,
            target_type="Ingestion",
            changed_ids=[],
            payload={"after": {"episodes": [row["id"] for row in rows], "known": known}},
            idempotency_key=self._key,
            request_digest=self._digest,
        )
        await store.append_event(event=head.link(event))
        return Stored(ingest_id=ingest_id, episodes=len(rows), known=known)

    @cached_property
    def _digest(self) -> str:
        """Of all that was asked: the same body twice is one ingestion."""
        told = asdict(self.request)
        del told["idempotency_key"]
        return self.fingerprints.of_request(self.end_user_id, canonical_json(told))

    @property
    def _key(self) -> str:
        caller = self.request.idempotency_key
        if caller is None:
            return f"ingest:{self._digest}"
        return "key:" + hashlib.sha256(caller.encode()).hexdigest()

    @cached_property
    def _sessions(self) -> list[tuple[str, Session]]:
        """The sessions with their names. One without a name is called after its content."""
        source, named = self.request.source, self.request.session_id
        if isinstance(source, DocumentSource):
            said = Session(turns=(Turn(text=source.text, position=0),))
            return [(named or self._name("document", source.text), said)]
        sessions = []
        for number, session in enumerate(source.sessions):
            name = named or session.session_id
            if name is None:
                name = self._name("conversation", canonical_json([turn.text for turn in session.turns]))
            elif named is not None and len(source.sessions) > 1:
                name = f"{named}/{session.session_id or number + 1}"
                if len(name) > MAX_NAME:
                    name = self._name(name[: MAX_NAME - 17], name)
            sessions.append((name, session))
        return sessions

    def _name(self, what: str, text: str) -> str:
        return f"{what}:{self.fingerprints.of_content(self.end_user_id, text)[:16]}"

    def _episodes(self, ingest_id: str, said: Sequence[Row]) -> tuple[list[Row], int]:
        """The episodes that are new, and the number of those that are known."""
        rows: list[Row] = []
        known = 0
        before: dict[str, set[tuple[int, str]]] = {}  # places and contents by session
        for row in said:
            before.setdefault(row["session_id"], set()).add((row["position"], row["content_hash"]))
        for session_id, session in self._sessions:
            there = before.setdefault(session_id, set())
            first = 0 if self.request.numbered else self._first_position(session, there)
            for turn in session.turns:
                check_next_position(first + turn.position, session_id=session_id)
                row = self._episode(ingest_id, session_id, session, turn, position=first + turn.position)
                place = (row["position"], row["content_hash"])
                if place in there:
                    known += 1
                else:
                    there.add(place)
                    rows.append(row)
        return rows, known

    def _first_position(self, session: Session, there: set[tuple[int, str]]) -> int:
        """Where turns without a place of their own begin.

        A conversation that is sent again, with or without what was said since, begins where it began: at 0.
        Anything else comes after what was said before.
        """
        taken = {position for position, _ in there}
        given = enumerate(self.fingerprints.of_content(self.end_user_id, turn.text) for turn in session.turns)
        again = all(place in there or (place[0] > 0 and place[0] not in taken) for place in given)
        return 0 if again or not taken else max(taken) + 1

    def _episode(self, ingest_id: str, session_id: str, session: Session, turn: Turn, *, position: int) -> Row:
        request, source = self.request, self.request.source
        at = next(
            (at for at in (turn.occurred_at, session.occurred_at, request.occurred_at) if at is not None), self.now
        )
        metadata: dict[str, Any] = {
            "project": request.project,
            "agent": request.agent,
            "tags": list(request.tags),
            "context": turn.context,
        }
        if isinstance(source, DocumentSource):
            metadata["title"] = source.title
            metadata["has_headings"] = any(section.heading for section in source.sections)
        return {
            "id": new_id(self.now),
            "text": turn.text,
            "role": turn.role,
            "speaker": turn.speaker,
            "session_id": session_id,
            "position": position,
            "occurred_at": at,
            "recorded_at": self.now,
            "zone": request.zone,
            "source": request.origin,
            "content_hash": self.fingerprints.of_content(self.end_user_id, turn.text),
            "metadata": canonical_json({name: value for name, value in metadata.items() if value not in (None, [])}),
            "ingest_id": ingest_id,
            "pending_since": self.now,
        }


def stored_as_told(ingest_id: str, payload: str | None) -> Stored:
    """What an ingestion kept, as the payload of its event tells; of one that an erasure took: that it was something."""
    if payload is None:
        return Stored(ingest_id=ingest_id, episodes=1, known=0)
    told = json.loads(payload)["after"]
    return Stored(ingest_id=ingest_id, episodes=len(told["episodes"]), known=told["known"])


def _parts(rows: Sequence[Row], size: int) -> list[list[Row]]:
    return [list(rows[start : start + size]) for start in range(0, len(rows), size)]
