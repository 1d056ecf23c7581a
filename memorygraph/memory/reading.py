"""Reading one user's memory: recall, one by one, in pages, over time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memorygraph.access.state import history_of
from memorygraph.errors import InvalidInput, InvalidParameters, NotFound, StoreUnavailable
from memorygraph.fusion.stubs import decode_payload
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.lineage import build_lineage, forgotten_record, original_row
from memorygraph.memory.bound import Bound
from memorygraph.memory.histories import whole_history
from memorygraph.memory.records import HistoryEntry, Relatives
from memorygraph.past.memories import row_as_of
from memorygraph.recall.choice import Choice
from memorygraph.records import Answer, Lineage, MemoryRecord
from memorygraph.times import MS_PER_DAY, from_ms, to_ms
from memorygraph.validation import check_count, check_identifier, check_lines
from memorygraph_forgetting import Curve, DecayParameters, ParameterViolations, cold_at, curve

__all__ = ["Reading"]

_MOST_REINFORCED = 1000


class Reading(Bound):
    """What can be asked of a memory."""

    async def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        session_id: str | None = None,
        min_confidence: float = 0.0,
        include: Sequence[str] = (),
        as_of_valid: datetime | str | None = None,
        as_of_recorded: datetime | str | None = None,
        reinforce: bool = True,
        explain: bool = False,
    ) -> Answer:
        """What this memory knows of ``query`` (1–2,000 characters), best first, at most ``limit`` (1–1,000).

        ``kinds``, ``project`` and ``session_id`` keep only memories that have one of, or are of,
        what they name; ``tags`` keeps those that bear all; ``min_confidence`` (0–1) those of at least that
        effective confidence, and summaries, which have none. ``include`` adds ``candidate`` or
        ``superseded`` memories. ``as_of_valid`` asks for what was true then, ``as_of_recorded`` for
        what this memory held to be true then; both may be given. Filters apply before ranking. What is
        returned counts as used, unless ``reinforce`` is false or it is asked as of another time.

        As of a recorded time the hits are as they were then, rebuilt from their events, and chosen by that;
        found and ranked they are by the words they have now, and what was fused since is not found. What
        cannot be rebuilt because an event was erased is left out.

        With ``explain`` each hit says how active it is and what that comes from. Raises
        :class:`InvalidInput`, :class:`Forbidden`, :class:`EmbedderError`, :class:`StoreUnavailable`.
        """
        self._need("read")
        past = as_of_valid is not None or as_of_recorded is not None
        return await self._tools.recalling.recall(
            self._end_user_id,
            query,
            limit=limit,
            chosen=Choice.checked(
                kinds=kinds,
                tags=tags,
                project=project,
                session_id=session_id,
                min_confidence=min_confidence,
                include=include,
                as_of_valid=as_of_valid,
                as_of_recorded=as_of_recorded,
            ),
            reinforce=reinforce and not past,
            explain=explain,
        )

    async def get(self, id: str, *, as_of_recorded: datetime | str | None = None) -> MemoryRecord:
        """One memory by its id: a statement, a summary, or the stub of what was fused.

        With ``as_of_recorded`` what this memory said of it then, rebuilt from its events; its uses, and
        what is computed from them, are those of now. Raises :class:`NotFound`, also when it was not
        recorded yet, and :class:`Conflict` when what was changed since has been erased from the events.
        """
        self._need("read")
        check_identifier(id)
        at = None if as_of_recorded is None else to_ms(as_of_recorded, field="as_of_recorded")
        now = self._tools.clock.now_ms()
        parameters = await self._tools.parameters(self._end_user_id)
        row, stub = await self._find(id)
        if at is not None and (stub is None or at < stub["properties"]["forgotten_at"]):
            row = await self._as_of(id, row, stub, at)
        if row is not None:
            return MemoryRecord.from_properties(
                row["type"], row["properties"], entities=row["entities"], parameters=parameters, now=now
            )
        assert stub is not None
        return forgotten_record(stub["properties"], parameters=parameters, now=now, summary_id=stub["summary_id"])

    async def _as_of(self, id: str, row: Row | None, stub: Row | None, at: int) -> Row:
        """A memory as it was known at ``at`` (epoch ms); of one that was fused since, as it was before."""

        async def work(store: UserStore) -> tuple[list[HistoryEntry], Row | None]:
            return await whole_history(store, id), await store.read_relatives(id=id)

        if row is None:
            row = original_row((stub or {})["properties"])
        if row["properties"]["recorded_at"] > at:
            recorded = from_ms(row["properties"]["recorded_at"]).isoformat()
            raise NotFound(f"{id} was not recorded yet: that was at {recorded}.")
        entries, relatives = await self._tools.driver.read(self._end_user_id, work)
        return row_as_of(row, entries, at, questions=() if relatives is None else relatives["questions"])

    async def relatives(self, id: str) -> Relatives:
        """What a statement or summary is tied to: links, contradictions, what it took the place of, its evidence.

        Raises :class:`NotFound`, also for what was fused.
        """
        self._need("read")
        check_identifier(id)

        async def work(store: UserStore) -> Row | None:
            return await store.read_relatives(id=id)

        row = await self._tools.driver.read(self._end_user_id, work)
        if row is None:
            raise NotFound(f"There is no memory {id[:60]!r} of this user.")
        return Relatives.of(row)

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
        self._need("read")
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
        self._need("write")
        checked = check_lines(ids, field="ids", longest=200, most=_MOST_REINFORCED)
        if self._tools.accesses.closed:
            raise StoreUnavailable("The engine is closed.")
        self._tools.accesses.record(self._end_user_id, checked, at=self._tools.clock.now_ms())

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
