"""The memory of one user: the only door to a user's data."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memorygraph.access.recorder import AccessRecorder
from memorygraph.access.state import history_of
from memorygraph.clock import Clock
from memorygraph.embedding import Embedder
from memorygraph.errors import InvalidInput, InvalidParameters, NotFound, StoreUnavailable
from memorygraph.fusion.stubs import decode_payload
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.lineage import build_lineage, forgotten_record
from memorygraph.parameters import EffectiveParameters
from memorygraph.recall.answering import Recalling
from memorygraph.records import Answer, Lineage, MemoryRecord, Written
from memorygraph.times import MS_PER_DAY, from_ms, to_ms
from memorygraph.validation import EntitySpec, RememberRequest, check_count, check_identifier, check_lines
from memorygraph.writing.events import GENESIS, ChainReport, first_fault
from memorygraph.writing.fingerprint import Fingerprints
from memorygraph.writing.mutation import Mutations
from memorygraph.writing.remember import Remember, embedded_text
from memorygraph_forgetting import Curve, DecayParameters, ParameterViolations, cold_at, curve

__all__ = ["Memory", "MemoryTools"]

_EVENT_PAGE = 1000
_MOST_REINFORCED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTools:
    """What every user's memory works with."""

    driver: GraphDriver
    mutations: Mutations
    accesses: AccessRecorder
    parameters: EffectiveParameters
    embedder: Embedder
    fingerprints: Fingerprints
    recalling: Recalling
    clock: Clock


