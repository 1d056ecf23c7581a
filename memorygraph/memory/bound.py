"""What all parts of a user's memory share: the user, who asks, what they may do, and the tools."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memorygraph.access.recorder import AccessRecorder
from memorygraph.access.state import ParametersInForce, access_properties, history_of, standing_of
from memorygraph.background import Background
from memorygraph.clock import Clock
from memorygraph.door import UserDoor
from memorygraph.embedding import Embedder
from memorygraph.erasing.erasing import Erasing
from memorygraph.errors import Conflict, NotFound
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ledger import Ledger
from memorygraph.parameters import EffectiveParameters
from memorygraph.recall.answering import Recalling
from memorygraph.records import MemoryRecord
from memorygraph.settings import Settings
from memorygraph.writing.changes import Changes, Moved
from memorygraph.writing.events import Event
from memorygraph.writing.fingerprint import Fingerprints
from memorygraph.writing.mutation import Head, Mutations
from memorygraph.writing.neighbours import Neighbours
from memorygraph.writing.questions import answer_questions
from memorygraph.writing.slots import status_at

__all__ = ["Bound", "Change", "MemoryTools"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTools:
    """What every user's memory works with."""

    settings: Settings
    driver: GraphDriver
    ledger: Ledger
    mutations: Mutations
    accesses: AccessRecorder
    parameters: EffectiveParameters
    embedder: Embedder
    fingerprints: Fingerprints
    recalling: Recalling
    neighbours: Neighbours
    background: Background
    erasing: Erasing
    has_model: bool  # whether a language model is configured
    clock: Clock


@dataclass(slots=True, kw_only=True)
class Change:
    """One mutation of named memories, within its transaction."""

    store: UserStore
    changes: Changes
    memories: dict[str, Row]  # type, properties and entities by id, of those that are there
    parameters: ParametersInForce
    now: int  # epoch ms

    def note(
        self,
        action: str,
        memory_id: str,
        *,
        before: Mapping[str, Any] | None = None,
        after: Mapping[str, Any] | None = None,
        reason: str | None = None,
        also: Sequence[str] = (),
    ) -> int:
        """Append an event about a memory, and ``also`` others that recall has to look at again; its number."""
        told = {"before": before, "after": after, "reason": reason}
        return self.changes.note(
            Event(
                at=self.now,
                actor=self.changes.actor,
                action=action,
                target_id=memory_id,
                target_type=self.memories[memory_id]["type"],
                changed_ids=[memory_id, *also],
                payload={name: value for name, value in told.items() if value is not None},
            )
        )

    def check_active(self, *ids: str) -> None:
        """Raise :class:`Conflict` when one of the memories does not hold now: it was retired, or its time is over."""
        for id in ids:
            if (status := status_at(self.memories[id]["properties"], now=self.now)) != "active":
                raise Conflict(f"{id} is {status}, not active.", hint="Reinstate it first.")

    def standing(self, memory_id: str, **changed: Any) -> dict[str, Any]:
        """``changed`` properties of a memory together with the access fields that follow from them."""
        properties = self.memories[memory_id]["properties"] | changed
        return changed | access_properties(
            history_of(properties),
            self.parameters,
            importance=properties["importance"],
            standing=standing_of(properties),
        )

    async def settle_questions(self, ids: Sequence[str], resolution: str, *, answered: Sequence[Row] = ()) -> None:
        """Close the open questions about memories that hold no more, but for those ``answered`` here already."""
        asked = [id for id in ids if self.memories[id]["properties"].get("open_questions")]
        if asked:
            found = await self.store.read_open_questions(ids=asked)
            questions = [question for question in found if question not in answered]
            await answer_questions(self.store, self.changes, questions, self.parameters, resolution=resolution)


class Bound(UserDoor):
    """A part of the memory of one user."""

    async def _change(
        self, ids: Sequence[str], work: Callable[[Change], Awaitable[None]], *, what: str = "memory"
    ) -> None:
        """Run ``work`` on the memories ``ids`` in one transaction, and send what it collects.

        A call that turns out to be committed already, because only its answer was lost, does nothing.
        Raises :class:`NotFound`, with ``what`` was looked for, when the user or one of ``ids`` is not there.
        """
        key = f"call:{uuid.uuid4()}"
        now = self._tools.clock.now_ms()
        parameters = await self._tools.parameters(self._end_user_id)
        found = False

        async def opening(store: UserStore) -> Row | None:
            return await store.begin_change(ids=ids, idempotency_key=key)

        async def run(store: UserStore, head: Head) -> None:
            nonlocal found
            found = True
            if head.opened["events"]:
                return
            if self._reversal is not None and head.seq != self._reversal.head:
                raise Moved
            memories = {row["id"]: row for row in head.opened["memories"]}
            if absent := [id for id in ids if id not in memories]:
                raise NotFound(f"There is no {what} {absent[0][:60]!r} of this user.")
            changes = Changes(head=head, now=now, actor=self._actor, key=key, reversal=self._reversal)
            await work(Change(store=store, changes=changes, memories=memories, parameters=parameters, now=now))
            await changes.write(store)

        await self._tools.mutations.run_for_known(self._end_user_id, run, opening=opening)
        if not found:
            raise NotFound(f"There is no {what} {ids[0][:60]!r} of this user." if ids else "There is no such user.")

    async def _record(self, memory_id: str) -> MemoryRecord:
        """A statement or summary as it is now. Raises :class:`NotFound`."""

        async def work(store: UserStore) -> list[Row]:
            return await store.read_memories(ids=[memory_id])

        rows = await self._tools.driver.read(self._end_user_id, work)
        if not rows or rows[0]["properties"] is None:
            raise NotFound(f"There is no memory {memory_id[:60]!r} of this user.")
        row: dict[str, Any] = rows[0]
        return MemoryRecord.from_properties(
            row["type"],
            row["properties"],
            entities=row["entities"],
            parameters=await self._tools.parameters(self._end_user_id),
            now=self._tools.clock.now_ms(),
        )
