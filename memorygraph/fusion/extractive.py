"""Summaries made of the sources' own sentences: no model, no chance, nothing invented."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memorygraph.fusion.facts import facts, invented
from memorygraph.text.languages import all_small_talk
from memorygraph.text.scripts import HAN, KANA
from memorygraph.text.sentences import split_sentences
from memorygraph.text.tokens import tokenise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DEFAULT_LIMIT", "MAX_LIMIT", "ExtractiveSummary", "SourceText", "summarise", "ungrounded"]

DEFAULT_LIMIT = 600
MAX_LIMIT = 2000
"""The longest text a summary may have, in characters."""

_SHORTEST_LIMIT = 20
# Tried on real conversations in groups of twenty turns, for the share of the words of later questions and answers that
# a summary has of the turn they are about: 0.71 within 600 characters, and the maximum is flat.
_FACT_WEIGHT = 2.5
_SMALL_TALK_WEIGHT = 0.1
_QUESTION_FACTOR = 0.5
_CENTRALITY_SHARE = 0.5  # the most central sentence weighs half as much again as the least
_SENTENCE_OVERHEAD = 30  # characters: many fragments read worse than a few sentences
_LENGTH_EXPONENT = 0.9
_LEAST_GAIN = 1.0  # one new word that is not small talk
_SHORTEST_NICKNAME = 3
_NEARLY_IDENTICAL = 0.7
_ELLIPSIS = "…"

# The label of a line of an earlier summary, whose speakers are in its text: "Ana: I moved to Leeds."
_LABEL = re.compile(r"(?P<speaker>[^\W_][^:\n]{0,59}): +(?=\S)")
_LETTERS = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(f"[{HAN}{KANA}]")
_CLAUSE_END = re.compile(r"[,;:–—](?=\s)|[，；：、]")


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text to be summarised."""

    text: str
    speaker: str | None = None
    occurred_at_ms: int | None = None
    """When it was said, epoch milliseconds; None takes its place from the order of the sources."""
    embedding: NDArray[np.float32] | None = None
    """Its vector, shape (dimension,); used only when every source has one."""


