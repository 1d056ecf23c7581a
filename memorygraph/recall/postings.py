"""An inverted index that grows row by row and scores BM25."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["K1", "B", "Postings"]

# BM25 (Robertson and Zaragoza 2009). Memories are short and of like length, which calls for little saturation and
# little normalisation by length; both were chosen on conversations.
K1 = 0.9
B = 0.2

# A dictionary entry and the header of an array, beyond the term itself.
_TERM_OVERHEAD = 184
_ENTRY_BYTES = 8


class Postings:
    """For every term the slots it occurs in and how often. Slots are only ever appended, see :meth:`compacted`."""

    def __init__(self) -> None:
        # slot, count, slot, count, …: one array per term, because most terms are rare and objects are not cheap.
        self._entries: dict[str, array[int]] = {}
        self._bytes = 0

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes, as near as it can be told without asking every object."""
        return self._bytes

    def __len__(self) -> int:
        """Terms known."""
        return len(self._entries)

    def add(self, slot: int, terms: Iterable[str]) -> int:
        """Record the terms of ``slot`` (larger than any before) and return how many there are, repetitions included."""
        length = 0
        for term, count in Counter(terms).items():
            entries = self._entries.get(term)
            if entries is None:
                entries = self._entries[sys.intern(term)] = array("I")
                self._bytes += sys.getsizeof(term) + _TERM_OVERHEAD
            entries.append(slot)
            entries.append(count)
            self._bytes += _ENTRY_BYTES
            length += count
        return length

    def bm25(
        self, terms: Sequence[str], alive: npt.NDArray[np.bool_], lengths: npt.NDArray[np.float32], mean_length: float
    ) -> npt.NDArray[np.float32]:
        """BM25 of every slot for the distinct ``terms``: float32, shape of ``alive``, at least 0.

        ``lengths`` are terms per slot and ``mean_length`` their mean over the living slots; the
        document frequencies and their base N count living slots only. Dead slots get scores too.
        """
        scores = np.zeros(len(alive), dtype=np.float32)
        living = int(np.count_nonzero(alive))
        for term in dict.fromkeys(terms):
            entries = self._entries.get(term)
            if entries is None:
                continue
            pairs = np.frombuffer(entries, dtype=np.uint32).reshape(-1, 2)
            slots = pairs[:, 0]
            frequency = int(np.count_nonzero(alive[slots]))
            if frequency == 0:
                continue
            idf = np.log(1 + (living - frequency + 0.5) / (frequency + 0.5))
            counts = pairs[:, 1].astype(np.float32)
            saturation = K1 * (1 - B + B * lengths[slots] / mean_length)
            scores[slots] += np.float32(idf * (K1 + 1)) * counts / (counts + saturation)
        return scores

    def compacted(self, kept: npt.NDArray[np.bool_]) -> Postings:
        """A copy with the slots of ``kept`` only, renumbered from 0 in their order."""
        renumbered = np.cumsum(kept, dtype=np.uint32) - np.uint32(1)
        # All terms at once: an index has tens of thousands of them, and most have one entry.
        pairs = np.frombuffer(b"".join(self._entries.values()), dtype=np.uint32).reshape(-1, 2)
        lives = kept[pairs[:, 0]]
        ends = np.cumsum([len(entries) // 2 for entries in self._entries.values()], dtype=np.intp)
        remaining = np.concatenate([[0], np.cumsum(lives)])[ends].tolist()
        pairs = pairs[lives]
        pairs[:, 0] = renumbered[pairs[:, 0]]
        content = pairs.tobytes()
        result = Postings()
        start = 0
        for term, end in zip(self._entries, remaining, strict=True):
            if end > start:
                result._entries[term] = array("I", content[start * _ENTRY_BYTES : end * _ENTRY_BYTES])
                result._bytes += sys.getsizeof(term) + _TERM_OVERHEAD + (end - start) * _ENTRY_BYTES
            start = end
        return result
