from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.fusion.extractive import SourceText, summarise, ungrounded
from memorygraph.text import split_sentences, tokenise

HOUR = 3_600_000
START = 1_741_000_000_000


def said(*turns: tuple[str, str]) -> list[SourceText]:
    return [
        SourceText(text=text, speaker=speaker, occurred_at_ms=START + i * HOUR)
        for i, (speaker, text) in enumerate(turns)
    ]


MOVING = said(
    ("Ana", "Hey Ben! Long time no see."),
    ("Ben", "Hi Ana! How are you?"),
    ("Ana", "Great, thanks! I moved to Leeds on 14 March. The flat on Cardigan Road costs 850 pounds a month."),
    ("Ben", "Wow, that's awesome!"),
    ("Ben", "I am still at Acme. My new boss is Dr. Okafor, she came from Siemens in 2023."),
    ("Ana", "Oh nice. Do you still run?"),
    ("Ben", "Yes! I ran the Sheffield half marathon in 1:52:30 last Sunday."),
    ("Ana", "Sounds great! Talk to you soon."),
)


def test_names_numbers_and_dates_come_before_small_talk() -> None:
    text = summarise(MOVING, limit=235).text
    for fact in ("Leeds", "14 March", "850", "Okafor", "Siemens", "2023", "Sheffield", "1:52:30"):
        assert fact in text
    for small_talk in ("Hey Ben", "How are you", "awesome", "Talk to you soon"):
        assert small_talk not in text


def test_the_speaker_stands_before_what_that_person_said_in_the_order_it_was_said() -> None:
    summary = summarise(MOVING, limit=235)
    assert summary.text == (
        "Ana: I moved to Leeds on 14 March. The flat on Cardigan Road costs 850 pounds a month.\n"
        "Ben: I am still at Acme. My new boss is Dr. Okafor, she came from Siemens in 2023. "
        "I ran the Sheffield half marathon in 1:52:30 last Sunday."
    )
    assert summary.chosen == (2, 4, 6)


def test_what_was_said_first_stands_first_whatever_the_order_of_the_sources() -> None:
    expected = summarise(MOVING, limit=235).text
    shuffled = list(MOVING)
    random.Random(3).shuffle(shuffled)
    assert summarise(shuffled, limit=235).text == expected


def test_a_source_without_a_time_stays_behind_the_one_before_it() -> None:
    sources = [
        SourceText("The oven arrived on Tuesday.", occurred_at_ms=START + 5 * HOUR),
        SourceText("It weighs 820 kilos."),
        SourceText("The lease was signed in Kaduna.", occurred_at_ms=START),
    ]
    summary = summarise(sources)
    assert summary.text == "The lease was signed in Kaduna. The oven arrived on Tuesday. It weighs 820 kilos."
    assert summary.chosen == (2, 0, 1)


def test_everything_is_kept_when_it_fits() -> None:
    sources = said(("Ana", "I like tea"), ("Ana", "I like oolong best!"), ("Ben", "I prefer coffee."))
    assert summarise(sources).text == "Ana: I like tea. I like oolong best!\nBen: I prefer coffee."


def test_of_nearly_identical_sentences_one_is_taken() -> None:
    sources = said(
        ("Ana", "My sister Ines lives in Porto with two cats."),
        ("Ana", "As I said, my sister Ines lives in Porto with two cats."),
        ("Ana", "My sister Ines lives in Porto with two cats!"),
    )
    assert summarise(sources).text.count("Porto") == 1


def test_a_correction_is_no_repetition() -> None:
    sources = said(
        ("Ana", "The dentist appointment is on Tuesday at 9:30."),
        ("Ana", "The dentist appointment is on Tuesday at 11:15."),
    )
    text = summarise(sources).text
    assert text.index("9:30") < text.index("11:15")


def test_the_same_words_of_two_people_are_kept_for_both() -> None:
    sources = said(("Ana", "Yes."), ("Ben", "Yes."))
    assert "Yes." in summarise(sources).text
    sources = said(("Ana", "I was born in Leeds in 1978."), ("Ben", "I was born in Ghent in 1981."))
    assert summarise(sources).text == "Ana: I was born in Leeds in 1978.\nBen: I was born in Ghent in 1981."


def test_no_sentence_is_cut() -> None:
    sentences = {sentence for source in MOVING for sentence in split_sentences(source.text)}
    for limit in (60, 100, 200, 400):
        for line in summarise(MOVING, limit=limit).text.splitlines():
            assert set(split_sentences(line.partition(": ")[2])) <= sentences


def test_a_sentence_longer_than_the_limit_gives_way_to_those_that_fit() -> None:
    long = "We talked about Leeds, " + ", ".join(f"street number {i}" for i in range(40)) + " and so on."
    sources = said(("Ana", long), ("Ben", "I sold the boat for 6,400 euros."))
    assert summarise(sources, limit=100).text == "Ben: I sold the boat for 6,400 euros."


def test_when_no_sentence_fits_the_best_one_ends_after_a_clause_with_an_ellipsis() -> None:
    source = said(
        ("Ana", "I moved to Leeds in March, because the harbour closed, and because my brother Chidi lives there too")
    )
    summary = summarise(source, limit=60)
    assert summary.text == "Ana: I moved to Leeds in March, because the harbour closed…"
    assert summary.chosen == (0,)


