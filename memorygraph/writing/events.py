"""The chain of a user's events: one per mutation, each covering the one before.

``hash = H(prev_hash, seq, at, actor, action, target, cycle, key, request, changed ids, payload_hash)``
and ``payload_hash = H(salt, payload)``. The chain covers the payload only through its salted hash,
so erasing payload and salt together leaves a chain that verifies and nothing to guess from.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memorygraph.errors import IdempotencyConflict

__all__ = ["GENESIS", "ChainReport", "Event", "canonical_json", "first_fault", "relation_event", "reused_key"]

GENESIS = "0" * 64  # what stands before the first event

# In the order in which they are hashed; everything of an event that is never erased.
_COVERED = (
    "seq",
    "at",
    "actor",
    "action",
    "target_id",
    "target_type",
    "cycle_id",
    "idempotency_key",
    "request_digest",
    "changed_ids",
    "payload_hash",
)


def canonical_json(value: object) -> str:
    """JSON with sorted keys, no spaces and every character as itself, so that equal values give equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def payload_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """The payload of an Event node's properties; empty where it was erased."""
    told = event.get("payload")
    return {} if told is None else dict(json.loads(told))


def reused_key() -> IdempotencyConflict:
    """What to raise when the event of an idempotency key is that of another request."""
    return IdempotencyConflict(
        "The idempotency key was used before for another request.", hint="Use a new key for a new request."
    )


def _hash(*parts: object) -> str:
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One mutation, as it is about to be appended."""

    at: int  # epoch ms
    actor: str  # who asked for it
    action: str  # verb in the past or "verb:outcome", e.g. "remember:created"
    target_id: str
    target_type: str
    changed_ids: Sequence[str]  # statements and summaries that recall has to look at again, gone ones included
    payload: Mapping[str, Any]  # before, after, reason
    cycle_id: str | None = None
    idempotency_key: str | None = None  # None: the event is its own
    request_digest: str | None = None

    def properties(self, *, seq: int, prev_hash: str) -> dict[str, Any]:
        """The Event node's properties as number ``seq`` after the event whose hash is ``prev_hash``."""
        payload = canonical_json(self.payload)
        salt = secrets.token_hex(16)
        properties: dict[str, Any] = {
            "seq": seq,
            "at": self.at,
            "actor": self.actor,
            "action": self.action,
            "target_id": self.target_id,
            "target_type": self.target_type,
            "cycle_id": self.cycle_id,
            "idempotency_key": self.idempotency_key or f"seq:{seq}",
            "request_digest": self.request_digest,
            "changed_ids": list(self.changed_ids),
            "payload_hash": _hash(salt, payload),
        }
        properties["hash"] = _chain_hash(prev_hash, properties)
        return {**properties, "prev_hash": prev_hash, "payload": payload, "salt": salt}


def _chain_hash(prev_hash: str, properties: Mapping[str, Any]) -> str:
    return _hash(prev_hash, *(properties.get(name) for name in _COVERED))


def relation_event(
    action: str, relation_id: str, *, at: int, actor: str, before: Mapping[str, Any] | None, after: Mapping[str, Any]
) -> Event:
    """The event of a relation that changes with a statement; recall knows nothing of relations."""
    return Event(
        at=at,
        actor=actor,
        action=action,
        target_id=relation_id,
        target_type="Relation",
        changed_ids=[],
        payload={"before": before, "after": after},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainReport:
    """What a verification found."""

    ok: bool
    checked: int  # events that verified
    broken_seq: int | None = None  # the first event that does not
    reason: str | None = None
    head_hash: str | None = None  # of the newest event of a chain that holds; None when there is no event


def first_fault(events: Sequence[Mapping[str, Any]], *, after: int, prev_hash: str) -> tuple[int, str] | None:
    """The number and the fault of the first event that does not continue the chain, or ``None``.

    ``events`` are Event properties in order, the first following number ``after`` with hash ``prev_hash``.
    """
    expected = after + 1
    for event in events:
        seq = event["seq"]
        if seq != expected:
            return expected, f"event {expected} is missing"
        if event["prev_hash"] != prev_hash or event["hash"] != _chain_hash(prev_hash, event):
            return seq, f"event {seq} was changed, or one before it was replaced"
        salt, payload = event.get("salt"), event.get("payload")
        if (salt is None) != (payload is None):
            return seq, f"event {seq} lost half of its payload"
        if payload is not None and event["payload_hash"] != _hash(salt, payload):
            return seq, f"the payload of event {seq} was changed"
        prev_hash = event["hash"]
        expected += 1
    return None
