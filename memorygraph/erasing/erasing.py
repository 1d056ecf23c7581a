"""The saga of an erasure: planned in the ledger, done in the graph step by step, then in the ledger, then noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memorygraph.clock import Clock
from memorygraph.embedding import Embedder
from memorygraph.erasing.plan import Finder, Plan
from memorygraph.erasing.records import Erased
from memorygraph.erasing.step import Step
from memorygraph.erasing.summaries import DraftMissing, Drafts
from memorygraph.erasing.sweep import Sweep
from memorygraph.erasing.words import WORDS, Words
from memorygraph.errors import InvalidInput, NotFound, StoreBusy
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.session import AdminTransaction, Row
from memorygraph.graph.store import UserStore
from memorygraph.ledger import Ledger
from memorygraph.ledger.erasures import Erasure
from memorygraph.parameters import EffectiveParameters
from memorygraph.validation import check_identifier, check_line
from memorygraph.writing.events import Event
from memorygraph.writing.fingerprint import Fingerprints
from memorygraph.writing.mutation import Head, Mutations

__all__ = ["Erasing"]

_BATCH = 25  # statements of one transaction
_MOST_ROUNDS = 20  # of looking again for what was written or fused meanwhile
_MOST_DRAFTS = 20  # times that one step's summaries changed while they were written
_ASKED_AT_ONCE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasing:
    """Erases, and finishes at the start what was cut off.

    A killed process leaves an erasure that :meth:`resume` goes on with, from the ledger's plan; so is one done again on
    a graph that does not know of it, which was restored from before. Both leave the same.
    """

    driver: GraphDriver
    mutations: Mutations
    ledger: Ledger
    embedder: Embedder
    clock: Clock
    fingerprints: Fingerprints
    parameters: EffectiveParameters

    async def erase(
        self,
        end_user_id: str,
        *,
        id: str | None = None,
        match: str | None = None,
        actor: str,
        dry_run: bool = False,
    ) -> Erased:
        """Erase what bears ``id``, or everything that says ``match`` (1–200 characters on one line); one of the two.

        With a statement goes everything of the same value, and the turn it was taken from; with a summary all that it
        was made of; with an episode what nothing else is evidence of; with an entity its relations and its name, and no
        statement. ``match`` is found as whole words, in any case and Unicode form. Texts that only were evidence keep
        their length, with "█" in place of what went. ``dry_run`` says what would go and changes nothing.

        Answered when nothing of it is left in either store. The value is refused from then on. Raises
        :class:`NotFound`, :class:`InvalidInput`, :class:`StoreUnavailable`, :class:`EmbedderError`; an erasure that was
        cut off is finished by :meth:`resume`.
        """
        if (id is None) == (match is None):
            raise InvalidInput("Either id or match has to be given.", field="id")
        finder = Finder(self.driver, self.fingerprints, end_user_id)
        if match is None:
            words = Words.none()
            plan = await finder.by_id(check_identifier(id))
            if not plan:
                raise NotFound(f"There is nothing {str(id)[:60]!r} of this user.")
        else:
            spelled = check_line(match, field="match")
            words = Words.spelled(spelled, fingerprints=self.fingerprints, end_user_id=end_user_id)
            plan = await finder.by_words(words)
        if dry_run:
            return _erased(None, plan)
        things = plan.things() + ([words.thing] if words else [])
        now = self.clock.now_ms()
        erasure_id = await self.ledger.erasures.plan(end_user_id, things, actor=actor, at=now)
        erasure = await self.ledger.erasures.get(end_user_id, erasure_id)
        return _erased(erasure_id, await self._Run(self, erasure, words, finder).finish(plan))

    async def resume(self) -> int:
        """Finish every erasure that was cut off or that the graph does not know of; how many there were.

        To be called when a store is opened, before anybody reads from it.
        """
        unfinished = await self.ledger.erasures.keys(unfinished_only=True)
        pending = dict.fromkeys([*unfinished, *await self._unknown(await self.ledger.erasures.keys())])
        for end_user_id, erasure_id in pending:
            erasure = await self.ledger.erasures.get(end_user_id, erasure_id)
            words = Words.none()
            for thing in erasure.things:
                if thing.target_type == WORDS:
                    words = Words.logged(thing, fingerprints=self.fingerprints, end_user_id=end_user_id)
            finder = Finder(self.driver, self.fingerprints, end_user_id)
            await self._Run(self, erasure, words, finder).finish(None)
        return len(pending)

    async def _unknown(self, keys: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """The erasures whose end the graph has not seen."""
        known: set[str] = set()
        for start in range(0, len(keys), _ASKED_AT_ONCE):
            rows = [
                {"id": erasure_id, "end_user_id": user, "key": _key(erasure_id)}
                for user, erasure_id in keys[start : start + _ASKED_AT_ONCE]
            ]

            async def ask(transaction: AdminTransaction, rows: list[Row] = rows) -> list[Row]:
                return await transaction.rows("find_erasures", erasures=rows)

            known |= {row["id"] for row in await self.driver.admin(ask)}
        return [key for key in keys if key[1] not in known]

    @dataclass(slots=True)
    class _Run:
        """One erasure on its way."""

        tools: Erasing
        erasure: Erasure
        words: Words
        finder: Finder
        done: Plan = field(default_factory=Plan)

        @property
        def _user(self) -> str:
            return self.erasure.end_user_id

        async def finish(self, plan: Plan | None) -> Plan:
            """Erase until nothing is left; ``plan`` is what is known already, None when it is resumed."""
            logged = {thing.target_id for thing in self.erasure.things}
            values = set[str]()  # that went: who wrote one while it was planned did not see its tombstone yet
            resumed = plan is None
            for _ in range(_MOST_ROUNDS):
                if plan is None:
                    if resumed:
                        values |= await self.finder.erased_values() | self._logged_values()
                    plan = await self.finder.again(self.erasure.things, self.words, values, resumed=resumed)
                    resumed = False
                self.done.blanked |= plan.blanked
                if not plan:
                    break
                # What came to be since, a fusion's summary say, is planned before it goes.
                if new := [thing for thing in plan.things() if thing.target_id not in logged]:
                    erasures = self.tools.ledger.erasures
                    await erasures.plan(
                        self._user, new, actor=self.erasure.actor, at=self.erasure.at, erasure_id=self.erasure.id
                    )
                    logged |= {thing.target_id for thing in new}
                await self._steps(plan)
                values.update(*plan.statements.values())
                self._note(plan)
                plan = None
            else:
                raise StoreBusy("What is erased keeps coming back while it is erased.", hint="Stop what writes it.")
            sweep = Sweep(
                self.tools.driver,
                self.tools.mutations,
                self.finder,
                erasure=self.erasure,
                words=self.words,
                now=self.tools.clock.now_ms(),
            )
            await sweep.run(values)
            await self._end()
            ids = {*self.done.statements, *self.done.entities, *self.done.episodes}
            ids |= {str(thing.target_id) for thing in self.erasure.things if thing.target_type not in _KEPT}
            await self.tools.ledger.erasures.scrub(self._user, ids, self.words.said_in)
            await self.tools.ledger.erasures.complete(self._user, self.erasure.id, at=self.tools.clock.now_ms())
            return self.done

        def _logged_values(self) -> set[str]:
            """The fingerprints in the log, which a graph from before what was erased was said knows nothing of."""
            things = self.erasure.things
            return {thing.fingerprint for thing in things if thing.target_type == "Statement" and thing.fingerprint}

        def _note(self, plan: Plan) -> None:
            self.done.statements |= plan.statements
            self.done.summaries |= plan.summaries
            self.done.entities |= plan.entities
            self.done.episodes |= plan.episodes

        async def _steps(self, plan: Plan) -> None:
            """The transactions of a plan: its statements in batches, and the rest with the last of them."""
            ids = sorted(plan.statements)
            batches = [ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH)] or [[]]
            for number, batch in enumerate(batches, start=1):
                last = number == len(batches)
                await self._step(plan, batch, rest=last)

        async def _step(self, plan: Plan, statements: Sequence[str], *, rest: bool) -> None:
            tools = self.tools
            drafts = Drafts(self._user, tools.embedder, tools.clock.now_ms())
            step = Step(
                end_user_id=self._user,
                erasure_id=self.erasure.id,
                plan=plan,
                statements=statements,
                summaries=sorted(plan.summaries) if rest else [],
                entities=sorted(plan.entities) if rest else [],
                episodes=sorted(plan.episodes) if rest else [],
                words=self.words,
                drafts=drafts,
                parameters=await tools.parameters(self._user),
                actor=self.erasure.actor,
                now=drafts.now,
            )
            for _ in range(_MOST_DRAFTS):
                await drafts.write(await tools.driver.read(self._user, step.look))
                try:
                    await tools.mutations.run_for_known(self._user, step.run)
                except DraftMissing:
                    continue
                return
            raise StoreBusy("The summaries of what is erased change all the time.", hint="Try again.")

        async def _end(self) -> None:
            """Append the event that says that it is over, once."""
            key = _key(self.erasure.id)

            async def opening(store: UserStore) -> Row | None:
                return await store.begin_change(idempotency_key=key)

            async def work(store: UserStore, head: Head) -> None:
                if head.opened["events"]:
                    return
                event = Event(
                    at=self.tools.clock.now_ms(),
                    actor=self.erasure.actor,
                    action="erase:completed",
                    target_id=self.erasure.id,
                    target_type="Erasure",
                    changed_ids=[],
                    payload={},
                    idempotency_key=key,
                )
                await store.append_event(event=head.link(event))

            await self.tools.mutations.run_for_known(self._user, work, opening=opening)


_KEPT = (WORDS, "MemorySummary")


def _key(erasure_id: str) -> str:
    return f"erase:{erasure_id}"


def _erased(erasure_id: str | None, plan: Plan) -> Erased:
    return Erased(
        id=erasure_id,
        statements=tuple(sorted(plan.statements)),
        summaries=tuple(sorted(plan.summaries)),
        entities=tuple(sorted(plan.entities)),
        episodes=tuple(sorted(plan.episodes)),
        blanked=tuple(sorted(plan.blanked - plan.episodes)),
    )