@dataclass(frozen=True, slots=True)
class ExtractiveSummary:
    text: str
    """One line for each turn of a speaker, ``Speaker: sentence sentence``; no label where the speaker is unknown."""
    chosen: tuple[int, ...]
    """Indices of the sources with a sentence in the text, in the order of the text."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    source: int
    speaker: str | None
    text: str
    weights: dict[str, float]  # of each distinct token
    facts: frozenset[str]  # tokens of its names and numbers


def summarise(sources: Sequence[SourceText], *, limit: int = DEFAULT_LIMIT) -> ExtractiveSummary:
    """The sentences that say most of what ``sources`` say, in at most ``limit`` characters, oldest first.

    Sentences are chosen one after another, each for the words it adds to those chosen before, for its length: names
    and numbers count most, words that other sources use too count more, greetings and exclamations hardly at all, a
    question less than its answer. Of nearly identical sentences one is taken. The same sources always give the same
    summary. Consecutive sentences of one speaker stand on one line behind the speaker's name, so that "I" stays that
    person's; labels inside a source without a speaker (an earlier summary) are kept.

    A sentence is never cut, unless each one is longer than the limit: then the one that says most is ended with an
    ellipsis after its last clause, or else word, that fits.

    Raises :class:`ValueError` when there are no sources, all are blank, or ``limit`` is not within 20 and 2,000.
    """
    if not _SHORTEST_LIMIT <= limit <= MAX_LIMIT:
        raise ValueError(f"a summary has {_SHORTEST_LIMIT} to {MAX_LIMIT} characters at most, not {limit}")
    ranks = _chronological(sources)
    sentences = _sentences(sources, ranks)
    if not sentences:
        raise ValueError("there is nothing to summarise")
    chosen = _choose(sentences, _centralities(sentences, sources), limit)
    if not chosen:
        best = max(range(len(sentences)), key=lambda i: (sum(sentences[i].weights.values()), -i))
        sentence = sentences[best]
        label = _label(sentence.speaker, limit)
        return ExtractiveSummary(label + _shortened(sentence.text, limit - len(label)), (sentence.source,))
    picked = [sentences[i] for i in sorted(chosen)]
    return ExtractiveSummary(_render(picked), tuple(dict.fromkeys(sentence.source for sentence in picked)))


def ungrounded(summary: str, sources: Sequence[SourceText]) -> list[str]:
    """The numbers and proper names of ``summary`` that no source's text or speaker has, in order; empty is grounded.

    What counts as one, and as having it: :func:`memorygraph.fusion.facts.invented`. A summary made by
    :func:`summarise` is always grounded, unless it had to cut a single word longer than its limit.
    """
    texts = [source.text for source in sources]
    return invented(summary, texts + [source.speaker for source in sources if source.speaker])


def _chronological(sources: Sequence[SourceText]) -> list[int]:
    """Indices of the sources, oldest first; one without a time stays behind the one before it."""
    known = [source.occurred_at_ms for source in sources if source.occurred_at_ms is not None]
    at = min(known, default=0)
    keys: list[tuple[int, int]] = []
    for i, source in enumerate(sources):
        at = at if source.occurred_at_ms is None else source.occurred_at_ms
        keys.append((at, i))
    return [i for _, i in sorted(keys)]


def _sentences(sources: Sequence[SourceText], order: Sequence[int]) -> list[_Sentence]:
    """All sentences, in the order in which they were said."""
    speakers = {source.speaker.casefold() for source in sources if source.speaker}
    spoken = [(i, speaker, split_sentences(said)) for i in order for speaker, said in _turns(sources[i], speakers)]
    # Who takes part is on the labels; a name called out in passing says nothing more.
    partners = {token for _, speaker, _ in spoken if speaker for token in tokenise(speaker)}
    # A capital at the beginning of a sentence makes a name of what is one elsewhere.
    names = {fact for _, _, texts in spoken for text in texts for fact in facts(text, opening_words=False)}
    return [
        _Sentence(i, speaker, text, *_weights(text, partners, names)) for i, speaker, texts in spoken for text in texts
    ]


def _weights(text: str, partners: set[str], names: set[str]) -> tuple[dict[str, float], frozenset[str]]:
    """What each distinct token of a sentence weighs, and which of them are of its names and numbers."""
    little = all_small_talk()
    words = (word.casefold() for word in _LETTERS.findall(text))
    small_talk = {token for word in words if word in little for token in tokenise(word)}
    weights = {token: _SMALL_TALK_WEIGHT if token in small_talk else 1.0 for token in tokenise(text)}
    telling: set[str] = set()
    for fact in facts(text):
        tokens = set(tokenise(fact)) & weights.keys() if fact in names else set[str]()
        telling |= tokens
        # Those of one number or identifier, the whole and its parts, share what it weighs more than a word.
        weights.update((token, max(weights[token], 1.0 + (_FACT_WEIGHT - 1.0) / len(tokens))) for token in tokens)
    weights.update((token, _SMALL_TALK_WEIGHT) for token in weights if _calls(token, partners))
    return weights, frozenset(token for token in telling if not _calls(token, partners))


def _calls(token: str, partners: set[str]) -> bool:
    """Whether the token is the name of one who takes part, or the short form of it."""
    return token in partners or (
        len(token) >= _SHORTEST_NICKNAME and any(partner.startswith(token) for partner in partners)
    )


def _turns(source: SourceText, speakers: set[str]) -> list[tuple[str | None, str]]:
    """The source as (speaker, text): as it is when its speaker is known, else by the labels of its lines."""
    if source.speaker is not None:
        label = _LABEL.match(source.text)
        own = label is not None and label["speaker"].casefold() == source.speaker.casefold()
        return [(source.speaker, source.text[label.end() :] if label is not None and own else source.text)]
    turns: list[tuple[str | None, str]] = []
    plain: list[str] = []
    for line in source.text.splitlines():
        label = _LABEL.match(line)
        if label is None or not _is_speaker(label["speaker"], speakers):
            plain.append(line)
            continue
        turns += [(None, "\n".join(plain))] if plain else []
        plain = []
        turns.append((label["speaker"], line[label.end() :]))
    return turns + ([(None, "\n".join(plain))] if plain else [])


def _is_speaker(label: str, speakers: set[str]) -> bool:
    words = label.split()
    return label.casefold() in speakers or len(words) == 1 or all(not word[0].islower() for word in words)


def _centralities(sentences: Sequence[_Sentence], sources: Sequence[SourceText]) -> list[float]:
    """How much each sentence shares with the rest, [0, 1]: its words, and its source's vector when all have one."""
    count = len(sources)
    used_by = Counter(token for _, token in {(s.source, token) for s in sentences for token in s.weights})
    shared = [
        sum((used_by[token] - 1) / max(1, count - 1) for token in sentence.weights) / max(1, len(sentence.weights))
        for sentence in sentences
    ]
    by_words = _scaled(shared)
    similarity = _similarity_to_centre([source.embedding for source in sources])
    if similarity is None:
        return by_words
    by_vector = _scaled([similarity[sentence.source] for sentence in sentences])
    return [(words + vector) / 2.0 for words, vector in zip(by_words, by_vector, strict=True)]


