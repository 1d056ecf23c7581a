"""One change of entities: under the user's lock, with its event, recognised when it is tried again."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from memorygraph.access.state import ParametersInForce
from memorygraph.graph.store import UserStore
from memorygraph.writing.changes import Moved, Reversal
from memorygraph.writing.events import Event
from memorygraph.writing.mutation import Head, Mutations

__all__ = ["Change", "run_change"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What the work of one change has in its hands. Times are epoch ms."""

    store: UserStore
    head: Head
    key: str  # of this very call: a commit whose answer was lost is recognised by it
    actor: str
    now: int
    parameters: ParametersInForce
    reversal: Reversal | None

    @property
    def seq(self) -> int:
        """The number of the event that this change will append."""
        return self.head.next_seq

    async def note(
        self,
        action: str,
        target_id: str,
        *,
        target_type: str = "Entity",
        before: Mapping[str, Any] | None = None,
        after: Mapping[str, Any] | None = None,
        reason: str | None = None,
        changed_ids: Sequence[str] = (),
    ) -> None:
        """Append the event; once for a change, and last. ``changed_ids`` are memories that recall has to reread."""
        event = Event(
            at=self.now,
            actor=self.actor,
            action=action,
            target_id=target_id,
            target_type=target_type,
            changed_ids=changed_ids,
            payload={"before": before, "after": after, "reason": reason},
            idempotency_key=self.key,
        )
        if self.reversal is not None:
            event = self.reversal.told_in(event)
        await self.store.append_event(event=self.head.link(event))


async def run_change(
    mutations: Mutations,
    end_user_id: str,
    work: Callable[[Change], Awaitable[str]],
    answer: Callable[[UserStore, str, int], Awaitable[T]],
    *,
    actor: str,
    now: int,
    parameters: ParametersInForce,
    reversal: Reversal | None,
) -> T:
    """Run ``work``, which names the target of its event, and then ``answer`` with that target and the newest seq.

    Both run in the one transaction; of a try that was committed before, and whose answer was lost, only ``answer``.
    """
    key = f"call:{uuid.uuid4()}"

    async def run(store: UserStore, head: Head) -> T:
        if head.opened["events"]:
            (done,) = head.opened["events"]
            return await answer(store, done["target_id"], done["seq"])
        if reversal is not None and head.seq != reversal.head:
            raise Moved
        change = Change(store=store, head=head, key=key, actor=actor, now=now, parameters=parameters, reversal=reversal)
        target_id = await work(change)
        return await answer(store, target_id, head.seq)

    opening = partial(UserStore.begin_change, idempotency_key=key)
    return await mutations.run(end_user_id, run, now=now, opening=opening)
