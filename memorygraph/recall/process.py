"""The recall index of one user in this process: exact, over all rows, in numpy arrays."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from memorygraph.confidence import effective_confidences
from memorygraph.recall.columns import CodedColumn, GrowingArray, TagIndex
from memorygraph.recall.cosines import cosines
from memorygraph.recall.index import RELEVANCE_FLOOR, Filters, IndexRow, Neighbour, RankedHit, Ranking, RowType
from memorygraph.recall.postings import Postings

__all__ = ["ProcessIndex"]

_LEXICAL_WEIGHT = 0.6
_DENSE_WEIGHT = 0.4
_POOL_PER_ARM = 100
_NEVER = np.iinfo(np.int64).max
_EVER = np.iinfo(np.int64).min
# What stands in a column of times where a row has none.
_TIMES = {
    "recorded_at": _EVER,
    "retired_at": _NEVER,
    "superseded_from": _NEVER,
    "valid_from": _EVER,
    "valid_to": _NEVER,
    "last_confirmed_at": _EVER,
}
# Dead slots cost memory and a little time; clearing them away costs a pass over everything.
_DEAD_BEFORE_COMPACTION = 256
# An entry in the list of ids and one in the dictionary of slots, with its number.
_ID_OVERHEAD = 8 + 104 + 32

_Scores = npt.NDArray[np.float32]


class ProcessIndex:
    """See :class:`~memorygraph.recall.index.RecallIndex`. Not to be shared between threads.

    Words are scored by BM25 over the user's rows of every status, vectors by cosine. The pool is
    the union of the best 100 of each, or of as many as are asked for; in it both are brought to
    [0, 1] by their minimum and maximum and summed with weights 0.6 and 0.4. Of equal scores the row
    taken in later comes first. The first row determines the dimension of all.
    """

    def __init__(self) -> None:
        self.seq = 0
        self._ids: list[str] = []  # by slot
        self._slots: dict[str, int] = {}  # of the living
        self._alive = GrowingArray(np.bool_)
        self._summary = GrowingArray(np.bool_)
        self._vectors = GrowingArray(np.float32)
        self._lengths = GrowingArray(np.float32)
        self._expires = GrowingArray(np.int64)
        self._times = {name: GrowingArray(np.int64) for name in _TIMES}
        self._confidence = GrowingArray(np.float32)
        self._sources = GrowingArray(np.int32)
        self._kinds = CodedColumn()
        self._statuses = CodedColumn()
        self._trusts = CodedColumn()
        self._projects = CodedColumn()
        self._sessions = CodedColumn()
        self._tags = TagIndex()
        self._postings = Postings()

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def nbytes(self) -> int:
        """See :class:`~memorygraph.recall.index.RecallIndex`."""
        ids = len(self._ids) * (sys.getsizeof(self._ids[0]) + _ID_OVERHEAD) if self._ids else 0
        return ids + self._tags.nbytes + self._postings.nbytes + sum(column.nbytes for column in self._columns())

    def apply(self, rows: Iterable[IndexRow], removed_ids: Iterable[str], seq: int) -> None:
        """See :class:`~memorygraph.recall.index.RecallIndex`.

        Raises ``ValueError`` when embeddings differ in dimension; the index is then as it was before.
        """
        latest = list({row.id: row for row in rows}.values())
        vectors = self._decoded(latest)
        for gone in chain(removed_ids, (row.id for row in latest)):
            slot = self._slots.pop(gone, None)
            if slot is not None:
                self._alive.values[slot] = False
        if latest:
            self._append(latest, vectors)
        self.seq = seq
        dead = len(self._ids) - len(self._slots)
        if dead > max(_DEAD_BEFORE_COMPACTION, len(self._slots) // 2):
            self._compact()

    def search(
        self,
        tokens: Sequence[str],
        vector: npt.NDArray[np.float32] | None,
        filters: Filters,
        limit: int,
        *,
        floor: float = RELEVANCE_FLOOR,
    ) -> Ranking:
        """See :class:`~memorygraph.recall.index.RecallIndex`."""
        allowed = self._allowed(filters)
        passed = int(np.count_nonzero(allowed))
        if passed == 0 or limit < 1:
            return Ranking((), len(self), passed)
        lexical = self._lexical(tokens)
        dense = None if vector is None else cosines(_float32(vector)[np.newaxis], self._vectors.values)[0]
        relevant = lexical > 0 if dense is None else (lexical > 0) | (dense >= floor)
        pool = self._pool(allowed, lexical, dense, max(limit, _POOL_PER_ARM))
        scores = _combined(lexical[pool], None if dense is None else dense[pool])
        kept = relevant[pool]
        pool, scores = pool[kept], scores[kept]
        best = np.lexsort((-pool, -scores))[:limit]
        hits = tuple(
            self._hit(int(slot), float(score), lexical, dense)
            for slot, score in zip(pool[best], scores[best], strict=True)
        )
        return Ranking(hits, len(self), passed)

    def nearest(
        self, vectors: npt.NDArray[np.float32], filters: Filters, limit: int, *, floor: float
    ) -> list[list[Neighbour]]:
        """See :class:`~memorygraph.recall.index.RecallIndex`."""
        if not self._ids:
            return [[] for _ in vectors]
        allowed = self._allowed(filters)
        return [
            [
                Neighbour(self._ids[slot], self._type(slot), float(row[slot]))
                for slot in _nearest(row, allowed & (row >= floor), limit)
            ]
            for row in cosines(_float32(vectors), self._vectors.values)
        ]

    def _type(self, slot: int) -> RowType:
        return "MemorySummary" if self._summary.values[slot] else "Statement"

    def _hit(self, slot: int, score: float, lexical: _Scores, dense: _Scores | None) -> RankedHit:
        cosine = None if dense is None else float(dense[slot])
        return RankedHit(self._ids[slot], self._type(slot), score, float(lexical[slot]), cosine)

    def _allowed(self, filters: Filters) -> npt.NDArray[np.bool_]:
        mask = self._alive.values & (self._expires.values > filters.now)
        if filters.as_of_recorded is not None:
            mask &= self._recorded(filters.as_of_recorded, retired="superseded" in filters.statuses)
        elif filters.as_of_valid is not None:
            mask &= self._true(filters.as_of_valid)
        else:
            mask &= self._statuses.is_one_of(filters.statuses)
        mask &= self._trusts.is_one_of(filters.trusts)
        if filters.min_confidence > 0:
            mask &= self._confident(filters.min_confidence, filters.now)
        if filters.kinds is not None:
            mask &= self._kinds.is_one_of(filters.kinds)
        if filters.project is not None:
            projects = (filters.project, None) if filters.or_without_project else (filters.project,)
            mask &= self._projects.is_one_of(projects)
        if filters.session_id is not None:
            mask &= self._sessions.is_one_of((filters.session_id,))
        if filters.tags:
            mask &= self._tags.has_all(filters.tags, len(mask))
        return mask

    def _recorded(self, at: int, *, retired: bool) -> npt.NDArray[np.bool_]:
        recorded = self._times["recorded_at"].values <= at
        return np.asarray(recorded if retired else recorded & (self._times["retired_at"].values > at), dtype=np.bool_)

    def _true(self, at: int) -> npt.NDArray[np.bool_]:
        times = {name: column.values for name, column in self._times.items()}
        superseded = self._statuses.is_one_of(("superseded",))
        end = np.where(superseded, np.minimum(times["valid_to"], times["superseded_from"]), times["valid_to"])
        held = superseded | self._statuses.is_one_of(("active",))
        return np.asarray(held & (times["valid_from"] <= at) & (at < end), dtype=np.bool_)

    def _confident(self, least: float, now: int) -> npt.NDArray[np.bool_]:
        confidence, confirmed = self._confidence.values, self._times["last_confirmed_at"].values
        without = np.isnan(confidence)
        effective = effective_confidences(
            np.where(without, 1.0, confidence),
            source_count=np.maximum(self._sources.values, 1),
            last_confirmed_at=np.where(without, now, confirmed),
            now=now,
        )
        return np.asarray(without | (effective >= least), dtype=np.bool_)

    def _lexical(self, tokens: Sequence[str]) -> _Scores:
        alive, lengths = self._alive.values, self._lengths.values
        mean = float(lengths.mean(where=alive)) if len(self) else 0.0
        return self._postings.bm25(tokens, alive, lengths, max(mean, 1.0))

    def _pool(
        self, allowed: npt.NDArray[np.bool_], lexical: _Scores, dense: _Scores | None, per_arm: int
    ) -> npt.NDArray[np.intp]:
        matching = np.flatnonzero(allowed & (lexical > 0))
        pool = _best(matching, lexical, per_arm)
        if dense is not None:
            pool = np.union1d(pool, _best(np.flatnonzero(allowed), dense, per_arm))
        return pool

    def _decoded(self, rows: Sequence[IndexRow]) -> npt.NDArray[np.float32]:
        size = 4 * self._vectors.values.shape[1] if self._ids else len(rows[0].embedding) if rows else 0
        for row in rows:
            if len(row.embedding) != size:
                raise ValueError(f"{row.id} has an embedding of {len(row.embedding)} bytes among others of {size}")
        return np.frombuffer(b"".join(row.embedding for row in rows), dtype="<f4").reshape(len(rows), size // 4)

    def _append(self, rows: Sequence[IndexRow], vectors: npt.NDArray[np.float32]) -> None:
        first = len(self._ids)
        lengths = []
        for slot, row in enumerate(rows, start=first):
            _scope, *terms = row.search_text.split(" ")
            lengths.append(self._postings.add(slot, terms))
            self._tags.add(slot, row.tags)
            self._slots[row.id] = slot
        self._ids.extend(row.id for row in rows)
        self._alive.extend(np.ones(len(rows), dtype=np.bool_))
        self._summary.extend([row.type == "MemorySummary" for row in rows])
        self._vectors.extend(vectors)
        self._lengths.extend(lengths)
        self._expires.extend([_NEVER if row.expires_at is None else row.expires_at for row in rows])
        for name, missing in _TIMES.items():
            told = (getattr(row, name) for row in rows)
            self._times[name].extend([missing if time is None else time for time in told])
        self._confidence.extend([np.nan if row.confidence is None else row.confidence for row in rows])
        self._sources.extend([row.source_count or 0 for row in rows])
        self._kinds.extend([row.kind for row in rows])
        self._statuses.extend([row.status for row in rows])
        self._trusts.extend([row.trust for row in rows])
        self._projects.extend([row.project for row in rows])
        self._sessions.extend([row.session_id for row in rows])

    def _compact(self) -> None:
        kept = self._alive.values.copy()
        self._postings = self._postings.compacted(kept)
        self._tags = self._tags.compacted(kept)
        self._ids = [self._ids[slot] for slot in np.flatnonzero(kept)]
        self._slots = {row_id: slot for slot, row_id in enumerate(self._ids)}
        for column in self._columns():
            column.keep(kept)

    def _columns(self) -> tuple[GrowingArray | CodedColumn, ...]:
        arrays = (
            self._alive,
            self._summary,
            self._vectors,
            self._lengths,
            self._expires,
            self._confidence,
            self._sources,
        )
        return (
            *arrays,
            *self._times.values(),
            self._kinds,
            self._statuses,
            self._trusts,
            self._projects,
            self._sessions,
        )


def _float32(vectors: npt.ArrayLike) -> npt.NDArray[np.float32]:
    return np.asarray(vectors, dtype=np.float32)


def _best(slots: npt.NDArray[np.intp], scores: _Scores, count: int) -> npt.NDArray[np.intp]:
    """The ``count`` of ``slots`` with the highest scores, in no order; of equal scores the later slots."""
    if len(slots) <= count:
        return slots
    chosen = scores[slots]
    threshold = np.partition(chosen, len(slots) - count)[len(slots) - count]
    above = slots[chosen > threshold]
    return np.concatenate([above, slots[chosen == threshold][len(above) - count :]])


def _nearest(cosines: _Scores, allowed: npt.NDArray[np.bool_], limit: int) -> list[int]:
    best = _best(np.flatnonzero(allowed), cosines, limit)
    return [int(slot) for slot in best[np.lexsort((-best, -cosines[best]))]]


def _combined(lexical: _Scores, dense: _Scores | None) -> npt.NDArray[np.float64]:
    if dense is None:
        return _scaled(lexical)
    return _LEXICAL_WEIGHT * _scaled(lexical) + _DENSE_WEIGHT * _scaled(dense)


def _scaled(scores: _Scores) -> npt.NDArray[np.float64]:
    """``scores`` brought to [0, 1] by their minimum and maximum; all equal: 1, or 0 when there is nothing."""
    values = scores.astype(np.float64)
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    if high > low:
        return np.asarray((values - low) / (high - low), dtype=np.float64)
    return np.full(len(values), 1.0 if high > 0 else 0.0)
