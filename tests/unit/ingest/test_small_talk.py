"""What is only courtesy, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.ingest.small_talk import says_nothing
from memorygraph.text.languages import all_languages
from memorygraph.text.normalise import fold

NOTHING = [
    "ok, thanks",
    "haha yes!",
    "👍",
    "👍🏽🎉",
    "...",
    "",
    "ok thx",
    "OK 👍",
    "Thank you so much!!",
    "yesss",
    "coool",
    "hahaha",
    "You’re welcome!",
    "No problem",
    "Sounds good, see you later!",
    "Great, thanks a lot! Have a nice day :)",
    "ｏｋ",
    "好的",
    "谢谢",
    "哈哈哈哈",
    "嗯嗯，好的，谢谢你！",
    "太好了！",
    "ok 好的",
]
SOMETHING = [
    "yes, Tuesday works",
    "No.",
    "no",
    "yes, no",
    "Thanks, Ana!",
    "ok, 3",
    "👍 3",
    "+1",
    "Really?",
    "Is it good?",
    "C++",
    "I love it",
    "yes I will",
    "well",
    "so much",
    "Thanks for the book",
    "Good cat",
    "is it",
    "네",
    "да",
    "好的，周二见",
    "我不去",
    "不",
    "你是谁",
    "谢谢小明",
    "ok " * 60,
]


@pytest.mark.parametrize("text", NOTHING)
def test_courtesies_say_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize("text", SOMETHING)
def test_a_name_a_number_a_verb_a_question_or_a_no_is_kept(text: str) -> None:
    assert not says_nothing(text)


@given(st.sampled_from(NOTHING), st.sampled_from(NOTHING), st.sampled_from([" ", ", ", "! ", "\n", " 🙂 "]))
def test_two_courtesies_are_one(one: str, other: str, between: str) -> None:
    assert says_nothing(f"{one}{between}{other}")


@given(st.sampled_from(NOTHING), st.sampled_from(["Ana", "7", "moved", "Leeds", "не", "猫"]))
def test_one_word_more_is_kept(text: str, word: str) -> None:
    assert not says_nothing(f"{text} {word}")
    assert not says_nothing(f"{word}, {text}")


@given(st.text())
def test_any_text_is_told(text: str) -> None:
    assert says_nothing(text) in (True, False)


def test_only_the_languages_asked_for_count() -> None:
    english, chinese = all_languages()
    assert says_nothing("thanks", [english])
    assert not says_nothing("thanks", [chinese])
    assert says_nothing("谢谢", [chinese])
    assert not says_nothing("谢谢", [english])


def test_the_data_are_in_the_form_that_texts_are_compared_in() -> None:
    courtesies = [language.courtesies for language in all_languages() if language.courtesies is not None]
    words = [word for c in courtesies for word in (*c.phrases, *c.fillers, *c.syllables)]
    assert len(words) > 200
    assert [word for word in words if fold(word) != word or word.count(" ") > 5] == []