class Memory:
    """The memory of one user, made by :meth:`MemoryEngine.memory`. Nothing of another user is within its reach."""

    def __init__(self, tools: MemoryTools, end_user_id: str, *, actor: str) -> None:
        self._tools = tools
        self._end_user_id = end_user_id
        self._actor = actor

    @property
    def end_user_id(self) -> str:
        """The user whose memory this is."""
        return self._end_user_id

    async def remember(
        self,
        text: str,
        *,
        speaker: str | None = None,
        session_id: str | None = None,
        position: int | None = None,
        kind: str = "fact",
        importance: float = 0.5,
        entities: Sequence[EntitySpec | str | tuple[str, str]] = (),
        title: str | None = None,
        context: str | None = None,
        keywords: Sequence[str] = (),
        tags: Sequence[str] = (),
        project: str | None = None,
        occurred_at: datetime | str | None = None,
        confidence: float | None = None,
        source: str | None = None,
        agent: str | None = None,
        idempotency_key: str | None = None,
    ) -> Written:
        """Remember one statement, retrievable when the call returns.

        ``text`` has 1–2,000 characters, ``importance`` and ``confidence`` are in [0, 1], ``entities``
        are names or ``(name, kind)`` pairs, ``occurred_at`` is an aware datetime or ISO 8601 with an
        offset (default: now). Kind ``turn`` is verbatim talk: it needs ``session_id``, is kept as an
        episode too, and is known by its ``position`` (default: the next one) and text. Of any other
        kind, the same value by :meth:`Fingerprints.of_value` in the same ``project`` is confirmed, not doubled.

        Raises :class:`InvalidInput` and its kind, :class:`Tombstoned`, :class:`IdempotencyConflict`,
        :class:`EmbedderError`, :class:`StoreUnavailable`; nothing is written then.
        """
        request = RememberRequest.checked(
            text=text,
            speaker=speaker,
            session_id=session_id,
            position=position,
            kind=kind,
            importance=importance,
            entities=entities,
            title=title,
            context=context,
            keywords=keywords,
            tags=tags,
            project=project,
            occurred_at=occurred_at,
            confidence=confidence,
            source=source,
            agent=agent,
            idempotency_key=idempotency_key,
        )
        vectors = await self._tools.embedder.embed([embedded_text(request)])
        now = self._tools.clock.now_ms()
        work = Remember(
            end_user_id=self._end_user_id,
            request=request,
            embedding=vectors[0].astype("<f4").tobytes(),
            fingerprints=self._tools.fingerprints,
            parameters=await self._tools.parameters(self._end_user_id),
            actor=self._actor,
            now=now,
            mutation_key=f"call:{uuid.uuid4()}",
        )
        written = await self._tools.mutations.run(self._end_user_id, work.run, now=now, opening=work.begin)
        if written.restates and not written.replayed:
            # Saying again what was forgotten is a use of the summary that stands for it.
            self._tools.accesses.record(self._end_user_id, written.restates, at=now)
        return written

    async def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        session_id: str | None = None,
        reinforce: bool = True,
        explain: bool = False,
    ) -> Answer:
        """What this memory knows of ``query`` (1–2,000 characters), best first, at most ``limit`` (1–1,000).

        ``kinds``, ``project`` and ``session_id`` keep only memories that have one of, or are of,
        what they name; ``tags`` keeps those that bear all. Filters apply before ranking. What is
        returned counts as used, unless ``reinforce`` is false. With ``explain`` each hit says how
        active it is and what that comes from. Raises :class:`InvalidInput`, :class:`EmbedderError`,
        :class:`StoreUnavailable`.
        """
        return await self._tools.recalling.recall(
            self._end_user_id,
            query,
            limit=limit,
            kinds=kinds,
            tags=tags,
            project=project,
            session_id=session_id,
            reinforce=reinforce,
            explain=explain,
        )

    async def get(self, id: str) -> MemoryRecord:
        """One memory by its id: a statement, a summary, or the stub of what was fused. Raises :class:`NotFound`."""
        check_identifier(id)
        now = self._tools.clock.now_ms()
        parameters = await self._tools.parameters(self._end_user_id)
        row, stub = await self._find(id)
        if row is not None:
            return MemoryRecord.from_properties(
                row["type"], row["properties"], entities=row["entities"], parameters=parameters, now=now
            )
        assert stub is not None
        return forgotten_record(stub["properties"], parameters=parameters, now=now, summary_id=stub["summary_id"])

    async def lineage(self, summary_id: str) -> Lineage:
        """What a summary was made of. Raises :class:`NotFound`, and :class:`InvalidInput` for what is no summary."""
        memory = await self.get(summary_id)
        if memory.type != "MemorySummary":
            raise InvalidInput(
                f"{summary_id} is a {memory.type}, and only a summary has a lineage.",
                field="summary_id",
                hint=None if memory.summary_id is None else f"It was fused into {memory.summary_id}.",
            )

        async def work(store: UserStore) -> list[Row]:
            return await store.read_lineage(summary_id=summary_id)

        return build_lineage(
            memory,
            await self._tools.driver.read(self._end_user_id, work),
            parameters=await self._tools.parameters(self._end_user_id),
            now=self._tools.clock.now_ms(),
        )

    async def curve(
        self,
        id: str,
        *,
        start: datetime | str | None = None,
        end: datetime | str | None = None,
        points: int = 200,
        parameters: DecayParameters | None = None,
    ) -> Curve:
        """Retention over time of a statement, a summary or a forgotten original, with the terms it comes from.

        From ``start`` (default: creation; never before the oldest use whose time is kept) to ``end``
        (default: 30 days after it is cold, at least 30 from now) in ``points`` points (2–10,000), under
        ``parameters`` or those in force. Raises :class:`NotFound`, :class:`InvalidInput`,
        :class:`InvalidParameters`.
        """
        check_identifier(id)
        check_count(points, field="points", least=2, most=10_000)
        values = parameters
        if values is None:
            values = (await self._tools.parameters(self._end_user_id)).values
        elif not isinstance(values, DecayParameters):
            raise InvalidParameters(f"parameters is not DecayParameters but {type(values).__name__}.", violations=[])
        else:
            try:
                values.validate()
            except ParameterViolations as error:
                raise InvalidParameters(str(error), violations=[str(v) for v in error.violations]) from error
        row, stub = await self._find(id)
        properties = row["properties"] if row is not None else decode_payload((stub or {})["properties"]["payload"])[0]
        history = history_of(properties)
        now = self._tools.clock.now_ms()
        first = history.first if start is None else to_ms(start, field="start")
        if end is not None:
            last = to_ms(end, field="end")
        else:
            cold = cold_at(history, values, importance=properties["importance"])
            last = max(now, cold or now) + 30 * MS_PER_DAY
        if last <= first:
            raise InvalidInput("end is not after start.", field="end")
        known_from = history.times[0]
        if last <= known_from:
            raise InvalidInput(
                f"end is not after {from_ms(known_from).isoformat()}, and nothing earlier can be drawn.",
                field="end",
                hint="A curve begins at the oldest use whose time is kept.",
            )
        return curve(history, values, importance=properties["importance"], start=first, end=last, points=points)

    async def reinforce(self, ids: Sequence[str]) -> None:
        """Note that memories or entities of this user were used explicitly. Unknown ids are passed over."""
        checked = check_lines(ids, field="ids", longest=200, most=_MOST_REINFORCED)
        if self._tools.accesses.closed:
            raise StoreUnavailable("The engine is closed.")
        self._tools.accesses.record(self._end_user_id, checked, at=self._tools.clock.now_ms())

    async def verify_events(self) -> ChainReport:
        """Recompute the chain of this user's events, from the first to the head."""

        async def head(store: UserStore) -> Row | None:
            return await store.read_user()

        user = await self._tools.driver.read(self._end_user_id, head)
        if user is None:
            return ChainReport(ok=True, checked=0)
        after, prev_hash = 0, GENESIS
        while after < user["seq"]:
            upto = min(after + _EVENT_PAGE, user["seq"])

            async def page(store: UserStore, after: int = after, upto: int = upto) -> list[Row]:
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
        return ChainReport(ok=True, checked=after)

    async def _find(self, id: str) -> tuple[Row | None, Row | None]:
        """The live node of ``id``, or else its stub; raises :class:`NotFound` when there is neither."""

        async def work(store: UserStore) -> tuple[Row | None, Row | None]:
            rows = await store.read_memories(ids=[id])
            if rows and rows[0]["properties"] is not None:
                return rows[0], None
            stubs = await store.read_forgotten(ids=[id])
            return None, stubs[0] if stubs else None

        found = await self._tools.driver.read(self._end_user_id, work)
        if found == (None, None):
            raise NotFound(f"There is no memory {id[:60]!r} of this user.")
        return found
