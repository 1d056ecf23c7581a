"""Cutting turns and documents into the chunks that extraction works on.

The same input always gives the same chunks, so that extraction can go on at a chunk's number. Chunks do not overlap and
leave out nothing but white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memorygraph.extraction.claims import Chunk, Passage
from memorygraph.ingest.markdown import Block, Section, blocks_of, lines_of
from memorygraph.text.sentences import sentence_spans
from memorygraph.validation import MAX_TEXT

__all__ = [
    "CHUNK_CHARACTERS",
    "HEADING_SEPARATOR",
    "chunk_document",
    "chunk_turns",
    "fitting_lines",
    "fitting_sentences",
]

CHUNK_CHARACTERS = 6000
"""The most that one chunk has, its passages taken together."""

HEADING_SEPARATOR = " › "

_SPACE = re.compile(r"\s*")
_MOST_TURNS = 40  # of one chunk

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    heading: tuple[str, ...] = ()
    whole: bool = True  # a whole section, which may share a chunk with others
    within_block: bool = False


def chunk_turns(turns: Sequence[Passage], *, limit: int = CHUNK_CHARACTERS) -> tuple[Chunk, ...]:
    """The chunks of the turns of one session, each of which is a passage.

    Turns of at most :data:`memorygraph.validation.MAX_TEXT` characters come marked as kept whole. Those longer than
    ``limit`` characters are cut, between blocks where that is possible, and are in chunks by themselves. Blank turns
    are in none.
    """
    chunks: list[Chunk] = []
    together: list[Passage] = []

    def close() -> None:
        if together:
            chunks.append(Chunk(passages=tuple(together)))
            together.clear()

    for turn in turns:
        if len(turn.text) > limit:
            close()
            pieces = _cut(turn.text, blocks_of(turn.text), limit)
            chunks += [Chunk(passages=(_passage(turn, piece),)) for piece in pieces]
        elif turn.text.strip():
            if len(together) == _MOST_TURNS or sum(len(other.text) for other in together) + len(turn.text) > limit:
                close()
            together.append(replace(turn, kept_whole=len(turn.text) <= MAX_TEXT))
    close()
    return tuple(chunks)


def chunk_document(
    document: Passage, *, sections: Sequence[Section], limit: int = CHUNK_CHARACTERS
) -> tuple[Chunk, ...]:
    """The chunks of a document, which is one passage that begins at 0; ``sections`` leave no gap in its text.

    A chunk is as many whole sections as fit into ``limit`` characters, under the headings they have in common, or a
    part of one that does not fit. Code and tables are cut only where they alone are too long, and then at line ends.
    """
    text = document.text
    blocks = blocks_of(text, front_matter=True)
    pieces: list[_Piece] = []
    for section in sections:
        start, end = _trimmed(text, section.start, section.end)
        if end - start > limit:
            inside = [block for block in blocks if section.start <= block.start < section.end]
            cut = _cut(text[: section.end], inside, limit)
            pieces += [replace(piece, heading=section.heading) for piece in cut]
        elif start < end:
            pieces.append(_Piece(start, end, section.heading))
    return tuple(
        Chunk(
            passages=(_passage(document, group),),
            heading=HEADING_SEPARATOR.join(group.heading) or None,
        )
        for group in _packed(pieces, limit)
    )


def fitting_sentences(text: str, limit: int) -> Iterator[Span]:
    """Stretches of ``text`` of at most ``limit`` characters, cut between sentences, else words, else anywhere."""
    return _joined((part for span in sentence_spans(text) for part in _words(text, span, limit)), limit)


def fitting_lines(text: str, limit: int) -> Iterator[Span]:
    """Stretches of ``text`` of at most ``limit`` characters, cut between lines; longer lines are cut like sentences."""
    spans = (_trimmed_right(text, span) for span in lines_of(text))
    lines = (span for span in spans if text[slice(*span)].strip())
    return _joined((part for span in lines for part in _words(text, span, limit)), limit)


def _packed(pieces: Iterable[_Piece], limit: int) -> Iterator[_Piece]:
    group: _Piece | None = None
    for piece in pieces:
        if group is not None and group.whole and piece.whole and piece.end - group.start <= limit:
            group = replace(group, end=piece.end, heading=_common(group.heading, piece.heading))
            continue
        if group is not None:
            yield group
        group = piece
    if group is not None:
        yield group


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]


def _cut(text: str, blocks: Sequence[Block], limit: int) -> Iterator[_Piece]:
    """The ``blocks`` of ``text``, as many together as fit; one that is too long is cut."""
    open_from: int | None = None
    open_to = 0
    for block in blocks:
        if open_from is not None and block.end - open_from <= limit:
            open_to = block.end
            continue
        if open_from is not None:
            yield _Piece(open_from, open_to, whole=False)
            open_from = None
        if block.end - block.start <= limit:
            open_from, open_to = block.start, block.end
            continue
        kept = block.kind in ("code", "table")
        inside = text[block.start : block.end]
        for number, (first, last) in enumerate((fitting_lines if kept else fitting_sentences)(inside, limit)):
            yield _Piece(block.start + first, block.start + last, whole=False, within_block=kept and number > 0)
    if open_from is not None:
        yield _Piece(open_from, open_to, whole=False)


def _passage(of: Passage, piece: _Piece) -> Passage:
    return replace(
        of,
        start=of.start + piece.start,
        text=of.text[piece.start : piece.end],
        kept_whole=False,
        within_block=piece.within_block,
    )


def _joined(spans: Iterable[Span], limit: int) -> Iterator[Span]:
    """Neighbouring spans made one as long as they fit."""
    start: int | None = None
    end = 0
    for first, last in spans:
        if start is not None and last - start > limit:
            yield start, end
            start = None
        if start is None:
            start = first
        end = last
    if start is not None:
        yield start, end


def _words(text: str, span: Span, limit: int) -> Iterator[Span]:
    start, end = span
    while end - start > limit:
        cut = max(text.rfind(space, start + 1, start + limit + 1) for space in " \n\t")
        cut = cut if cut > start else start + limit
        if text[start:cut].strip():
            yield _trimmed_right(text, (start, cut))
        start = _SPACE.match(text, cut, end).end()  # type: ignore[union-attr]
    yield start, end


def _trimmed(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends."""
    stretch = text[start:end]
    return start + len(stretch) - len(stretch.lstrip()), _trimmed_right(text, (start, end))[1]


def _trimmed_right(text: str, span: Span) -> Span:
    return span[0], span[0] + len(text[slice(*span)].rstrip())
