"""Where in a text the words stand that somebody quotes from it."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memorygraph.text.normalise import normalise_value

__all__ = ["find_quote"]

_LEAST = 2  # letters or digits of a quotation that says anything
# What is put around a quotation and is not of it.
_AROUND = " '."


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """The first place of ``quote`` in ``text`` as start and end in characters, None when it is not there.

    Word for word, or else with other capitals, spaces, quotation marks and dashes, other forms of
    the same characters, or marks of quotation and omission around it. Words left out or changed
    are another quotation. None too for a quotation with fewer than two letters or digits.
    """
    exact = quote.strip()
    if sum(map(str.isalnum, exact)) < _LEAST:
        return None
    if (start := text.find(exact)) >= 0:
        return start, start + len(exact)
    wanted = "".join(folded for folded, _, _ in _folded(quote)).strip(_AROUND)
    places = list(_folded(text))
    if sum(map(str.isalnum, wanted)) < _LEAST:
        return None
    found = "".join(folded for folded, _, _ in places).find(wanted)
    if found < 0:
        return None
    # One character may fold to several: each of them belongs to the whole of it.
    owners = [place for place in places for _ in place[0]]
    return owners[found][1], owners[found + len(wanted) - 1][2]


def _folded(text: str) -> Iterator[tuple[str, int, int]]:
    """The characters of ``text`` as they are compared, with where they begin and end in it."""
    after_space = True
    for start, end in itertools.pairwise((*_beginnings(text), len(text))):
        folded = _fold(text[start:end])
        if folded == " " and after_space:
            continue
        if folded:
            after_space = folded == " "
            yield folded, start, end


def _beginnings(text: str) -> Iterator[int]:
    """Where characters begin; marks that combine belong to the letter before."""
    return (at for at, character in enumerate(text) if at == 0 or not unicodedata.combining(character))


@lru_cache(maxsize=4096)
def _fold(character: str) -> str:
    if character.isspace():
        return " "
    return normalise_value(character).replace('"', "'")
