"""Where sentences end."""

from __future__ import annotations

import re

from memorygraph.text.languages import all_abbreviations

__all__ = ["split_sentences"]

# A stop with whatever closes around it. Those of Chinese and Japanese end a sentence without a space.
_END = re.compile(
    r"(?P<wide>[。！？｡]+[”’」』）》\"')\]]*)"
    r"|(?P<narrow>[.!?…؟।]+[”’»\"')\]]*)(?=\s)"
    r"|(?P<line>\s*\n\s*)"
)
_LAST_WORD = re.compile(r"(?:[^\W_]|[.&])+$")
_NEXT = re.compile(r"\s*[\"'“‘«(\[¿¡]*(.?)", re.DOTALL)
_INITIALS = re.compile(r"[A-Z](?:\.[A-Z])*")  # of a person, a state: K. and U.S
_LIST_NUMBER = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})$")


def split_sentences(text: str) -> list[str]:
    """The sentences of ``text`` in order, without the white space between them; none is empty.

    A full stop ends a sentence when white space follows, unless it belongs to an abbreviation, an
    initial, or the number of a list item, or a small letter comes next. ``。！？`` end one always. A
    line break ends one unless the next line goes on in small letters.
    """
    sentences: list[str] = []
    start = 0
    for found in _END.finditer(text):
        if not _ends(text, start, found):
            continue
        end = found.start() if found.lastgroup == "line" else found.end()
        if sentence := text[start:end].strip():
            sentences.append(sentence)
        start = found.end()
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences


def _ends(text: str, start: int, found: re.Match[str]) -> bool:
    if found.lastgroup == "wide":
        return True
    ahead = _NEXT.match(text, found.end())
    goes_on = ahead is not None and ahead.group(1).islower()
    if found.lastgroup == "line":
        return not goes_on
    stop = found.group()
    if goes_on:
        # A question mark before a small letter is informal writing and ends; closed by a quote it is part of a
        # longer sentence: "Really?!" she said.
        return stop[0] in "!?؟" and len(stop.rstrip("”’»\"')]")) == len(stop)
    if stop[0] != "." or stop.startswith(".."):
        return True
    return not _is_abbreviation(
        text[start : found.start()], before_number=ahead is not None and ahead.group(1).isdigit()
    )


def _is_abbreviation(before: str, *, before_number: bool) -> bool:
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    word = last.group()
    if before.strip() == word and _LIST_NUMBER.match(word):
        return True
    if _INITIALS.fullmatch(word) and word != "I":
        return True
    return word.casefold() in all_abbreviations(before_number=before_number)
