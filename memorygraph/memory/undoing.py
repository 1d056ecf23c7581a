"""Undoing one event: what was before holds again, by the verbs that would do it by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from memorygraph.entities.restoring import RestoringEntities
from memorygraph.errors import Conflict
from memorygraph.memory.bound import Change
from memorygraph.memory.contesting import contest_again
from memorygraph.memory.records import HistoryEntry
from memorygraph.memory.rejecting import live_told
from memorygraph.memory.reviewing import Review
from memorygraph.memory.revising import Revising
from memorygraph.times import from_ms, to_ms
from memorygraph.validation import EntitySpec
from memorygraph.writing.events import Event
from memorygraph.writing.questions import reopen_question
from memorygraph.writing.slots import status_at

__all__ = ["Undoing", "check_undoable"]

_TIMES = ("valid_from", "valid_to", "expires_at", "occurred_at")

_SUPERSEDING = ("supersede", "supersede:moved")
_FOLLOWS, _OF_STATEMENT = "the relation follows its statement", "Revert the event that retired or restored that."

# Why an event is not undone, and what to do instead.
_INSTEAD = {
    "remember:created": ("what was said was said", "Retract it, or erase it."),
    "remember:candidate": ("what was said was said", "Reject it, or erase it."),
    "remember:confirmed": ("what was said again was said", "Retract the memory if it does not hold."),
    "fuse": ("its originals were fused together", "Say again what of it holds."),
    "supersede:moved": ("how long it held follows from what was told", "Retract what holds after it, or reinstate it."),
    "expire": ("its time is over", "Reinstate it, which takes the expiry away."),
    "question:opened": ("a contradiction is decided, not undone", "Answer it in the review."),
    "question:reopened": ("a contradiction is decided, not undone", "Answer it in the review."),
    "entity:split": ("two entities are made one by a merge", "Merge them again."),
    "relate:created": ("what was said was said", "Retire the relation."),
    "relate:confirmed": ("what was said again was said", "Retire the relation if it does not hold."),
    "relate:corrected": ("what was said was said", "State the relation as it is."),
    "relate:retired": ("what is believed no more is said anew", "State the relation again."),
    "relate:withdrawn": (_FOLLOWS, _OF_STATEMENT),
    "relate:ended": (_FOLLOWS, _OF_STATEMENT),
    "relate:restored": (_FOLLOWS, _OF_STATEMENT),
    "ingest": ("what was said was said", "Retract, or erase, what was made of it."),
    "erase": ("what was erased is gone", "Remember it again, once a reviewer has lifted the tombstone."),
    "erase:completed": ("what was erased is gone", "Remember it again, once a reviewer has lifted the tombstone."),
}


def check_undoable(entry: HistoryEntry) -> None:
    """Raise :class:`Conflict` with what to do instead when an event is of a kind that is not undone, or was erased."""
    if entry.action in _INSTEAD:
        why, instead = _INSTEAD[entry.action]
        raise Conflict(f"Event {entry.seq} ({entry.action}) cannot be undone: {why}.", hint=instead)
    if entry.erased:
        raise Conflict(f"What event {entry.seq} changed was erased, and cannot be brought back.")


class Undoing(Revising):
    """The verbs of a memory, each of whose changes undoes one event. Raises ``Moved`` when others were faster."""

    async def undo(self, entry: HistoryEntry, entries: Sequence[HistoryEntry]) -> None:
        """Undo ``entry``; ``entries`` are all events of its target, newest first.

        Raises :class:`Conflict` where it cannot be undone as things stand; :func:`check_undoable` comes first.
        """
        before, after, id = entry.before or {}, entry.after or {}, entry.target_id
        match entry.action:
            case "revise":
                await self.revise(id, **_given(before))
            case "retract" | "supersede":
                await self.reinstate(id)
            case "reinstate":
                await self._undo_reinstatement(entry, entries)
            case "pin":
                await self.unpin(id)
            case "unpin":
                await self.pin(id)
            case "link":
                await self._relink(id, after["linked"], now=True, then=entry.before)
            case "unlink":
                await self._relink(id, before["linked"], now=False, then=before)
            case "approve":
                await self._undo_approval(id, before)
            case "reject":
                await self._undo_rejection(entry)
            case "unapprove":
                await self._review.approve(id)
            case "unreject":
                await self._review.reject(id, f"Event {entry.seq} is undone.")
            case "tombstone:set":
                await self._review.lift(id)
            case "tombstone:lifted":
                await self._undo_lifting(id)
            case "question:superseded" | "question:kept_both" | "question:rejected":
                await self._undo_answer(entry)
            case "entity:revised" | "entity:alias_added" | "entity:alias_removed":
                await self._entities.restore(id, before)
            case "entity:merged":
                await self._entities.split(id, entry.seq)
            case action:
                raise Conflict(f"Event {entry.seq} ({action}) is of no kind that can be undone.")

    @property
    def _review(self) -> Review:
        return Review(self._tools, self._end_user_id, actor=self._actor, scopes=self._scopes, reversal=self._reversal)

    @property
    def _entities(self) -> RestoringEntities:
        return RestoringEntities(
            self._tools, self._end_user_id, actor=self._actor, scopes=self._scopes, reversal=self._reversal
        )

    async def _undo_reinstatement(self, entry: HistoryEntry, entries: Sequence[HistoryEntry]) -> None:
        before, id = entry.before or {}, entry.target_id
        if before["trust"] == "rejected":
            raise Conflict(f"Event {entry.seq} reinstated what was rejected.", hint="Reject it again in the review.")
        if before["status"] == "retracted":
            await self.retract(id, f"Event {entry.seq} is undone.")
            return
        if before["status"] == "superseded":
            older = (of for of in entries if of.seq < entry.seq and of.action in _SUPERSEDING)
            if (last := next(older, None)) is not None and not last.erased:
                await self.supersede(id, (last.after or {})["superseded_by"])
                return
        status = "expired" if "expires_at" in before else before["status"]
        raise Conflict(f"Event {entry.seq} cannot be undone: {id} was {status} before.", hint="Retract it instead.")

    async def _relink(self, id: str, other_id: str, *, now: bool, then: Mapping[str, Any] | None) -> None:
        """Take away the link that is there ``now``, and make the one that was there ``then``."""

        async def work(change: Change) -> None:
            relatives = await change.store.read_relatives(id=id) or {"links": []}
            links = [link for link in relatives["links"] if link["id"] == other_id]
            if bool(links) != now:
                raise Conflict(f"{id} and {other_id} are {'linked' if links else 'not linked'}.")
            if then is not None:
                change.check_active(id, other_id)
            if links:
                await change.store.unlink_memories(rows=[{"id": id, "other_id": other_id}])
            if then is not None:
                row = {"id": id, "other_id": other_id, "score": then["score"], "origin": then["origin"]}
                change.changes.links.append(row)
            before = None
            if links:
                before = {"linked": other_id, "origin": links[0]["origin"], "score": links[0]["score"]}
            action = "unlink" if then is None else "link"
            seq = change.note(action, id, before=before, after=then, also=[other_id])
            change.changes.update(id, changed_seq=seq)

        await self._change([id, other_id], work)

    async def _undo_approval(self, id: str, before: Mapping[str, Any]) -> None:
        async def work(change: Change) -> None:
            properties = change.memories[id]["properties"]
            after = {name: before.get(name) for name in ("trust", "reviewed_by", "reviewed_at")}
            now = {name: properties.get(name) for name in after}
            seq = change.note("unapprove", id, before=now, after=after)
            since = properties.get("review_since") or change.now
            change.changes.update(id, **change.standing(id, **after, review_since=since, changed_seq=seq))

        await self._reviewing([id], work)

    async def _undo_rejection(self, entry: HistoryEntry) -> None:
        before, after, id = entry.before or {}, entry.after or {}, entry.target_id
        if before["status"] != "active":
            raise Conflict(
                f"{id} was {before['status']} before it was rejected.", hint="Lift the tombstone, and reinstate it."
            )

        async def work(change: Change) -> None:
            properties = change.memories[id]["properties"]
            tombstones = await change.store.read_tombstones(fingerprints=after["tombstones"])
            own = [of["fingerprint"] for of in tombstones if of["lifted_at"] is None and of["seq"] == entry.seq]
            await change.store.lift_tombstones(fingerprints=own, at=change.now)
            await self._check_value(change, properties, own_id=id)
            restored = {name: before.get(name) for name in ("trust", "status", "reviewed_by", "reviewed_at")}
            now = {name: properties.get(name) for name in restored}
            seq = change.note("unreject", id, before=now, after=restored | {"tombstones": own})
            since = change.now if restored["trust"] == "candidate" else None
            change.changes.revive(id, **change.standing(id, **restored, review_since=since, changed_seq=seq))
            await contest_again(change, id, properties)

        await self._reviewing([id], work)

    async def _undo_lifting(self, fingerprint: str) -> None:
        async def work(change: Change) -> None:
            told = await live_told(change.store, self._tools.fingerprints, [fingerprint])
            held = [of for of, row in told.items() if row["properties"]["kind"] != "turn"]
            if held:
                raise Conflict(f"{min(held)} has the value meanwhile.", hint="Reject it in the review.")
            await change.store.write_tombstones(rows=[{"fingerprint": fingerprint, "properties": {}}])
            change.changes.note(
                Event(
                    at=change.now,
                    actor=self._actor,
                    action="tombstone:set",
                    target_id=fingerprint,
                    target_type="Tombstone",
                    changed_ids=[],
                    payload={"after": {"lifted_at": None}},
                )
            )

        await self._reviewing([], work)

    async def _undo_answer(self, entry: HistoryEntry) -> None:
        id, other_id = (entry.before or {})["contradicted_by"], entry.target_id

        async def work(change: Change) -> None:
            for one in (id, other_id):
                if (status := status_at(change.memories[one]["properties"], now=change.now)) != "active":
                    raise Conflict(
                        f"{one} is {status} since the contradiction was answered.",
                        hint="Revert the event that retired it, or reinstate it: it is asked again then.",
                    )
            relatives = await change.store.read_relatives(id=id) or {"questions": []}
            if any(of["id"] == other_id and of["resolved_at"] is None for of in relatives["questions"]):
                raise Conflict(f"It is asked already which of {id} and {other_id} holds.")
            question = {"id": id, "other_id": other_id, "resolved_at": to_ms(entry.at, field="at")}
            if not await reopen_question(change.store, change.changes, question, change.parameters):
                raise Conflict(f"There is no such answer about {id} and {other_id} any more.")

        await self._reviewing([id, other_id], work)

    async def _reviewing(self, ids: Sequence[str], work: Callable[[Change], Awaitable[None]]) -> None:
        self._need("review")
        await self._change(ids, work)


def _given(before: Mapping[str, Any]) -> dict[str, Any]:
    """Stored values as :meth:`Revising.revise` takes them."""

    def given(name: str, value: Any) -> Any:
        if value is None:
            return None
        if name in _TIMES:
            return from_ms(value)
        if name == "entities":
            return [EntitySpec(name=entity["name"], kind=entity["kind"]) for entity in value]
        return value

    return {name: given(name, value) for name, value in before.items()}
