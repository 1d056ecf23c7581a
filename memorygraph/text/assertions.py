"""What the sentences of a text assert, in a form in which two of them can be held against each other.

A sentence becomes a frame (what it speaks of) beside what can be different while the frame stays: whether it denies,
its numbers, and which of two opposites it says. No model; the words are those of :mod:`memorygraph.text.languages`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from memorygraph.text.assertion_words import Word, words_of
from memorygraph.text.extract import extract_names
from memorygraph.text.normalise import fold
from memorygraph.text.quantities import Quantity, quantity_at
from memorygraph.text.sentences import split_sentences
from memorygraph.text.tokens import tokenise

__all__ = ["Assertion", "Lead", "assertions"]

Lead = Literal["named", "first_person", "pronoun", "open"]
_QUOTES = re.compile(r"[\"“”„«»「」『』]|(?<!\w)['‘][^'’]+['’](?!\w)")
_QUESTION = re.compile(r"[?？؟]")
_LONGEST_REMEMBERED = 1_000  # characters
_DROPPED = ("filler", "article", "present", "past_auxiliary")


@dataclass(frozen=True, kw_only=True)
class Assertion:
    """One sentence that states something as it is."""

    sentence: str
    words: tuple[Word, ...]
    frame: tuple[str, ...]  # stems in order, without negations; # for a number, ~ and a word for one of two opposites
    denies: bool
    sides: tuple[bool, ...]  # of each pair of opposites which word, in their order
    counts: tuple[int, ...]  # places of its numbers among the words

    # What follows is asked for only where two assertions have the same frame, which is seldom.

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers in their order."""
        return tuple(quantity_at(self.words, place) for place in self.counts)

    @cached_property
    def past(self) -> bool:
        """Whether it says what was so once."""
        return _is_past(self.words)

    @cached_property
    def wording(self) -> tuple[str, ...]:
        """Its words as they are written, without case, spacing and punctuation."""
        return tuple(word.text for word in self.words)

    @cached_property
    def lead(self) -> Lead:
        """How it says whom it is about: by name, as somebody who speaks, by a pronoun, or not at all."""
        if any(word.has("first_person") for word in self.words):
            return "first_person"
        first = next((word for word in self.words if not word.has("filler", "present", "negation")), self.words[0])
        if first.has("pronoun"):
            return "pronoun"
        if self.words[0].has("article"):
            return "named"
        start = fold(self.sentence).lstrip()
        return "named" if any(start.startswith(fold(name.name)) for name in extract_names(self.sentence)) else "open"


def assertions(text: str) -> tuple[Assertion, ...]:
    """The sentences of ``text`` that state something as it is, in order.

    Left out are questions, whatever is doubted, wished, conditional, partial or said to be past, what
    denies more than once, and sentences without a word that says something. A text that quotes has
    none: who says it is then not who writes it.
    """
    return _remembered(text) if len(text) <= _LONGEST_REMEMBERED else _read(text)


# The same statements are neighbours of what is written again and again. One of these takes 1.5 kB.
@lru_cache(maxsize=16_384)
def _remembered(text: str) -> tuple[Assertion, ...]:
    return _read(text)


def _read(text: str) -> tuple[Assertion, ...]:
    if _QUOTES.search(text):
        return ()
    read = (_assertion(sentence) for sentence in split_sentences(text))
    return tuple(assertion for assertion in read if assertion is not None)


def _assertion(sentence: str) -> Assertion | None:
    words = words_of(sentence)
    if not words or _QUESTION.search(sentence) or _asks(words):
        return None
    if any(_doubts(words, place) for place, word in enumerate(words) if word.roles):
        return None
    negations = [word for word in words if word.has("negation")]
    if len(negations) > 1 or not any(word.says_something for word in words):
        return None
    frame: list[str] = []
    counts: list[int] = []
    sides: list[bool] = []
    for place, word in enumerate(words):
        if not word.roles:
            frame.append(_stem(word.text))
        elif _counts(words, place):
            frame.append("#")
            counts.append(place)
        elif word.has("negation"):
            frame += [word.rest] if word.rest else []
        elif word.opposite is not None:
            frame.append(f"~{_stem(word.opposite[0])}")
            sides.append(word.opposite[1])
        elif not word.has(*_DROPPED):
            frame.append(_stem(word.text))
    return Assertion(
        sentence=sentence,
        words=tuple(words),
        frame=tuple(frame),
        denies=bool(negations),
        sides=tuple(sides),
        counts=tuple(counts),
    )


def _counts(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if word.number is None:
        return False
    # A numeral of a script without spaces may be part of a word: 一起 is no one of anything.
    return word.text.isascii() or (place + 1 < len(words) and words[place + 1].has("measure"))


def _asks(words: Sequence[Word]) -> bool:
    return words[0].has("asking") and not (len(words) > 1 and words[1].has("negation"))


def _doubts(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if not word.has("doubt"):
        return False
    if not word.has("time"):
        return True
    # The month beside its day, or after "in": everywhere else "may" doubts.
    beside = [*words[max(place - 1, 0) : place], *words[place + 1 : place + 2]]
    return not (any(other.number is not None for other in beside) or (place > 0 and words[place - 1].has("predicate")))


def _is_past(words: Sequence[Word]) -> bool:
    if any(word.has("past_auxiliary") for word in words):
        return True
    if any(word.has("present") for word in words):
        return False
    return any(word.has("past") or _ends_in_ed(word) for word in words)


def _ends_in_ed(word: Word) -> bool:
    return not word.roles and word.text.isascii() and word.text.endswith("ed") and _stem(word.text) != word.text


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    return " ".join(tokenise(word)) if word.isascii() else word
