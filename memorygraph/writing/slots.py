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
from memorygraph.writing.timeline import BEGINNING, Span, began, place_among, told_period

__all__ = ["has_expired", "hold_slot", "holds", "status_at", "supersede", "take_slot"]


def has_expired(memory: Mapping[str, Any], *, now: int) -> bool:
    """Whether the time of a memory, its properties or some of them, is over at ``now`` (epoch ms), marked so or not."""
    return memory.get("expires_at") is not None and memory["expires_at"] <= now


def status_at(memory: Mapping[str, Any], *, now: int) -> str:
    """The status of a memory at ``now`` (epoch ms): ``expired`` once its time is over, marked so or not."""
    status = str(memory["status"])
    return "expired" if status == "active" and has_expired(memory, now=now) else status


def holds(memory: Mapping[str, Any], *, now: int) -> bool:
    """Whether a memory is active at ``now`` (epoch ms), its time not over."""
    return status_at(memory, now=now) == "active"


def take_slot(
    item: Item, new_id: str, known: Sequence[Mapping[str, Any]], changes: Changes, *, now: int
) -> Sequence[Mapping[str, Any]]:
    """Settle a new claim with the others of its slot; those that are left as a question are returned.

    Of a functional predicate the newest value supersedes the others; one known to have many values
    at once has no conflict; of any other both stay. What nobody has approved yet retires nothing, and nothing
    retires it; what is over already retires nothing.
    ``known`` are rows of ``read_slots``, or of ``read_places`` where the predicate is not functional.
    """
    if item.slot_key is None or item.request.functional is False:
        return []
    others = _as_they_are([*known, *_created_before(item, new_id, changes)], changes, now=now)
    times = item.times(now=now)
    told = told_period(times)
    live = [row for row in others if row["status"] == "active"]
    contrary = [row for row in live if row["fingerprint"] != item.known_by[0] and told_period(row).meets(told)]
    if not item.request.functional or item.trust != "accepted":
        return contrary
    ended = [row for row in others if row["status"] == "superseded"]
    _take_place(changes, new_id, began(times), live + ended, over=_is_over(times, now=now), now=now)
    return [row for row in contrary if row["id"] not in changes.gone]


def hold_slot(
    item: Item, live: Mapping[str, Any], known: Sequence[Mapping[str, Any]], changes: Changes, *, now: int
) -> None:
    """As :func:`take_slot`, for a claim that is live already and said again: it takes the place of the live others.

    Since when it does is told by ``item``. Where either is over it takes no place.
    """
    if item.slot_key is None or not item.request.functional or item.trust != "accepted" or live["status"] != "active":
        return
    others = _as_they_are([*known, *_created_before(item, live["id"], changes)], changes, now=now)
    rows = [row for row in others if row["status"] == "active" and row["id"] != live["id"]]
    times = item.times(now=now)
    since = began(live) if began(times) == BEGINNING else began(times)
    over = _is_over(times, now=now) or _is_over(live, now=now)
    _take_place(changes, live["id"], since, rows, over=over, now=now)


def _take_place(
    changes: Changes, new_id: str, since: int, others: Sequence[Mapping[str, Any]], *, over: bool, now: int
) -> None:
    """Put a claim that began at ``since`` (epoch ms) among ``others`` of its slot; candidates are left as they are."""
    accepted = {row["id"]: row for row in others if row["trust"] == "accepted"}
    place = place_among([_span(row, now=now) for row in accepted.values()], since, over=over)
    for id in place.ends:
        if accepted[id]["status"] == "active":
            supersede(changes, new_id, id, holds_from=since, reason="functional")
        else:
            _hand_over(changes, new_id, accepted[id], holds_from=since)
    if place.holder is not None and place.until is not None:
        supersede(changes, place.holder, new_id, holds_from=place.until, reason="functional")


def _is_over(claim: Mapping[str, Any], *, now: int) -> bool:
    """Whether a claim was told to hold until an instant that has passed."""
    return claim.get("valid_to") is not None and claim["valid_to"] <= now


def _span(row: Mapping[str, Any], *, now: int) -> Span:
    """For how long a claim holds, a row of ``read_slots``; what took its place counts while it was not withdrawn."""
    standing = (of["id"] for of in row.get("holders") or () if status_at(of, now=now) in ("active", "superseded"))
    until = row.get("superseded_from") if row["status"] == "superseded" else None
    return Span(id=row["id"], since=began(row), until=until, holder=next(standing, None), over=_is_over(row, now=now))


def _as_they_are(rows: Sequence[Mapping[str, Any]], changes: Changes, *, now: int) -> list[dict[str, Any]]:
    """Those of ``rows`` whose time is not over, with what the transaction has changed of them so far."""
    holders = {row["superseded_id"]: [{"id": row["id"], "status": "active"}] for row in changes.superseded}
    found = []
    for row in rows:
        changed = changes.of(row["id"])
        if row["id"] in holders:
            changed["holders"] = holders[row["id"]]
        found.append({**row, **changed})
    return [row for row in found if not has_expired(row, now=now)]


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


def _hand_over(changes: Changes, new_id: str, old: Mapping[str, Any], *, holds_from: int) -> None:
    """Let ``new_id`` hold after ``old``, a superseded claim, in place of what held after it but begins later."""
    before = {name: old.get(name) for name in ("status", "superseded_from")}
    before["superseded_by"] = next((of["id"] for of in old.get("holders") or ()), None)
    after = {"status": "superseded", "superseded_by": new_id, "superseded_from": holds_from, "reason": "functional"}
    seq = changes.note(
        Event(
            at=changes.now,
            actor=changes.actor,
            action="supersede:moved",
            target_id=old["id"],
            target_type="Statement",
            changed_ids=[old["id"], new_id],
            payload={"before": before, "after": after},
        )
    )
    changes.end_earlier(old["id"], superseded_from=holds_from, changed_seq=seq)
    changes.superseded.append({"id": new_id, "superseded_id": old["id"], "at": changes.now, "reason": "functional"})


def _created_before(item: Item, own_id: str, changes: Changes) -> list[Mapping[str, Any]]:
    created = [row["properties"] for id, row in changes.created.items() if id != own_id]
    return [of for of in created if of["slot_key"] == item.slot_key and of["project"] == item.request.project]
