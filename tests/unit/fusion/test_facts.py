from __future__ import annotations

import pytest

from memorygraph.fusion.extractive import SourceText, ungrounded
from memorygraph.fusion.facts import facts, invented


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Leeds with Ana.", ["Leeds", "Ana"]),
        ("Ana moved.", ["Ana"]),
        ("They moved. However, Ben stayed.", ["Ben"]),
        ("On 7 May 2023 at 9:30 it cost 1,250.50 euros.", ["7", "May", "2023", "9:30", "1250.50"]),
        ("I've read that I'm late.", []),
        ("Ana's cat, James' dog and O'Brien.", ["Ana", "James", "O'Brien"]),
        ("It failed with ERR_7F3A in v2.3.1.", ["ERR_7F3A", "v2.3.1"]),
        ("We bought 820kg on the 18th.", ["820", "18"]),
        ('She said "Great job" and left.', []),
        ("我在2023年搬到了利兹。", ["2023"]),
        ("Мы переехали в Лидс.", ["Мы", "Лидс"]),
        ("nothing at all", []),
    ],
)
def test_the_facts_of_a_text_are_its_names_and_numbers(text: str, expected: list[str]) -> None:
    assert facts(text) == expected


def test_words_that_open_a_sentence_can_be_left_out() -> None:
    assert facts("Long ago Ana moved. Ben stayed in 2023.", opening_words=False) == ["Ana", "2023"]
    assert facts("Long ago Ana moved. Ben stayed in 2023.") == ["Long", "Ana", "Ben", "2023"]


SOURCES = [
    "Hey! I moved to Leeds on 14 March 2025, baking at Morning Wheel. It cost 6,400 euros.",
    "Call Ilse Brandt on 0471 55 20 86 about ERR_7F3A.",
]


@pytest.mark.parametrize(
    "summary",
    [
        "Someone moved to Leeds in March 2025 and paid 6400 euros.",
        "LEEDS is where the move went, for 6 400 euros.",
        "Baking happens at Morning Wheel since 14 March.",
        "Brandt's number is 471 55 20 86; Ilse's error was ERR_7F3A.",
        "They said hello.",
    ],
)
def test_a_summary_of_what_the_sources_say_is_grounded(summary: str) -> None:
    assert invented(summary, SOURCES) == []


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("She moved to York on 14 March.", ["York"]),
        ("Bob moved to Leeds.", ["Bob"]),
        ("It cost 6,500 euros.", ["6500"]),
        ("It cost 64 euros.", ["64"]),
        ("She moved on 15 April 2025.", ["15", "April"]),
        ("The error was ERR_7F3B.", ["ERR_7F3B"]),
        ("In 2024 Leeds had 3 bakeries.", ["2024", "3"]),
    ],
)
def test_an_invented_name_number_or_date_is_named(summary: str, expected: list[str]) -> None:
    assert invented(summary, SOURCES) == expected


def test_the_speaker_of_a_source_is_grounded() -> None:
    sources = [SourceText("I moved to Leeds.", speaker="Ana")]
    assert ungrounded("Ana moved to Leeds.", sources) == []
    assert ungrounded("Ben moved to Leeds.", sources) == ["Ben"]
