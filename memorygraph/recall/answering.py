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
from memorygraph.recall.cache import RecallIndexes
from memorygraph.recall.choice import Choice
from memorygraph.recall.index import RankedHit
from memorygraph.recall.reading import GraphReader
from memorygraph.records import Answer, Explanation, Hit, MemoryRecord, Outcome
from memorygraph.text.tokens import query_tokens
from memorygraph.validation import MAX_TEXT, check_count, check_text

__all__ = ["Recalling"]

_MOST_HITS = 1000
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
            ranking = index.search(tokens, vector, filters, limit)
            timer.note("rank")
            rows, head = await self._read(end_user_id, [hit.id for hit in ranking.hits])
            rounds += 1
            # One that is gone was fused just now, even where the head is read as it was: Neo4j shows a commit bit by
            # bit. Ranked without the others, what remains would be half an answer.
            whole = len(rows) == len(ranking.hits)
            if (head == ranked_at and whole) or rounds == _MOST_ROUNDS:
                break
        if not whole:
            self._indexes.drop(end_user_id)  # it holds what no event took away
        timer.note("read")
        hits = await self._hits(end_user_id, ranking.hits, rows, now, explain=explain)
        if reinforce and hits:
            used = dict.fromkeys(hit.memory.id for hit in hits)
            used |= dict.fromkeys(entity.id for hit in hits for entity in hit.memory.entities)
            self._accesses.record(end_user_id, used, at=now)
        timer.note("answer")
        outcome: Outcome = "found" if hits else "no_match" if ranking.passed or not ranking.searched else "filtered_out"
        return Answer(
            query=query,
            outcome=outcome,
            hits=hits,
            searched=ranking.searched,
            passed=ranking.passed,
            timings_ms=timer.spent,
        )

    async def close(self) -> None:
        """Let go of every index."""
        await self._indexes.close()

    async def _read(self, end_user_id: str, ids: Sequence[str]) -> tuple[dict[str, Row], int | None]:
        """The memories of ``ids`` that are still there, and where the user's events stood in that very reading."""

        async def work(store: UserStore) -> tuple[dict[str, Row], int | None]:
            if not ids:
                user = await store.read_user()
                return {}, None if user is None else int(user["seq"])
            rows = await store.read_memories(ids=ids)
            found = {row["id"]: row for row in rows if row["properties"] is not None}
            return found, int(rows[0]["seq"]) if rows else None

        return await self._driver.read(end_user_id, work)

    async def _hits(
        self, end_user_id: str, ranked: Sequence[RankedHit], rows: dict[str, Row], now: int, *, explain: bool
    ) -> tuple[Hit, ...]:
        parameters = await self._parameters(end_user_id)
        present = [hit for hit in ranked if hit.id in rows]

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
            for rank, hit in enumerate(present, start=1)
        )
