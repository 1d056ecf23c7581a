"""Entities and keywords told by how a text is written and what it repeats; no model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from memorygraph.errors import InvalidInput
from memorygraph.ingest.markdown import plain_text
from memorygraph.text.extract import extract_names
from memorygraph.text.languages import all_small_talk, all_verbs
from memorygraph.text.normalise import normalise_name
from memorygraph.text.scripts import HAN
from memorygraph.validation import MAX_ENTITIES, MAX_LABEL, MAX_LABELS, EntitySpec, check_line

__all__ = ["Vocabulary", "content_words", "is_linked_only", "names_in", "turn_entities", "without_addresses"]

_ADDRESS = re.compile(r"<?\b(?:https?|ftp|mailto):[^\s<>)\]]*>?|\bwww\.[^\s<>)\]]+", re.IGNORECASE)
_TARGET = r"\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+[\"'][^\"'\n]*[\"'])?\)"  # of a link, with its title
_LINKED = re.compile(rf"!?\[[^\[\]\n]*\](?:{_TARGET}|\[[^\[\]\n]*\])")
_WORD = re.compile(r"[^\W\d_](?:[^\W_]|[.'’&\-_+](?=[^\W_]))*")
_ANY_WORD = re.compile(r"[^\W_](?:[^\W_]|[.'’&\-_](?=[^\W_]))*")
_APOSTROPHE = str.maketrans({"’": "'"})
_SHORTEST = 3  # letters of a keyword
_REPEATED = 3  # times that words have to stand side by side to be a term
_LONGEST_TERM = 3  # words
_NO_NOUN = ("ly", "ing", "ed")


def turn_entities(text: str, speaker: str | None) -> tuple[EntitySpec, ...]:
    """The entities of a turn: who speaks, and the names in ``text``; at most 50, none with a kind."""
    return _specs([*([speaker] if speaker else []), *names_in(text)])


def names_in(text: str) -> list[str]:
    """The names in ``text``, which may be Markdown; those in addresses are none."""
    found = (" ".join(name.name.split()) for name in extract_names(without_addresses(plain_text(text))))
    return [name for name in found if _is_line(name)]


def without_addresses(text: str) -> str:
    """``text`` with a space for each address of the web or of mail."""
    return _ADDRESS.sub(" ", text) if ":" in text or "www." in text else text


def is_linked_only(text: str) -> bool:
    """Whether ``text`` has links and addresses, and no word beside them."""
    rest = _LINKED.sub(" ", text) if "](" in text or "][" in text else text
    rest = without_addresses(rest)
    return rest != text and _ANY_WORD.search(rest) is None


def content_words(text: str) -> list[str]:
    """The words of ``text`` that say something, folded, in order, repetitions included; of Chinese, its characters."""
    small_talk = all_small_talk()
    found = [word for match in _ANY_WORD.finditer(text) for word in _split(_folded(match.group()))]
    return [word for word in found if word not in small_talk]


class Vocabulary:
    """What the sentences of one chunk speak of: the terms they repeat, and how rare each word is among them."""

    def __init__(self, sentences: Sequence[str]) -> None:
        words = [{_folded(match.group()) for match in _WORD.finditer(sentence)} for sentence in sentences]
        self._spread = Counter(word for said in words for word in said)
        self._count = len(sentences)
        self._terms = _repeated_terms(sentences)

    def entities(self, sentence: str, names: Iterable[str], speaker: str | None) -> tuple[EntitySpec, ...]:
        """Those of a sentence: the speaker, the ``names`` that it has, and the terms that the chunk repeats."""
        own = [name for name in names if _has(sentence, name)]
        low = sentence.lower()
        return _specs([*([speaker] if speaker else []), *own, *(term for term in self._terms if _has(low, term))])

    def keywords(self, sentence: str, heading: Iterable[str]) -> tuple[str, ...]:
        """At most 10 words for a sentence: those of its ``heading``, the nearest first, then those it is about."""
        above = [word for part in heading for word in _keywords(part)][: MAX_LABELS // 2]
        own = sorted(dict.fromkeys(_keywords(sentence)), key=lambda word: -self._weight(word))
        return tuple(dict.fromkeys([*above, *own]))[:MAX_LABELS]

    def _weight(self, word: str) -> float:
        # A word that only this sentence has may be any; one that a few have is what they are about.
        spread = self._spread[word]
        return math.log1p(spread) * math.log(1 + self._count / max(spread, 1))


def _specs(names: Iterable[str]) -> tuple[EntitySpec, ...]:
    unique: dict[str, str] = {}
    for name in names:
        unique.setdefault(normalise_name(name), name)
    return tuple(EntitySpec(name=name) for key, name in unique.items() if key)[:MAX_ENTITIES]


def _is_line(name: str) -> bool:
    try:
        check_line(name, field="name")
    except InvalidInput:
        return False
    return True


def _folded(word: str) -> str:
    return word.casefold().translate(_APOSTROPHE).removesuffix("'s")


def _split(word: str) -> list[str]:
    return list(word) if _han().search(word) else [word]


def _keywords(text: str) -> list[str]:
    """The words of ``text`` that may be keywords, in order and with repetitions."""
    small_talk, verbs = all_small_talk(), all_verbs()
    words = (_folded(match.group()) for match in _WORD.finditer(without_addresses(text)))
    return [
        word
        for word in words
        if _SHORTEST <= len(word) <= MAX_LABEL
        and word not in small_talk
        and word not in verbs
        and not _han().search(word)
        and _is_line(word)
    ]


def _repeated_terms(sentences: Sequence[str]) -> list[str]:
    """Small words that stand side by side again and again: "vector index". The longer ones first."""
    small_talk, verbs = all_small_talk(), all_verbs()
    counts: Counter[tuple[str, ...]] = Counter()
    for sentence in sentences:
        run: list[str] = []
        end = -1
        for match in _WORD.finditer(sentence):
            word = match.group()
            fits = (
                word.islower()
                and len(word) >= _SHORTEST
                and word.isalpha()
                and word not in small_talk
                and word not in verbs
                and not word.endswith(_NO_NOUN)
                and not _han().search(word)
            )
            if not fits or sentence[end : match.start()] != " ":
                run.clear()
            end = match.end()
            if fits:
                run.append(word)
                counts.update(tuple(run[-size:]) for size in range(2, min(len(run), _LONGEST_TERM) + 1))
    repeated = [words for words, count in counts.items() if count >= _REPEATED]
    longer = [words for words in repeated if len(words) == _LONGEST_TERM]
    # Two words that only ever stand in a term of three are no term of their own.
    parts: dict[tuple[str, ...], int] = {part: counts[words] for words in longer for part in (words[:2], words[1:])}
    kept = [words for words in repeated if parts.get(words) != counts[words]]
    return [" ".join(words) for words in sorted(kept, key=lambda words: (-len(words), words))]


def _has(sentence: str, words: str) -> bool:
    at = sentence.find(words)
    while at >= 0:
        end = at + len(words)
        if not (sentence[at - 1 : at].isalnum() or sentence[end : end + 1].isalnum()) or _han().search(words):
            return True
        at = sentence.find(words, at + 1)
    return False


@cache
def _han() -> re.Pattern[str]:
    return re.compile(f"[{HAN}]")
