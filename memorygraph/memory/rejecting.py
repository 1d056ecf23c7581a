"""Approving and rejecting, within the transaction of whatever decides it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memorygraph.errors import Conflict, InvalidInput
from memorygraph.graph.session import Row
from memorygraph.memory.bound import Change, MemoryTools
from memorygraph.text.normalise import NORMALISATION_VERSION
from memorygraph.writing.items import value_fingerprints

__all__ = ["approved", "reject"]

_WORDED_ALIKE = 0.5  # cosine below which two texts do not have the same words; a speaker's name moves it
_MOST_ALIKE = 1000  # statements that are looked at


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
    tools: MemoryTools,
    id: str,
    *,
    vector: npt.NDArray[np.float32],
    reason: str | None,
    answered: Sequence[Row] = (),
) -> None:
    """Reject a statement and all live ones of the same value, with tombstones that keep the value out.

    ``vector`` is that of its text; ``answered`` are questions that are closed already. Raises
    :class:`Conflict` when it is rejected already, and :class:`InvalidInput` for a summary.
    """
    row = change.memories[id]
    if row["type"] != "Statement":
        raise InvalidInput(
            f"{id} is a summary: it has no value of its own to be rejected.", field="id", hint="Retract it."
        )
    if row["properties"]["trust"] == "rejected":
        raise Conflict(f"{id} is rejected already.")
    end_user_id = change.store.end_user_id
    known_by = value_fingerprints(tools.fingerprints, end_user_id, row["properties"])
    found = await change.store.find_values(fingerprints=known_by)
    same = {of["id"] for of in found["live"]} | await _worded_alike(change, tools, vector, known_by)
    change.memories |= {of["id"]: of for of in await change.store.read_memories(ids=sorted(same - {id}))}
    in_force = {tombstone["fingerprint"] for tombstone in found["tombstones"]}
    new = [fingerprint for fingerprint in known_by if fingerprint not in in_force]
    first = change.changes.next_seq
    rejected = [id, *sorted(same - {id})]
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


async def _worded_alike(
    change: Change, tools: MemoryTools, vector: npt.NDArray[np.float32], known_by: Sequence[str]
) -> set[str]:
    """Live statements of the same words that make a claim as well: they are filed under the claim alone."""
    _, near = await tools.neighbours.near(
        change.store.end_user_id,
        vector[None, :],
        [None],
        floor=_WORDED_ALIKE,
        now=change.now,
        head=change.changes.head.seq - len(change.changes.events),
        most=_MOST_ALIKE,
    )
    rows = await change.store.read_near(ids=[of.id for of in near[0] if of.type == "Statement"])
    told = set(known_by)
    return {
        row["id"]
        for row in rows
        if row["kind"] != "turn" and told & set(value_fingerprints(tools.fingerprints, change.store.end_user_id, row))
    }
