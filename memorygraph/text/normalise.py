"""Text brought to one form for comparison. What is stored is never changed by it.

The form is part of every fingerprint: a change of what these functions return needs a new
:data:`NORMALISATION_VERSION`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from memorygraph.text.scripts import HAN, KANA, UNSPACED_OTHER

__all__ = ["NORMALISATION_VERSION", "fold", "is_invisible", "normalise_name", "normalise_predicate", "normalise_value"]

NORMALISATION_VERSION = 1

# Forms of one punctuation mark that NFKC keeps apart.
_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ`´", "'"),
        **dict.fromkeys("“”„‟″«»「」『』〝〞〟", '"'),
        **dict.fromkeys("‐‑‒–⁃−", "-"),
        **dict.fromkeys("—―", " - "),
        **dict.fromkeys("。۔।", "."),
        **dict.fromkeys("、،", ","),
        "؛": ";",
        "؟": "?",
    }
)
_SPACES = re.compile(r"\s+")
_SPACE_AT_PUNCTUATION = re.compile(r" ?([,;:!?]) ?| (\.)(?=\s|$)| ([)\]}])|([(\[{]) ")
_SPACE_WITHIN_UNSPACED = re.compile(f"(?<=[{HAN}{KANA}{UNSPACED_OTHER}]) (?=[{HAN}{KANA}{UNSPACED_OTHER}])")
_END = re.compile(r"[ .!;,:]+$")
_QUOTES_AROUND = re.compile(r"^[\"']+(.*?)[\"']+$")


def fold(text: str) -> str:
    """NFKC and case folding: what search compares. The same for NFC and NFD input, and idempotent."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    # Case folding can leave the normal form: İ becomes i and a mark.
    return folded if folded.isascii() else unicodedata.normalize("NFKC", folded)


def is_invisible(character: str) -> bool:
    """Whether there is nothing to see of a character by itself: space, control, format, or a variation selector."""
    if unicodedata.category(character)[0] in "ZC":
        return True
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def normalise_value(text: str) -> str:
    """The form in which two wordings of one value are equal, for fingerprints.

    NFKC, case-folded; invisible characters gone; forms of quotes, dashes and stops made one; space
    collapsed, and dropped beside punctuation and within scripts written without spaces; a closing
    stop or exclamation dropped. What changes the meaning stays: question marks, signs, decimal
    points, ``C`` and ``C++``. Idempotent. Empty only for text without visible characters.
    """
    while (normal := _normalise_once(text)) != text:
        text = normal
    return text


def normalise_name(name: str) -> str:
    """The key under which an entity's name is unique: as :func:`normalise_value`, without quotes around it.

    Articles stay (``the who`` is not ``who``), and words run together stay different from words apart.
    """
    key = normalise_value(name)
    while (bare := normalise_value(_QUOTES_AROUND.sub(r"\1", key))) not in (key, ""):
        key = bare
    return key


def normalise_predicate(predicate: str) -> str:
    """The form in which two spellings of a predicate are one: ``works_at``, ``Works at``, ``works-at``.

    As :func:`normalise_value`, the words apart however they were joined. Idempotent.
    """
    normal = normalise_value(predicate)
    while (apart := normalise_value(normal.replace("_", " ").replace("-", " "))) not in (normal, ""):
        normal = apart
    return normal


def _normalise_once(text: str) -> str:
    text = fold(text)
    if not text.isascii():
        text = _invisible().sub("", text).translate(_PUNCTUATION)
    text = _SPACES.sub(" ", text).strip()
    text = _SPACE_AT_PUNCTUATION.sub(lambda found: "".join(filter(None, found.groups())), text)
    text = _SPACE_WITHIN_UNSPACED.sub("", text)
    return _END.sub("", text) or text


@cache
def _invisible() -> re.Pattern[str]:
    """Format characters (category Cf: joiners, soft hyphens, marks of direction) and variation selectors."""
    codes = (code for code in (*range(0xAD, 0xFFFF), *range(0x110BD, 0x1D17B)))
    formats = "".join(f"\\U{code:08x}" for code in codes if unicodedata.category(chr(code)) == "Cf")
    return re.compile(f"[{formats}\ufe00-\ufe0f\U000e0000-\U000e0fff]")
