from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.text import normalise_name, normalise_value
from memorygraph.text.normalise import fold, is_invisible


@pytest.mark.parametrize(
    "same",
    [
        [
            "Lives in Leeds",
            "lives in  leeds",
            " LIVES\tIN\nLEEDS ",
            "lives in Leeds.",
            "Lives in Leeds!",
            "lives in leeds .",
        ],
        [
            "ｌｉｖｅｓ in Leeds",
            "lives in Lee\u00adds",
            "lives\u00a0in Leeds",
            "l\u200bives in Leeds\ufeff",
            "lives in Leeds",
        ],
        ["Ana’s café", "ana's cafe\u0301", "ANA'S CAFÉ"],
        ["hello, world", "hello ,world", "hello,  world"],
        ["ten–twelve", "ten-twelve", "ten‐twelve"],
        ["tea — not coffee", "tea—not coffee"],
        ["“quoted” words", '"quoted" words', "«quoted» words"],
        ["我喜欢茶。", "我喜欢 茶", "我喜欢茶"],
        ["(a) b", "( a ) b"],
        ["straße", "STRASSE"],
    ],
)
def test_wordings_of_one_value_are_equal(same: list[str]) -> None:
    assert len({normalise_value(text) for text in same}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("likes C", "likes C++"),
        ("likes C", "likes C#"),
        ("it is 3.5 degrees", "it is 35 degrees"),
        ("it is -5 degrees", "it is 5 degrees"),
        ("costs $5", "costs €5"),
        ("Ana works at Acme?", "Ana works at Acme."),
        ("version 2.31", "version 23.1"),
        ("Tarea 5", "Tarea 6"),
        ("a b", "ab"),
        ("스코프 랩스", "스코프랩스"),
    ],
)
def test_what_changes_the_meaning_stays(one: str, other: str) -> None:
    assert normalise_value(one) != normalise_value(other)
    assert normalise_name(one) != normalise_name(other)


def test_names_are_equal_in_other_case_and_space_and_quotes() -> None:
    assert normalise_name("DGIA") == normalise_name("dgia ") == "dgia"
    assert normalise_name("“Becoming Nicole”") == normalise_name("becoming nicole")


def test_the_article_of_a_name_stays() -> None:
    assert normalise_name("The Who") == "the who"


def test_a_name_of_signs_keeps_them() -> None:
    assert normalise_name("!!!") == "!!!"
    assert normalise_name('""') == '""'


@given(st.text(max_size=100))
def test_normalising_is_idempotent(text: str) -> None:
    assert normalise_value(normalise_value(text)) == normalise_value(text)
    assert normalise_name(normalise_name(text)) == normalise_name(text)
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=100))
def test_the_normal_form_makes_no_difference(text: str) -> None:
    for other in (unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)):
        assert fold(other) == fold(text)
        assert normalise_value(other) == normalise_value(text)


@given(st.text(max_size=100))
def test_only_invisible_text_normalises_to_nothing(text: str) -> None:
    assert normalise_value(text) or all(is_invisible(character) for character in text)
    assert normalise_name(text) or all(is_invisible(character) for character in text)


@given(st.text(st.sampled_from("\ufe0f\U000e0100\u200d\u00ad \n\u3000"), max_size=5))
def test_of_what_cannot_be_seen_nothing_is_left(text: str) -> None:
    assert all(is_invisible(character) for character in text)
    assert normalise_value(text) == ""
    assert normalise_value(f"{text}❤{text}") == "❤"
