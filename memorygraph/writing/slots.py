"""Claims of one slot, the same subject and predicate with different values: which of them holds now.

Supersession follows the time from which a value holds in the world, not the time of writing: a value
of 2022 that is told after one of 2024 does not become current.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memorygraph.writing.changes import Changes
from memorygraph.writing.events import Event
from memorygraph.writing.items import Item

__all__ = ["has_expired", "holds", "holds_from", "status_at", "supersede", "take_slot"]


def has_expired(memory: Mapping[str, Any], *, now: int) -> bool:
    """Whether the time of a memory, its properties or some of them, is over at ``now`` (epoch ms), marked so or not."""
    return memory.get("expires_at") is not None and memory["expires_at"] <= now


def status_at(memory: Mapping[str, Any], *, now: int) -> str:
    """The status of a memory at ``now`` (epoch ms): ``expired`` once its time is over, whether or not a pass marked it."""
    status = str(memory["status"])
    return "expired" if status == "active" and has_expired(memory, now=now) else status


def holds(memory: Mapping[str, Any], *, now: int) -> bool:
    """Whether a memory is active at ``now`` (epoch ms), its time not over."""
    return status_at(memory, now=now) == "active"


def holds_from(claim: Mapping[str, Any]) -> int:
    """Since when, epoch ms, a claim holds: as it was told, else when it happened, else when it was written."""
    for name in ("valid_from", "occurred_at"):
        if (at := claim.get(name)) is not None:
            return int(at)
    return int(claim["recorded_at"])


def take_slot(
    item: Item, new_id: str, known: Sequence[Mapping[str, Any]], changes: Changes, *, now: int
) -> list[Mapping[str, Any]]:
    """Settle a new claim with the live ones of its slot; those that are left as a question are returned.

    Of a functional predicate the newest value supersedes the others; one known to have many values
    at once has no conflict; of any other both stay. What nobody has approved yet retires nothing.
    """
    if item.slot_key is None or item.request.functional is False:
        return []
    others = [
        row
        for row in (*known, *_created_before(item, new_id, changes))
        if row["fingerprint"] != item.known_by[0] and row["id"] not in changes.gone and not has_expired(row, now=now)
    ]
    if not item.request.functional or item.trust != "accepted":
        return others
    new = changes.created[new_id]["properties"]
    accepted = [row for row in others if row["trust"] == "accepted"]
    later = [row for row in accepted if holds_from(row) > holds_from(new)]
    for row in accepted:
        if row not in later:
            supersede(changes, new_id, row["id"], holds_from=holds_from(new), reason="functional")
    if later:
        holder = min(later, key=holds_from)
        supersede(changes, holder["id"], new_id, holds_from=holds_from(holder), reason="functional")
    return []


def supersede(
    changes: Changes,
    new_id: str,
    old_id: str,
    *,
    holds_from: int,
    reason: str | None,
    target_type: str = "Statement",
) -> None:
    """Let ``new_id`` take the place of ``old_id``, with an event of its own on the old one.

    ``holds_from`` is since when the new one holds, epoch ms.
    """
    after = {"status": "superseded", "superseded_by": new_id, "superseded_from": holds_from, "reason": reason}
    seq = changes.note(
        Event(
            at=changes.now,
            actor=changes.actor,
            action="supersede",
            target_id=old_id,
            target_type=target_type,
            changed_ids=[old_id, new_id],
            payload={"before": {"status": "active"}, "after": after},
        )
    )
    changes.retire(old_id, "superseded", superseded_from=holds_from, changed_seq=seq)
    changes.superseded.append({"id": new_id, "superseded_id": old_id, "at": changes.now, "reason": reason})


def _created_before(item: Item, new_id: str, changes: Changes) -> list[Mapping[str, Any]]:
    created = [row["properties"] for id, row in changes.created.items() if id != new_id]
    return [
        of
        for of in created
        if of["slot_key"] == item.slot_key and of["project"] == item.request.project and of["status"] == "active"
    ]
