"""The numbers, dates and proper names of a text: what a summary must carry over and must not invent."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from memorygraph.text.languages import all_openers
from memorygraph.text.scripts import HAN, KANA, UNSPACED_OTHER
from memorygraph.text.sentences import split_sentences
from memorygraph.text.tokens import tokenise

__all__ = ["facts", "invented"]

_THOUSANDS = re.compile(r"(?<=\d)[,'’ \u00a0\u202f](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
# A run of letters, digits and what joins them inside names and identifiers: O'Brien, ERR_7F3A, v2.3.1, K.-H.
_LETTER = f"[^\\W{HAN}{KANA}{UNSPACED_OTHER}]"
_WORD = re.compile(rf"{_LETTER}+(?:(?:[.'’\-/@&+]|(?<=\d):(?=\d)){_LETTER}+)*")
_POSSESSIVE = re.compile(r"['’]s$|(?<=s)['’]$")
_FIRST_PERSON = re.compile(r"i(?:['’](?:m|ve|d|ll))?")
_OPENING = frozenset("\"'“‘«„([:–—")


def facts(text: str, *, opening_words: bool = True) -> list[str]:
    """The numbers and the words of proper names in ``text``, in order, each once, as they are written there.

    A number is a run of digits with its decimals or minutes; the day and the year of a date are numbers and its month
    a name. A word is taken for a name, or part of one, when it begins with a capital and does not open a sentence, or
    opens one and is none of the words that commonly do (not with ``opening_words=False``: it may well be no name); or
    when it mixes letters and digits. Scripts without capitals give their numbers only.
    """
    found: dict[str, None] = {}
    for sentence in split_sentences(_folded(text)):
        for word in _WORD.finditer(sentence):
            name = _POSSESSIVE.sub("", word.group())
            if _is_identifier(name) or _is_name(sentence, word.start(), name, opening_words):
                found[name] = None
            else:
                found.update(dict.fromkeys(_NUMBER.findall(name)))
    return list(found)


def invented(summary: str, sources: Iterable[str]) -> list[str]:
    """The :func:`facts` of ``summary`` that are in none of ``sources``, in order; empty when it is grounded.

    A name is there when its word is, in any case, or another form of it with the same stem; a number when the same
    value is written anywhere, with thousands separators or leading zeros or not. Numbers written as words are other
    words: ``3`` is not grounded by ``three``.
    """
    words: set[str] = set()
    stems: set[str] = set()
    numbers: set[str] = set()
    for source in sources:
        folded = _folded(source)
        for word in _WORD.findall(folded):
            if not _is_identifier(word):
                numbers.update(_values(word))
            words.update(part.casefold() for part in (word, _POSSESSIVE.sub("", word), *re.split(r"\W", word)))
        stems.update(tokenise(source))
    return [
        fact
        for fact in facts(summary)
        if not (
            fact.casefold() in words
            or (fact[0].isdigit() and set(_values(fact)) <= numbers and not _is_identifier(fact))
            or (not _has_digit(fact) and stems.issuperset(tokenise(fact)))
        )
    ]


def _folded(text: str) -> str:
    return _THOUSANDS.sub("", unicodedata.normalize("NFKC", text))


def _values(text: str) -> list[str]:
    return [number.lstrip("0") or "0" for number in _NUMBER.findall(text)]


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)


def _is_identifier(word: str) -> bool:
    """Letters before a digit, as in ``v2.3.1`` and ``ERR_7F3A``; ``820kg``, ``18th`` and ``7-8`` are numbers."""
    return _has_digit(word) and not word[0].isdigit() and any(character.isalpha() for character in word)


def _is_name(sentence: str, start: int, word: str, opening_words: bool) -> bool:
    if not word[0].isupper() or _FIRST_PERSON.fullmatch(word.casefold()):
        return False
    before = sentence[:start].rstrip()
    opens = not before or before[-1] in _OPENING
    return not opens or (opening_words and word.casefold() not in all_openers())
