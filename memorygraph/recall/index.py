"""What recall searches, whatever holds it: rows in, filters and a ranking out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "RELEVANCE_FLOOR",
    "Filters",
    "IndexReader",
    "IndexRow",
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
    expires_at: int | None = None  # epoch milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which rows may be ranked at all. ``None`` and an empty ``tags`` leave everything in."""

    now: int  # epoch milliseconds; what expired by then is out
    kinds: Collection[str] | None = None
    tags: Collection[str] = ()  # a row must have all of them
    project: str | None = None
    session_id: str | None = None
    statuses: Collection[str] = ("active",)
    trusts: Collection[str] = ("accepted",)


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
