"""Extraction without a language model: the sentences of a text as they stand, with what their writing tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from memorygraph.errors import InvalidInput
from memorygraph.extraction.chunking import CHUNK_CHARACTERS, HEADING_SEPARATOR, fitting_lines, fitting_sentences
from memorygraph.extraction.claims import Chunk, Claim, Extraction, Passage
from memorygraph.extraction.terms import Vocabulary, content_words, is_linked_only, names_in, turn_entities
from memorygraph.ingest.markdown import Block, blocks_of, lines_of, plain_text
from memorygraph.ingest.small_talk import says_nothing
from memorygraph.text.languages import all_contents_headings
from memorygraph.text.normalise import fold
from memorygraph.text.relative_times import holds_from
from memorygraph.text.sentences import sentence_spans
from memorygraph.validation import MAX_TEXT, check_text

__all__ = ["LocalExtractor", "turn_entities"]

_KIND = "fact"
_LEAST_WORDS = 2  # that say something; "It works." has one
_LONGEST_ENTRY = 80  # characters of an item that says something only together with what introduces its list
_WRAPPED = 60  # characters; a line break behind a longer line is there for the width of the page
_LEADERS = re.compile(r"(?:\.{4,}|(?:\. ){3,}|…{2,})\s*\d+$")  # what leads to the number of a page
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """One claim to be, or what a block gives of them."""

    passage: int
    start: int  # of the evidence, in the passage
    end: int
    text: str
    names: tuple[str, ...]  # those of its block
    heading: tuple[str, ...]
    verbatim: bool = False  # code, or a table


class LocalExtractor:
    """Takes each sentence for a claim of kind ``fact``, and code and tables whole, as far as the limits allow.

    Nothing is interpreted: no subject, predicate or value, and ``valid_from`` only where a sentence says since when it
    holds. What says nothing by itself is left out: courtesies, questions without an answer beside them, lists of links,
    tables of contents, fragments of fewer than two words with a meaning. Turns that are kept whole give no claims.
    """

    @property
    def name(self) -> str:
        return "local"

    @property
    def derives(self) -> bool:
        return False

    @property
    def chunk_characters(self) -> int:
        return CHUNK_CHARACTERS

    async def extract(self, chunk: Chunk) -> Extraction:
        """The claims of ``chunk`` in order.

        Raises :class:`InvalidInput` for a passage in a zone that does not exist.
        """
        heading = tuple(chunk.heading.split(HEADING_SEPARATOR)) if chunk.heading else ()
        stretches = [
            stretch
            for number, passage in enumerate(chunk.passages)
            if not passage.kept_whole
            for stretch in _stretches(passage, number, heading)
        ]
        vocabulary = Vocabulary([stretch.text for stretch in stretches if not stretch.verbatim])
        claims: dict[str, Claim] = {}
        dropped = 0
        for stretch in stretches:
            try:
                check_text(stretch.text, field="text", longest=MAX_TEXT)
            except InvalidInput:  # control characters, which no door lets in
                dropped += 1
                continue
            claims.setdefault(stretch.text, _claim(stretch, chunk.passages[stretch.passage], vocabulary))
        return Extraction(claims=tuple(claims.values()), dropped=dropped)


def _claim(stretch: _Stretch, passage: Passage, vocabulary: Vocabulary) -> Claim:
    since = None
    if not stretch.verbatim:
        since = holds_from(stretch.text, occurred_at=passage.occurred_at, zone=passage.zone)
    return Claim(
        text=stretch.text,
        kind=_KIND,
        passage=stretch.passage,
        start=stretch.start,
        end=stretch.end,
        entities=vocabulary.entities(stretch.text, stretch.names, passage.speaker),
        keywords=vocabulary.keywords(stretch.text, reversed(stretch.heading)),
        valid_from=None if since is None else since.start,
    )


def _stretches(passage: Passage, number: int, heading: tuple[str, ...]) -> Iterator[_Stretch]:
    text = passage.text
    if passage.within_block:
        yield from _verbatim(text, number, 0, len(text), heading)
        return
    blocks = blocks_of(text, front_matter=passage.start == 0)
    path: list[tuple[int, str]] = []
    contents = _is_contents(heading)
    at = 0
    while at < len(blocks):
        block = blocks[at]
        at += 1
        if block.kind == "heading":
            path = [(level, words) for level, words in path if level < block.level] + [(block.level, block.words)]
            contents = _is_contents((block.words,))
            continue
        under = (*heading, *(words for _, words in path if words and words not in heading))
        if block.kind in ("code", "table"):
            yield from _verbatim(text, number, block.start, block.end, under)
        elif block.kind in ("paragraph", "item") and not contents:
            entries = _entries(text, block, blocks[at:])
            at += len(entries)
            yield from _prose(text, number, block, entries, under)


def _is_contents(heading: tuple[str, ...]) -> bool:
    return bool(heading) and fold(heading[-1]).strip(" :：") in all_contents_headings()


def _verbatim(text: str, number: int, start: int, end: int, heading: tuple[str, ...]) -> Iterator[_Stretch]:
    for first, last in fitting_lines(text[start:end], MAX_TEXT):
        inside = text[start + first : start + last]
        if content_words(inside):  # and not the fence alone
            yield _Stretch(number, start + first, start + last, inside, (), heading, verbatim=True)


def _entries(text: str, block: Block, following: list[Block]) -> list[Block]:
    """What ``block`` introduces with a colon and what says little without it: code, a table, a list of short items."""
    if block.kind != "paragraph" or not text[: block.end].endswith((":", "：")) or not following:
        return []
    entries = following[:1]
    if entries[0].kind not in ("code", "table"):
        entries = list(takewhile(lambda other: other.kind == "item", following))
        short = all(entry.end - entry.inner <= _LONGEST_ENTRY for entry in entries)
        if not entries or not short or any(is_linked_only(text[entry.inner : entry.end]) for entry in entries):
            return []
    return entries if entries[-1].end - block.start <= MAX_TEXT else []


def _prose(text: str, number: int, block: Block, entries: list[Block], heading: tuple[str, ...]) -> Iterator[_Stretch]:
    inside = text[block.inner : block.end]
    if is_linked_only(inside) or all(_LEADERS.search(line.strip()) for line in inside.splitlines()):
        return
    spans = [(block.inner + start, block.inner + end) for start, end in _sentences(inside)]
    introduced = spans.pop() if entries else None
    said = [(start, end, _plain(text[start:end])) for start, end in spans]
    if introduced is None and not any(_says_something(plain) for _, _, plain in said):
        return
    names = tuple(names_in(text[block.inner : entries[-1].end] if entries else inside))
    for start, end, plain in _answered(text, said):
        if _says_something(plain):
            yield _Stretch(number, start, end, plain, names, heading)
    if introduced is not None:
        lines = [_plain(text[slice(*introduced)]), *(_entry(text, entry) for entry in entries)]
        verbatim = entries[0].kind != "item"
        yield _Stretch(number, introduced[0], entries[-1].end, "\n".join(lines), names, heading, verbatim=verbatim)


def _answered(text: str, said: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """The sentences without the questions; one that follows a question has it before it."""
    asked: int | None = None
    for start, end, plain in said:
        if plain.endswith(("?", "？")):
            asked = start if asked is None else asked
            continue
        if asked is None or end - asked > MAX_TEXT or says_nothing(plain):
            yield start, end, plain
        else:
            yield asked, end, _plain(text[asked:end])
        asked = None


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a block, none too long."""
    characters = list(_QUOTE.sub(lambda marks: " " * len(marks[0]), text))
    for start, end in lines_of(text):
        if end - start > _WRAPPED and characters[end - 1] in "\r\n":
            characters[end - 1] = " "
    for start, end in sentence_spans("".join(characters)):
        if end - start <= MAX_TEXT:
            yield start, end
        else:
            yield from ((start + first, start + last) for first, last in fitting_sentences(text[start:end], MAX_TEXT))


def _entry(text: str, entry: Block) -> str:
    if entry.kind != "item":
        return text[entry.start : entry.end]
    return f"- {_plain(text[entry.inner : entry.end])}"


def _plain(text: str) -> str:
    return " ".join(plain_text(_QUOTE.sub("", text)).split())


def _says_something(plain: str) -> bool:
    if not plain or says_nothing(plain) or is_linked_only(plain):
        return False
    return len(set(content_words(plain))) >= _LEAST_WORDS
