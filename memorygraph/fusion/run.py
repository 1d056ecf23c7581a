"""The work of one forgetting cycle: select, summarise, fuse, record."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from memorygraph.access.recorder import AccessRecorder
from memorygraph.access.state import ParametersInForce
from memorygraph.clock import Clock
from memorygraph.embedding import Embedder
from memorygraph.errors import ConstraintViolated, LeaseLost, MemoryGraphError, StatementFailed
from memorygraph.fusion.figures import Figures, measure
from memorygraph.fusion.fuse import Fusion, FusionSkipped, draft_summary
from memorygraph.fusion.selection import Selection, select
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ledger import CycleFigures, FailureRecord, FinalStatus, GroupState, Ledger, PlannedGroup
from memorygraph.times import MS_PER_DAY
from memorygraph.writing.mutation import Mutations
from memorygraph_forgetting import Group, RetryState, next_try_at, retry_state

__all__ = ["CycleRun", "CycleTools"]

_LOOK_AT_LEAST = 10_000  # fusable memories, so that those that belong together are seen together
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleTools:
    """What a cycle works with."""

    driver: GraphDriver
    ledger: Ledger
    mutations: Mutations
    accesses: AccessRecorder
    embedder: Embedder
    expire: Callable[[str, str], Awaitable[int]]  # retires what is over, of a user, in the name of an actor
    clock: Clock


@dataclass(slots=True)
class _Tally:
    """What the cycle has done so far; merged, failed and skipped are pairs."""

    merged: int = 0
    failed: int = 0
    skipped: int = 0
    groups: int = 0
    summaries: int = 0
    left: set[str] = field(default_factory=set)  # members of groups that were not fused: not selected again

    def figures(self) -> CycleFigures:
        return CycleFigures(
            merged_count=self.merged,
            failed_count=self.failed,
            skipped_count=self.skipped,
            group_count=self.groups,
            summary_count=self.summaries,
        )


@dataclass(slots=True, kw_only=True)
class CycleRun:
    """One cycle of one user, under the user's lease. ``now`` (epoch ms) is one instant for the whole cycle."""

    tools: CycleTools
    end_user_id: str
    cycle_id: str
    fencing_token: int
    parameters: ParametersInForce
    actor: str
    now: int
    tally: _Tally = field(default_factory=_Tally)

    async def run(self) -> None:
        """Work until nothing is eligible or the limit of fusions is reached, and close the cycle's row."""
        begun = time.monotonic()
        try:
            await self.tools.expire(self.end_user_id, self.actor)
            before = await self._measure()
            await self._heartbeat(
                CycleFigures(
                    average_activation_before=before.average_activation,
                    sample_size=before.sample_size,
                    total_nodes_before=before.live,
                    low_activation_nodes=before.cold,
                )
            )
            while self._room and await self._round():
                pass
            after = await self._measure()
        except BaseException as error:
            status: FinalStatus = "failed" if isinstance(error, Exception) else "cancelled"
            try:
                await self._finish(status, begun, self.tally.figures(), error=_cause(error))
            except MemoryGraphError as unwritten:
                # What ended the cycle is what the caller has to know, a cancellation above all; the next
                # cycle marks the row that was left.
                _log.warning("the end of cycle %s was not written: %s", self.cycle_id, unwritten)
            raise
        figures = {
            **self.tally.figures().known(),
            "average_activation_after": after.average_activation,
            "total_nodes_after": after.live,
        }
        status = "partial" if self.tally.failed else "succeeded"
        await self._finish(status, begun, CycleFigures(**figures), error=None)  # type: ignore[arg-type]

    @property
    def _room(self) -> int:
        return self.parameters.values.max_fusions_per_cycle - self.tally.summaries

    async def _round(self) -> bool:
        """One look at the cold index and the fusion of what it brought; whether there may be more."""
        values = self.parameters.values

        async def look(store: UserStore) -> Selection:
            return await select(
                store,
                now=self.now,
                parameters=values,
                at_most=max(_LOOK_AT_LEAST, self._room * values.group_limit),
                most_groups=self._room,
                without=self.tally.left,
            )

        selection = await self.tools.driver.read(self.end_user_id, look)
        groups = selection.groups
        planned = [
            PlannedGroup(
                group_no=self.tally.groups + place,
                entity_id=group.entity_id,
                statement_ids=group.statement_ids,
                pair_count=selection.pair_count(group.statement_ids),
            )
            for place, group in enumerate(groups)
        ]
        await self.tools.ledger.cycles.save_plan(self.end_user_id, self.cycle_id, planned)
        self.tally.groups += len(planned)
        for group, plan in zip(groups, planned, strict=True):
            await self._group(group, plan)
            await self._heartbeat(self.tally.figures())
        # With companions that were not looked at nobody is alone for certain; without a group to fuse, those
        # seen have to make way for the others.
        if selection.alone and (selection.complete or not groups):
            await self._put_off(selection)
        return bool(groups) or not selection.complete

    async def _group(self, group: Group, plan: PlannedGroup) -> None:
        state: GroupState
        summary_id: str | None = None
        reason: str | None = None
        key = hashlib.sha256("\n".join(sorted(group.statement_ids)).encode()).hexdigest()
        cycles = self.tools.ledger.cycles
        open_failures = await cycles.failures(self.end_user_id, group_key=key, unresolved_only=True, limit=1)
        attempt = open_failures[0].attempt if open_failures else 0
        try:
            if open_failures:
                _check_due(open_failures[0], self.now)
            summary_id = await self._fuse(group)
            state = "fused"
            self.tally.merged += plan.pair_count
            self.tally.summaries += 1
        except LeaseLost:
            raise
        except FusionSkipped as skipped:
            state, reason = "skipped", str(skipped)
            self.tally.skipped += plan.pair_count
        except MemoryGraphError as error:
            state, reason = "failed", _cause(error)
            self.tally.failed += plan.pair_count
            _log.warning("a group of cycle %s was not fused: %s", self.cycle_id, error.code)
        if state != "fused":
            self.tally.left.update(group.statement_ids)
        if state == "failed":
            await cycles.record_failure(
                self.end_user_id,
                self.cycle_id,
                group_no=plan.group_no,
                group_key=key,
                cause=reason or state,
                attempt=attempt + 1,
                at=self.now,
                next_try_at=next_try_at(attempt + 1, self.now),
            )
        elif state == "fused" and attempt:
            await cycles.resolve_failures(self.end_user_id, key, resolved_by=self.cycle_id, at=self.now)
        await cycles.set_group_state(
            self.end_user_id, self.cycle_id, plan.group_no, state, summary_id=summary_id, reason=reason
        )

    async def _fuse(self, group: Group) -> str:
        async def read(store: UserStore) -> list[Row]:
            return await store.read_members(ids=group.statement_ids)

        members = await self.tools.driver.read(self.end_user_id, read)
        if len(members) != len(group.statement_ids):
            raise FusionSkipped("a member is gone")
        draft = await draft_summary(members, embedder=self.tools.embedder, now=self.now)
        # What was used while the summary was being written has to be known before the exchange is checked.
        await self.tools.accesses.flush()
        fusion = Fusion(
            end_user_id=self.end_user_id,
            members=members,
            draft=draft,
            cycle_id=self.cycle_id,
            fencing_token=self.fencing_token,
            parameters=self.parameters,
            actor=self.actor,
            now=self.now,
        )
        return await self.tools.mutations.run(self.end_user_id, fusion.run, now=self.now)

    async def _put_off(self, selection: Selection) -> None:
        until = self.now + round(self.parameters.values.regroup_days * MS_PER_DAY)

        async def put_off(store: UserStore, head: object) -> None:
            await store.postpone_fusion(ids=selection.alone, until=until)

        await self.tools.mutations.run(self.end_user_id, put_off, now=self.now)
        self.tally.skipped += selection.pair_count(selection.alone)

    async def _measure(self) -> Figures:
        async def work(store: UserStore) -> Figures:
            return await measure(store, now=self.now, parameters=self.parameters, seed=self.cycle_id)

        return await self.tools.driver.read(self.end_user_id, work)

    async def _heartbeat(self, figures: CycleFigures) -> None:
        await self.tools.ledger.cycles.heartbeat(
            self.end_user_id, self.cycle_id, fencing_token=self.fencing_token, figures=figures
        )

    async def _finish(self, status: FinalStatus, begun: float, figures: CycleFigures, *, error: str | None) -> None:
        await self.tools.ledger.cycles.finish(
            self.end_user_id,
            self.cycle_id,
            fencing_token=self.fencing_token,
            status=status,
            finished_at=self.tools.clock.now_ms(),
            duration_seconds=time.monotonic() - begun,
            figures=figures,
            error=error,
        )


def _check_due(failure: FailureRecord, now: int) -> None:
    """Raise :class:`FusionSkipped` for a group that is not to be tried again yet, or not by itself."""
    state = retry_state(failure.next_try_at, now)
    if state != RetryState.DUE:
        raise FusionSkipped(f"{state} after {failure.attempt} failed attempts")


def _cause(error: BaseException) -> str:
    """Why something failed, without a word of any memory: a server quotes values in what it refuses."""
    if not isinstance(error, MemoryGraphError):
        return type(error).__name__
    quotes = isinstance(error, StatementFailed | ConstraintViolated)
    return error.code if quotes else f"{error.code}: {error.message}"
