"""Claims in a language model's own words, each with the words of the text that say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from memorygraph.cost import NOTHING_SPENT, Cost
from memorygraph.errors import ModelError, ReplyTruncated
from memorygraph.extraction.claims import Chunk, Extraction, Passage
from memorygraph.extraction.model_claims import Findings
from memorygraph.extraction.prompts import (
    EXTRACTION_PROMPT,
    EXTRACTION_SCHEMA,
    EXTRACTION_SYNONYMS,
    passages_as_data,
)
from memorygraph.llm import ChatModel
from memorygraph.text.sentences import split_sentences

__all__ = ["ModelExtractor"]

# Statements and their quotations take about as many tokens as the text that they are from.
_CHARACTERS_PER_TOKEN_OF_ANSWER = 2
# A model whose answers do not end, whatever it is asked, is given up after so many calls in a row.
_MOST_SPLITS = 5
_SHORTEST = 200  # characters of a text that is divided once more

_Pieces: TypeAlias = Sequence[tuple[int, int, Passage]]
"""Passages, or parts of them: the number in the chunk, the characters of it that come before, and the rest."""


class ModelExtractor:
    """An :class:`~memorygraph.extraction.claims.Extractor` that asks a language model once for each chunk."""

    derives = True

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = model.name

    @property
    def chunk_characters(self) -> int:
        """How long the passages of a chunk may be together to be answered about in one call, most times."""
        return min(self._model.input_characters, self._model.max_output_tokens * _CHARACTERS_PER_TOKEN_OF_ANSWER)

    async def extract(self, chunk: Chunk) -> Extraction:
        """See :class:`~memorygraph.extraction.claims.Extractor`. Also raises :class:`ModelMisconfigured`.

        A chunk that is too long, or whose answer is, is divided and asked about in parts, one after
        the other. Errors carry the cost of all that was asked.
        """
        findings = Findings()
        spent = NOTHING_SPENT
        waiting = [(self._pieces(chunk), 0)]
        while waiting:
            pieces, splits = waiting.pop()
            halves = _halves(pieces)
            if halves is not None and _length(pieces) > self._model.input_characters:
                waiting += [(half, splits) for half in reversed(halves)]
                continue
            try:
                spent += await self._ask(pieces, chunk.heading, findings)
            except ReplyTruncated as truncated:
                spent += truncated.cost
                if halves is None or splits == _MOST_SPLITS:
                    truncated.cost = spent
                    raise
                waiting += [(half, splits + 1) for half in reversed(halves)]
            except ModelError as error:
                error.cost += spent
                raise
        return Extraction(
            claims=tuple(findings.claims),
            dropped=findings.dropped,
            calls=spent.calls,
            prompt_tokens=spent.prompt_tokens,
            completion_tokens=spent.completion_tokens,
            notices=findings.notices(),
        )

    @staticmethod
    def _pieces(chunk: Chunk) -> _Pieces:
        return [(number, 0, passage) for number, passage in enumerate(chunk.passages)]

    async def _ask(self, pieces: _Pieces, heading: str | None, findings: Findings) -> Cost:
        reply = await self._model.structured(
            EXTRACTION_PROMPT,
            passages_as_data([(number, passage) for number, _, passage in pieces], heading),
            EXTRACTION_SCHEMA,
            name="statements",
            synonyms=EXTRACTION_SYNONYMS,
        )
        findings.read(reply.value, pieces)
        return reply.cost


def _length(pieces: _Pieces) -> int:
    return sum(len(passage.text) for _, _, passage in pieces)


def _halves(pieces: _Pieces) -> tuple[_Pieces, _Pieces] | None:
    """Two parts of about the same length: between passages, within one at a sentence; None when it is too short."""
    if len(pieces) > 1:
        middle = _length(pieces) / 2
        cut = min(range(1, len(pieces)), key=lambda count: abs(_length(pieces[:count]) - middle))
        return pieces[:cut], pieces[cut:]
    number, offset, passage = pieces[0]
    if len(passage.text) < _SHORTEST:
        return None
    cut = _middle_boundary(passage.text)
    first = replace(passage, text=passage.text[:cut])
    second = replace(passage, text=passage.text[cut:], start=passage.start + cut)
    return [(number, offset, first)], [(number, offset + cut, second)]


def _middle_boundary(text: str) -> int:
    """Where the sentence begins that is nearest to the middle; without one the word; without one, the middle."""
    middle = len(text) // 2
    boundaries: list[int] = []
    position = 0
    for sentence in split_sentences(text):
        position = text.index(sentence, position)
        boundaries.append(position)
        position += len(sentence)
    inner = [boundary for boundary in boundaries if boundary > 0]
    if not inner:
        inner = [at for at in range(1, len(text)) if text[at - 1].isspace() and not text[at].isspace()]
    return min(inner, key=lambda boundary: abs(boundary - middle), default=middle)
