"""From bytes to text, and from text to JSON; every refusal says where."""

from __future__ import annotations

import codecs
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from memorygraph.errors import InvalidInput
from memorygraph.ingest.markdown import lines_of

__all__ = ["check_legible", "decoded", "is_visible", "json_lines", "json_value"]

_ILLEGIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_ENCODINGS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_NAMES = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}


def decoded(data: bytes) -> str:
    """The text of ``data``: UTF-8, with or without a byte-order mark, or UTF-16 with one, which is taken away.

    Raises :class:`InvalidInput` (field ``data``) for anything else.
    """
    mark, encoding = next((pair for pair in _ENCODINGS if data.startswith(pair[0])), (b"", "utf-8"))
    body = data[len(mark) :]
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, errors="replace")
        raise InvalidInput(
            f"The bytes are not {_NAMES[encoding]} text: at {_place(before)} stands {body[error.start]:#04x}.",
            field="data",
            hint="Save it as UTF-8.",
        ) from None


def check_legible(text: str, *, where: str = "The text") -> str:
    """``text`` when it has no lone surrogates and no control characters but tabs and line breaks.

    Raises :class:`InvalidInput` (field ``data``), which names line and column.
    """
    found = _ILLEGIBLE.search(text)
    if found is None:
        return text
    code = ord(found[0])
    what = "a lone surrogate" if 0xD800 <= code <= 0xDFFF else f"the control character U+{code:04X}"
    raise InvalidInput(f"{where} has {what} at {_place(text[: found.start()])}.", field="data")


def is_visible(text: str) -> bool:
    """Whether ``text`` has a character that is seen."""
    return any(unicodedata.category(character)[0] not in "ZC" for character in text)


def json_value(text: str, *, where: str = "The text", line: int = 1) -> Any:
    """The JSON value that ``text`` is; of a key that comes twice the last one counts.

    ``line`` is the number of its first line. Raises :class:`InvalidInput` (field ``data``), also for NaN and infinity,
    numbers of thousands of digits, and nesting too deep to read.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        why = f"line {error.lineno + line - 1}, column {error.colno}: {error.msg}"
    except ValueError as error:
        why = str(error)
    except RecursionError:
        why = "it is nested too deeply"
    raise InvalidInput(f"{where} is not JSON: {why}.", field="data")


def json_lines(text: str) -> Iterator[tuple[int, Any]]:
    """The JSON value of each line that is not blank, with the number of the line. Raises like :func:`json_value`."""
    for number, (start, end) in enumerate(lines_of(text), 1):
        if line := text[start:end].strip():
            yield number, json_value(line, where=f"Line {number}", line=number)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it has {name}, which is no number of JSON")


def _place(before: str) -> str:
    """Line and column of what comes after ``before``."""
    starts = [start for start, _ in lines_of(before)]
    ended = before.endswith(("\r", "\n"))
    line = len(starts) + 1 if ended or not starts else len(starts)
    column = 1 if ended or not starts else len(before) - starts[-1] + 1
    return f"line {line}, column {column}"
