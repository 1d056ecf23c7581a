"""Which entities may be one, by how they are spelled and by what their names mean. Nothing is merged here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz, process

from memorygraph.entities.records import MergeSuggestion
from memorygraph.recall.cosines import cosines
from memorygraph.records import EntityRef
from memorygraph.text.normalise import normalise_name
from memorygraph.validation import UNKNOWN_ENTITY_KIND

__all__ = ["Candidate", "suggest"]

_NUMBER = re.compile(r"\d+")
_ORDINAL = re.compile(r"\b(?:[ivx]+|[a-z])\b")  # Phase II, Plan B
_LEAST_SPELLING = 0.75  # of the letters two names share; below, the spelling says nothing
_LEAST_MEANING = 0.75  # cosine of two names; below, it says nothing
_ABBREVIATION = 0.75
_PART = 0.7  # one name is made of words of the other
_UNKNOWN_KIND = 0.9  # what is left of a score when only one kind is known
_OTHER_KIND = 0.4
_COUNTED_APART = 0.2
_BLOCK = 500  # names compared with all others at once
_MOST_PAIRS = 5_000  # looked at closely


@dataclass(frozen=True)
class Candidate:
    """An entity with all its names."""

    ref: EntityRef
    names: tuple[str, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(normalise_name(name) for name in self.names))


def suggest(
    candidates: Sequence[Candidate],
    vectors: npt.NDArray[np.float32],
    *,
    about: str | None,
    least: float,
) -> list[MergeSuggestion]:
    """Pairs of ``candidates`` whose score is ``least`` or more, best first; only of the entity ``about`` if given.

    ``vectors``, of length 1, are those of the names of the first ``len(vectors)`` candidates.
    """
    pairs = _alike(candidates, about) | _close(candidates, vectors, about)
    found = []
    for one, other in sorted(pairs):
        first, second = candidates[one], candidates[other]
        cosine = float(vectors[one] @ vectors[other]) if other < len(vectors) else None
        score, why = likeness(first, second, cosine)
        if score >= least:
            found.append(MergeSuggestion(first=first.ref, second=second.ref, score=round(score, 3), why=tuple(why)))
    return sorted(found, key=lambda suggestion: (-suggestion.score, suggestion.first.id, suggestion.second.id))


def likeness(first: Candidate, second: Candidate, cosine: float | None) -> tuple[float, list[str]]:
    """How likely two entities are one, [0, 1], and why; of all their names, the two that are most alike count.

    ``cosine`` is that of their names' vectors, None when it is not known.
    """
    score, why = 0.0, list[str]()
    for one in first.keys:
        for other in second.keys:
            closeness, reason = _spelling(one, other)
            if closeness > score:
                score, why = closeness, [reason]
    apart = all(_counted_apart(one, other) for one in first.keys for other in second.keys)
    if cosine is not None and cosine >= _LEAST_MEANING and not apart:
        # Names of different things of one sort mean nearly the same to a model: alone it is never high.
        score = max(score, 0.8 * cosine)
        why.append(f"the names mean nearly the same (cosine {cosine:.2f})")
    return _kinds(first, second, score, why)


def _kinds(first: Candidate, second: Candidate, score: float, why: list[str]) -> tuple[float, list[str]]:
    one, other = first.ref.kind, second.ref.kind
    if one == other:
        return score, why
    if UNKNOWN_ENTITY_KIND in (one, other):
        return score * _UNKNOWN_KIND, [*why, "the kind of one is not known"]
    return score * _OTHER_KIND, [*why, f"against it: one is of kind {one}, the other of kind {other}"]


def _spelling(one: str, other: str) -> tuple[float, str]:
    if one == other:
        return 1.0, "the same name"
    if _counted_apart(one, other):
        return _COUNTED_APART, "against it: the names are numbered differently"
    words, other_words = one.split(), other.split()
    if _initials(one, other_words) or _initials(other, words):
        return _ABBREVIATION, "one is made of the initials of the other"
    ratio = max(fuzz.ratio(one, other), fuzz.token_sort_ratio(one, other)) / 100
    if ratio >= 0.85:
        return ratio * 0.95, f"spelled nearly alike ({ratio:.0%})"
    shorter, longer = sorted((set(words), set(other_words)), key=len)
    if shorter < longer:
        return _PART, "one name is part of the other"
    if ratio >= _LEAST_SPELLING:
        return ratio * 0.85, f"spelled alike ({ratio:.0%})"
    return 0.0, ""


def _initials(short: str, words: Sequence[str]) -> bool:
    letters = short.replace(".", "")
    return len(letters) == len(words) > 1 and all(
        word[0] == letter for word, letter in zip(words, letters, strict=True)
    )


def _counted_apart(one: str, other: str) -> bool:
    """Whether two names are told apart by a number, or both by a letter or a Roman numeral."""
    if sorted(_NUMBER.findall(one)) != sorted(_NUMBER.findall(other)):
        return True
    ordinals, others = _ORDINAL.findall(one), _ORDINAL.findall(other)
    return bool(ordinals and others) and ordinals != others


def _alike(candidates: Sequence[Candidate], about: str | None) -> set[tuple[int, int]]:
    """Pairs of candidates some names of which share letters, words or initials, the most alike if there are many."""
    keys = [(key, index) for index, candidate in enumerate(candidates) for key in candidate.keys]
    names = [key for key, _ in keys]
    owners = np.array([index for _, index in keys], dtype=np.int64)
    numbers = _numbers_of(names)
    chosen = [place for place, (_, index) in enumerate(keys) if about in (None, candidates[index].ref.id)]
    found: list[npt.NDArray[np.int64]] = []  # rows of likeness, one candidate, the other
    for start in range(0, len(chosen), _BLOCK):
        block = chosen[start : start + _BLOCK]
        rows = [names[place] for place in block]
        alike = np.zeros((len(block), len(names)), dtype=np.uint8)
        for scorer, least in ((fuzz.ratio, 100 * _LEAST_SPELLING), (fuzz.token_set_ratio, 95)):
            np.maximum(alike, process.cdist(rows, names, scorer=scorer, score_cutoff=least, dtype=np.uint8), out=alike)
        alike[numbers[block][:, None] != numbers[None, :]] = 0
        row, column = np.nonzero(alike)
        one, other = owners[block][row], owners[column]
        pairs = np.stack([alike[row, column].astype(np.int64), np.minimum(one, other), np.maximum(one, other)])
        found.append(_most_alike(pairs[:, one != other]))
    best = _most_alike(np.concatenate(found, axis=1)) if found else np.empty((3, 0), dtype=np.int64)
    return {(int(one), int(other)) for _, one, other in best.T} | _initialled(
        keys, {keys[place][1] for place in chosen}
    )


def _most_alike(pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The :data:`_MOST_PAIRS` columns of ``pairs`` whose first row is the greatest."""
    if pairs.shape[1] <= _MOST_PAIRS:
        return pairs
    return pairs[:, np.argsort(-pairs[0], kind="stable")[:_MOST_PAIRS]]


