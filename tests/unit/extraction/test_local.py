"""Claims without a language model."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import InvalidInput
from memorygraph.extraction.chunking import chunk_document, chunk_turns
from memorygraph.extraction.claims import Chunk, Claim, Extraction, Extractor, Passage
from memorygraph.extraction.local import LocalExtractor, turn_entities
from memorygraph.ingest.markdown import blocks_of, sections_of
from memorygraph.times import to_ms
from memorygraph.validation import EntitySpec, RememberRequest

AT = to_ms(datetime(2023, 10, 25, 12, tzinfo=UTC), field="at")


def passage(text: str, *, speaker: str | None = None, zone: str = "UTC", within_block: bool = False) -> Passage:
    return Passage(
        episode_id="e", start=0, text=text, speaker=speaker, occurred_at=AT, zone=zone, within_block=within_block
    )


async def extracted(text: str, *, heading: str | None = None) -> Extraction:
    return await LocalExtractor().extract(Chunk(passages=(passage(text),), heading=heading))


async def claims(text: str, *, heading: str | None = None) -> list[Claim]:
    return list((await extracted(text, heading=heading)).claims)


async def said(text: str) -> list[str]:
    return [claim.text for claim in await claims(text)]


def test_it_is_named_local_and_derives_nothing() -> None:
    extractor: Extractor = LocalExtractor()
    assert (extractor.name, extractor.derives) == ("local", False)


async def test_each_sentence_is_a_fact_with_its_evidence() -> None:
    text = "# Guide\n\nAna *moved* to [Leeds](https://example.org/Leeds). It has **three** servers\nin the cellar.\n"
    found = await claims(text)
    assert [(claim.kind, claim.text, text[claim.start : claim.end]) for claim in found] == [
        ("fact", "Ana moved to Leeds.", "Ana *moved* to [Leeds](https://example.org/Leeds)."),
        ("fact", "It has three servers in the cellar.", "It has **three** servers\nin the cellar."),
    ]
    assert [(claim.subject, claim.predicate, claim.value, claim.valid_from) for claim in found] == [(None,) * 4] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> Ana moved to Leeds\n> with her cat.", ["Ana moved to Leeds with her cat."]),
        ("- Ana moved to Leeds.\n- Bob stayed in York.", ["Ana moved to Leeds.", "Bob stayed in York."]),
        ("我喜欢普洱茶。他们住在上海！", ["我喜欢普洱茶。", "他们住在上海！"]),
        ("Is it free? Yes, for open source projects.", ["Is it free? Yes, for open source projects."]),
        (
            "A line that was broken for the width of the page goes on here in\nAna's garden.",
            ["A line that was broken for the width of the page goes on here in Ana's garden."],
        ),
        ("Ana moved to Leeds.\n\nAna moved to Leeds.", ["Ana moved to Leeds."]),
        (
            "We use:\n\n- PostgreSQL\n- **Redis**\n\nThe rest is ours alone.",
            ["We use:\n- PostgreSQL\n- Redis", "The rest is ours alone."],
        ),
        ("Install it with:\n\n```sh\npip  install x\n```", ["Install it with:\n```sh\npip  install x\n```"]),
        ("```py\na = 1\n\nb = 2\n```", ["```py\na = 1\n\nb = 2\n```"]),
        ("|name|age|\n|-|-|\n|Ana|30|", ["|name|age|\n|-|-|\n|Ana|30|"]),
        ("---\ntitle: The guide\n---\nAna moved to Leeds.", ["Ana moved to Leeds."]),
    ],
)
async def test_what_a_text_says_is_claimed(text: str, expected: list[str]) -> None:
    assert await said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "ok, thanks!",
        "It works.",
        "He left.",
        "他走了。",
        "And you?",
        "Where does Ana live?",
        "---",
        "# Only a heading about Leeds",
        "- [Installing the server](#install)\n- [Running the server](#run)",
        "* <https://example.org/docs>\n* https://example.org/other",
        "[Home](/) | [Docs](/docs) | [About us](/about)",
        "## Contents\n\n- Installing the server\n- Running the server",
        "## 目录\n\n- 安装服务器的方法\n- 运行服务器的方法",
        "Installing the server ........ 12\nRunning the server . . . . . 15",
        "```\n```",
        "",
    ],
)
async def test_what_says_nothing_gives_no_claim(text: str) -> None:
    assert await said(text) == []
    assert await said(f"Ana moved to Leeds.\n\n{text}") == ["Ana moved to Leeds."]


async def test_a_link_with_words_beside_it_is_kept() -> None:
    text = "- [Guide](guide.md) explains how the server starts"
    assert await said(text) == ["Guide explains how the server starts"]


async def test_after_a_table_of_contents_the_text_goes_on() -> None:
    text = "## Contents\n\n- Installing the server\n\n## Installing\n\nThe server needs four disks."
    assert await said(text) == ["The server needs four disks."]


async def test_names_and_repeated_terms_are_entities() -> None:
    text = (
        "Ana builds a vector index in Leeds. The vector index grows. Bob reads the vector index daily. "
        "Later Ana's cat slept on the keyboard."
    )
    found = [[entity.name for entity in claim.entities] for claim in await claims(text)]
    assert found == [["Ana", "Leeds", "vector index"], ["vector index"], ["Bob", "vector index"], ["Ana"]]


async def test_addresses_are_no_names() -> None:
    (claim,) = await claims(
        "The plans of Ana are at https://Example.org/Secret/Plans and [there](http://Other.org/Place)."
    )
    assert [entity.name for entity in claim.entities] == ["Ana"]


async def test_headings_give_keywords_and_so_do_the_words_of_the_sentence() -> None:
    text = "## Power supply\n\nThe generator starts within nine seconds."
    (claim,) = await claims(text, heading="Handbook › Cellar")
    assert claim.keywords[:4] == ("power", "supply", "cellar", "handbook")
    assert {"generator", "seconds"} <= set(claim.keywords)
    assert not {"the", "nine"} & set(claim.keywords)


async def test_valid_from_is_set_only_where_the_sentence_says_since_when() -> None:
    text = "Ana has lived in Leeds since May 2023. Bob moved to York in May 2023. We use Rust from last year on."
    at = [claim.valid_from for claim in await claims(text)]
    days = [datetime(2023, 5, 1, tzinfo=UTC), None, datetime(2022, 1, 1, tzinfo=UTC)]
    assert at == [None if day is None else to_ms(day, field="day") for day in days]


async def test_a_zone_that_does_not_exist_is_refused() -> None:
    chunk = Chunk(passages=(passage("Ana has lived in Leeds since May 2023.", zone="Mars/Base"),))
    with pytest.raises(InvalidInput):
        await LocalExtractor().extract(chunk)


async def test_turns_that_are_kept_whole_give_no_claims_and_longer_ones_give_sentences() -> None:
    long = " ".join(f"Server {number} stands in cellar {number}." for number in range(100))
    turns = [passage("Ana moved to Leeds.", speaker="Ana"), passage(long, speaker="Bob")]
    (chunk,) = chunk_turns(turns)
    found = (await LocalExtractor().extract(chunk)).claims
    assert len(found) == 100
    assert {claim.passage for claim in found} == {1}
    assert found[7].text == "Server 7 stands in cellar 7."
    assert {claim.entities[0] for claim in found} == {EntitySpec(name="Bob")}


async def test_long_code_and_long_sentences_are_cut_within_the_limit() -> None:
    code = "```\n" + "a line of code\n" * 300 + "```"
    found = await claims(code)
    assert [len(claim.text) <= 2000 for claim in found] == [True] * 3
    assert "".join(claim.text + "\n" for claim in found) == code + "\n"
    sentence = " ".join(f"stone number {n}" for n in range(350))
    assert [len(claim.text) <= 2000 for claim in await claims(sentence)] == [True] * 3


async def test_what_goes_on_with_cut_code_is_taken_as_it_stands() -> None:
    chunk = Chunk(passages=(passage("# no heading\nx = 1\n```", within_block=True),))
    assert [claim.text for claim in (await LocalExtractor().extract(chunk)).claims] == ["# no heading\nx = 1\n```"]


async def test_a_claim_that_no_store_would_take_is_dropped_and_counted() -> None:
    found = await extracted("Ana moved to\x00 Leeds.\n\nBob moved to York.")
    assert [claim.text for claim in found.claims] == ["Bob moved to York."]
    assert found.dropped == 1


MARKUP = ["# ", "```\n", "|a|b|\n|-|-|\n", "- ", "> ", "[x](y)", "https://a.org ", "**", "\n", "\n\n", " "]
WORDS = [
    "Ana moved to Leeds. ",
    "since May 2023 ",
    "We use:\n\n",
    "Why? ",
    "ok",
    "我喜欢茶。",
    "vector index ",
    "word " * 500,
]
PIECES = st.sampled_from(MARKUP + WORDS)


@given(st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join), st.integers(100, 3000))
async def test_any_text_gives_claims_that_can_be_written_and_whose_words_are_in_their_evidence(
    text: str, limit: int
) -> None:
    document = passage(text, speaker="Ana")
    sections = sections_of(text, blocks_of(text, front_matter=True))
    for chunk in chunk_document(document, sections=sections, limit=limit):
        for claim in (await LocalExtractor().extract(chunk)).claims:
            of = chunk.passages[claim.passage]
            evidence = text[of.start + claim.start : of.start + claim.end]
            assert evidence == of.text[claim.start : claim.end] != ""
            words = iter("".join(evidence.split()))
            assert all(character in words for character in "".join(claim.text.replace("\n- ", "\n").split()))
            RememberRequest.checked(
                text=claim.text,
                speaker=of.speaker,
                session_id=None,
                position=None,
                kind=claim.kind,
                importance=claim.importance,
                entities=claim.entities,
                title=None,
                context=None,
                keywords=claim.keywords,
                tags=(),
                project=None,
                occurred_at=None,
                confidence=claim.confidence,
                source=None,
                agent=None,
                idempotency_key=None,
            )


def test_the_entities_of_a_turn_are_its_speaker_and_the_names_in_it() -> None:
    assert turn_entities("I met Bob in New York, Bob!", "Ana") == (
        EntitySpec(name="Ana"),
        EntitySpec(name="Bob"),
        EntitySpec(name="New York"),
    )
    assert turn_entities("ana says hi to Ana Lee", None) == (EntitySpec(name="Ana Lee"),)
    assert turn_entities("Look: https://Example.org/Foo", None) == ()
    names = " and ".join(f"Person{chr(65 + n // 26)}{chr(97 + n % 26)}" for n in range(80))
    assert len(turn_entities(f"We saw {names}", "Ana")) == 50


@given(st.text())
def test_the_entities_of_any_turn_can_be_written(text: str) -> None:
    for entity in turn_entities(text, "Ana"):
        assert entity.name.strip()
        assert "\n" not in entity.name
