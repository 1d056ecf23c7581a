"""The JSON values in a text that has other things around them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

__all__ = ["FoundJson", "find_json"]

_OPENING = re.compile(r"[\[{]")
# What begins like this was meant as JSON; "{name}" and "[see below]" were not.
_MEANT_AS_JSON = re.compile(r"\{\s*(?:[\"'}]|\w+\s*:)|\[\s*[\[{\"'\]\d-]")
_CLOSING = {"{": "}", "[": "]"}
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"?|[\[\]{}]", re.DOTALL)
# A string; a comma that follows no item; a comma after the last item.
_LAST_COMMA = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[\[{,:]\s*,(?=\s*[\]}])|(?P<last>,)(?=\s*[\]}])", re.DOTALL)


@dataclass(slots=True)
class FoundJson:
    """``values`` are the objects and lists that do not stand within another one, in order."""

    values: list[Any] = field(default_factory=list)
    broken: str | None = None  # why the last one that was meant as JSON is none
    unfinished: bool = False  # the text ends within one


def find_json(text: str) -> FoundJson:
    """The JSON objects and lists in ``text``, code fences and prose around them or not.

    Line breaks within strings are taken, and a comma after the last item is dropped, since both can
    mean one thing only; nothing else is mended. What is within a broken value is not looked for.
    """
    found = FoundJson()
    position = 0
    while opening := _OPENING.search(text, position):
        start = opening.start()
        try:
            value, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            if not _MEANT_AS_JSON.match(text, start):
                position = start + 1
                continue
            end = _end_of(text, start)
            if end is None:
                found.unfinished = True
                break
            try:
                value = _DECODER.decode(_without_last_commas(text[start:end]))
            except (ValueError, RecursionError):
                found.broken = str(error) or type(error).__name__
                position = end
                continue
            position = end
        found.values.append(value)
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, strict=False)


def _end_of(text: str, start: int) -> int | None:
    """Where the bracket at ``start`` is closed, or where a wrong one closes it; None when the text ends before."""
    expected: list[str] = []
    for token in _TOKEN.finditer(text, start):
        bracket = token.group()
        if bracket in _CLOSING:
            expected.append(_CLOSING[bracket])
        elif bracket in "]}" and (expected.pop() != bracket or not expected):
            return token.end()
    return None


def _without_last_commas(text: str) -> str:
    """Without the commas that follow the last item of a list or an object; one that follows no item stays."""
    return _LAST_COMMA.sub(lambda token: "" if token["last"] else token.group(), text)
