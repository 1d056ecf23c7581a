"""The word or phrase that is to be erased, known by its letters or by nothing but a keyed hash of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from memorygraph.errors import InvalidInput
from memorygraph.ledger.erasures import ErasedThing
from memorygraph.text.matching import aligned, windows
from memorygraph.text.normalise import NORMALISATION_VERSION
from memorygraph.writing.fingerprint import Fingerprints

__all__ = ["BLANK", "WORDS", "Words", "blanked", "texts_in"]

WORDS = "Words"
"""The type under which the log of erasures keeps a phrase: its length as the id, its hash as the fingerprint."""

BLANK = "█"
"""What stands for each character that was erased from a text which is kept, so that places in it stay the same."""


@dataclass(frozen=True, slots=True)
class Words:
    """What no text may say any more. Found as whole words, in any case, Unicode form, width and spacing."""

    length: int  # characters of the normalised form; 0: there are no words, and nothing is found
    digest: str
    _wanted: Callable[[str], bool]

    @classmethod
    def spelled(cls, text: str, *, fingerprints: Fingerprints, end_user_id: str) -> Words:
        """Those of ``text``. Raises :class:`InvalidInput` when nothing of it can be seen."""
        normal = aligned(text).normal
        if not normal:
            raise InvalidInput("match has no visible characters.", field="match")
        return cls(len(normal), fingerprints.of_words(end_user_id, normal), normal.__eq__)

    @classmethod
    def logged(cls, thing: ErasedThing, *, fingerprints: Fingerprints, end_user_id: str) -> Words:
        """Those that the log of erasures remembers as ``thing``."""
        digest = thing.fingerprint or ""
        return cls(int(thing.target_id or 0), digest, lambda part: fingerprints.of_words(end_user_id, part) == digest)

    @classmethod
    def none(cls) -> Words:
        """No words at all."""
        return cls(0, "", lambda part: False)

    @property
    def thing(self) -> ErasedThing:
        """How the log of erasures remembers them."""
        return ErasedThing(
            target_type=WORDS,
            target_id=str(self.length),
            fingerprint=self.digest,
            normalisation_version=NORMALISATION_VERSION,
        )

    def __bool__(self) -> bool:
        return self.length > 0

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where ``text`` says them."""
        return list(windows(aligned(text), self.length, self._wanted)) if self else []

    def said_in(self, value: Any) -> bool:
        """Whether a text, or any text within a JSON value, says them."""
        return self.length > 0 and any(self.spans(text) for text in texts_in(value))


def texts_in(value: Any) -> Iterator[str]:
    """Every text within a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)


def blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """``text`` with each character within ``spans`` blanked: as long as before."""
    characters = list(text)
    for start, end in spans:
        characters[start:end] = BLANK * len(characters[start:end])
    return "".join(characters)
