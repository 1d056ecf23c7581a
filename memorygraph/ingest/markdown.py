"""The blocks of a Markdown text and its sections, by their offsets. Nothing is rendered and nothing refused.

CommonMark's rules for ATX and setext headings, fenced code, thematic breaks, list items and block quotes, GitHub's for
tables, with three liberties: a fence may be indented as far as it likes (in lists it is), four spaces make no code
(in lists they do not, and plain text has them), and each item of a list is a block of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Block", "BlockKind", "Section", "blocks_of", "document_title", "lines_of", "plain_text", "sections_of"]

BlockKind = Literal["front matter", "heading", "code", "table", "item", "paragraph", "rule"]

_LONGEST_HEADING = 200  # characters; an ATX heading is cut, and underlined text beyond them is none
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)", re.DOTALL)
_ATX = re.compile(r"(#{1,6})(?:[ \t]+(.*))?", re.DOTALL)
_ATX_END = re.compile(r"(?:^|[ \t])#+$")
_UNDERLINE = re.compile(r"=+|-+")
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+(?=\S)")
_DATA = re.compile(r"[\w-][\w .-]*:(?:\s|$)|#")  # what front matter begins with
_CELL = re.compile(r":?-+:?")
_TITLE = re.compile(r"title[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_INDENT = 3  # columns that a heading or a break may stand in from the margin

_IMAGE = re.compile(r"!\[([^\[\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)")
_LINK = re.compile(r"\[([^\[\]\n]*)\](?:\((?:[^()\n]|\([^()\n]*\))*\)|\[[^\[\]\n]*\])")
_STRONG = re.compile(r"(?<![\w*])\*{2,3}(?=\S)([^*\n]+?)(?<=\S)\*{2,3}(?![\w*])")
_STRONG_UNDERSCORES = re.compile(r"(?<!\w)__(?=[^\s_])([^_\n]+?)(?<=\S)__(?!\w)")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])")


@dataclass(frozen=True, slots=True)
class Block:
    """One block. ``text[start:end]`` is what stands in the source, without line breaks around it."""

    kind: BlockKind
    start: int
    end: int
    inner: int  # where its words begin: behind the marker of a heading or an item
    level: int = 0  # of a heading, 1 to 6
    words: str = ""  # of a heading, without its marks


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it up to the next heading of any level. The sections of a text leave no gap."""

    heading: tuple[str, ...]  # the path from the outermost heading to its own; empty before the first one
    start: int  # of the heading line, in characters
    end: int


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    first: int  # where its text begins and ends, without white space
    last: int
    text: str
    indent: int  # columns


def lines_of(text: str) -> Iterator[tuple[int, int]]:
    """Where each line of ``text`` begins and ends, its line break (LF, CR LF or CR) included."""
    return (found.span() for found in _LINE.finditer(text))


def blocks_of(text: str, *, front_matter: bool = False) -> list[Block]:
    """The blocks of ``text`` in order. They do not overlap; between them is nothing but white space.

    ``front_matter`` says that ``text`` is the beginning of a document, where a block between ``---`` is its data.
    """
    lines = list(_lines(text))
    blocks: list[Block] = []
    at = 0
    if front_matter and (end := _front_matter_end(lines)) is not None:
        blocks.append(Block("front matter", lines[0].first, lines[end - 1].last, lines[0].first))
        at = end
    while at < len(lines):
        if not lines[at].text:
            at += 1
            continue
        block, at = _block_at(lines, at)
        blocks.append(block)
    return blocks


def sections_of(text: str, blocks: list[Block]) -> tuple[Section, ...]:
    """The sections of ``text`` from its beginning to its end, one when it has no heading; ``blocks`` are its blocks."""
    sections: list[Section] = []
    path: list[tuple[int, str]] = []
    start = 0
    for block in blocks:
        if block.kind != "heading":
            continue
        if block.start > start:
            sections.append(Section(tuple(words for _, words in path if words), start, block.start))
        path = [(level, words) for level, words in path if level < block.level]
        path.append((block.level, block.words))
        start = block.start
    if start < len(text) or not sections:
        sections.append(Section(tuple(words for _, words in path if words), start, len(text)))
    return tuple(sections)


def document_title(text: str, blocks: list[Block]) -> str | None:
    """The title of a document: of its front matter, else its first heading of the first level."""
    for block in blocks:
        if block.kind == "front matter":
            found = (_TITLE.fullmatch(line.text) for line in _lines(text[block.start : block.end]))
            titles = [_heading(title[1][: 2 * _LONGEST_HEADING].strip("\"' \t")) for title in found if title]
            if titles and titles[0]:
                return titles[0]
        elif block.kind == "heading" and block.level == 1 and block.words:
            return block.words
    return None


