"""Approving and rejecting, within the transaction of whatever decides it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from memorygraph.errors import Conflict, InvalidInput
from memorygraph.graph.scanning import PAGE, scanned
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.memory.bound import Change
from memorygraph.text.normalise import NORMALISATION_VERSION
from memorygraph.writing.fingerprint import Fingerprints
from memorygraph.writing.items import value_fingerprints

__all__ = ["approved", "live_told", "reject"]


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
    same = await live_told(change.store, fingerprints, values)
    same.pop(id, None)
    if properties["kind"] != "turn":
        same = {of: row for of, row in same.items() if row["properties"]["kind"] != "turn"}
    change.memories |= same
    in_force = {tombstone["fingerprint"] for tombstone in found["tombstones"]}
    new = [value for value in values if value not in in_force]
    first = change.changes.next_seq
    rejected = [id, *same]
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


async def live_told(store: UserStore, fingerprints: Fingerprints, values: Collection[str]) -> dict[str, Row]:
    """Rows of ``read_memories``, by id, of the live statements that are known by one of ``values``, turns too.

    They are filed under what they claim alone, so that of those with a claim all words of the user are read.
    """
    known = set(values)
    found = set(await store.read_sharers(fingerprints=sorted(known)))
    async for claim in scanned(lambda after: store.scan_claims(after=after, page=PAGE)):
        if not known.isdisjoint(value_fingerprints(fingerprints, store.end_user_id, claim)):
            found.add(claim["id"])
    rows = await store.read_memories(ids=sorted(found))
    return {row["id"]: row for row in rows if row["properties"] is not None and _is_live(row["properties"])}


def _is_live(properties: Row) -> bool:
    return bool(properties["status"] == "active" and properties["trust"] != "rejected")


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
