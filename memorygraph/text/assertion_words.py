"""The words of a sentence with what each does in it: deny, doubt, count, name a version, or just say something."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from memorygraph.text.languages import all_languages
from memorygraph.text.scripts import HAN, KANA, UNSPACED_OTHER, marks

__all__ = ["Word", "words_of"]

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´", "'"))
_DIGIT = re.compile(r"\d")
_TIME = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?:\d\d(?::\d\d)?|\d\d?/\d\d?/\d{2,4}")
_PLAIN_NUMBER = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")
_VERSION = re.compile(r"v\d+(?:\.\d+)*|\d+(?:\.\d+){2,}")
_WITH_UNIT = re.compile(r"(-?\d+(?:\.\d+)?)(?!st$|nd$|rd$|th$)([a-z]{1,3})")
_REFUSING_NO = re.compile(r"\s*[,.;:!]")  # after "no", which then is an answer


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a phrase, case-folded."""

    text: str
    roles: frozenset[str] = frozenset()  # as the language data name them, and "number", "negation"
    rest: str = ""  # of a negation, what is said without it
    number: str | None = None  # digits, with a sign and a point where there is one
    opposite: tuple[str, bool] | None = None  # the pair, and which of the two it is

    def has(self, *roles: str) -> bool:
        """Whether it has one of ``roles``."""
        return bool(self.roles) and not self.roles.isdisjoint(roles)  # most words have none

    @property
    def says_something(self) -> bool:
        """Whether it is none of the small words that every sentence may have."""
        return self.roles <= _SAYING


_REFUSAL = Word("no.")  # no word of the language data
_SAYING = frozenset({"opposite", "versioned", "numbered", "measure", "plain", "past"})


def words_of(sentence: str) -> list[Word]:
    """The words of ``sentence`` in order, known phrases as one; of scripts without spaces, the characters."""
    units = list(_units(unicodedata.normalize("NFKC", sentence).translate(_APOSTROPHES)))
    lexicon, longest = _lexicon()
    words: list[Word] = []
    position = 0
    while position < len(units):
        word, end = units[position], position + 1
        for longer in range(min(position + longest.get(word.text, 0), len(units)), position, -1):
            if (known := lexicon.get(tuple(of.text for of in units[position:longer]))) is not None:
                word, end = known, longer
                break
        words.append(word)
        position = end
    return words


def _units(text: str) -> Iterator[Word]:
    for found in _pattern().finditer(text):
        unit = found.group().casefold()
        if unit == "no" and _REFUSING_NO.match(text, found.end()):
            yield _REFUSAL
        else:
            yield from _words_in(unit)


# A text shares most of its words with the next.
@lru_cache(maxsize=8192)
def _words_in(unit: str) -> tuple[Word, ...]:
    if not _DIGIT.search(unit):
        return _spelt(unit)
    if _TIME.fullmatch(unit):
        return (Word(unit, frozenset({"time"})),)
    if _PLAIN_NUMBER.fullmatch(unit) or _VERSION.fullmatch(unit):
        return (_number(unit),)
    if with_unit := _WITH_UNIT.fullmatch(unit):
        return _number(with_unit.group(1)), Word(with_unit.group(2))
    return (Word(unit),)


def _spelt(unit: str) -> tuple[Word, ...]:
    """The words of a unit without digits."""
    base, apostrophe, ending = unit.rpartition("'")
    contractions = _contractions()
    if apostrophe and ending in contractions and unit not in _lexicon()[1]:
        return (Word(base), Word(contractions[ending])) if contractions[ending] else (Word(base),)
    return (Word(unit),)


def _number(text: str) -> Word:
    return Word(text, frozenset({"number"}), number=text.replace(",", ""))


@cache
def _pattern() -> re.Pattern[str]:
    unspaced = HAN + KANA + UNSPACED_OTHER
    letter = f"(?:[^\\W{unspaced}]|[{marks()}])"
    joint = "(?:[._\\-/@:&'+#]|(?<=\\d),(?=\\d{3}(?!\\d)))"
    return re.compile(f"(?:(?<![\\w)])-(?=\\d))?{letter}+(?:{joint}{letter}+)*(?:\\+\\+|#)?|[{unspaced}]|[$€£¥%~<>]")


@cache
def _contractions() -> Mapping[str, str]:
    return {ending: word for language in all_languages() for ending, word in language.assertions.contractions.items()}


@cache
def _lexicon() -> tuple[Mapping[tuple[str, ...], Word], Mapping[str, int]]:
    """Every word and phrase of the language data by its units, and the length of the longest by their first unit."""
    found: dict[str, Word] = {}

    def known(text: str, role: str) -> Word:
        word = found.get(text, Word(text))
        return replace(word, roles=word.roles | {role})

    for language in all_languages():
        data = language.assertions
        for role, phrases in data.roles.items():
            for phrase in phrases:
                found[phrase] = known(phrase, role)
        for phrase, rest in data.negations.items():
            found[phrase] = replace(known(phrase, "negation"), rest=rest)
        for number, value in data.numbers.items():
            found[number] = replace(known(number, "number"), number=str(value))
        for one, other in data.opposites.items():
            found[one] = replace(known(one, "opposite"), opposite=(one, True))
            found[other] = replace(known(other, "opposite"), opposite=(one, False))
    lexicon = {tuple(match.group() for match in _pattern().finditer(text)): word for text, word in found.items()}
    longest: dict[str, int] = {}
    for units in lexicon:
        longest[units[0]] = max(len(units), longest.get(units[0], 0))
    return lexicon, longest