def plain_text(text: str) -> str:
    """``text`` without the marks of emphasis, links (their words stay, their targets go) and comments."""
    while (start := text.find("<!--")) >= 0 and (end := text.find("-->", start)) >= 0:
        text = text[:start] + text[end + 3 :]
    if "](" in text or "][" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    if "*" in text:
        text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
    return _STRONG_UNDERSCORES.sub(r"\1", text) if "__" in text else text


def _lines(text: str) -> Iterator[_Line]:
    for start, end in lines_of(text):
        line = text[start:end]
        bare = line.strip()
        margin = line[: len(line) - len(line.lstrip())]
        first = start + len(margin) if bare else start
        yield _Line(start, first, first + len(bare), bare, len(margin.expandtabs(4)))


def _block_at(lines: list[_Line], at: int) -> tuple[Block, int]:
    """The block that begins with line ``at``, which is not blank, and the line after it."""
    line = lines[at]
    if (fence := _opening_fence(line)) is not None:
        end = _code_end(lines, at + 1, fence)
        last = next(inner.last for inner in reversed(lines[at:end]) if inner.text)
        return Block("code", line.start, last, line.start), end
    if (atx := _atx(line)) is not None:
        words = _ATX_END.sub("", (atx[2] or "").strip()[: 2 * _LONGEST_HEADING])
        inner = line.first + (atx.end(1) if atx[2] is None else atx.start(2))
        return Block("heading", line.first, line.last, inner, len(atx[1]), _heading(words)), at + 1
    if _is_rule(line):
        return Block("rule", line.first, line.last, line.first), at + 1
    if _is_table(lines, at):
        end = at + 2
        while end < len(lines) and "|" in lines[end].text and not _interrupts(lines, end):
            end += 1
        return Block("table", line.first, lines[end - 1].last, line.first), end
    marker = _ITEM.match(line.text)
    end = at + 1
    while end < len(lines) and lines[end].text:
        if marker is None and (level := _underlines(lines, at, end)) is not None:
            words = _heading(" ".join(inner.text for inner in lines[at:end]))
            return Block("heading", line.first, lines[end].last, line.first, level, words), end + 1
        if _interrupts(lines, end):
            break
        end += 1
    if marker is None:
        return Block("paragraph", line.first, lines[end - 1].last, line.first), end
    return Block("item", line.first, lines[end - 1].last, line.first + marker.end()), end


def _interrupts(lines: list[_Line], at: int) -> bool:
    """Whether line ``at`` ends the paragraph, item or table before it."""
    line = lines[at]
    return (
        _opening_fence(line) is not None
        or _atx(line) is not None
        or _is_rule(line)
        or _ITEM.match(line.text) is not None
        or _is_table(lines, at)
    )


def _opening_fence(line: _Line) -> str | None:
    found = _FENCE.fullmatch(line.text)
    # What follows backticks is no fence when it has more of them: ```code``` within a line.
    return None if found is None or (found[1][0] == "`" and "`" in found[2]) else found[1]


def _code_end(lines: list[_Line], at: int, fence: str) -> int:
    """The line after the fence that closes the code beginning at line ``at``; without one, the code goes to the end."""
    while at < len(lines):
        text = lines[at].text
        at += 1
        if len(text) >= len(fence) and not text.strip(fence[0]):
            return at
    return at


def _atx(line: _Line) -> re.Match[str] | None:
    return _ATX.fullmatch(line.text) if line.indent <= _INDENT else None


def _is_rule(line: _Line) -> bool:
    marks = line.text.replace(" ", "").replace("\t", "")
    return line.indent <= _INDENT and len(marks) >= 3 and marks[0] in "-*_" and not marks.strip(marks[0])


def _underlines(lines: list[_Line], first: int, at: int) -> int | None:
    """The level of the heading that line ``at`` makes of the lines from ``first`` on; None when it makes none."""
    line = lines[at]
    if line.indent > _INDENT or not _UNDERLINE.fullmatch(line.text):
        return None
    if lines[at - 1].last - lines[first].first > _LONGEST_HEADING or lines[first].text[0] in ">|":
        return None
    return 1 if line.text[0] == "=" else 2


def _is_table(lines: list[_Line], at: int) -> bool:
    """Whether line ``at`` is the head of a table, which the line after it tells."""
    if at + 1 == len(lines) or "|" not in lines[at].text or "|" not in lines[at + 1].text:
        return False
    cells = lines[at + 1].text.strip("|").split("|")
    return all(_CELL.fullmatch(cell.strip()) for cell in cells)


def _front_matter_end(lines: list[_Line]) -> int | None:
    if len(lines) < 3 or lines[0].text != "---" or not _DATA.match(lines[1].text):
        return None
    return next((at + 1 for at in range(2, len(lines)) if lines[at].text in ("---", "...")), None)


def _heading(words: str) -> str:
    return plain_text(words).strip()[:_LONGEST_HEADING].rstrip()