def test_a_shortened_sentence_ends_between_words_and_never_within_a_number() -> None:
    source = said(("Ana", "The whole house by the old harbour did cost 240 000 euros with everything in it"))
    for limit in range(40, 80):
        text = summarise(source, limit=limit).text
        assert len(text) <= limit
        assert ungrounded(text, source) == []


def test_an_earlier_summary_keeps_its_speakers() -> None:
    earlier = SourceText(
        "Ana: I moved to Leeds. I work at Acme.\nBen: I bought a boat called Solveig.", occurred_at_ms=START
    )
    later = SourceText("Ben: I sold Solveig for 5,000 euros in June.", occurred_at_ms=START + HOUR)
    assert summarise([earlier, later]).text == (
        "Ana: I moved to Leeds. I work at Acme.\n"
        "Ben: I bought a boat called Solveig. I sold Solveig for 5,000 euros in June."
    )


def test_a_colon_within_a_sentence_makes_no_speaker() -> None:
    source = SourceText("My plan for Leeds is simple: find a flat. Paint it green.")
    assert summarise([source]).text == "My plan for Leeds is simple: find a flat. Paint it green."


def test_a_speaker_already_named_in_the_text_is_not_named_twice() -> None:
    assert summarise([SourceText("Ana: I moved to Leeds.", speaker="Ana")]).text == "Ana: I moved to Leeds."


def test_vectors_pull_towards_the_centre() -> None:
    texts = ["Porto has bridges over rivers.", "Lisbon has trams over hills.", "Kaduna has mills over streams."]
    centre = np.array([1.0, 0.0], dtype=np.float32)
    aside = np.array([0.0, 1.0], dtype=np.float32)
    for middle in range(3):
        vectors = [centre if i != (middle + 1) % 3 else aside for i in range(3)]
        sources = [SourceText(text, embedding=vector) for text, vector in zip(texts, vectors, strict=True)]
        chosen = summarise(sources, limit=35).chosen
        assert chosen != ((middle + 1) % 3,)
        assert len(chosen) == 1


def test_vectors_are_left_aside_when_one_is_missing() -> None:
    vector = np.array([1.0, 0.0], dtype=np.float32)
    with_all = [SourceText(source.text, source.speaker, source.occurred_at_ms) for source in MOVING]
    with_some = [*with_all[:-1], SourceText(MOVING[-1].text, MOVING[-1].speaker, MOVING[-1].occurred_at_ms, vector)]
    assert summarise(with_some, limit=200) == summarise(with_all, limit=200)


def test_chinese_sentences_are_chosen_and_joined_as_such() -> None:
    sources = said(
        ("小王", "你好！我上个月搬到了利兹。房租每月850英镑。"), ("小李", "太好了！"), ("小王", "我在大学教数学")
    )
    text = summarise(sources, limit=40).text
    assert "850" in text
    assert ungrounded(text, sources) == []


def test_even_small_talk_alone_has_a_summary() -> None:
    sources = said(("Ana", "Hi!"), ("Ben", "Hello! 👍"))
    assert summarise(sources).text == "Ben: 👍"
    assert summarise([SourceText("👍")]).text == "👍"


def test_most_words_of_real_turns_are_findable_within_half_their_length() -> None:
    total = sum(len(source.text) for source in MOVING)
    words = {token for source in MOVING for token in tokenise(source.text)}
    found = set(tokenise(summarise(MOVING, limit=total // 2 + 40).text))
    assert len(found & words) / len(words) >= 0.6


@pytest.mark.parametrize("limit", [0, 19, 2_001])
def test_a_limit_out_of_range_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="characters"):
        summarise(MOVING, limit=limit)


@pytest.mark.parametrize("sources", [[], [SourceText("  \n ")]], ids=["none", "blank"])
def test_nothing_to_summarise_is_refused(sources: list[SourceText]) -> None:
    with pytest.raises(ValueError, match="nothing"):
        summarise(sources)


VOCABULARY = (
    "Leeds Ana Ben 850 1,200 3.5 14 March moved bought the a boat ERR_7F3A v2.3.1 O'Brien's "
    "tea? no! yes. 北京 茶。 Dr. 7:30"
)
pieces = st.sampled_from(VOCABULARY.split())
texts = st.one_of(
    st.lists(pieces, min_size=1, max_size=40).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=200).filter(str.strip),
)
source_lists = st.lists(
    st.builds(
        SourceText,
        text=texts,
        speaker=st.sampled_from([None, "Ana", "Ben", "user"]),
        occurred_at_ms=st.one_of(st.none(), st.integers(START, START + 100)),
    ),
    min_size=1,
    max_size=12,
)


@given(sources=source_lists, limit=st.integers(220, 2_000))
def test_a_summary_keeps_the_limit_is_grounded_and_repeatable(sources: list[SourceText], limit: int) -> None:
    summary = summarise(sources, limit=limit)
    assert summary.text.strip()
    assert len(summary.text) <= limit
    assert ungrounded(summary.text, sources) == []
    assert summarise(sources, limit=limit) == summary
    assert set(summary.chosen) <= set(range(len(sources)))
    assert len(set(summary.chosen)) == len(summary.chosen) > 0


@given(sources=source_lists, limit=st.integers(20, 100))
def test_a_tight_limit_is_kept(sources: list[SourceText], limit: int) -> None:
    assert 0 < len(summarise(sources, limit=limit).text) <= limit
