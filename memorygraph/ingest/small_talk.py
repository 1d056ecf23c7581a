"""Telling what is only courtesy: "ok, thanks" is kept in its episode and makes no memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from memorygraph.text.languages import Courtesies, Language, all_languages
from memorygraph.text.normalise import fold
from memorygraph.text.scripts import HAN, marks

__all__ = ["says_nothing"]

_LONGEST = 120  # characters; who writes more says something
_MOST_WORDS_OF_A_PHRASE = 6
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´", "'"))
_DRAWN_OUT = re.compile(r"(.)\1{2,}")


def says_nothing(text: str, languages: Sequence[Language] | None = None) -> bool:
    """Whether ``text`` is nothing but thanks, greetings, agreement, praise, laughter, emoji and punctuation.

    Every word has to belong to a phrase of the language data (of ``languages``, by default all): a name, a number, a
    verb or a word that is not known keeps a text, and so do a question and a "no", which are answers. True for text
    without any word.
    """
    if len(text) > _LONGEST:
        return False
    folded = fold(text).translate(_APOSTROPHES)
    words = [found.group() for found in _word().finditer(folded)]
    if not words:
        return True
    if "?" in folded:  # the wide one too, once folded
        return False
    known = [language.courtesies for language in languages or all_languages() if language.courtesies is not None]
    return _covered(words, known)


def _covered(words: list[str], known: list[Courtesies]) -> bool:
    """Whether ``words`` are phrases one after another with nothing but fillers among them, and at least one phrase."""
    # For each number of leading words: whether they can be covered, without a phrase so far and with one.
    without, having = [True] + [False] * len(words), [False] * (len(words) + 1)
    for end in range(1, len(words) + 1):
        filler = any(words[end - 1] in courtesies.fillers for courtesies in known)
        without[end] = filler and without[end - 1]
        having[end] = filler and having[end - 1]
        for start in range(max(0, end - _MOST_WORDS_OF_A_PHRASE), end):
            if (without[start] or having[start]) and _is_phrase(words[start:end], known):
                having[end] = True
    return having[-1]


def _is_phrase(words: list[str], known: list[Courtesies]) -> bool:
    # Words of Chinese come one character each, and phrases are written without spaces.
    said = ("" if all(_han().fullmatch(word) for word in words) else " ").join(words)
    forms = {said, _DRAWN_OUT.sub(r"\1", said), _DRAWN_OUT.sub(r"\1\1", said)}  # yesss, sooo, coool
    if any(form in courtesies.phrases for courtesies in known for form in forms):
        return True
    return any(_laugh(courtesies).fullmatch(said) is not None for courtesies in known)


@cache
def _laugh(courtesies: Courtesies) -> re.Pattern[str]:
    return re.compile(f"(?:{'|'.join(map(re.escape, sorted(courtesies.syllables)))}){{2,}}")


@cache
def _word() -> re.Pattern[str]:
    letters = f"[^\\W_{HAN}][{marks()}]*"
    return re.compile(f"[{HAN}]|(?:{letters})+(?:'(?:{letters})+)*")


@cache
def _han() -> re.Pattern[str]:
    return re.compile(f"[{HAN}]")
