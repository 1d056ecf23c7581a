"""What recall searches, whatever holds it: rows in, filters and a ranking out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from memorygraph.past.truth import true_since

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "RELEVANCE_FLOOR",
    "Filters",
    "IndexReader",
    "IndexRow",
    "Neighbour",
    "RankedHit",
    "Ranking",
    "RecallIndex",
    "RowType",
]

RowType = Literal["Statement", "MemorySummary"]

RELEVANCE_FLOOR = 0.30
"""Cosine below which a memory that shares no word with the question is not returned.

Chosen with the bundled model on conversations: nine tenths of the turns that answer a question reach
it, and one in twenty-four of the turns of other people's conversations.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """What the index keeps of one statement or summary; the text itself stays in the store."""

    id: str
    type: RowType
    search_text: str  # scope token and tokens, separated by spaces (memorygraph.text.search_text)
    embedding: bytes  # float32, little-endian, length 1
    kind: str
    status: str
    trust: str
    tags: tuple[str, ...] = ()
    project: str | None = None
    session_id: str | None = None
    # Epoch milliseconds; None where there is no such instant.
    expires_at: int | None = None
    recorded_at: int | None = None
    retired_at: int | None = None
    superseded_from: int | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    last_confirmed_at: int | None = None
    confidence: float | None = None  # [0, 1]; None for a summary, which has none
    source_count: int | None = None

    @classmethod
    def of(cls, type: RowType, properties: Mapping[str, Any]) -> IndexRow:
        """That of a node's ``properties``, or of a row that the store tells for recall."""
        told: dict[str, Any] = {name: properties.get(name) for name in cls.__slots__}
        told |= {"type": type, "tags": tuple(properties.get("tags") or ()), "valid_from": true_since(properties)}
        return cls(**told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which rows may be ranked at all. ``None`` and an empty ``tags`` leave everything in. Times are epoch ms.

    With ``as_of_valid`` rows pass that held then in the world, active ones and those that another has taken
    the place of since. With ``as_of_recorded`` those pass that may have held then: recorded by then, and, unless
    ``superseded`` is among the statuses, not retired by then; how they were is not known to the index.
    """

    now: int  # what expired by then is out
    kinds: Collection[str] | None = None
    tags: Collection[str] = ()  # a row must have all of them
    project: str | None = None
    or_without_project: bool = False  # rows of no project pass beside those of ``project``
    session_id: str | None = None
    statuses: Collection[str] = ("active",)
    trusts: Collection[str] = ("accepted",)
    as_of_valid: int | None = None
    as_of_recorded: int | None = None
    min_confidence: float = 0.0  # effective, as memorygraph.confidence has it; rows without one pass


@dataclass(frozen=True, slots=True)
class Neighbour:
    id: str
    type: RowType
    cosine: float  # [-1, 1]


@dataclass(frozen=True, slots=True)
class RankedHit:
    id: str
    type: RowType
    score: float  # in [0, 1], comparable within one ranking only
    lexical: float  # BM25, 0 when no word is shared
    dense: float | None  # cosine in [-1, 1]; None when there was no vector to compare with


@dataclass(frozen=True, slots=True)
class Ranking:
    hits: tuple[RankedHit, ...]  # best first
    searched: int  # rows of the user
    passed: int  # of them, rows that passed the filters


class RecallIndex(Protocol):
    """The rows of one user that are not forgotten, as of mutation ``seq`` of that user."""

    @property
    def seq(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        ...

    def __len__(self) -> int: ...

    def apply(self, rows: Iterable[IndexRow], removed_ids: Iterable[str], seq: int) -> None:
        """Take in rows, new or changed, and drop others; unknown ids are ignored. Applying twice changes nothing."""
        ...

    def search(
        self,
        tokens: Sequence[str],
        vector: npt.NDArray[np.float32] | None,
        filters: Filters,
        limit: int,
        *,
        floor: float = RELEVANCE_FLOOR,
    ) -> Ranking:
        """The best ``limit`` rows or fewer: only rows that share a word or whose cosine reaches ``floor``.

        ``tokens`` come from :func:`memorygraph.text.query_tokens`; ``vector`` is that of the
        question, of length 1, or ``None`` to rank by words alone.
        """
        ...

    def nearest(
        self, vectors: npt.NDArray[np.float32], filters: Filters, limit: int, *, floor: float
    ) -> list[list[Neighbour]]:
        """For each of ``vectors``, shape (n, dimension), the nearest ``limit`` rows of cosine ``floor`` or more."""
        ...


class IndexReader(Protocol):
    """One user's rows in the store."""

    async def head(self) -> int | None:
        """The number of the user's last mutation; ``None`` for an unknown user."""
        ...

    def rows(self) -> AsyncIterator[list[IndexRow]]:
        """All rows that are not forgotten, in pages, as of the call or later."""
        ...

    async def changed(self, after: int, upto: int) -> tuple[list[IndexRow], list[str]]:
        """Rows changed by the mutations ``after < seq <= upto``, as they are now, and ids that are gone."""
        ...
