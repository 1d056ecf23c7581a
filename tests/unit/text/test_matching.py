"""A word is found in whatever form it is written, as a whole word, at the place where it stands."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.text.matching import aligned, windows


def places(text: str, word: str) -> list[str]:
    wanted = aligned(word).normal
    return [text[start:end] for start, end in windows(aligned(text), len(wanted), wanted.__eq__)]


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("Ana moved to Leeds.", "leeds", ["Leeds"]),
        ("LEEDS, leeds; Leeds-based", "Leeds", ["LEEDS", "leeds", "Leeds"]),
        ("Ana likes bananas", "ana", ["Ana"]),
        ("err_7f3a in ERR_7F3A", "err_7f3a", ["err_7f3a", "ERR_7F3A"]),
        ("at the ｃａｆé", "cafe\u0301", ["ｃａｆé"]),
        ("at the cafe\u0301s and the cafe\u0301", "café", ["cafe\u0301"]),
        ("O’Brien’s\n  boat", "o'brien's boat", ["O’Brien’s\n  boat"]),
        ("我喜欢普洱茶", "普洱", ["普洱"]),
        (unicodedata.normalize("NFD", "스코프랩스는"), "스코프", [unicodedata.normalize("NFD", "스코프")]),
        ("so\u00adft hyphen", "soft", ["so\u00adft"]),
        ("STRASSE 5", "straße", ["STRASSE"]),
        ("nothing here", "there", []),
        ("aa aa aa", "aa aa", ["aa aa"]),
    ],
)
def test_a_word_is_found_whole_and_where_it_stands(text: str, word: str, found: list[str]) -> None:
    assert places(text, word) == found


@given(st.text(), st.text())
def test_places_are_in_order_within_the_text_and_do_not_overlap(text: str, word: str) -> None:
    wanted = aligned(word).normal
    if not wanted:
        return
    last = 0
    for start, end in windows(aligned(text), len(wanted), wanted.__eq__):
        assert last <= start < end <= len(text)
        last = end


@given(st.text(min_size=1))
def test_a_text_is_found_in_itself(text: str) -> None:
    wanted = aligned(text).normal
    if wanted:
        assert places(text, text)
        assert places(unicodedata.normalize("NFC", text), unicodedata.normalize("NFC", text))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_composed_and_decomposed_forms_of_letters_are_one(text: str) -> None:
    letters = "".join(c for c in unicodedata.normalize("NFC", text) if c.isalpha() and ord(c) < 0x250)
    if letters:
        assert places(unicodedata.normalize("NFD", letters), letters)
