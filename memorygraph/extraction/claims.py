"""What extraction works on and what it gives: chunks in, claims with their evidence out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from memorygraph.validation import EntitySpec, RelationSpec

__all__ = ["Chunk", "Claim", "Extraction", "Extractor", "Passage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One stretch of an episode, verbatim."""

    episode_id: str
    start: int  # of the stretch within the episode's text, in characters
    text: str
    speaker: str | None
    occurred_at: int  # epoch ms
    zone: str  # IANA name of the time zone in which the passage's "yesterday" is meant
    kept_whole: bool = False  # a turn that is a statement of its own, word for word, whatever is extracted from it
    within_block: bool = False  # it goes on with code or a table that was cut for its length, and has nothing else


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Passages that are looked at together, in order: some turns of a session, or a stretch of a document."""

    passages: tuple[Passage, ...]  # at least one
    heading: str | None = None  # where in a document it stands, e.g. "Guide › Installing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement found in a passage, not yet checked against any limit of the store. Times are epoch ms."""

    text: str
    kind: str  # one of memorygraph.validation.KINDS, never "turn"
    passage: int  # index of its passage within the chunk
    start: int  # of the evidence within the passage's text, in characters
    end: int
    importance: float = 0.5  # [0, 1]
    confidence: float = 1.0  # [0, 1]
    subject: str | None = None
    predicate: str | None = None
    value: str | None = None
    entities: tuple[EntitySpec, ...] = ()
    relations: tuple[RelationSpec, ...] = ()
    keywords: tuple[str, ...] = ()
    valid_from: int | None = None
    valid_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What came of one chunk, and what it cost."""

    claims: tuple[Claim, ...]
    dropped: int = 0  # claims whose evidence is not in the text, or that fit no limit
    calls: int = 0  # to a language model, those that failed included
    prompt_tokens: int = 0
    completion_tokens: int = 0
    notices: tuple[str, ...] = ()  # what was ignored, e.g. a model's word on its own trust


class Extractor(Protocol):
    """Finds the claims of a chunk."""

    @property
    def name(self) -> str:
        """Stored with each claim as its ``model``: ``local``, or the language model's name."""
        ...

    @property
    def derives(self) -> bool:
        """Whether claims are a model's own words (and so wait for a review), or taken from the text as it stands."""
        ...

    @property
    def chunk_characters(self) -> int:
        """The most characters that a chunk should have."""
        ...

    async def extract(self, chunk: Chunk) -> Extraction:
        """Raises :class:`memorygraph.errors.ExtractionFailed`, or :class:`memorygraph.errors.ModelUnavailable`."""
        ...
