"""Sentences read as assertions: their frame, and what can be different within it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.text.assertions import Lead, assertions
from memorygraph.text.languages import all_languages
from memorygraph.text.normalise import fold
from memorygraph.text.quantities import Quantity, same_quantity


@pytest.mark.parametrize(
    ("text", "frame", "denies"),
    [
        ("The frontend uses webpack.", ("frontend", "use", "webpack"), False),
        ("the frontend does NOT use webpack", ("frontend", "use", "webpack"), True),
        ("Ana can’t swim", ("ana", "can", "swim"), True),
        ("Ana's flat is without heating", ("ana", "flat", "with", "heat"), True),
        ("Dark mode is disabled", ("dark", "mode", "~enabl"), False),
        ("The team has five engineers", ("team", "#", "engin"), False),
        ("安娜没有孩子", ("安", "娜", "孩", "子"), True),
        ("这里的菜不错", ("这里", "菜", "不错"), False),
    ],
)
def test_a_sentence_is_its_frame_and_whether_it_denies(text: str, frame: tuple[str, ...], denies: bool) -> None:
    (read,) = assertions(text)
    assert (read.frame, read.denies) == (frame, denies)


@pytest.mark.parametrize(
    ("text", "quantities"),
    [
        ("The team has 1,200 engineers", [("1200", "number")]),
        ("The API runs on Python 3.11", [("3.11", "version")]),
        ("The disk is 20MB", [("20", "number")]),
        ("Room 5 is free", [("5", "fixed")]),
        ("The release is in 2026", [("2026", "fixed")]),
        ("The release is on 3 May", [("3", "fixed")]),
        ("At least 5 engineers know Rust", [("5", "fixed")]),
        ("The freezer stays at -18 degrees", [("-18", "number")]),
        ("Ana has 2 cats and 3 dogs", [("2", "number"), ("3", "number")]),
        ("安娜有三只猫", [("3", "number")]),
        ("安娜和鲍勃一起住", []),
    ],
)
def test_a_number_is_told_by_what_it_does_in_its_sentence(text: str, quantities: list[tuple[str, str]]) -> None:
    (read,) = assertions(text)
    assert [(quantity.text, quantity.kind) for quantity in read.quantities] == quantities


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("The team has a plan", "named"),
        ("Ana Lopez likes tea", "named"),
        ("I like tea", "first_person"),
        ("Tea is what we drink", "first_person"),
        ("She likes tea", "pronoun"),
        ("Currently it rains", "pronoun"),
        ("likes tea", "open"),
    ],
)
def test_whom_a_sentence_is_about_is_told_by_how_it_begins(text: str, lead: Lead) -> None:
    (read,) = assertions(text)
    assert read.lead == lead


@pytest.mark.parametrize(
    "text",
    ["Is it so?", "If it rains, Ana drives", "Ana may drive", "Ana said “no tea”", "Ana never does not drive", ""],
)
def test_what_asks_doubts_or_quotes_asserts_nothing(text: str) -> None:
    assert assertions(text) == ()
    assert len(assertions("It rains in May. Ana drives on 3 May.")) == 2


def test_of_two_versions_one_may_only_say_more_and_numbers_are_compared_by_value() -> None:
    assert same_quantity(Quantity("3", "version"), Quantity("3.11", "version"))
    assert not same_quantity(Quantity("3.1", "version"), Quantity("3.10", "version"))
    assert same_quantity(Quantity("3.1", "number"), Quantity("3.10", "number"))
    assert not same_quantity(Quantity("3", "number"), Quantity("-3", "number"))


def test_every_word_is_in_the_form_that_texts_are_compared_in() -> None:
    data = [language.assertions for language in all_languages()]
    words = [
        word
        for one in data
        for words in (one.negations, one.opposites, one.opposites.values(), one.numbers, *one.roles.values())
        for word in words
    ]
    assert len(words) > 400
    assert [word for word in words if fold(word) != word] == []


@given(text=st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for assertion in assertions(text):
        assert assertion.frame.count("#") == len(assertion.quantities)
