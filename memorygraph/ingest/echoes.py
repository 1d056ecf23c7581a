"""Recognising what recall itself put into a conversation, so that a memory is never made of a memory.

Memories handed to a model are fenced: a line that begins them, each as an item of a list, and a line that ends them.
What was pasted without the fence is recognised by its words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from memorygraph.text.normalise import normalise_value

__all__ = ["RECALLED_BEGIN", "RECALLED_END", "blank_recalled", "fenced", "is_echo", "strip_recalled"]

RECALLED_BEGIN = "[memorygraph: recalled memories begin]"
RECALLED_END = "[memorygraph: recalled memories end]"

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_NO_LINE_BREAK = re.compile(r"[^\r\n]")
_BEGIN = re.compile(rf"^(?P<quote>[>\t ]*){re.escape(RECALLED_BEGIN)}[\t ]*$")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ITEM, _FURTHER = "- ", "  "
# A memory cannot close its fence: what looks like a marker in it is written with other brackets.
_DEFUSED = {marker: f"({marker[1:-1]})" for marker in (RECALLED_BEGIN, RECALLED_END)}

_QUOTE = "[\"'“”‘’«»「」]"
# What a list puts around a memory: a bullet, a number, a date, a score.
_BEFORE = (
    re.compile(r"^[>|\s]+"),
    re.compile(r"^[-*+•‣·–—]\s*"),
    re.compile(r"^[(\[]?\d{1,4}[.):\]]+\s*"),
    re.compile(r"^[(\[]?\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:\d\d)?)?[)\]]?[:,]?\s*"),
    re.compile(r"^[(\[{]?(?:score\s*[:=]?\s*)?[01]?\.\d+%?[)\]}]?[:,]?\s*", re.IGNORECASE),
    re.compile(rf"^{_QUOTE}(?:(?:text|memory|content){_QUOTE}\s*:\s*{_QUOTE})?", re.IGNORECASE),
    re.compile(r"^(?:text|memory)\s*:\s*", re.IGNORECASE),
)
_AFTER = (
    re.compile(rf"{_QUOTE}\s*,?\s*$"),
    re.compile(r"\s*[-–—,;|]?\s*[(\[{]?(?:score|similarity|relevance)?\s*[:=]?\s*[01]?\.\d+[)\]}]?\s*$", re.IGNORECASE),
)
_MOST_PEELS = 8
_SCAFFOLD = " \t[]{},:`~|*_=-"
_CODE_FENCE = ("```", "~~~")
_MOST_AROUND = 200  # characters that a list puts around a memory
_ANSWER = frozenset({"query", "outcome", "hits", "searched", "passed"})  # keys of every answer of recall


def fenced(texts: Sequence[str]) -> str:
    """``texts`` as a prompt should hold them: an item of a list each, between the lines that mark them as recalled."""
    lines = [RECALLED_BEGIN]
    for text in texts:
        for marker, defused in _DEFUSED.items():
            text = text.replace(marker, defused)
        first, *others = _LINE_BREAK.split(text)
        lines += [_ITEM + first, *(_FURTHER + other for other in others)]
    return "\n".join([*lines, RECALLED_END])


def strip_recalled(text: str) -> tuple[str, tuple[str, ...]]:
    """``text`` without what is fenced in it, and the memories that were, in order.

    A fence may be indented or quoted with ``>``, every line alike. Of one that is not closed, the list goes as far as
    its lines follow one another; what comes then stays.
    """
    rest: list[str] = []
    echoes: list[str] = []
    for stretch, items in _stretches(text):
        if items is None:
            rest.append(stretch)
        else:
            echoes += ["\n".join(item) for item in items]
    return "".join(rest), tuple(echoes)


def blank_recalled(text: str) -> str:
    """``text`` with spaces for every character that :func:`strip_recalled` takes away, line breaks excepted.

    What stays stands where it stood.
    """
    if RECALLED_BEGIN not in text:
        return text
    return "".join(
        stretch if items is None else _NO_LINE_BREAK.sub(" ", stretch) for stretch, items in _stretches(text)
    )


def _stretches(text: str) -> Iterator[tuple[str, list[list[str]] | None]]:
    """All of ``text`` in order: lines outside of fences, each with None, and whole fences with their items."""
    lines = _LINE.findall(text)
    at = 0
    while at < len(lines):
        begins = _BEGIN.match(lines[at].rstrip("\r\n"))
        if begins is None:
            yield lines[at], None
            at += 1
            continue
        end, items = _list_at(lines, at + 1, begins["quote"])
        yield "".join(lines[at:end]), items
        at = end


def _list_at(lines: Sequence[str], at: int, quote: str) -> tuple[int, list[list[str]]]:
    """The items of the fence whose first line is ``at``, and the line at which the text goes on."""
    items: list[list[str]] = []
    ahead, blank = at, 0
    while ahead < len(lines) and lines[ahead].startswith(quote.rstrip()):
        inside = lines[ahead].rstrip("\r\n")
        inside = inside.removeprefix(quote if inside.startswith(quote) else quote.rstrip())
        if inside.rstrip() == RECALLED_END:
            return ahead + 1, items
        if inside.startswith(_ITEM):
            items.append([inside.removeprefix(_ITEM)])
        elif items and inside.startswith(_FURTHER) and inside.strip():
            items[-1] += [""] * blank + [inside.removeprefix(_FURTHER)]
        elif not items or inside.strip():
            break
        # Programs take the spaces of an empty line away, so that it may be one of a memory or the end of the list.
        blank = blank + 1 if not inside.strip() else 0
        ahead += 1
    return ahead - blank, items


def is_echo(text: str, known_texts: Collection[str]) -> bool:
    """Whether ``text`` says only what ``known_texts`` say, line by line, as a rendered answer of recall would.

    Lines are compared in the normal form of :func:`normalise_value`, with and without bullets, numbers, dates, scores
    and quotation marks around them. JSON is recognised by the texts in it: a list of them, objects with a ``text``, or
    an answer of recall as a whole. A text that is word for word a known one is an echo too.
    """
    whole = {normalise_value(known_text) for known_text in known_texts}
    known = whole | {normalise_value(line) for known_text in known_texts for line in _LINE_BREAK.split(known_text)}
    known.discard("")
    said = _texts_in_json(text)
    if said is not None:
        return all(normalise_value(one) in whole for one in said)
    lines = [line for line in _LINE_BREAK.split(text) if line.strip(_SCAFFOLD) not in ("", "json")]
    longest = max(map(len, known), default=0) + _MOST_AROUND
    return bool(lines) and all(len(line) <= longest and any(form in known for form in _forms(line)) for line in lines)


def _texts_in_json(text: str) -> list[str] | None:
    """The memories in JSON that shows some; None when ``text`` is no such JSON."""
    text = text.strip()
    if text.startswith(_CODE_FENCE) and text.endswith(text[:3]):
        text = text[text.find("\n") : -3].strip()
    if not text.startswith(("[", "{")):
        return None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    texts = list(_texts(content))
    answered = isinstance(content, dict) and content.keys() >= _ANSWER
    return texts if texts or answered else None


def _texts(content: Any) -> Iterator[str]:
    """What is under ``text`` anywhere in ``content``, and the texts of a bare list."""
    if isinstance(content, list) and all(isinstance(item, str) for item in content):
        yield from content
        return
    waiting = [content]
    while waiting:
        match waiting.pop():
            case list(items):
                waiting += items
            case dict(fields):
                if isinstance(fields.get("text"), str):
                    yield fields["text"]
                waiting += [value for value in fields.values() if isinstance(value, dict | list)]


def _forms(line: str) -> Iterator[str]:
    """``line`` in its normal form, whole and with what a list puts around it taken away bit by bit."""
    line = " ".join(line.split())
    waiting, seen = [line], {line}
    for _ in range(_MOST_PEELS):
        peeled = []
        for form in waiting:
            yield normalise_value(form)
            peeled += [pattern.sub("", form, count=1) for pattern in (*_BEFORE, *_AFTER)]
        waiting = [form for form in dict.fromkeys(peeled) if form.strip() and form not in seen]
        seen.update(waiting)