def _similarity_to_centre(embeddings: Sequence[NDArray[np.float32] | None]) -> list[float] | None:
    vectors = [embedding for embedding in embeddings if embedding is not None]
    if len(vectors) < len(embeddings):
        return None
    import numpy as np  # only summaries with vectors need it

    matrix = np.stack(vectors).astype(np.float64)
    centre = matrix.mean(axis=0)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(centre)
    similarities: list[float] = np.divide(
        matrix @ centre, lengths, out=np.zeros(len(matrix)), where=lengths > 0
    ).tolist()
    return similarities


def _scaled(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 1.0 for value in values]


def _choose(sentences: Sequence[_Sentence], centralities: Sequence[float], limit: int) -> list[int]:
    """Greedily the sentence with the largest weight of new words for its length, while one fits."""
    chosen: list[int] = []
    covered: set[str] = set()
    left = set(range(len(sentences)))
    factors = [
        (1.0 + _CENTRALITY_SHARE * centrality)
        * (_QUESTION_FACTOR if sentence.text.endswith(("?", "？")) else 1.0)
        / (len(sentence.text) + _SENTENCE_OVERHEAD) ** _LENGTH_EXPONENT
        for sentence, centrality in zip(sentences, centralities, strict=True)
    ]

    def gain(i: int) -> float:
        return sum(weight for token, weight in sentences[i].weights.items() if token not in covered)

    while left:
        for i in sorted(left, key=lambda i: (-gain(i) * factors[i], i)):
            left.discard(i)
            if chosen and gain(i) < _LEAST_GAIN:
                continue
            if any(_nearly_identical(sentences[i], sentences[j]) for j in chosen):
                continue
            if len(_render([sentences[j] for j in sorted([*chosen, i])])) <= limit:
                chosen.append(i)
                covered.update(sentences[i].weights)
                break
    return chosen


def _nearly_identical(one: _Sentence, other: _Sentence) -> bool:
    """Whether they say the same words of the same names and numbers."""
    a, b = one.weights.keys(), other.weights.keys()
    if one.text == other.text:
        return one.speaker == other.speaker
    return bool(a | b) and one.facts == other.facts and len(a & b) / len(a | b) >= _NEARLY_IDENTICAL


def _render(sentences: Sequence[_Sentence]) -> str:
    lines: list[str] = []
    speaker: str | None = None
    for sentence in sentences:
        if lines and sentence.speaker == speaker:
            lines[-1] += _joint(lines[-1][-1]) + sentence.text
        else:
            speaker = sentence.speaker
            lines.append(_label(speaker, MAX_LIMIT) + sentence.text)
    return "\n".join(lines)


def _joint(last: str) -> str:
    """What stands between a sentence that ends with the character ``last`` and the next one."""
    if not last.isalnum():
        return " "
    return "。" if _UNSPACED.match(last) else ". "


def _label(speaker: str | None, limit: int) -> str:
    """The speaker's label; none when it would take more than half of ``limit``."""
    label = f"{speaker}: " if speaker else ""
    return label if 2 * len(label) <= limit else ""


def _shortened(sentence: str, limit: int) -> str:
    """The beginning of a sentence longer than ``limit``, ended with an ellipsis."""
    room = limit - len(_ELLIPSIS)
    if len(sentence) <= limit:
        return sentence
    clauses = [found.start() for found in _CLAUSE_END.finditer(sentence[: room + 1])]
    end = clauses[-1] if clauses and clauses[-1] >= room // 2 else _last_word_end(sentence, room)
    return sentence[:end].rstrip() + _ELLIPSIS


def _last_word_end(sentence: str, room: int) -> int:
    """Where the last whole word within ``room`` characters ends, not inside a number, even one written in groups."""
    for end in range(room, 0, -1):
        if not sentence[end].isspace():
            continue
        rest = sentence[end:].lstrip()
        if not (rest[:1].isdigit() and sentence[:end].rstrip()[-1:].isdigit()):
            return end
    while room > 1 and sentence[room].isdigit() and sentence[room - 1].isdigit():
        room -= 1
    return room
