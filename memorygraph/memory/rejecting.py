"""Approving and rejecting, within the transaction of whatever decides it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from memorygraph.errors import Conflict, InvalidInput
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.memory.bound import Change
from memorygraph.text.normalise import NORMALISATION_VERSION
from memorygraph.writing.fingerprint import Fingerprints
from memorygraph.writing.items import value_fingerprints

__all__ = ["approved", "claims_told", "reject"]

_PAGE = 500


def approved(change: Change, id: str, *, reason: str | None) -> None:
    """Accept a candidate."""
    properties = change.memories[id]["properties"]
    after = {"trust": "accepted", "reviewed_by": change.changes.actor, "reviewed_at": change.now}
    before = {name: properties.get(name) for name in after}
    seq = change.note("approve", id, before=before, after=after, reason=reason)
    waits = properties.get("review_since") if properties.get("open_questions") else None
    change.changes.update(id, **change.standing(id, **after, review_since=waits, changed_seq=seq))


async def reject(
    change: Change,
    fingerprints: Fingerprints,
    id: str,
    *,
    reason: str | None,
    kept: str | None = None,
    answered: Sequence[Row] = (),
) -> None:
    """Reject a statement and all live ones of the same value, with tombstones that keep the value out.

    With a turn go the turns of the same words; with another statement they stay, as a record of what was said.
    ``kept`` is a statement that holds instead: what it says is not rejected. ``answered`` are questions
    that are closed already. Raises :class:`Conflict` when it is rejected already, or says nothing that
    ``kept`` does not say, and :class:`InvalidInput` for a summary.
    """
    row = change.memories[id]
    properties = row["properties"]
    if row["type"] != "Statement":
        raise InvalidInput(
            f"{id} is a summary: it has no value of its own to be rejected.", field="id", hint="Retract it."
        )
    if properties["trust"] == "rejected":
        raise Conflict(f"{id} is rejected already.")
    end_user_id = change.store.end_user_id
    values = value_fingerprints(fingerprints, end_user_id, properties)
    if kept is not None:
        stays = value_fingerprints(fingerprints, end_user_id, change.memories[kept]["properties"])
        values = tuple(value for value in values if value not in stays)
        if not values:
            raise Conflict(f"{id} says nothing that {kept} does not say.", hint="Supersede it by the other.")
    found = await change.store.find_values(fingerprints=values)
    same = {of["id"] for of in found["live"]} | await claims_told(change.store, fingerprints, values)
    if properties["kind"] == "turn":
        same |= set(await change.store.read_sharers(fingerprints=values))
    others = await change.store.read_memories(ids=sorted(same - {id}))
    live = {of["id"]: of for of in others if _goes_with(properties, of)}
    change.memories |= live
    in_force = {tombstone["fingerprint"] for tombstone in found["tombstones"]}
    new = [value for value in values if value not in in_force]
    first = change.changes.next_seq
    rejected = [id, *live]
    for one in rejected:
        _reject_one(change, one, tombstones=new if one == id else [], reason=reason)
    tombstone = {
        "normalisation_version": NORMALISATION_VERSION,
        "kind": "rejected",
        "actor": change.changes.actor,
        "created_at": change.now,
        "seq": first,
    }
    await change.store.write_tombstones(rows=[{"fingerprint": of, "properties": tombstone} for of in new])
    await change.store.unsupersede_memories(ids=rejected)
    await change.settle_questions(rejected, "rejected", answered=answered)


def _goes_with(rejected: Row, other: Row) -> bool:
    properties = other["properties"]
    is_live = properties["status"] == "active" and properties["trust"] != "rejected"
    stays = properties["kind"] == "turn" and rejected["kind"] != "turn"
    return is_live and not stays


async def claims_told(store: UserStore, fingerprints: Fingerprints, values: Collection[str]) -> set[str]:
    """Ids of statements that make a claim and are known by one of ``values``, by that claim or by their words.

    A claim is filed under what it claims alone, so that all claims of the user are read.
    """
    told: set[str] = set()
    after = ""
    while rows := await store.scan_claims(after=after, page=_PAGE):
        claims = [row["properties"] for row in rows]
        after = claims[-1]["id"]
        for claim in claims:
            if not set(values).isdisjoint(value_fingerprints(fingerprints, store.end_user_id, claim)):
                told.add(claim["id"])
    return told


def _reject_one(change: Change, id: str, *, tombstones: Sequence[str], reason: str | None) -> None:
    properties = change.memories[id]["properties"]
    after: dict[str, Any] = {
        "trust": "rejected",
        "status": "retracted",
        "reviewed_by": change.changes.actor,
        "reviewed_at": change.now,
    }
    before = {name: properties.get(name) for name in after}
    seq = change.note("reject", id, before=before, after=after | {"tombstones": list(tombstones)}, reason=reason)
    changed = after | {"review_since": None, "superseded_from": None, "changed_seq": seq}
    if properties["status"] == "active":
        del changed["status"]
        change.changes.retire(id, "retracted", **changed)
    else:
        change.changes.update(id, **changed)
