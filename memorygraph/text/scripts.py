"""Which characters belong to which group of scripts, as bodies of regular-expression character classes.

Ranges follow the Unicode blocks. Only the distinctions that tokenising needs are made.
"""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

__all__ = ["EMOJI", "HAN", "HANGUL", "KANA", "LATIN", "UNSPACED_OTHER", "marks"]

LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
# Thai, Lao, Myanmar, Khmer: words are not separated by spaces either.
UNSPACED_OTHER = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3"
# Pictographs and symbols that people search for; skin tones and joiners only modify them.
EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f1e6-\U0001f1ff\U0001f300-\U0001f3fa\U0001f400-\U0001faff"


@cache
def marks() -> str:
    """The class body of every combining mark (categories Mn, Mc, Me), in the interpreter's Unicode version.

    Python's ``\\w`` leaves marks out, which would cut Hindi, Thai and decomposed Latin words in pieces.
    """
    ranges: list[tuple[int, int]] = []
    for code in range(0x300, min(0x1E950, sys.maxunicode)):
        if unicodedata.category(chr(code))[0] != "M":
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)
