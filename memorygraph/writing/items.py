"""One value on its way into the memory: the checked request and the keys it is known by."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from memorygraph.errors import InvalidInput
from memorygraph.ids import new_id
from memorygraph.text.assertions import assertions
from memorygraph.text.tokens import search_text
from memorygraph.validation import MAX_POSITION, RememberRequest
from memorygraph.writing.contradiction import slot_of
from memorygraph.writing.entities import NamedEntity, named_entities
from memorygraph.writing.events import canonical_json
from memorygraph.writing.fingerprint import Fingerprints
from memorygraph.writing.timeline import began, holds_from

__all__ = ["LIFT_HINT", "Evidence", "Item", "check_next_position", "embedded_text", "value_fingerprints"]


LIFT_HINT = "Somebody with the review scope can lift the tombstone."


def embedded_text(text: str, speaker: str | None) -> str:
    """The text whose vector is stored: who speaks is part of what was said."""
    return text if speaker is None else f"{speaker}: {text}"


def value_fingerprints(fingerprints: Fingerprints, end_user_id: str, claim: Mapping[str, Any]) -> tuple[str, ...]:
    """The fingerprints that a value is known by, its own first: that of the claim it makes, and that of its words.

    ``claim`` has the properties of a statement: text, speaker, subject, predicate and value.
    """
    about = claim.get("subject") or claim.get("speaker")
    of_text = fingerprints.of_value(end_user_id, about=about, text=claim["text"])
    if claim.get("predicate") is None:
        return (of_text,)
    of_claim = fingerprints.of_claim(end_user_id, about=about or "", predicate=claim["predicate"], value=claim["value"])
    return (of_claim, of_text)


def check_next_position(position: int, *, session_id: str) -> None:
    """Raise :class:`InvalidInput` when a turn that comes after all others of its session has no position left."""
    if position > MAX_POSITION:
        raise InvalidInput(
            f"Session {session_id[:60]!r} has a turn at the last position there is, {MAX_POSITION}.",
            field="position",
            hint="Give the turn a position that is free, or begin another session.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where in an episode a statement is taken from, in characters."""

    episode_id: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Item:
    """A checked request. Times are epoch ms."""

    end_user_id: str
    request: RememberRequest
    fingerprints: Fingerprints
    actor: str  # who asks for it
    mutation_key: str = ""  # of this very call to remember: a commit whose answer was lost is recognised by it
    trust: str = "accepted"
    model: str | None = None  # what derived it
    evidence: Evidence | None = None

    @cached_property
    def known_by(self) -> tuple[str, ...]:
        """The value's fingerprints, its own first."""
        return value_fingerprints(self.fingerprints, self.end_user_id, self.claim)

    @property
    def claim(self) -> dict[str, Any]:
        request = self.request
        return {
            "text": request.text,
            "speaker": request.speaker,
            "subject": request.subject,
            "predicate": request.predicate,
            "value": request.value,
        }

    @cached_property
    def slot_key(self) -> str | None:
        """The key under which other values of the claim are found; None without a claim."""
        slot = slot_of(self.request.about, self.request.predicate)
        return None if slot is None else self.fingerprints.of_slot(self.end_user_id, slot)

    @cached_property
    def entities(self) -> tuple[NamedEntity, ...]:
        """The entities mentioned, those of its relations included."""
        related = [end for relation in self.request.relations for end in (relation.subject, relation.object)]
        return named_entities([*self.request.entities, *related])

    @cached_property
    def content_hash(self) -> str:
        """The digest of a turn's exact text."""
        return self.fingerprints.of_content(self.end_user_id, self.request.text)

    @cached_property
    def key(self) -> str:
        """The idempotency key as the event holds it."""
        caller = self.request.idempotency_key
        # Hashed: a key that a caller makes up may say things that an erasure must not leave behind.
        return self.mutation_key if caller is None else "key:" + hashlib.sha256(caller.encode()).hexdigest()

    @cached_property
    def digest(self) -> str:
        """The digest of the whole request."""
        request = self.request
        told = {of.name: value for of in fields(request) if (value := getattr(request, of.name)) is not None}
        # The entities and relations are dataclasses too. Only they are taken apart: for the rest that costs much time.
        for name in ("entities", "relations"):
            told[name] = [asdict(of) for of in told[name]]
        return self.fingerprints.of_request(self.end_user_id, canonical_json(told))

    @cached_property
    def source_key(self) -> str:
        """Who says it: an agent that repeats itself is no evidence, only a new source, agent or session is."""
        request = self.request
        said_by = canonical_json([request.source, request.agent, request.session_id])
        return hashlib.sha256(said_by.encode()).hexdigest()[:16]

    @cached_property
    def search_text(self) -> str:
        """What lexical search sees: the text, who speaks, title, context, keywords and the entities' names."""
        request = self.request
        extra = [request.title, request.context, *request.keywords, *(entity.name for entity in self.entities)]
        names = [name for name in extra if name is not None]
        return search_text(self.end_user_id, request.text, speaker=request.speaker, names=names)

    def prepare(self) -> None:
        """Work out what takes time and needs nothing but the request."""
        _ = self.known_by, self.slot_key, self.entities, self.key, self.digest, self.source_key, self.search_text
        if self.request.kind != "turn":
            assertions(self.request.text)  # which remembers them

    def lookup(self, *, now: int) -> dict[str, Any]:
        """What ``begin_writing`` asks about it alone."""
        request = self.request
        return {
            "fingerprint": self.known_by[0],
            "fingerprints": list(self.known_by),
            "project": request.project or "",  # what is said within a project is that project's
            "idempotency_key": self.key,
            "since": began(self.times(now=now)),
        }

    @property
    def is_placed(self) -> bool:
        """Whether ``read_places`` has to be asked about it: most values are no claim, and come from nowhere."""
        request = self.request
        has_place = request.kind == "turn" and request.position is not None
        return has_place or bool(self.slot_key or request.supersedes or self.evidence)

    def times(self, *, now: int) -> dict[str, Any]:
        """When it happened and since when and until when it holds, as the statement has it that is written ``now``."""
        request = self.request
        return {
            "occurred_at": now if request.occurred_at is None else request.occurred_at,
            "valid_from": request.valid_from,
            "valid_to": request.valid_to,
        }

    def holds_from(self, *, now: int) -> int:
        """Since when, epoch ms, it holds: as it is told, else when it happened, else ``now``."""
        return holds_from(self.times(now=now))

    def slot(self, *, now: int) -> dict[str, Any]:
        """What ``read_slots`` asks about it."""
        return {
            "slot_key": self.slot_key,
            "project": self.request.project or "",
            "since": began(self.times(now=now)),
        }

    def place(self) -> dict[str, Any]:
        """What ``read_places`` asks about it."""
        request = self.request
        is_turn = request.kind == "turn"
        evidence = [] if self.evidence is None else [self.evidence.episode_id]
        return {
            "project": request.project or "",
            # Of a predicate with one value at a time the whole slot is read, by ``read_slots``.
            "slot_key": "" if self.request.functional else self.slot_key or "",
            "supersedes": list(request.supersedes),
            "evidence_ids": evidence,
            # What else is taken from an episode matters to turns alone; from a document it is thousands of claims.
            "turn_ids": evidence if is_turn else [],
            "session_id": request.session_id if is_turn else None,
            "position": request.position if is_turn else None,
            "content_hash": self.content_hash if is_turn else None,
        }

    def properties(self, *, now: int, position: int | None) -> dict[str, Any]:
        """What was said, as the new statement has it."""
        request = self.request
        return {
            "id": new_id(now),
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
            **self.times(now=now),
            "subject": request.subject,
            "predicate": request.predicate,
            "value": request.value,
            "functional": request.functional,
            "expires_at": request.expires_at,
            "source": request.source,
            "agent": request.agent,
            "model": self.model,
            "actor": self.actor,
            "trust": self.trust,
            "status": "active",
        }

    def episode(self, *, now: int, position: int | None) -> dict[str, Any]:
        """The episode that keeps a turn verbatim."""
        request = self.request
        return {
            "id": new_id(now),
            "text": request.text,
            "speaker": request.speaker,
            "session_id": request.session_id,
            "position": position,
            "occurred_at": now if request.occurred_at is None else request.occurred_at,
            "recorded_at": now,
            "source": request.source,
            "content_hash": self.content_hash,
        }
