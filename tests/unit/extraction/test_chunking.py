"""Turns and documents cut into chunks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.extraction.chunking import (
    CHUNK_CHARACTERS,
    chunk_document,
    chunk_turns,
    fitting_lines,
    fitting_sentences,
)
from memorygraph.extraction.claims import Chunk, Passage
from memorygraph.ingest.formats import read_source
from memorygraph.ingest.markdown import blocks_of, sections_of
from memorygraph.validation import MAX_TEXT

LIMIT = 60
MARKUP = ["# ", "## ", "```\n", "|a|b|\n|-|-|\n", "- ", "> ", " ", "\n", "\n\n"]
PIECES = st.sampled_from([*MARKUP, "Ana moved. ", "It rained on and on", "x" * 70])
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join)


def passage(text: str, episode: str = "e") -> Passage:
    return Passage(episode_id=episode, start=0, text=text, speaker="Ana", occurred_at=0, zone="UTC")


def of_document(text: str, limit: int = LIMIT) -> tuple[Chunk, ...]:
    return chunk_document(passage(text), sections=sections_of(text, blocks_of(text, front_matter=True)), limit=limit)


def texts(chunks: tuple[Chunk, ...]) -> list[list[str]]:
    return [[one.text for one in chunk.passages] for chunk in chunks]


def bare(text: str) -> str:
    return "".join(text.split())


@given(TEXTS, st.integers(20, 200))
def test_the_chunks_of_a_document_are_its_text_in_order_at_exact_places_within_the_limit(text: str, limit: int) -> None:
    chunks = of_document(text, limit)
    end = 0
    for chunk in chunks:
        (one,) = chunk.passages
        assert one.start >= end
        assert 0 < len(one.text) <= limit
        assert not one.kept_whole
        end = one.start + len(one.text)
        assert text[one.start : end] == one.text
    assert bare("".join(chunk.passages[0].text for chunk in chunks)) == bare(text)
    assert of_document(text, limit) == chunks


@given(st.lists(TEXTS, max_size=6), st.integers(20, 200))
def test_the_chunks_of_turns_are_their_texts_in_order_at_exact_places_within_the_limit(
    said: list[str], limit: int
) -> None:
    turns = [passage(text, str(number)) for number, text in enumerate(said)]
    chunks = chunk_turns(turns, limit=limit)
    assert chunk_turns(turns, limit=limit) == chunks
    parts: dict[str, str] = {}
    for chunk in chunks:
        assert 0 < sum(len(one.text) for one in chunk.passages) <= limit
        for one in chunk.passages:
            assert said[int(one.episode_id)][one.start : one.start + len(one.text)] == one.text
            parts[one.episode_id] = parts.get(one.episode_id, "") + one.text
    assert list(parts) == sorted(parts, key=int)
    assert [bare(parts.get(turn.episode_id, "")) for turn in turns] == [bare(text) for text in said]


@given(st.lists(TEXTS, min_size=1, max_size=5), TEXTS)
def test_what_is_appended_moves_no_chunk_before_the_last(said: list[str], more: str) -> None:
    before = chunk_turns([passage(text, str(n)) for n, text in enumerate(said)], limit=LIMIT)
    after = chunk_turns([passage(text, str(n)) for n, text in enumerate([*said, more])], limit=LIMIT)
    assert after[: max(0, len(before) - 1)] == before[:-1]


def test_sections_that_fit_share_a_chunk_under_the_headings_they_have_in_common() -> None:
    chunks = of_document("# G\n\n## A\nOne.\n\n## B\nTwo.\n\n# H\n" + "Three is long. " * 3, 60)
    assert [(chunk.heading, chunk.passages[0].text) for chunk in chunks] == [
        ("G", "# G\n\n## A\nOne.\n\n## B\nTwo."),
        ("H", "# H\nThree is long. Three is long. Three is long."),
    ]


def test_a_section_that_does_not_fit_is_cut_between_blocks_and_keeps_its_heading() -> None:
    text = "# G\n## A\n" + "One two three four five. " * 2 + "\n\n" + "Six seven eight. " * 3 + "\n\n## B\nEnd."
    chunks = of_document(text)
    assert [chunk.heading for chunk in chunks] == ["G", "G › A", "G › A", "G › B"]
    assert chunks[2].passages[0].text == ("Six seven eight. " * 3).strip()


def test_a_document_without_headings_has_none() -> None:
    assert [chunk.heading for chunk in of_document("Hello.")] == [None]
    assert of_document(" \n ") == ()


def test_code_is_not_cut_where_it_fits() -> None:
    code = "```\n" + "line\n" * 8 + "```"
    assert len(code) < LIMIT
    assert texts(of_document(f"Before it comes a line.\n\n{code}\n\nAfter it comes a line.")) == [
        ["Before it comes a line."],
        [code],
        ["After it comes a line."],
    ]


@pytest.mark.parametrize(
    ("block", "within"),
    [
        ("```\n" + "one line\n" * 10 + "```", [False, True]),
        ("|a|b|\n|-|-|\n" + "|cell|cell|\n" * 8, [False, True]),
        ("Sentence after sentence. " * 5, [False, False, False]),
    ],
)
def test_what_alone_is_too_long_is_cut_code_and_tables_at_line_ends(block: str, within: list[bool]) -> None:
    parts = [chunk.passages[0] for chunk in of_document(f"Before.\n\n{block}\n\nAfter.")]
    assert [parts[0].text, parts[-1].text] == ["Before.", "After."]
    middle = parts[1:-1]
    assert [one.within_block for one in middle] == within
    for one in middle:
        assert one.text.endswith(("line", "```", "|", "."))
        assert one.text.startswith(("one", "```", "|", "Sentence"))


def test_turns_share_a_chunk_and_are_marked_where_they_are_kept_whole() -> None:
    longer = "Word. " * 400
    chunks = chunk_turns([passage("a"), passage("b"), passage(longer), passage(" "), passage("c" * 3000)])
    assert [[(one.text[0], one.kept_whole) for one in chunk.passages] for chunk in chunks] == [
        [("a", True), ("b", True), ("W", False), ("c", False)]
    ]
    assert len(chunk_turns([passage("hello")] * 100)) == 3
    assert len(longer) > MAX_TEXT


def test_a_turn_that_is_longer_than_a_chunk_is_cut_and_stands_alone() -> None:
    long = ("Sentence after sentence goes on. " * 400).strip()
    chunks = chunk_turns([passage("a"), passage(long), passage("b")])
    assert [len(chunk.passages) for chunk in chunks] == [1] * len(chunks)
    assert len(chunks) == 2 + -(-len(long) // CHUNK_CHARACTERS)
    assert all(chunk.passages[0].text.endswith("on.") for chunk in chunks[1:-1])
    assert [chunk.passages[0].kept_whole for chunk in chunks] == [True, False, False, False, True]


def test_200_kb_of_markdown_make_a_bounded_number_of_chunks() -> None:
    text = "".join(f"# Part {n}\n\n" + "Ana moved to Leeds again. " * 10 + "\n\n" for n in range(740))
    source = read_source(text, name="book.md")
    assert len(text) > 200_000
    chunks = chunk_document(passage(text), sections=getattr(source, "sections", ()))
    assert len(chunks) <= 1.1 * len(text) / CHUNK_CHARACTERS


@given(st.text(st.sampled_from("ab. \n!?。"), max_size=200), st.integers(1, 30))
def test_stretches_fit_and_leave_out_nothing_but_space(text: str, limit: int) -> None:
    for spans in (list(fitting_sentences(text, limit)), list(fitting_lines(text, limit))):
        assert all(0 < end - start <= limit for start, end in spans)
        assert [edge for span in spans for edge in span] == sorted(edge for span in spans for edge in span)
        assert bare("".join(text[start:end] for start, end in spans)) == bare(text)
