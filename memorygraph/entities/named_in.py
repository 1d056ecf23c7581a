"""Which of several names a text names, told by its words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memorygraph.text.normalise import normalise_value
from memorygraph.text.scripts import HAN, KANA, UNSPACED_OTHER

__all__ = ["named_in"]

_UNSPACED = re.compile(f"[{HAN}{KANA}{UNSPACED_OTHER}]")


def named_in(text: str, keys: Iterable[str]) -> set[str]:
    """The ``keys`` (normalised names) that occur in ``text`` as whole words.

    A name within a longer one that is named too does not count: of "Bob" and "Bob Smith", "Bob Smith
    called" names the second only. In scripts without spaces any occurrence counts.
    """
    rest = normalise_value(text)
    found = set()
    for key in sorted(set(keys), key=len, reverse=True):
        before = "" if _UNSPACED.match(key) else r"(?<!\w)"
        after = "" if _UNSPACED.match(key[-1:]) else r"(?!\w)"
        rest, count = re.subn(before + re.escape(key) + after, " ", rest)
        if count:
            found.add(key)
    return found
