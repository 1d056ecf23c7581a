"""Blocks and sections of Markdown, by offset."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.ingest.markdown import blocks_of, document_title, plain_text, sections_of

DOCUMENT = """---
title: "My **Guide**"
tags: [a]
---

Before.

# Guide #

Intro text
goes on.

Installing
----------

- one
  more
- two
1. x

```py
# no heading
a = 1
```

| a | b |
|---|:-:|
| 1 | 2 |

text
***
#### Deep

> quote
> more
"""

PIECES = st.sampled_from(
    [
        "# ",
        "## ",
        "```",
        "~~~",
        "---",
        "===",
        "- ",
        "1. ",
        "|",
        "|-|",
        "> ",
        "a",
        "b c",
        " ",
        "    ",
        "\n",
        "\r\n",
        "\r",
    ]
)
SOURCES = st.lists(PIECES | st.text(max_size=4), max_size=40).map("".join)


def shown(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks_of(text)]


def test_each_block_has_its_kind_and_its_place() -> None:
    blocks = blocks_of(DOCUMENT, front_matter=True)
    assert [(block.kind, DOCUMENT[block.inner : block.end].split("\n")[0]) for block in blocks] == [
        ("front matter", "---"),
        ("paragraph", "Before."),
        ("heading", "Guide #"),
        ("paragraph", "Intro text"),
        ("heading", "Installing"),
        ("item", "one"),
        ("item", "two"),
        ("item", "x"),
        ("code", "```py"),
        ("table", "| a | b |"),
        ("paragraph", "text"),
        ("rule", "***"),
        ("heading", "Deep"),
        ("paragraph", "> quote"),
    ]
    assert [(block.level, block.words) for block in blocks if block.kind == "heading"] == [
        (1, "Guide"),
        (2, "Installing"),
        (4, "Deep"),
    ]


def test_sections_have_the_path_of_their_headings() -> None:
    sections = sections_of(DOCUMENT, blocks_of(DOCUMENT, front_matter=True))
    assert [section.heading for section in sections] == [
        (),
        ("Guide",),
        ("Guide", "Installing"),
        ("Guide", "Installing", "Deep"),
    ]
    assert DOCUMENT[sections[2].start :].startswith("Installing\n---")


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("# a\ntext", [("heading", "# a"), ("paragraph", "text")]),
        ("#no heading", [("paragraph", "#no heading")]),
        ("#", [("heading", "#")]),
        ("####### seven", [("paragraph", "####### seven")]),
        ("two\nlines\n===", [("heading", "two\nlines\n===")]),
        ("---", [("rule", "---")]),
        ("> quoted\n---", [("paragraph", "> quoted"), ("rule", "---")]),
        ("word " * 50 + "\n---", [("paragraph", ("word " * 50).strip()), ("rule", "---")]),
        ("* * *", [("rule", "* * *")]),
        ("~~~\n```\n~~~\nx", [("code", "~~~\n```\n~~~"), ("paragraph", "x")]),
        ("````\n```\n````", [("code", "````\n```\n````")]),
        ("```open\nfor ever\n\n# x\n", [("code", "```open\nfor ever\n\n# x")]),
        ("- item\n    ```\n    code\n    ```", [("item", "- item"), ("code", "    ```\n    code\n    ```")]),
        ("```in line``` code", [("paragraph", "```in line``` code")]),
        ("a|b\n-|-\n1|2\n\nx", [("table", "a|b\n-|-\n1|2"), ("paragraph", "x")]),
        ("a|b\nc|d", [("paragraph", "a|b\nc|d")]),
        ("1) one\n2) two", [("item", "1) one"), ("item", "2) two")]),
        ("1984. A novel", [("paragraph", "1984. A novel")]),
        ("a\r\nb\r\rc", [("paragraph", "a\r\nb"), ("paragraph", "c")]),
        (
            "---\ntitle: x\n---",
            [("rule", "---"), ("heading", "title: x\n---")],
        ),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_the_kinds_of_blocks(text: str, blocks: list[tuple[str, str]]) -> None:
    assert shown(text) == blocks


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (DOCUMENT, "My Guide"),
        ("---\nlayout: x\n---\n# The *title*", "The title"),
        ("---\n\n# The title\n---", "The title"),
        ("## Second\n\n# First", "First"),
        ("no heading", None),
        ("# " + "x" * 500, "x" * 200),
        ("---\ntitle:\n---\n", None),
    ],
)
def test_the_title_is_that_of_the_front_matter_or_the_first_heading(text: str, title: str | None) -> None:
    assert document_title(text, blocks_of(text, front_matter=True)) == title


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**Ana** lives in [Leeds](https://example.org/a_(b)).", "Ana lives in Leeds."),
        ("*one* and __two__ and ***three***", "one and two and three"),
        ("![a cup](cup.png) of [tea][1]", "a cup of tea"),
        ("a <!-- hidden --> b", "a  b"),
        ("2 * 3 * 4 and snake_case_name and __init__(x)", "2 * 3 * 4 and snake_case_name and init(x)"),
        ("`code` stays, [ ] too, [x] and (y)", "`code` stays, [ ] too, [x] and (y)"),
    ],
)
def test_marks_of_emphasis_and_links_are_taken_from_words(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@given(SOURCES, st.booleans())
def test_blocks_lie_one_after_another_and_leave_out_nothing_but_space(text: str, front_matter: bool) -> None:
    end = 0
    for block in blocks_of(text, front_matter=front_matter):
        assert end <= block.start <= block.inner <= block.end
        assert block.start < block.end
        assert not text[end : block.start].strip()
        assert text[block.start : block.end].strip()
        end = block.end
    assert not text[end:].strip()


@given(SOURCES)
def test_sections_leave_no_gap(text: str) -> None:
    sections = sections_of(text, blocks_of(text))
    assert [section.start for section in sections] == [0, *(section.end for section in sections[:-1])]
    assert sections[-1].end == len(text)


@pytest.mark.parametrize(
    "piece", [" ", "*", "[", "![", "|", "a|b\n|-|\n", "```\n", "- ", "# ", "a\n", "<!--", "[a](", "__a"]
)
def test_the_time_grows_with_the_length_and_not_with_its_square(piece: str) -> None:
    def spent(length: int) -> float:
        text = piece * (length // len(piece))
        best = 9.0
        for _ in range(3):
            began = time.thread_time()  # of the processor: others on the machine decide nothing
            plain_text(text[: length // 10])
            document_title(text, blocks_of(text, front_matter=True))
            best = min(best, time.thread_time() - began)
        return best

    assert spent(40_000) < 20 * max(spent(5_000), 0.002)
