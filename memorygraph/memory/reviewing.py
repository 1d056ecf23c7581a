"""What only a reviewer decides: candidates, contradictions, and values that are not to be taken."""

from __future__ import annotations

from typing import Any, Literal

from memorygraph.errors import Conflict, InvalidInput, NotFound
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.memory.bound import Bound, Change
from memorygraph.memory.records import Answered, ReviewItem, TombstoneRecord
from memorygraph.memory.rejecting import approved, reject
from memorygraph.paging import Page, decode_cursor, encode_cursor
from memorygraph.records import Contradiction, MemoryRecord
from memorygraph.times import from_ms
from memorygraph.validation import (
    check_choice,
    check_count,
    check_identifier,
    check_line,
    check_optional_reason,
    check_reason,
)
from memorygraph.writing.events import Event
from memorygraph.writing.questions import answer_questions
from memorygraph.writing.slots import status_at, supersede
from memorygraph.writing.timeline import BEGINNING, holds_from

__all__ = ["Review"]

_MOST = 1000  # items of a page

Decision = Literal["supersede", "keep_both", "reject"]
_RESOLUTIONS = {"supersede": "superseded", "keep_both": "kept_both", "reject": "rejected"}


class Review(Bound):
    """The review of one user's memory, reached as ``memory.review``.

    Reading the queue needs the scope ``read``, all else ``review``; without it :class:`Forbidden` is
    raised and nothing is changed. Who decides is recorded. A ``reason`` has 1–500 characters.
    """

    async def queue(self, *, limit: int = 50, after: str | None = None) -> Page[ReviewItem]:
        """Active statements that wait for a decision, the longest waiting first, ``limit`` (1–1,000) of them.

        Candidates wait for an approval, the two statements of an open contradiction for an answer.
        ``after`` is the cursor of the page before. Raises :class:`InvalidInput`.
        """
        self._need("read")
        check_count(limit, field="limit", least=1, most=_MOST)
        since, after_id = (BEGINNING, "") if after is None else decode_cursor(after, int, str)
        now = self._tools.clock.now_ms()

        async def work(store: UserStore) -> list[Row]:
            return await store.read_review_queue(since=since, after_id=after_id, now=now, page=limit + 1)

        rows = await self._tools.driver.read(self._end_user_id, work)
        parameters = await self._tools.parameters(self._end_user_id)

        def item(row: Row) -> ReviewItem:
            properties = row["properties"]
            return ReviewItem(
                memory=MemoryRecord.from_properties(
                    "Statement", properties, entities=row["entities"], parameters=parameters, now=now
                ),
                waits_for="approval" if properties["trust"] == "candidate" else "answer",
                since=from_ms(properties["review_since"]),
                contradictions=tuple(
                    Contradiction(**of) for of in sorted(row["contradictions"], key=lambda of: str(of["id"]))
                ),
            )

        last = rows[limit - 1]["properties"] if len(rows) > limit else None
        return Page(
            items=tuple(item(row) for row in rows[:limit]),
            after=None if last is None else encode_cursor(last["review_since"], last["id"]),
        )

    async def approve(self, id: str, *, reason: str | None = None) -> MemoryRecord:
        """Accept a candidate: it is recalled from now on. An open contradiction stays open.

        Raises :class:`NotFound`, :class:`Conflict` when it is no active candidate, :class:`InvalidInput`.
        """
        self._need("review")
        check_identifier(id)
        told = check_optional_reason(reason)

        async def work(change: Change) -> None:
            properties = change.memories[id]["properties"]
            status = status_at(properties, now=change.now)
            if status != "active" or properties["trust"] != "candidate":
                raise Conflict(f"{id} is {status} and {properties['trust']}, not an active candidate.")
            approved(change, id, reason=told)

        await self._change([id], work)
        return await self._record(id)

    async def reject(self, id: str, reason: str) -> MemoryRecord:
        """Take a statement out of what is known, and refuse its value from now on, however it is spelled.

        A tombstone stands for the value, on every way in; :meth:`lift` takes it away. What says the same
        in other projects is rejected with it, and open contradictions about it are closed.
        Of the same words said by the same person a turn stays, unless it is a turn that is rejected.
        Raises :class:`NotFound`, :class:`Conflict` when it is rejected already, :class:`InvalidInput`.
        """
        self._need("review")
        check_identifier(id)
        told = check_reason(reason)

        async def work(change: Change) -> None:
            await reject(change, self._tools.fingerprints, id, reason=told)

        await self._change([id], work)
        return await self._record(id)

    async def answer(
        self, id: str, other_id: str, decision: Decision, *, keep: str | None = None, reason: str | None = None
    ) -> Answered:
        """Decide an open contradiction between two statements.

        ``supersede``: the one named by ``keep`` holds in place of the other; ``reject``: it holds, and
        the other is rejected as by :meth:`reject`; ``keep_both``: both may hold. A candidate that is kept
        in place of the other is approved with that. Raises :class:`NotFound` when there is no such question,
        :class:`Conflict` when it was answered already, or what is to be rejected says nothing that the
        other does not say, :class:`InvalidInput`.
        """
        self._need("review")
        check_identifier(id)
        check_identifier(other_id, field="other_id")
        check_choice(decision, field="decision", choices=tuple(_RESOLUTIONS))
        told = check_optional_reason(reason)
        if (decision == "keep_both") != (keep is None) or keep not in (None, id, other_id):
            raise InvalidInput(
                "keep names the one of the two that holds, unless both are kept.", field="keep", hint="Give its id."
            )
        lost = other_id if keep == id else id

        async def work(change: Change) -> None:
            questions = await change.store.read_open_questions(ids=[id])
            asked = [question for question in questions if {question["id"], question["other_id"]} == {id, other_id}]
            if not asked:
                raise await _no_question(change.store, id, other_id)
            if keep is not None:
                change.check_active(*(id, other_id) if decision == "supersede" else (keep,))
            if keep is not None and change.memories[keep]["properties"]["trust"] == "candidate":
                approved(change, keep, reason=told)
            await answer_questions(
                change.store,
                change.changes,
                asked,
                change.parameters,
                resolution=_RESOLUTIONS[decision],
                reason=told,
            )
            if decision == "supersede":
                since = holds_from(change.memories[str(keep)]["properties"])
                supersede(change.changes, str(keep), lost, holds_from=since, reason=told)
                await change.settle_questions([lost], "superseded", answered=asked)
            elif decision == "reject":
                await reject(change, self._tools.fingerprints, lost, reason=told, kept=keep, answered=asked)

        await self._change([id, other_id], work)
        return Answered(decision=decision, memory=await self._record(id), other=await self._record(other_id))

    async def tombstones(self, *, limit: int = 50, after: str | None = None) -> Page[TombstoneRecord]:
        """Values that are refused, or were once, in the order of their fingerprints; ``limit`` is 1–1,000.

        ``after`` is the cursor of the page before. Raises :class:`InvalidInput`.
        """
        self._need("read")
        check_count(limit, field="limit", least=1, most=_MOST)
        (last,) = ("",) if after is None else decode_cursor(after, str)

        async def work(store: UserStore) -> list[Row]:
            return await store.list_tombstones(after=last, page=limit + 1)

        rows = await self._tools.driver.read(self._end_user_id, work)
        return Page(
            items=tuple(TombstoneRecord.of(row) for row in rows[:limit]),
            after=encode_cursor(rows[limit - 1]["fingerprint"]) if len(rows) > limit else None,
        )

    async def lift(self, fingerprint: str, *, reason: str | None = None) -> None:
        """Let the value of a tombstone, rejected or erased, be taken again.

        A rejected statement stays out until it is reinstated or said again. A value that makes a claim
        has two tombstones, of the claim and of its words. Raises :class:`NotFound`, :class:`Conflict`
        when it was lifted already, :class:`InvalidInput`.
        """
        self._need("review")
        check_line(fingerprint, field="fingerprint")
        told = check_optional_reason(reason)

        async def work(change: Change) -> None:
            found = await change.store.read_tombstones(fingerprints=[fingerprint])
            if not found:
                raise NotFound(f"There is no tombstone {fingerprint[:64]!r} of this user.")
            if found[0]["lifted_at"] is not None:
                raise Conflict(f"The tombstone was lifted at {from_ms(found[0]['lifted_at']).isoformat()}.")
            await change.store.lift_tombstones(fingerprints=[fingerprint], at=change.now)
            payload: dict[str, Any] = {"before": {"kind": found[0]["kind"]}, "after": {"lifted_at": change.now}}
            change.changes.note(
                Event(
                    at=change.now,
                    actor=self._actor,
                    action="tombstone:lifted",
                    target_id=fingerprint,
                    target_type="Tombstone",
                    changed_ids=[],
                    payload=payload if told is None else payload | {"reason": told},
                )
            )

        await self._change([], work)


async def _no_question(store: UserStore, id: str, other_id: str) -> NotFound | Conflict:
    """Why there is nothing to answer between two statements."""
    relatives = await store.read_relatives(id=id) or {"questions": []}
    answered = [question for question in relatives["questions"] if question["id"] == other_id]
    if not answered:
        return NotFound(f"There is no contradiction between {id} and {other_id}.")
    last = max(answered, key=lambda question: int(question["resolved_at"]))
    return Conflict(
        f"{last['actor']} answered it at {from_ms(last['resolved_at']).isoformat()}: {last['resolution']}.",
        hint="revert undoes an answer.",
    )
