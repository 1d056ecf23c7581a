"""What arguments and options hold: text, files, and the short forms of entities and relations."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from memorygraph.errors import InvalidInput
from memorygraph_api.wire import inward_entity, inward_relation

__all__ = ["STANDARD_INPUT", "bytes_of", "entity", "relation", "text_or_standard_input"]

STANDARD_INPUT = "-"


def text_or_standard_input(text: str, *, field: str) -> str:
    """``text``, or all of standard input without its last line end when ``text`` is ``-``."""
    if text != STANDARD_INPUT:
        return text
    try:
        return sys.stdin.read().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"Standard input is not {error.encoding} text.",
            field=field,
            hint="Convert it first, for example with iconv.",
        ) from None


def bytes_of(file: Path, *, most: int | None = None) -> bytes:
    """What is in ``file``, or on standard input when it is ``-``; of more than ``most`` bytes the first ``most`` + 1.

    Raises :class:`InvalidInput` when the file cannot be read.
    """
    size = -1 if most is None else most + 1
    if str(file) == STANDARD_INPUT:
        return sys.stdin.buffer.read(size)
    try:
        with file.open("rb") as opened:
            return opened.read(size)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror or error}.", field="file") from None


def entity(text: str) -> Any:
    """The entity that ``NAME`` or ``NAME|KIND`` stands for, or a JSON object of ``name`` and ``kind``.

    Raises :class:`InvalidInput` (field ``entities``).
    """
    if (told := _object(text, field="entities")) is not None:
        return inward_entity(told)
    parts = _parts(text)
    if len(parts) > 2:
        raise InvalidInput(
            f"{text[:60]!r} is neither NAME nor NAME|KIND.",
            field="entities",
            hint='Write a name with a bar in it as JSON: {"name": "a|b"}.',
        )
    return parts[0] if len(parts) == 1 else tuple(parts)


def relation(text: str) -> Any:
    """The relation that ``SUBJECT|PREDICATE|OBJECT`` stands for, or a JSON object of these three.

    Raises :class:`InvalidInput` (field ``relations``).
    """
    if (told := _object(text, field="relations")) is not None:
        return inward_relation(told)
    parts = _parts(text)
    if len(parts) != 3:
        raise InvalidInput(
            f"{text[:60]!r} is not SUBJECT|PREDICATE|OBJECT.",
            field="relations",
            hint='Write "Ana|works at|Acme", or a JSON object of subject, predicate and object.',
        )
    return tuple(parts)


def _object(text: str, *, field: str) -> Any:
    """The JSON object that ``text`` begins like; None when it does not begin like one."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{field} has what begins like JSON and is none: {error}.", field=field) from None


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split("|")]