def _numbers_of(names: Sequence[str]) -> npt.NDArray[np.int64]:
    """For each name a number that only names with the same numbers in them have."""
    known: dict[tuple[str, ...], int] = {}
    return np.array(
        [known.setdefault(tuple(sorted(_NUMBER.findall(name))), len(known)) for name in names], dtype=np.int64
    )


def _initialled(keys: Sequence[tuple[str, int]], ours: set[int]) -> set[tuple[int, int]]:
    """Pairs of candidates, one of ``ours`` in each, a name of one of which is made of the initials of the other's."""
    by_initials: dict[str, list[int]] = {}
    for key, index in keys:
        words = key.split()
        if len(words) > 1:
            by_initials.setdefault("".join(word[0] for word in words), []).append(index)
    pairs = {_pair(index, other) for key, index in keys for other in by_initials.get(key.replace(".", ""), ())}
    return {pair for pair in pairs if pair[0] != pair[1] and not ours.isdisjoint(pair)}


def _close(
    candidates: Sequence[Candidate], vectors: npt.NDArray[np.float32], about: str | None
) -> set[tuple[int, int]]:
    """Pairs of candidates whose names mean nearly the same."""
    chosen = [i for i in range(len(vectors)) if about in (None, candidates[i].ref.id)]
    near = np.argwhere(cosines(vectors[chosen], vectors) >= _LEAST_MEANING)
    pairs = {_pair(chosen[row], int(column)) for row, column in near}
    return {(one, other) for one, other in pairs if one != other}


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one <= other else (other, one)
