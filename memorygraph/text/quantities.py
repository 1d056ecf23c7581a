"""Numbers within a sentence: which of them say how much of something there is, or which version it has.

Those are what two sentences of one frame can disagree about. The rest belongs to what the sentence is of: the 5 of
"room 5 is free", a date, a time of day, a bound such as "at least 5".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from memorygraph.text.assertion_words import Word

__all__ = ["Quantity", "quantity_at", "same_quantity"]

QuantityKind = Literal["number", "version", "fixed"]
_CURRENCIES = frozenset("$€£¥")
_SIGNS = _CURRENCIES | {"%"}
_FIRST_YEAR, _LAST_YEAR = 1900, 2100


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in its sentence."""

    text: str  # digits and points, perhaps a sign or a leading v
    kind: QuantityKind  # of kind "fixed" it belongs to what the sentence is of


def same_quantity(one: Quantity, other: Quantity) -> bool:
    """Whether both can hold: equal numbers, or versions of which one only says more than the other (3 and 3.11)."""
    if "version" in (one.kind, other.kind):
        shorter, longer = sorted((_parts(one.text), _parts(other.text)), key=len)
        return longer[: len(shorter)] == shorter
    return one.text == other.text or (_is_number(one.text, other.text) and Decimal(one.text) == Decimal(other.text))


def quantity_at(words: Sequence[Word], place: int) -> Quantity:
    """The number at ``place`` of the words of a sentence, with what it does there."""
    text = words[place].number
    assert text is not None
    before = words[place - 1] if place > 0 else None
    after = words[place + 1] if place + 1 < len(words) else None
    return Quantity(text, _kind(words, place, text, before, after))


def _kind(words: Sequence[Word], place: int, text: str, before: Word | None, after: Word | None) -> QuantityKind:
    if (before and before.has("time", "bound")) or (after and after.has("time", "bound")):
        return "fixed"
    if before is not None and before.text in _CURRENCIES:
        return "number"
    counts = after is not None and (after.says_something or after.text in _SIGNS)
    if not counts and text.isdecimal() and _FIRST_YEAR <= int(text) <= _LAST_YEAR:
        return "fixed"
    dotted = "." in text or text.startswith("v")
    named = before is not None and before.has("versioned")
    labels = before is not None and before.says_something and not _is_verb(before)
    if named or labels:
        # A name with its number: Python 3.11, room 5. Where nothing was said before, the sentence is of it.
        if not _has_begun(words[: place - 1]):
            # "Version 3 is live" and "Version 4 is live" are of two things, "Port: 80" and "Port: 90" of one.
            return "number" if before is not None and before.has("numbered") and after is None else "fixed"
        if named or dotted:
            return "version"
        return "number" if before is not None and before.has("numbered") else "fixed"
    if text.count(".") > 1 or text.startswith("v"):
        return "version" if before is not None else "fixed"
    # "5 engineers are there" counts, a bare "5 is there" tells which.
    return "number" if counts or (before is not None and _has_begun(words[:place])) else "fixed"


def _has_begun(words: Sequence[Word]) -> bool:
    """Whether the sentence has begun to say something of its subject."""
    return any(word.has("predicate", "present", "past", "pronoun", "first_person") or _is_verb(word) for word in words)


def _is_verb(word: Word) -> bool:
    """Whether it may be a verb of a third person, in Latin letters: runs, costs."""
    text = word.text
    return len(text) > 3 and text.isascii() and text.endswith("s") and not text.endswith(("ss", "us", "is"))


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.lstrip("0") for part in text.removeprefix("v").split("."))


def _is_number(*texts: str) -> bool:
    return all(text.count(".") <= 1 and not text.startswith("v") for text in texts)
