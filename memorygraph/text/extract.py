"""Names in a text, told by how they are written: capital letters and quotation marks. No model, no list of names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memorygraph.text.languages import all_name_particles, all_openers, all_verbs
from memorygraph.text.normalise import normalise_name
from memorygraph.text.sentences import split_sentences

__all__ = ["ExtractedName", "extract_names"]

_LONGEST = 80
_TITLE = re.compile(r"《([^》]+)》|[“\"«]([^”\"»“«]+)[”\"»]")
_WORD = re.compile(r"[^\W_](?:[^\W_]|[.'’&\-_](?=[^\W_]))*")
_POSSESSIVE = re.compile(r"['’]s$")
# What may stand between two words of one name.
_GAP = re.compile(r" |\. ")
_QUOTE_BEFORE = re.compile(r"[\"“«‘(\[]\s*$")


@dataclass(frozen=True, slots=True)
class ExtractedName:
    name: str  # as written, without a possessive ending
    kind: Literal["name", "title"]  # a title is one that stood in quotation marks


@dataclass(frozen=True, slots=True)
class _Word:
    text: str  # without a possessive ending
    start: int  # in the sentence
    possessive: bool
    begins: bool  # a sentence or a quotation, where everything has a capital letter
    joined: bool  # to the word before by nothing but a space, or the stop of an initial

    @property
    def capital(self) -> bool:
        return self.text[0].isupper() or (len(self.text) > 2 and self.text[1].isupper())  # iPhone

    @property
    def folded(self) -> str:
        return self.text.casefold().replace("’", "'")


def extract_names(text: str) -> list[ExtractedName]:
    """The names in ``text``, each once: titles first, then the others in order of appearance.

    A name is a run of capitalised words within a sentence (``University of Leeds`` is one), or a
    quoted title. The first word of a sentence counts only where something speaks for a name: a
    second capitalised word, a possessive, a verb after it, or the same word capitalised elsewhere.
    """
    titles = list(_titles(text))
    found = [ExtractedName(title, "title") for title in titles]
    for title in titles:  # the names within a title are part of it
        text = text.replace(title, " " * len(title))
    sentences = [(sentence, list(_words(sentence))) for sentence in split_sentences(text)]
    inside = {word.text for _, words in sentences for word in words if word.capital and not word.begins}
    found += [ExtractedName(name, "name") for sentence, words in sentences for name in _names(sentence, words, inside)]
    unique: dict[str, ExtractedName] = {}
    for name in found:
        if len(name.name) <= _LONGEST:
            unique.setdefault(normalise_name(name.name), name)
    return list(unique.values())


def _titles(text: str) -> Iterator[str]:
    for found in _TITLE.finditer(text):
        title = (found.group(1) or found.group(2)).strip(" ,")
        # Speech is quoted too; a title has capitals throughout and no full stop at its end.
        long_words = [word.group() for word in _WORD.finditer(title) if len(word.group()) > 3]
        titled = title[:1].isupper() and all(word[0].isupper() for word in long_words) and title[-1] not in ".!?"
        if title and (found.group(1) or (titled and title.casefold() not in all_openers())):
            yield title


def _words(sentence: str) -> Iterator[_Word]:
    end = 0
    counting = True  # only the number of a list item so far
    for found in _WORD.finditer(sentence):
        gap = sentence[end : found.start()]
        text = _POSSESSIVE.sub("", found.group())
        begins = counting or _QUOTE_BEFORE.search(gap) is not None
        # A stop between two words of one sentence belongs to an abbreviation: J. Smith, Dr. Jones.
        joined = end > 0 and _GAP.fullmatch(gap) is not None
        yield _Word(text, found.start(), text != found.group(), begins, joined)
        end = found.end()
        counting = counting and text.isdigit()


def _names(sentence: str, words: list[_Word], inside: set[str]) -> Iterator[str]:
    shouted = sum(len(word.text) > 1 and word.text.isupper() for word in words)
    if shouted > 2 and 2 * shouted > len(words):  # the capitals of somebody who shouts say nothing
        return
    position = 0
    while position < len(words):
        end = _span_end(words, position)
        if end > position:
            span = _trimmed(words[position:end])
            following = words[end] if end < len(words) and words[end].joined else None
            if span and _is_name(span, following, inside):
                yield sentence[span[0].start : span[-1].start + len(span[-1].text)]
        position = max(end, position + 1)


def _span_end(words: list[_Word], start: int) -> int:
    """Where the run of capitalised words ends that begins at ``start``; particles may stand inside it."""
    end = start
    position = start
    while position < len(words) and (position == start or words[position].joined):
        word = words[position]
        if word.capital:
            end = position + 1
            if word.possessive:
                break
        elif position == start or word.folded not in all_name_particles():
            break
        position += 1
    return end


def _trimmed(span: list[_Word]) -> list[_Word]:
    """The span without greetings, days and stop words at its ends; nothing if it has nothing else."""
    noise = all_openers()
    if len(span) > 1 and span[0].begins and span[0].folded.endswith("ing"):  # Visiting Rome was fun.
        span = span[1:]
    while span and (span[0].folded in noise or not span[0].capital):
        span = span[1:]
    while span and (span[-1].folded in noise or not span[-1].capital):
        span = span[:-1]
    return span


def _is_name(span: list[_Word], following: _Word | None, inside: set[str]) -> bool:
    first = span[0]
    if len(span) == 1 and len(first.text) == 1:
        return False
    if not first.begins or len(span) > 1:
        return True
    if first.possessive or first.text in inside or (len(first.text) > 1 and first.text.isupper()):
        return True
    return following is not None and following.folded in all_verbs() and not first.folded.endswith(("s", "ing"))
