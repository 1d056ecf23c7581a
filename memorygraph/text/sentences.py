"""Where sentences end."""

from __future__ import annotations

import re

from memorygraph.text.languages import all_abbreviations

__all__ = ["sentence_spans", "split_sentences"]

# A stop with whatever closes around it. Those of Chinese and Japanese end a sentence without a space. What is looked
# for behind keeps a run of a million stops or spaces from being tried at each of them.
_END = re.compile(
    r"(?P<wide>[。！？｡]+[”’」』）》\"')\]]*)"
    r"|(?P<narrow>(?<![.!?…؟।])[.!?…؟।]+[”’»\"')\]]*)(?=\s)"
    r"|(?P<line>(?<!\s)\s*\n\s*)"
)
_LAST_WORD = re.compile(r"(?:[^\W_]|[.&])+$")
_NEXT = re.compile(r"\s*[\"'“‘«(\[¿¡]*(.?)", re.DOTALL)
_INITIALS = re.compile(r"[A-Z](?:\.[A-Z])*")  # of a person, a state: K. and U.S
_LONGEST_ABBREVIATION = 60
_LIST_NUMBER = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})$")


def split_sentences(text: str) -> list[str]:
    """The sentences of ``text`` in order, without the white space between them; none is empty.

    A full stop ends a sentence when white space follows, unless it belongs to an abbreviation, an
    initial, or the number of a list item, or a small letter comes next. ``。！？`` end one always. A
    line break ends one unless the next line goes on in small letters.
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of :func:`split_sentences` begin and end in ``text``."""
    spans: list[tuple[int, int]] = []

    def add(start: int, end: int) -> None:
        if sentence := text[start:end].strip():
            first = text.index(sentence[0], start)
            spans.append((first, first + len(sentence)))

    start = 0
    for found in _END.finditer(text):
        if _ends(text, start, found):
            add(start, found.start() if found.lastgroup == "line" else found.end())
            start = found.end()
    add(start, len(text))
    return spans


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
        text[max(start, found.start() - _LONGEST_ABBREVIATION) : found.start()],
        before_number=ahead is not None and ahead.group(1).isdigit(),
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
