from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.text.extract import extract_names


def names(text: str) -> list[str]:
    return [found.name for found in extract_names(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My friend Bob moved to New York.", ["Bob", "New York"]),
        ("We met at the University of Leeds.", ["University of Leeds"]),
        ("I heard Ludwig van Beethoven and then Bach.", ["Ludwig van Beethoven", "Bach"]),
        ("I saw Dr. Smith and J. K. Rowling there.", ["Dr. Smith", "J. K. Rowling"]),
        ("My sister Ana's house, and Ana’s car", ["Ana"]),
        ("It runs on PostgreSQL, with GPT-4, on my iPhone.", ["PostgreSQL", "GPT-4", "iPhone"]),
        ("He is from IBM and she is from AT&T.", ["IBM", "AT&T"]),
        ("Thanks, Ana! Hey Bob, good to see you.", ["Ana", "Bob"]),
        ("Visiting Rome was fun", ["Rome"]),
        ("ana works at acme", []),
        ("", []),
    ],
)
def test_capitalised_words_within_a_sentence_are_names(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Ana works at home.",
        "Ana's home.",
        "Ana Lee is home.",
        "Ana? I know Ana.",
        "NASA called.",
        "“Ana is home,” he said.",
    ],
)
def test_the_first_word_is_a_name_when_something_speaks_for_it(text: str) -> None:
    assert names(text)[0] in ("Ana", "Ana Lee", "NASA")


@pytest.mark.parametrize(
    "text",
    [
        "Yesterday it rained.",
        "Music makes me happy.",
        "Painting helped me a lot.",
        "Sounds great! Wow. Really? Thanks.",
        "Tables and chairs were everywhere.",
        "The cat sat there. I'm fine. We left.",
        "See you on Monday in July.",
        "WOW THAT IS SUCH GREAT NEWS",
        "1. Buy milk\n2. Call home",
    ],
)
def test_what_has_a_capital_for_another_reason_is_no_name(text: str) -> None:
    assert names(text) == []
    assert names(text + "\n\nI told Ana.") == ["Ana"]


def test_a_quoted_title_is_one_name_and_quoted_speech_is_none() -> None:
    found = extract_names('I read "Becoming Nicole" and “The Lord of the Rings”. He said "I will come." and "see you".')
    assert [(name.name, name.kind) for name in found] == [
        ("Becoming Nicole", "title"),
        ("The Lord of the Rings", "title"),
    ]


def test_a_chinese_title_is_found() -> None:
    assert names("我读了《红楼梦》。") == ["红楼梦"]


def test_a_name_is_given_once_as_first_written() -> None:
    assert names("I met Ana and ANA, then Ana again, near Acme.") == ["Ana", "Acme"]


@given(
    st.text(max_size=120)
    | st.lists(st.sampled_from(["Ana", "of", "The", '"', ". ", "IBM", "’s", " ", "é", "我", "-"])).map("".join)
)
def test_every_name_stands_in_the_text(text: str) -> None:
    for found in extract_names(text):
        assert found.name in text
        assert found.name == found.name.strip() != ""
