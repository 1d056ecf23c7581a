"""Properties of the rows as growing arrays, so that a filter is a mask."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["CodedColumn", "GrowingArray", "TagIndex"]


class GrowingArray:
    """A numpy array whose rows are appended to in amortised constant time; the first rows give the shape of all."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self._data: npt.NDArray[Any] = np.empty(0, dtype=dtype)
        self._length = 0

    @property
    def nbytes(self) -> int:
        return self._data.nbytes

    @property
    def values(self) -> npt.NDArray[Any]:
        """The rows so far: a view, good until the next :meth:`extend`."""
        return self._data[: self._length]

    def extend(self, rows: npt.ArrayLike) -> None:
        """Append rows, all of one shape."""
        new = np.asarray(rows, dtype=self._data.dtype)
        needed = self._length + len(new)
        if needed > len(self._data):
            # By a quarter and not by twice: the vectors are most of an index, and what is reserved is held.
            grown = np.empty((max(needed, self._length * 5 // 4), *new.shape[1:]), dtype=new.dtype)
            grown[: self._length] = self.values if self._length else 0
            self._data = grown
        self._data[self._length : needed] = new
        self._length = needed

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Drop the rows that ``kept`` does not name."""
        self._data = self.values[kept]
        self._length = len(self._data)


class CodedColumn:
    """One word, or none, per row: kept as a small number."""

    def __init__(self) -> None:
        self._codes: dict[str | None, int] = {}
        self._column = GrowingArray(np.int32)

    @property
    def nbytes(self) -> int:
        return self._column.nbytes + 150 * len(self._codes)

    def extend(self, words: Sequence[str | None]) -> None:
        self._column.extend([self._codes.setdefault(word, len(self._codes)) for word in words])

    def is_one_of(self, words: Collection[str | None]) -> npt.NDArray[np.bool_]:
        """Which rows have one of ``words``; ``None`` is having none."""
        codes = [self._codes[word] for word in words if word in self._codes]
        if len(codes) == 1:
            return np.asarray(self._column.values == codes[0], dtype=np.bool_)
        return np.isin(self._column.values, codes)

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        self._column.keep(kept)


class TagIndex:
    """For every tag the rows that have it."""

    def __init__(self) -> None:
        self._slots: dict[str, array[int]] = {}

    @property
    def nbytes(self) -> int:
        return sum(250 + 4 * len(slots) for slots in self._slots.values())

    def add(self, slot: int, tags: Sequence[str]) -> None:
        for tag in tags:
            self._slots.setdefault(tag, array("I")).append(slot)

    def has_all(self, tags: Collection[str], rows: int) -> npt.NDArray[np.bool_]:
        """Which of ``rows`` rows have every one of ``tags``."""
        mask = np.ones(rows, dtype=np.bool_)
        for tag in tags:
            tagged = np.zeros(rows, dtype=np.bool_)
            if slots := self._slots.get(tag):
                tagged[np.frombuffer(slots, dtype=np.uint32)] = True
            mask &= tagged
        return mask

    def compacted(self, kept: npt.NDArray[np.bool_]) -> TagIndex:
        """A copy with the rows of ``kept`` only, renumbered from 0 in their order."""
        renumbered = np.cumsum(kept, dtype=np.uint32) - np.uint32(1)
        result = TagIndex()
        for tag, slots in self._slots.items():
            old = np.frombuffer(slots, dtype=np.uint32)
            if len(new := renumbered[old[kept[old]]]):
                result._slots[tag] = array("I", new.tobytes())
        return result
