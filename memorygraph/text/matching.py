"""Where in a text a word or phrase stands, whatever its case, Unicode form, width, quotes and spacing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from memorygraph.text.normalise import normalise_value
from memorygraph.text.scripts import HAN, HANGUL, KANA, UNSPACED_OTHER, marks

__all__ = ["Aligned", "aligned", "windows"]

# Within these a word has no edge that could be seen, so every place between two characters counts as one.
_UNSPACED = re.compile(f"[{HAN}{KANA}{HANGUL}{UNSPACED_OTHER}]")


@dataclass(frozen=True, slots=True)
class Aligned:
    """A text in the form that is compared, and where each character of it comes from."""

    normal: str
    starts: tuple[int, ...]  # for each character of ``normal``, where in the text it begins
    ends: tuple[int, ...]  # and where it ends


def aligned(text: str) -> Aligned:
    """``text`` for comparison: each character with its marks normalised, white space made one space, ends trimmed."""
    normal: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _clusters().finditer(text):
        form = _form(cluster.group())
        if form == " " and (not normal or normal[-1] == " "):
            continue
        normal.extend(form)
        starts.extend([cluster.start()] * len(form))
        ends.extend([cluster.end()] * len(form))
    while normal and normal[-1] == " ":
        del normal[-1], starts[-1], ends[-1]
    return Aligned("".join(normal), tuple(starts), tuple(ends))


def windows(text: Aligned, length: int, wanted: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Start and end, in the original text, of each part that is ``wanted`` and made of whole words.

    A part has ``length`` (1 or more) characters of the compared form. Parts do not overlap.
    """
    normal = text.normal
    at = 0
    while at + length <= len(normal):
        end = at + length
        if _is_edge(normal, at) and _is_edge(normal, end) and wanted(normal[at:end]):
            yield text.starts[at], text.ends[end - 1]
            at = end
        else:
            at += 1


def _is_edge(normal: str, at: int) -> bool:
    """Whether a word may begin or end before the character ``at``."""
    if at == 0 or at == len(normal):
        return True
    before, after = normal[at - 1], normal[at]
    return not (_in_word(before) and _in_word(after))


@lru_cache(maxsize=4096)
def _in_word(character: str) -> bool:
    return (character.isalnum() or unicodedata.combining(character) != 0) and not _UNSPACED.match(character)


@lru_cache(maxsize=65536)
def _form(cluster: str) -> str:
    return " " if cluster.isspace() else normalise_value(cluster)


@lru_cache(maxsize=1)
def _clusters() -> re.Pattern[str]:
    """A character with its marks, or a Hangul syllable spelled out, or one line break of two characters."""
    jamo = "\u1100-\u115f\ua960-\ua97f"
    return re.compile(f"[{jamo}][\u1160-\u11ff\ud7b0-\ud7fb]+|\r\n|[\\s\\S][{marks()}]*")
