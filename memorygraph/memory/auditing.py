"""What happened to a memory: its events, whether they are whole, and undoing one of them."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.errors import Conflict, NotFound
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.memory.bound import Bound
from memorygraph.memory.histories import fields_of, in_effect_since, whole_history
from memorygraph.memory.records import HistoryEntry
from memorygraph.memory.undoing import Undoing, check_undoable
from memorygraph.validation import check_count, check_identifier, check_optional_reason
from memorygraph.writing.changes import Moved, Reversal
from memorygraph.writing.events import GENESIS, ChainReport, first_fault

__all__ = ["Auditing"]

_EVENT_PAGE = 1000
_MOST = 1000  # entries of a page
_LAST_SEQ = 2**53 - 1
_ROUNDS = 5


class Auditing(Bound):
    """Reading and undoing the events of one user."""

    async def history(self, id: str, *, limit: int = 100, before: int | None = None) -> tuple[HistoryEntry, ...]:
        """What happened to a memory, fused ones included, or to an entity: ``limit`` (1–1,000) entries, newest first.

        ``before`` is the number of the last entry of the page before. Raises :class:`NotFound`,
        :class:`InvalidInput`, :class:`Forbidden`.
        """
        self._need("read")
        check_identifier(id)
        check_count(limit, field="limit", least=1, most=_MOST)
        upto = _LAST_SEQ if before is None else check_count(before, field="before", least=1, most=_LAST_SEQ)

        async def work(store: UserStore) -> Sequence[Row]:
            rows = await store.read_history(target_id=id, before=upto, page=limit)
            for stub in await store.read_forgotten(ids=[id]):
                fusion = await store.read_fusion(id=id, cycle_id=stub["properties"]["cycle_id"])
                if fusion is not None and fusion["event"]["seq"] < upto:
                    rows = [fusion, *rows]
            if not rows and not await store.read_history(target_id=id, before=_LAST_SEQ, page=1):
                raise NotFound(f"Nothing of this user is called {id[:60]!r}.")
            return rows

        rows = await self._tools.driver.read(self._end_user_id, work)
        entries = sorted((HistoryEntry.of(row["event"]) for row in rows), key=lambda entry: -entry.seq)
        return tuple(entries[:limit])

    async def events(self, *, limit: int = 100, before: int | None = None) -> tuple[HistoryEntry, ...]:
        """Everything that happened in this user's memory: ``limit`` (1–1,000) entries, newest first.

        ``before`` is the number of the last entry of the page before. Raises :class:`InvalidInput`, :class:`Forbidden`.
        """
        self._need("read")
        check_count(limit, field="limit", least=1, most=_MOST)
        if before is not None:
            check_count(before, field="before", least=1, most=_LAST_SEQ)

        async def work(store: UserStore) -> Sequence[Row]:
            user = await store.read_user()
            if user is None:
                return []
            upto = user["seq"] if before is None else min(before - 1, user["seq"])
            return await store.read_events(after=max(0, upto - limit), upto=upto)

        rows = await self._tools.driver.read(self._end_user_id, work)
        return tuple(HistoryEntry.of(row["event"]) for row in reversed(rows))

    async def revert(self, seq: int, *, reason: str | None = None) -> HistoryEntry:
        """Undo the event number ``seq``; the event that does it is answered, and names the one undone.

        What can be undone: a revision, a retraction or reinstatement, a supersession, a pin, a link, an
        approval or rejection, a lifted tombstone, an answered question, and of entities a revision, an
        alias or a merge. Needs the scope ``write``, and ``review`` where the event did.

        Raises :class:`NotFound`, :class:`Conflict` with what to do instead where it cannot be undone (it was
        erased, something newer changed the same, a fusion, what was remembered), :class:`Tombstoned`,
        :class:`InvalidInput`, :class:`EmbedderError`, :class:`Forbidden`.
        """
        self._need("write")
        check_count(seq, field="seq", least=1, most=_LAST_SEQ)
        told = check_optional_reason(reason)
        for _ in range(_ROUNDS):
            head, entry, entries = await self._seen(seq)
            check_undoable(entry)
            _check_newest(entry, entries)
            undoing = Undoing(
                self._tools,
                self._end_user_id,
                actor=self._actor,
                scopes=self._scopes,
                reversal=Reversal(seq=seq, head=head, reason=told),
            )
            try:
                await undoing.undo(entry, entries)
            except Moved:
                continue
            _, _, entries = await self._seen(seq)
            return next(done for done in entries if done.reverts == seq)
        raise Conflict("Others wrote to this memory again and again meanwhile.", hint="Try again.")

    async def _seen(self, seq: int) -> tuple[int, HistoryEntry, Sequence[HistoryEntry]]:
        """The number of the newest event, the event ``seq``, and all of its target."""

        async def work(store: UserStore) -> tuple[int, HistoryEntry, Sequence[HistoryEntry]]:
            user = await store.read_user()
            rows = [] if user is None else await store.read_events(after=seq - 1, upto=seq)
            if user is None or not rows:
                raise NotFound(f"There is no event {seq} of this user.")
            entry = HistoryEntry.of(rows[0]["event"])
            return user["seq"], entry, await whole_history(store, entry.target_id)

        return await self._tools.driver.read(self._end_user_id, work)

    async def verify_events(self) -> ChainReport:
        """Recompute the chain of this user's events, from the first to the head."""
        self._need("read")

        async def head(store: UserStore) -> Row | None:
            return await store.read_user()

        user = await self._tools.driver.read(self._end_user_id, head)
        if user is None:
            return ChainReport(ok=True, checked=0)
        after, prev_hash = 0, GENESIS
        while after < user["seq"]:
            upto = min(after + _EVENT_PAGE, user["seq"])

            async def page(store: UserStore, after: int = after, upto: int = upto) -> Sequence[Row]:
                return [row["event"] for row in await store.read_events(after=after, upto=upto)]

            events = await self._tools.driver.read(self._end_user_id, page)
            fault = first_fault(events, after=after, prev_hash=prev_hash)
            if fault is None and len(events) < upto - after:
                fault = (after + len(events) + 1, f"event {after + len(events) + 1} is missing")
            if fault is not None:
                return ChainReport(ok=False, checked=fault[0] - 1, broken_seq=fault[0], reason=fault[1])
            after, prev_hash = upto, events[-1]["hash"]
        if prev_hash != user["head_hash"]:
            return ChainReport(
                ok=False,
                checked=after,
                broken_seq=after,
                reason="the newest event is not the one the user's head names",
            )
        return ChainReport(ok=True, checked=after, head_hash=prev_hash if after else None)


def _check_newest(entry: HistoryEntry, entries: Sequence[HistoryEntry]) -> None:
    """Raise :class:`Conflict` when something newer changed the same."""
    fields = fields_of(entry)
    for newer in in_effect_since(entries, entry.seq):
        if newer.reverts == entry.seq:
            raise Conflict(f"Event {newer.seq} undid event {entry.seq} already.")
        if newer.erased:
            raise Conflict(f"What event {newer.seq} ({newer.action}) changed later was erased; it may be the same.")
        if fields & fields_of(newer):
            raise Conflict(
                f"Event {newer.seq} ({newer.action}) changed the same later.", hint=f"Revert {newer.seq} first."
            )
