"""Episodes as the job that works on them reads them back, and what of them is looked at together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from memorygraph.extraction.chunking import CHUNK_CHARACTERS, chunk_document, chunk_turns
from memorygraph.extraction.claims import Chunk, Passage
from memorygraph.ingest.echoes import blank_recalled
from memorygraph.ingest.markdown import Section, blocks_of, sections_of
from memorygraph.ingest.small_talk import says_nothing
from memorygraph.validation import MAX_TEXT

__all__ = ["KeptEpisode", "chunks_of"]


@dataclass(frozen=True, kw_only=True)
class KeptEpisode:
    """A turn or a document as it was kept. Times are epoch ms."""

    id: str
    text: str
    speaker: str | None
    role: str | None
    session_id: str
    position: int
    occurred_at: int
    zone: str
    source: str | None
    metadata: Mapping[str, Any]

    @classmethod
    def from_properties(cls, properties: Mapping[str, Any]) -> KeptEpisode:
        """That of an Episode node made by an ingestion."""
        return cls(
            id=properties["id"],
            text=properties["text"],
            speaker=properties.get("speaker"),
            role=properties.get("role"),
            session_id=properties["session_id"],
            position=properties["position"],
            occurred_at=properties["occurred_at"],
            zone=properties.get("zone") or "UTC",  # a place that was erased may have been its zone
            source=properties.get("source"),
            metadata=json.loads(properties.get("metadata") or "{}"),
        )

    @cached_property
    def own(self) -> tuple[int, str]:
        """Where its own words begin, and they: blanks stand for what recall had put among them."""
        text = blank_recalled(self.text)
        if text == self.text:
            return 0, text
        return len(text) - len(text.lstrip()), text.strip()

    @property
    def is_document(self) -> bool:
        """Whether it is a document, and not something said."""
        return "has_headings" in self.metadata

    @property
    def is_turn(self) -> bool:
        """Whether it becomes a statement of its own, word for word."""
        return not self.is_document and len(self.own[1]) <= MAX_TEXT


def chunks_of(episodes: Sequence[KeptEpisode], *, limit: int = CHUNK_CHARACTERS) -> list[Chunk]:
    """The chunks of an ingestion in a fixed order, at most ``limit`` characters each; none that is only courtesies."""
    chunks: list[Chunk] = []
    for (_, documents), group in groupby(episodes, key=lambda episode: (episode.session_id, episode.is_document)):
        if documents:
            for episode in group:
                whole = replace(_passage(episode), start=0, text=blank_recalled(episode.text))
                chunks += chunk_document(whole, sections=_sections(episode), limit=limit)
        else:
            chunks += chunk_turns([_passage(episode) for episode in group], limit=limit)
    return [
        chunk for chunk in chunks if not all(says_nothing(" ".join(passage.text.split())) for passage in chunk.passages)
    ]


def _passage(episode: KeptEpisode) -> Passage:
    start, text = episode.own
    return Passage(
        episode_id=episode.id,
        start=start,
        text=text,
        speaker=episode.speaker,
        occurred_at=episode.occurred_at,
        zone=episode.zone,
    )


def _sections(episode: KeptEpisode) -> Sequence[Section]:
    if not episode.metadata["has_headings"]:
        return (Section((), 0, len(episode.text)),)
    return sections_of(episode.text, blocks_of(episode.text, front_matter=True))
