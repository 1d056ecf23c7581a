from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.text import split_sentences
from memorygraph.text.sentences import sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Ana moved. Bob stayed!", ["Ana moved.", "Bob stayed!"]),
        ("Dr. Smith paid 3.5 dollars. He left.", ["Dr. Smith paid 3.5 dollars.", "He left."]),
        ("J. K. Rowling wrote it. I read it.", ["J. K. Rowling wrote it.", "I read it."]),
        ("So did I. Then we left.", ["So did I.", "Then we left."]),
        ("She left at 5 p.m. yesterday. We stayed.", ["She left at 5 p.m. yesterday.", "We stayed."]),
        ("The U.S. Army came. It left.", ["The U.S. Army came.", "It left."]),
        ("See Fig. 3. It is red.", ["See Fig. 3.", "It is red."]),
        ("There we sat. Then we left.", ["There we sat.", "Then we left."]),
        ("Version 2.3.1 is out. Good.", ["Version 2.3.1 is out.", "Good."]),
        ('"Hi." She left.', ['"Hi."', "She left."]),
        ('"Really?!" she said. Yes.', ['"Really?!" she said.', "Yes."]),
        ("wow! that is it? yes.", ["wow!", "that is it?", "yes."]),
        ("Well... we left. Fine…  Then home.", ["Well... we left.", "Fine…", "Then home."]),
        ("No end", ["No end"]),
    ],
)
def test_english_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_chinese_and_japanese_stops_need_no_space() -> None:
    assert split_sentences("我喜欢。你呢？好！") == ["我喜欢。", "你呢？", "好！"]
    assert split_sentences("彼は「行く。」と言った。そうか。") == ["彼は「行く。」", "と言った。", "そうか。"]


def test_a_line_break_ends_a_sentence_unless_the_next_line_goes_on() -> None:
    assert split_sentences("1. First\n2. Second\nwith more\n\nThird") == ["1. First", "2. Second\nwith more", "Third"]


def test_space_alone_is_no_sentence() -> None:
    assert split_sentences("") == split_sentences(" \n\n\t ") == []


@given(st.text(alphabet=st.sampled_from("aA1 .!?\n\"')。！」…é"), max_size=80))
def test_nothing_but_white_space_is_lost(text: str) -> None:
    sentences = split_sentences(text)
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)
    spans = sentence_spans(text)
    assert [text[start:end] for start, end in spans] == sentences
    assert [edge for span in spans for edge in span] == sorted(edge for span in spans for edge in span)
    assert "".join("".join(sentences).split()) == "".join(text.split())


@given(st.lists(st.sampled_from(["Ana moved.", "It cost 3.5 euros!", "Was it Mr. Li?", "Yes."]), min_size=1))
def test_sentences_put_together_come_apart_again(sentences: list[str]) -> None:
    assert split_sentences(" ".join(sentences)) == sentences
