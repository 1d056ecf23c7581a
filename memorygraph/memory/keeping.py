"""The life of what is remembered: superseded, retracted, reinstated, pinned, expired, linked by hand."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from memorygraph.errors import Conflict, InvalidInput, NotFound, Tombstoned
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.memory.bound import Bound, Change
from memorygraph.memory.contesting import contest_again
from memorygraph.records import MemoryRecord
from memorygraph.validation import check_identifier, check_optional_reason, check_reason
from memorygraph.writing.items import LIFT_HINT, value_fingerprints
from memorygraph.writing.slots import has_expired, holds, supersede
from memorygraph.writing.timeline import holds_from, period_of

__all__ = ["Keeping"]

_EXPIRED_PAGE = 500


class Keeping(Bound):
    """What can be done with a memory once it is there. Every call answers with the memory as it is then."""

    async def supersede(self, old_id: str, new_id: str, *, reason: str | None = None) -> MemoryRecord:
        """Let ``new_id`` take the place of ``old_id``; both stay readable, and each names the other.

        The old one leaves search, links and fusion. Since when the new one holds is its ``valid_from``,
        else when it happened, else when it was written. Raises :class:`NotFound`, :class:`Conflict`
        when one of them is not active or the new one a candidate, :class:`InvalidInput`, :class:`Forbidden`.
        """
        self._need("write")
        for id, field in ((old_id, "old_id"), (new_id, "new_id")):
            check_identifier(id, field=field)
        if old_id == new_id:
            raise InvalidInput("A memory cannot take its own place.", field="new_id")
        told = check_optional_reason(reason)

        async def work(change: Change) -> None:
            change.check_active(old_id, new_id)
            if change.memories[new_id]["properties"]["trust"] != "accepted":
                raise Conflict(f"{new_id} is not approved yet, and supersedes nothing.", hint="Have it reviewed first.")
            supersede(
                change.changes,
                new_id,
                old_id,
                holds_from=holds_from(change.memories[new_id]["properties"]),
                reason=told,
                target_type=change.memories[old_id]["type"],
            )
            await change.settle_questions([old_id], "superseded")

        await self._change([old_id, new_id], work)
        return await self._record(old_id)

    async def retract(self, id: str, reason: str) -> MemoryRecord:
        """Withdraw a memory, for a ``reason`` (1–500 characters); :meth:`reinstate` brings it back.

        Raises :class:`NotFound`, :class:`Conflict` when it is not active, :class:`InvalidInput`, :class:`Forbidden`.
        """
        self._need("write")
        check_identifier(id)
        told = check_reason(reason)

        async def work(change: Change) -> None:
            change.check_active(id)
            seq = change.note("retract", id, before={"status": "active"}, after={"status": "retracted"}, reason=told)
            change.changes.retire(id, "retracted", changed_seq=seq)
            await change.settle_questions([id], "retracted")

        await self._change([id], work)
        return await self._record(id)

    async def reinstate(self, id: str, *, reason: str | None = None) -> MemoryRecord:
        """Let a superseded, retracted or expired memory hold again; an expiry that is over is taken away.

        Other live values of its slot are left as a question, as when it was written, and what was asked of it is again.
        Raises :class:`NotFound`, :class:`Conflict` when it is active or its value is held by another
        memory, :class:`Tombstoned` when the value is, :class:`InvalidInput`, :class:`Forbidden`.
        """
        self._need("write")
        check_identifier(id)
        told = check_optional_reason(reason)

        async def work(change: Change) -> None:
            row = change.memories[id]
            properties = row["properties"]
            if holds(properties, now=change.now):
                raise Conflict(f"{id} is active already.")
            after: dict[str, Any] = {"status": "active", "trust": properties["trust"]}
            if properties["trust"] == "rejected":
                self._need("review")
                after |= {"trust": "accepted", "reviewed_by": self._actor, "reviewed_at": change.now}
            if row["type"] == "Statement":
                await self._check_value(change, properties, own_id=id)
            expired = has_expired(properties, now=change.now)
            before = {name: properties.get(name) for name in after}
            if expired:
                before |= {"expires_at": properties["expires_at"]}
                after |= {"expires_at": None}
            seq = change.note("reinstate", id, before=before, after=after, reason=told)
            change.changes.revive(id, changed_seq=seq, **change.standing(id, **after))
            await change.store.unsupersede_memories(ids=[id])
            if row["type"] == "Statement":
                await contest_again(change, id, properties)

        await self._change([id], work)
        return await self._record(id)

    async def pin(self, id: str) -> MemoryRecord:
        """Keep a memory from being fused, however cold it gets. Raises :class:`NotFound`, :class:`Forbidden`."""
        return await self._pin(id, pinned=True)

    async def unpin(self, id: str) -> MemoryRecord:
        """Let a pinned memory go the way of the others. Raises :class:`NotFound`, :class:`Forbidden`."""
        return await self._pin(id, pinned=False)

    async def _pin(self, id: str, *, pinned: bool) -> MemoryRecord:
        self._need("write")
        check_identifier(id)

        async def work(change: Change) -> None:
            if change.memories[id]["properties"]["pinned"] == pinned:
                return
            action = "pin" if pinned else "unpin"
            seq = change.note(action, id, before={"pinned": not pinned}, after={"pinned": pinned})
            change.changes.update(id, changed_seq=seq, **change.standing(id, pinned=pinned))

        await self._change([id], work)
        return await self._record(id)

    async def link(self, id: str, other_id: str) -> MemoryRecord:
        """Link two active memories by hand; such a link stays when their texts change.

        Raises :class:`NotFound`, :class:`Conflict` when one of them is not active, :class:`InvalidInput`,
        :class:`Forbidden`.
        """
        self._need("write")
        _check_pair(id, other_id)

        async def work(change: Change) -> None:
            change.check_active(id, other_id)
            relatives = await change.store.read_relatives(id=id)
            links = [] if relatives is None else [link for link in relatives["links"] if link["id"] == other_id]
            if any(link["origin"] == "manual" for link in links):
                return
            # The automatic link that is there becomes one made by hand.
            await change.store.unlink_memories(rows=[{"id": id, "other_id": other_id}])
            score = max((link["score"] for link in links if link["score"] is not None), default=None)
            before = {"linked": other_id, "origin": "auto", "score": score} if links else None
            after = {"linked": other_id, "origin": "manual", "score": score}
            seq = change.note("link", id, before=before, after=after, also=[other_id])
            change.changes.update(id, changed_seq=seq)
            change.changes.links.append({"id": id, "other_id": other_id, "score": score, "origin": "manual"})

        await self._change([id, other_id], work)
        return await self._record(id)

    async def unlink(self, id: str, other_id: str) -> MemoryRecord:
        """Take away the link between two memories, however it was made.

        Raises :class:`NotFound`, also when they are not linked, :class:`InvalidInput`, :class:`Forbidden`.
        """
        self._need("write")
        _check_pair(id, other_id)

        async def work(change: Change) -> None:
            relatives = await change.store.read_relatives(id=id)
            links = [] if relatives is None else [link for link in relatives["links"] if link["id"] == other_id]
            if not links:
                raise NotFound(f"{id} and {other_id} are not linked.")
            await change.store.unlink_memories(rows=[{"id": id, "other_id": other_id}])
            before = {"linked": other_id, "origin": links[0]["origin"], "score": links[0]["score"]}
            seq = change.note("unlink", id, before=before, also=[other_id])
            change.changes.update(id, changed_seq=seq)

        await self._change([id, other_id], work)
        return await self._record(id)

    async def expire_due(self) -> int:
        """Retire every memory whose ``expires_at`` is over, and count them; reading leaves them out before that too.

        Raises :class:`Forbidden` without the scope ``forget``.
        """
        self._need("forget")
        retired = 0
        while True:
            now = self._tools.clock.now_ms()

            async def select(store: UserStore, now: int = now) -> list[Row]:
                found = await store.select_expired_statements(now=now, page=_EXPIRED_PAGE)
                return found or await store.select_expired_summaries(now=now, page=_EXPIRED_PAGE)

            ids = [row["id"] for row in await self._tools.driver.read(self._end_user_id, select)]
            if not ids:
                return retired
            done: list[str] = []

            async def work(change: Change, done: list[str] = done) -> None:
                done.clear()
                for id, row in change.memories.items():
                    properties = row["properties"]
                    if properties["status"] != "active" or not has_expired(properties, now=change.now):
                        continue
                    seq = change.note("expire", id, before={"status": "active"}, after={"status": "expired"})
                    change.changes.retire(id, "expired", changed_seq=seq)
                    done.append(id)
                await change.settle_questions(done, "expired")

            # One of them may have been fused or erased since: then they are looked for again.
            with suppress(NotFound):
                await self._change(ids, work)
                retired += len(done)

    async def _check_value(self, change: Change, claim: Row, *, own_id: str) -> None:
        """Raise when the value of ``claim`` is under a tombstone, or said by another live one of the same time.

        ``claim`` has the properties of the statement ``own_id`` as they will be.
        """
        known_by = value_fingerprints(self._tools.fingerprints, self._end_user_id, claim)
        found = await change.store.find_values(fingerprints=known_by)
        if found["tombstones"]:
            tombstone = found["tombstones"][0]
            raise Tombstoned(
                f"This value was {tombstone['kind']} and is not taken again.",
                kind=tombstone["kind"],
                fingerprint=tombstone["fingerprint"],
                hint=LIFT_HINT,
            )
        if claim["kind"] == "turn":
            return
        for row in found["live"]:
            if (
                not has_expired(row, now=change.now)
                and row["id"] != own_id
                and (row.get("project") or "") == (claim.get("project") or "")
                and period_of(row).meets(period_of(claim))
            ):
                raise Conflict(f"{row['id']} says the same already.", hint="Supersede one of them by the other.")


def _check_pair(id: str, other_id: str) -> None:
    check_identifier(id)
    check_identifier(other_id, field="other_id")
    if id == other_id:
        raise InvalidInput("A memory is not linked to itself.", field="other_id")
