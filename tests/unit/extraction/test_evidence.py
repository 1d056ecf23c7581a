from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.extraction.evidence import find_quote

TEXT = "Well,  I said “I’ve moved\nto Leeds” — with my cat. Ana's café is ﬁne, v1.5 — 我搬到了利兹。"


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("with my cat", "with my cat"),
        ("  with my cat\n", "with my cat"),
        ("I said", "I said"),
        ("WITH MY CAT", "with my cat"),
        ("i've moved to leeds", "I’ve moved\nto Leeds"),
        ('"I\'ve moved to Leeds"', "I’ve moved\nto Leeds"),
        ("...with my cat...", "with my cat"),
        ("“with my cat.”", "with my cat"),
        ("Well, I said", "Well,  I said"),
        ("to Leeds” - with", "to Leeds” — with"),
        (unicodedata.normalize("NFD", "Ana's café"), "Ana's café"),
        ("is fine", "is ﬁne"),
        ("我搬到了利兹", "我搬到了利兹"),
    ],
)
def test_a_quotation_is_found_however_it_was_copied(quote: str, there: str) -> None:
    place = find_quote(quote, TEXT)
    assert place is not None
    assert TEXT[place[0] : place[1]] == there


@pytest.mark.parametrize(
    "quote", ["", "  ", "…", "''", "I", "with my dog", "I've moved with my cat", "v15", "I said ... my cat", "利兹了"]
)
def test_what_was_not_said_is_not_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is None


def test_the_first_of_equal_places_is_taken() -> None:
    assert find_quote("no no", "no no no") == (0, 5)


@given(st.text(min_size=1, max_size=60), st.data())
def test_every_stretch_with_two_letters_is_found_and_holds_them(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = text[start:end]
    place = find_quote(quote, text)
    if sum(map(str.isalnum, quote)) >= 2:
        assert place is not None
        assert text[place[0] : place[1]] == quote.strip()
    else:
        assert place is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_place_lies_within_the_text(quote: str, text: str) -> None:
    place = find_quote(quote, text)
    assert place is None or 0 <= place[0] < place[1] <= len(text)


@given(st.text(alphabet="Aa éÉß\tﬁ'“”’-—.", min_size=2, max_size=30))
def test_other_capitals_and_spaces_are_the_same_quotation(text: str) -> None:
    if sum(map(str.isalnum, text)) >= 2:
        assert find_quote(text.swapcase().replace(" ", "  "), text) is not None
