"""The questions that a statement raises which holds again, or claims something else: those of its creation."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row
from memorygraph.memory.bound import Change
from memorygraph.writing.contradiction import slot_of, suspects
from memorygraph.writing.questions import open_questions
from memorygraph.writing.slots import has_expired
from memorygraph.writing.surroundings import comparable_of
from memorygraph.writing.timeline import told_period

__all__ = ["contest", "contest_again", "declared_many", "settled"]

_MOST_ASKED = 20  # of one slot, the newest: as many as a new claim is held against
_NEVER = 2**62  # epoch ms


async def contest(change: Change, id: str, claim: Row) -> set[str]:
    """Ask which value holds, that of ``claim`` or the other live ones of its slot; the ids of the others.

    ``claim`` has the properties of the statement ``id`` as they will be. Nothing is asked of a predicate
    of which somebody said that it has many values at once, nor again while it is asked, or once both were kept.
    """
    questions = await _questions(change, id)
    rivals = [row["id"] for row in await _rivals(change, id, claim) if row["id"] not in settled(questions)]
    await _open(change, id, dict.fromkeys(rivals, "same_slot"))
    return set(rivals)


async def contest_again(change: Change, id: str, claim: Row) -> None:
    """As :func:`contest`, of a statement that holds again; what was asked of it before it left is asked again too."""
    questions = await _questions(change, id)
    known = settled(questions)
    reasons = {row["id"]: "same_slot" for row in await _rivals(change, id, claim)}
    closed = {question["id"]: question["reason"] for question in questions if question["id"] not in known}
    rows = await change.store.read_near(ids=sorted(closed.keys() - reasons.keys()))
    live = {row["id"]: row for row in rows if not has_expired(row, now=change.now)}
    for row in live.values():
        if closed[row["id"]] == "model":
            reasons[row["id"]] = "model"
    new, others = comparable_of(id, claim), [comparable_of(row["id"], row) for row in live.values()]
    if new is not None:
        found = suspects(new, [other for other in others if other is not None])
        reasons |= {suspicion.id: suspicion.reason for suspicion in found if suspicion.reason != "same_slot"}
    await _open(change, id, {other: reason for other, reason in reasons.items() if other not in known})


def settled(questions: Sequence[Row]) -> set[str]:
    """Ids of the others of ``questions`` (rows of ``read_relatives``) that nothing is to be asked about.

    They are asked about already, or it was decided at last that both hold.
    """
    latest = {
        question["id"]: question
        for question in sorted(questions, key=lambda of: _NEVER if of["resolved_at"] is None else of["resolved_at"])
    }
    return {id for id, last in latest.items() if last["resolved_at"] is None or last["resolution"] == "kept_both"}


def declared_many(claim: Row, others: Sequence[Row]) -> set[str]:
    """Ids of those of ``others`` of the slot of ``claim`` of which somebody said that it has many values at once."""
    slot = slot_of(claim.get("subject"), claim.get("predicate"))
    return {
        row["id"]
        for row in others
        if slot is not None
        and row.get("functional") is False
        and slot_of(row.get("subject"), row.get("predicate")) == slot
    }


async def _questions(change: Change, id: str) -> list[Row]:
    relatives = await change.store.read_relatives(id=id)
    return [] if relatives is None else list(relatives["questions"])


async def _rivals(change: Change, id: str, claim: Row) -> list[Row]:
    """The live claims of the slot with another value that hold at the same time, newest first."""
    if claim.get("slot_key") is None or claim.get("functional") is False or claim["kind"] == "turn":
        return []
    slot = {"slot_key": claim["slot_key"], "project": claim.get("project") or "", "since": _NEVER}
    (rows,) = await change.store.read_slots(slots=[slot])
    rivals = [
        row
        for row in rows
        if row["id"] != id
        and row["fingerprint"] != claim["fingerprint"]
        and row.get("functional") is not False
        and told_period(row).meets(told_period(claim))
        and not has_expired(row, now=change.now)
    ]
    return rivals[:_MOST_ASKED]


async def _open(change: Change, id: str, reasons: dict[str, str]) -> None:
    rows = [
        {"id": id, "other_id": other, "reason": reason, "at": change.now} for other, reason in sorted(reasons.items())
    ]
    await open_questions(change.store, change.changes, rows, change.parameters)
