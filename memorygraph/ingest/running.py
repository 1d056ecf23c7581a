"""The job that makes memories of what was kept: turns word for word, then what can be found in them.

Progress is written after every part, and a run that takes over goes on from there. What the part
that was cut off had written already is known by its keys when it is written again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memorygraph.cost import NOTHING_SPENT, Cost
from memorygraph.errors import ExtractionFailed, IdempotencyConflict, MemoryGraphError, NotFound, StoreError
from memorygraph.extraction.chunking import CHUNK_CHARACTERS
from memorygraph.extraction.claims import Chunk, Extraction, Extractor
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ingest.drafts import claim_draft, turn_draft
from memorygraph.ingest.echoing import Echoes
from memorygraph.ingest.episodes import KeptEpisode, chunks_of
from memorygraph.jobs.running import RunningJob
from memorygraph.memory.bound import MemoryTools
from memorygraph.memory.drafting import Draft, write_drafts
from memorygraph.records import Written

__all__ = ["Ingesting"]

_TURNS_AT_ONCE = 50
_CLAIMS_AT_ONCE = 100
_ACTOR = "ingest"


class Ingesting:
    """Runs ingestions of all users. ``extractors`` work one after the other on every chunk, the local one first."""

    def __init__(self, tools: MemoryTools, extractors: Sequence[Extractor]) -> None:
        self._tools = tools
        self._extractors = extractors

    async def run(self, job: RunningJob) -> Mapping[str, Any]:
        """The handler: the ingestion that the job's payload names. Answers how much came of it.

        Raises :class:`ModelUnavailable` and :class:`StoreUnavailable` to be run again later, and
        :class:`NotFound` when what was kept has been erased.
        """
        end_user_id, ingest_id = job.record.end_user_id, job.record.payload["ingest_id"]
        episodes = await self._episodes(end_user_id, ingest_id)
        if not episodes and job.record.payload["episodes"] > 0:
            raise NotFound("What was kept of this ingestion is gone.")
        run = _Run(self._tools, end_user_id, job, episodes)
        await run.look_for_echoes()
        await run.write_turns()
        for number, extractor in enumerate(self._extractors):
            await run.extract(number, extractor)
        await self._finish(end_user_id, ingest_id)
        return run.result

    async def _episodes(self, end_user_id: str, ingest_id: str) -> list[KeptEpisode]:
        async def work(store: UserStore) -> list[Row]:
            return await store.read_ingestion(ingest_id=ingest_id)

        rows = await self._tools.driver.read(end_user_id, work)
        return [KeptEpisode.from_properties(row["episode"]) for row in rows]

    async def _finish(self, end_user_id: str, ingest_id: str) -> None:
        async def work(store: UserStore) -> None:
            await store.finish_episodes(ingest_id=ingest_id)

        await self._tools.driver.write(end_user_id, work)


class _Run:
    """One run of one ingestion."""

    def __init__(self, tools: MemoryTools, end_user_id: str, job: RunningJob, episodes: Sequence[KeptEpisode]) -> None:
        self._tools = tools
        self._job = job
        self._episodes = episodes
        self._by_id = {episode.id: episode for episode in episodes}
        self._end_user_id = end_user_id
        self._echoes = Echoes(tools, end_user_id)
        before = job.record.progress or {"of_turns": 0, "looked_at": 0, "echoed": [], "turns": 0, "chunks": []}
        self._echoed: set[str] = set(before["echoed"])
        self._looked_at: int = before["looked_at"]
        self._turns: int = before["turns"]
        # By extractor: done, of how many, cut to which length.
        self._chunks: list[dict[str, int]] = [dict(at) for at in before["chunks"]]
        self._counts: Counter[str] = Counter(before.get("counts", {}))
        if len(episodes) != before["of_turns"]:
            # Some were erased since, and numbers mean others now. What was looked at as a whole, still is.
            self._looked_at = len(episodes) if self._looked_at == before["of_turns"] > 0 else 0
            self._turns, self._chunks = 0, []
            self._counts = Counter({"echoes": len(self._echoed)})

    @property
    def result(self) -> dict[str, Any]:
        """What came of it, in numbers."""
        known = {"known_episodes": known} if (known := self._job.record.payload["known"]) else {}
        return {"episodes": len(self._episodes), **known, **+self._counts}

    async def look_for_echoes(self) -> None:
        """Find out who only repeats what recall had answered: before anything is written that could be repeated."""
        while self._looked_at < len(self._episodes):
            part = self._episodes[self._looked_at : self._looked_at + _TURNS_AT_ONCE]
            echoed = await self._echoes.among(part)
            self._echoed |= echoed
            self._counts["echoes"] += len(echoed)
            self._looked_at += len(part)
            await self._checkpoint()

    async def write_turns(self) -> None:
        """Write every turn that says something as it was said."""
        while self._turns < len(self._episodes):
            part = self._episodes[self._turns : self._turns + _TURNS_AT_ONCE]
            drafts: list[Draft] = []
            for episode in part:
                if episode.is_turn and episode.id not in self._echoed:
                    draft = turn_draft(episode)
                    if draft is None:
                        self._counts["says_nothing"] += 1
                    else:
                        drafts.append(draft)
            await self._write(drafts)
            self._turns += len(part)
            await self._checkpoint()

    async def extract(self, number: int, extractor: Extractor) -> None:
        """Write the claims that one extractor finds, chunk by chunk."""
        if len(self._chunks) <= number:
            # As long in a later run, whatever the settings are then: chunks are known by their numbers.
            longest = min(CHUNK_CHARACTERS, extractor.chunk_characters)
            self._chunks.append({"done": 0, "of": 0, "characters": longest})
        at = self._chunks[number]
        told = [episode for episode in self._episodes if episode.id not in self._echoed]
        chunks = chunks_of(told, limit=at["characters"])
        at["of"] = len(chunks)
        for chunk in chunks[at["done"] :]:
            try:
                found = await extractor.extract(chunk)
            except ExtractionFailed as error:
                # One stretch that a model can make nothing of does not keep it from the others.
                self._counts["failed_chunks"] += 1
                cost = error.cost
            else:
                await self._write(self._drafts(chunk, found, extractor))
                cost = Cost(
                    calls=found.calls, prompt_tokens=found.prompt_tokens, completion_tokens=found.completion_tokens
                )
            at["done"] += 1
            await self._checkpoint(cost)

    def _drafts(self, chunk: Chunk, found: Extraction, extractor: Extractor) -> list[Draft]:
        drafts = [
            claim_draft(
                claim,
                chunk,
                self._by_id[chunk.passages[claim.passage].episode_id],
                model=extractor.name,
                derived=extractor.derives,
                derived_trust=self._tools.settings.derived_trust,
            )
            for claim in found.claims
        ]
        self._counts["dropped"] += found.dropped + drafts.count(None)
        self._counts["ignored"] += len(found.notices)
        return [draft for draft in drafts if draft is not None]

    async def _write(self, drafts: Sequence[Draft]) -> None:
        for start in range(0, len(drafts), _CLAIMS_AT_ONCE):
            part = drafts[start : start + _CLAIMS_AT_ONCE]
            answers = await write_drafts(self._tools, self._end_user_id, part, actor=_ACTOR)
            self._counts.update(_outcome(answer) for answer in answers)

    async def _checkpoint(self, cost: Cost = NOTHING_SPENT) -> None:
        progress = {
            "looked_at": self._looked_at,
            "turns": self._turns,
            "of_turns": len(self._episodes),
            "chunks": [dict(at) for at in self._chunks],
            "counts": dict(+self._counts),
            "echoed": sorted(self._echoed),
        }
        await self._job.checkpoint(progress, cost=cost)


def _outcome(answer: Written | MemoryGraphError) -> str:
    if isinstance(answer, StoreError):
        raise answer
    if isinstance(answer, IdempotencyConflict):
        # A run that was cut off had written it, when the model had told something else about the same words.
        return "known"
    if isinstance(answer, MemoryGraphError):
        return "failed"
    return "known" if answer.replayed else answer.outcome
