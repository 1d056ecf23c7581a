"""Long lists, a page at a time, and the cursors that lead from one page to the next."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from memorygraph.errors import InvalidInput
from memorygraph.records import Record
from memorygraph.validation import check_line

__all__ = ["Page", "decode_cursor", "encode_cursor"]

T = TypeVar("T", bound=Record)

_LONGEST = 20_000  # characters of a cursor: a name, normalised, may be many times as long as it was given


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Record, Generic[T]):
    """A part of a list."""

    items: tuple[T, ...]
    after: str | None  # the cursor of the next page; None when this is the last


def encode_cursor(*place: int | str) -> str:
    """The cursor of a place in a list: what the list is ordered by, of the last item before it."""
    return base64.urlsafe_b64encode(json.dumps(place, ensure_ascii=False).encode()).decode()


def decode_cursor(cursor: object, *types: type, field: str = "after") -> tuple[Any, ...]:
    """The place that a cursor stands for, a value of each of ``types``.

    Raises :class:`InvalidInput` for what is no cursor of such a list.
    """
    try:
        place = json.loads(base64.urlsafe_b64decode(check_line(cursor, field=field, longest=_LONGEST)))
    except (binascii.Error, RecursionError, ValueError):  # InvalidInput is a ValueError
        place = None
    if not isinstance(place, list) or not all(map(_is_part, place)) or [type(part) for part in place] != [*types]:
        raise InvalidInput(f"{field} is no cursor that this list gave.", field=field, hint="Begin without one.")
    return tuple(place)


def _is_part(part: object) -> bool:
    """Whether the graph server can compare with it: a whole number of 64 bits, or text that is valid Unicode."""
    if isinstance(part, str):
        return not any("\ud800" <= character <= "\udfff" for character in part)
    return isinstance(part, int) and -(2**63) <= part < 2**63
