"""Answering a query: rank in the index, read what was found, make sure nothing moved meanwhile, record the use."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memorygraph.access.recorder import AccessRecorder
from memorygraph.access.state import history_of
from memorygraph.clock import Clock
from memorygraph.embedding import Embedder
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.parameters import EffectiveParameters
from memorygraph.past.memories import rows_as_of
from memorygraph.recall.cache import RecallIndexes
from memorygraph.recall.choice import Choice
from memorygraph.recall.index import RankedHit
from memorygraph.recall.reading import GraphReader
from memorygraph.records import Answer, Explanation, Hit, MemoryRecord, Outcome
from memorygraph.text.tokens import query_tokens
from memorygraph.validation import MAX_TEXT, check_count, check_text

__all__ = ["Recalling"]

_MOST_HITS = 1000
_WIDER = 4  # times as many are looked at when too few of those that were found were held at the time asked about
_MOST_ROUNDS = 10  # answers made again because the memory moved; then the last one is as good as any


@dataclass(slots=True)
class _Timer:
    """Adds up where the time went, in milliseconds."""

    spent: dict[str, float]
    last: float

    def note(self, name: str) -> None:
        now = time.perf_counter()
        self.spent[name] = self.spent.get(name, 0.0) + (now - self.last) * 1000
        self.last = now


class Recalling:
    """Recall for every user of an engine, over one cache of indexes."""

    def __init__(
        self,
        *,
        driver: GraphDriver,
        accesses: AccessRecorder,
        parameters: EffectiveParameters,
        embedder: Embedder,
        clock: Clock,
        indexes: RecallIndexes,
    ) -> None:
        self._driver = driver
        self._accesses = accesses
        self._parameters = parameters
        self._embedder = embedder
        self._clock = clock
        self._indexes = indexes

    async def recall(
        self,
        end_user_id: str,
        query: str,
        *,
        limit: int,
        chosen: Choice,
        reinforce: bool,
        explain: bool,
    ) -> Answer:
        """See :meth:`memorygraph.Memory.recall`."""
        check_text(query, field="query", longest=MAX_TEXT)
        check_count(limit, field="limit", least=1, most=_MOST_HITS)
        now = self._clock.now_ms()
        filters = chosen.filters(now=now)
        timer = _Timer({}, time.perf_counter())
        vector = (await self._embedder.embed([query]))[0]
        timer.note("embed")
        tokens = query_tokens(query)
        reader = GraphReader(self._driver, end_user_id)
        head = await reader.head()
        wanted = limit
        rounds = 0
        while True:
            timer.note("read")
            if head is None:
                return Answer(
                    query=query, outcome="unknown_user", hits=(), searched=0, passed=0, timings_ms=timer.spent
                )
            index = await self._indexes.current(end_user_id, reader, head)
            timer.note("index")
            ranked_at = index.seq
            ranking = index.search(tokens, vector, filters, wanted)
            timer.note("rank")
            rows, present, head = await self._read(end_user_id, [hit.id for hit in ranking.hits], chosen, now)
            rounds += 1
            # One that is gone was fused just now, even where the head is read as it was: Neo4j shows a commit bit by
            # bit. Ranked without the others, what remains would be half an answer.
            whole = present == len(ranking.hits)
            if (head == ranked_at and whole) or rounds == _MOST_ROUNDS:
                if len(rows) >= limit or len(rows) == present or len(ranking.hits) < wanted:
                    break
                # Some were not held at the time that is asked about: others take their places.
                wanted, rounds = wanted * _WIDER, 0
        if not whole:
            self._indexes.drop(end_user_id)  # it holds what no event took away
        timer.note("read")
        held = [hit for hit in ranking.hits if hit.id in rows]
        hits = await self._hits(end_user_id, held[:limit], rows, now, explain=explain)
        if reinforce and hits:
            used = dict.fromkeys(hit.memory.id for hit in hits)
            used |= dict.fromkeys(entity.id for hit in hits for entity in hit.memory.entities)
            self._accesses.record(end_user_id, used, at=now)
        timer.note("answer")
        passed = ranking.passed - (present - len(rows))
        outcome: Outcome = "found" if hits else "no_match" if passed or not ranking.searched else "filtered_out"
        return Answer(
            query=query,
            outcome=outcome,
            hits=hits,
            searched=ranking.searched,
            passed=passed,
            timings_ms=timer.spent,
        )

    async def close(self) -> None:
        """Let go of every index."""
        await self._indexes.close()

    async def _read(
        self, end_user_id: str, ids: Sequence[str], chosen: Choice, now: int
    ) -> tuple[dict[str, Row], int, int | None]:
        """The memories of ``ids`` as asked for, how many are still there, and where the user's events stood then.

        As of a recorded time those are left out that were not held then.
        """

        async def work(store: UserStore) -> tuple[dict[str, Row], int, int | None]:
            if not ids:
                user = await store.read_user()
                return {}, 0, None if user is None else int(user["seq"])
            rows = await store.read_memories(ids=ids)
            head = int(rows[0]["seq"]) if rows else None
            found = [row for row in rows if row["properties"] is not None]
            present = len(found)
            if chosen.as_of_recorded is not None:
                then = await rows_as_of(store, found, chosen.as_of_recorded)
                found = [row for row in then if chosen.held(row["properties"], now=now)]
            return {row["properties"]["id"]: row for row in found}, present, head

        return await self._driver.read(end_user_id, work)

    async def _hits(
        self, end_user_id: str, ranked: Sequence[RankedHit], rows: dict[str, Row], now: int, *, explain: bool
    ) -> tuple[Hit, ...]:
        parameters = await self._parameters(end_user_id)

        def explanation(properties: dict[str, Any]) -> Explanation | None:
            if not explain:
                return None
            return Explanation.of(history_of(properties), now, parameters.values, importance=properties["importance"])

        return tuple(
            Hit(
                memory=MemoryRecord.from_properties(
                    rows[hit.id]["type"],
                    rows[hit.id]["properties"],
                    entities=rows[hit.id]["entities"],
                    parameters=parameters,
                    now=now,
                ),
                rank=rank,
                score=hit.score,
                lexical=hit.lexical,
                dense=hit.dense,
                explanation=explanation(rows[hit.id]["properties"]),
            )
            for rank, hit in enumerate(ranked, start=1)
        )
