"""Forgetting cycles: one at a time for each user, with a row that says what happened."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import get_args

from memorygraph.errors import CycleRunning
from memorygraph.fusion.run import CycleRun, CycleTools
from memorygraph.graph.store import UserStore
from memorygraph.ledger import Lease, TriggerType
from memorygraph.parameters import EffectiveParameters
from memorygraph.runs import Cycle
from memorygraph.validation import check_choice, check_count, check_end_user_id, check_identifier, check_line

__all__ = ["Forgetting"]

_LEASE_TTL = 60.0  # seconds until the lease of a worker that died is free
_ACTOR = "sdk"
_TRIGGERS: tuple[str, ...] = get_args(TriggerType)


class Forgetting:
    """``engine.forgetting``: runs cycles and tells of them."""

    def __init__(self, tools: CycleTools, parameters: EffectiveParameters) -> None:
        self._tools = tools
        self._ledger = tools.ledger
        self._parameters = parameters

    async def run(self, end_user_id: str, *, trigger: TriggerType = "manual", actor: str = _ACTOR) -> Cycle:
        """Retire what has expired and fuse what has gone cold for this user, now, and return the cycle's record.

        Raises :class:`CycleRunning` while another worker does. A group that fails is counted with
        its cause and does not stop the others; an error that ends the cycle leaves a row that says so.
        """
        check_end_user_id(end_user_id)
        check_choice(trigger, field="trigger", choices=_TRIGGERS)
        check_line(actor, field="actor")
        await self._tools.accesses.flush()
        async with self._lease(end_user_id) as lease:
            now = self._tools.clock.now_ms()
            await self._ledger.cycles.interrupt_stale(end_user_id, lease.token, now)
            parameters = await self._parameters(end_user_id)
            cycle_id = await self._ledger.cycles.start(
                end_user_id,
                trigger_type=trigger,
                started_at=now,
                fencing_token=lease.token,
                parameters=parameters.values.to_dict(),
                actor=actor,
            )
            await CycleRun(
                tools=self._tools,
                end_user_id=end_user_id,
                cycle_id=cycle_id,
                fencing_token=lease.token,
                parameters=parameters,
                actor=actor,
                now=now,
            ).run()
        return await self.get(end_user_id, cycle_id)

    async def get(self, end_user_id: str, cycle_id: str) -> Cycle:
        """One cycle of this user; raises :class:`NotFound`."""
        check_identifier(cycle_id, field="cycle_id")
        record = await self._ledger.cycles.get(check_end_user_id(end_user_id), cycle_id)
        return Cycle.from_record(record, await self._ledger.cycles.plan(end_user_id, cycle_id))

    async def cycles(self, end_user_id: str, *, limit: int = 20) -> list[Cycle]:
        """The user's newest cycles, newest first; ``limit`` from 1 to 1,000."""
        check_count(limit, field="limit", least=1, most=1000)
        records = await self._ledger.cycles.list(check_end_user_id(end_user_id), limit=limit)
        return [Cycle.from_record(record, await self._ledger.cycles.plan(end_user_id, record.id)) for record in records]

    @asynccontextmanager
    async def _lease(self, end_user_id: str) -> AsyncIterator[Lease]:
        """The user's lease while the block runs. A worker that lost it is stopped by the fence, not here."""

        async def fence(store: UserStore) -> int:
            row = await store.read_user()
            return 0 if row is None else int(row["fence"])

        above = await self._tools.driver.read(end_user_id, fence)
        async with self._ledger.leases.held(f"forget:{end_user_id}", ttl_seconds=_LEASE_TTL, above=above) as lease:
            if lease is None:
                raise CycleRunning("A forgetting cycle of this user is running.", hint="Wait for it to finish.")
            yield lease
