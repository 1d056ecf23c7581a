"""Files and texts become a source, or are refused with the reason and the place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import InvalidInput, NaiveTime
from memorygraph.ingest.formats import FORMATS, MAX_SOURCE_BYTES, read_source
from memorygraph.ingest.sources import DocumentSource, TurnsSource

MESSAGES: list[Any] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I moved to Leeds.", "name": "Ana", "timestamp": 1683468000},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
    {"role": "tool", "content": "42"},
    {
        "role": "assistant",
        "content": [{"type": "text", "text": "Nice!"}, {"type": "image_url"}, {"type": "text", "text": "When?"}],
    },
    {"role": "user", "content": "  \n"},
    {"role": "user", "content": "In May.", "created_at": "2023-05-07T16:00:00+02:00"},
]
LOCOMO: dict[str, Any] = {
    "sample_id": "tea",
    "conversation": {
        "session_1_date_time": "12:06 am on 11 November, 2022",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "Tea?"},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Yes!", "blip_caption": "a cup"},
        ],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [{"speaker": "Ana", "dia_id": "D2:1", "text": "More tea?"}],
    },
}


def turns(data: bytes | str, *, name: str | None = None, format: str | None = None) -> TurnsSource:
    source = read_source(data, name=name, format=format)
    assert isinstance(source, TurnsSource)
    return source


def document(data: bytes | str, *, name: str | None = None, format: str | None = None) -> DocumentSource:
    source = read_source(data, name=name, format=format)
    assert isinstance(source, DocumentSource)
    return source


def refusal(data: Any, *, name: str | None = None, format: str | None = None) -> InvalidInput:
    with pytest.raises(InvalidInput) as refused:
        read_source(data, name=name, format=format)
    return refused.value


def lines(items: list[Any]) -> str:
    return "".join(json.dumps(item) + "\n" for item in items)


def test_users_and_assistants_speak_and_everything_else_is_counted() -> None:
    source = turns(json.dumps(MESSAGES), name="chat.json")
    assert source.left_out == 5
    (session,) = source.sessions
    assert [(turn.position, turn.role, turn.speaker, turn.text) for turn in session.turns] == [
        (0, "user", "Ana", "I moved to Leeds."),
        (1, "assistant", None, "Nice!\nWhen?"),
        (2, "user", None, "In May."),
    ]
    assert [turn.occurred_at for turn in session.turns] == [1683468000000, None, 1683468000000]
    assert (session.session_id, session.occurred_at) == (None, 1683468000000)


@pytest.mark.parametrize(
    ("data", "name", "format"),
    [
        (json.dumps(MESSAGES), "chat.json", None),
        (json.dumps(MESSAGES), None, None),
        (json.dumps({"messages": MESSAGES}), "chat.json", None),
        (lines(MESSAGES), "chat.jsonl", None),
        (lines(MESSAGES), "chat.json", None),
        (lines(MESSAGES), None, None),
        ("\n" + lines(MESSAGES) + "\n\n", "chat.NDJSON", None),
        (json.dumps(MESSAGES), "chat.txt", "messages"),
        (json.dumps({"messages": MESSAGES}), "chat.jsonl", None),
    ],
)
def test_a_conversation_is_the_same_in_every_layout(data: str, name: str | None, format: str | None) -> None:
    assert turns(data, name=name, format=format) == turns(json.dumps(MESSAGES), name="chat.json")


def test_conversations_are_sessions_with_their_names_and_times() -> None:
    conversations = [
        {"id": "one", "created": 1683468000123, "messages": MESSAGES[1:2]},
        {"messages": MESSAGES[:1]},
        {"session_id": 7, "messages": MESSAGES[-1:]},
    ]
    for data, name in ((json.dumps(conversations), "x.json"), (lines(conversations), "x.jsonl")):
        source = turns(data, name=name)
        assert [(session.session_id, session.occurred_at) for session in source.sessions] == [
            ("one", 1683468000123),
            ("7", 1683468000000),
        ]
        assert source.left_out == 1


def test_a_conversation_in_locomos_format_keeps_sessions_speakers_photos_and_times() -> None:
    source = turns(json.dumps(LOCOMO), name="talk.json")
    assert source == turns(json.dumps([LOCOMO]), name=None) == turns(json.dumps(LOCOMO), name="t.txt", format="locomo")
    first, second = source.sessions
    assert [(t.position, t.speaker, t.text, t.context) for t in first.turns] == [
        (0, "Ana", "Tea?", None),
        (1, "Bo", "Yes!", "Shared a photo: a cup"),
    ]
    assert (first.session_id, first.occurred_at) == ("tea/session_1", 1668125160000)
    assert second.session_id == "tea/session_2"
    assert source.left_out == 0


def test_markdown_has_a_title_and_sections_and_text_one_section() -> None:
    text = "# Guide\nHello.\n## Next\nMore."
    for name in ("notes.md", "x/NOTES.Markdown", None, "notes"):
        source = document(text, name=name)
        assert source.title == "Guide"
        assert [section.heading for section in source.sections] == [("Guide",), ("Guide", "Next")]
    plain = document(text, name="notes.txt")
    assert (plain.title, plain.text, plain.sections[0].heading, plain.sections[0].end) == ("notes", text, (), len(text))
    assert document(text, name="notes.md", format="text").sections == plain.sections
    assert document("no heading", name="a/b.md").title == "b"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_utf_8_and_utf_16_with_a_mark_are_read(encoding: str) -> None:
    text = "# Café 普洱\r\n🎉 text"
    marks = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
    assert document(marks.get(encoding, b"") + text.encode(encoding)).text == text
    assert document("\ufeff" + text).text == text


@pytest.mark.parametrize("text", ['{"a": 1} is JSON', "[link](x) text", "{", "[1, 2]", '{"key": "value"}'])
def test_a_text_without_a_name_that_begins_like_json_is_a_document_unless_it_is_a_transcript(text: str) -> None:
    assert document(text).text == text


@pytest.mark.parametrize(
    ("data", "name", "why"),
    [
        (b"%PDF-1.7 ...", None, "PDF"),
        (b"%PDF-1.7 ...", "notes.md", "PDF"),
        (b"text", "paper.PDF", "PDF"),
        (b"PK\x03\x04\x14", "notes", "ZIP"),
        ("text", "letter.docx", "Word"),
        ("text", "page.html", "HTML"),
        ("\n<!DOCTYPE html><p>x", None, "HTML"),
        ("\ufeff<html lang='en'>".encode("utf-16-le"), None, "HTML"),
        (b"{\\rtf1", None, "RTF"),
        (b"\x89PNG\r\n", "x.txt", "picture"),
    ],
)
def test_other_files_are_refused_with_what_to_do(data: bytes | str, name: str | None, why: str) -> None:
    refused = refusal(data, name=name)
    assert why in refused.message
    assert refused.hint == "Convert it to Markdown or plain text."


def test_markup_in_a_text_is_no_reason_to_refuse_it() -> None:
    assert document("See <html> and %PDF- in <!doctype html>").sections
    assert document("<html> is a tag", format="markdown").sections
    assert document(b"%PDF is a format").sections


@pytest.mark.parametrize(
    ("data", "name", "why"),
    [
        (b"caf\xe9", None, "line 1, column 4 stands 0xe9"),
        (b"one\r\ntw\xc3", None, "line 2, column 3"),
        (b"\xff\xfea\x00\x00\xd8", None, "not UTF-16 text"),
        ("one\ntwo\x00", None, "U+0000 at line 2, column 4"),
        ("a\r\rb\x1b[1m", None, "U+001B at line 3, column 2"),
        ("a\x85b", None, "U+0085"),
        ("\n\ud800", None, "a lone surrogate at line 2, column 1"),
        ("", None, "empty"),
        (b"", "x.json", "empty"),
        (" \n\u200b\u3000", None, "empty"),
        (None, None, "NoneType"),
        (bytearray(b"x"), None, "bytearray"),
    ],
)
def test_what_is_no_text_is_refused_with_the_place(data: Any, name: str | None, why: str) -> None:
    refused = refusal(data, name=name)
    assert why in refused.message
    assert refused.field == "data"


def test_five_million_bytes_are_read_and_no_more() -> None:
    assert document("é" * (MAX_SOURCE_BYTES // 2)).sections[0].end == MAX_SOURCE_BYTES // 2
    for data in ("é" * (MAX_SOURCE_BYTES // 2) + "x", b"x" * (MAX_SOURCE_BYTES + 1), "x" * 10_000_000):
        assert "bytes, at most 5,000,000 are allowed" in refusal(data).message


@pytest.mark.parametrize(
    ("data", "name", "why"),
    [
        ("{", "x.json", "line 1, column 2"),
        ('[\n{"role": "user"', "x.json", "line 2, column 16"),
        ('{"role": "user", "content": "a"}\n{"role"', "x.jsonl", "Line 2 is not JSON: line 2, column 8"),
        ("[" * 100_000, "x.json", "nested too deeply"),
        ('{"a":' * 100_000, "x.jsonl", "nested too deeply"),
        ("1" * 5000, "x.json", "not JSON"),
        ('[{"role": "user", "content": "a", "created": NaN}]', "x.json", "NaN"),
        ("[Infinity]", "x.json", "Infinity"),
        ('{"key": 1}', "x.json", "no transcript"),
        ("[]", "x.json", "no transcript"),
        ("7", "x.json", "no transcript"),
    ],
)
def test_what_is_no_json_or_no_transcript_is_refused_with_the_place(data: str, name: str, why: str) -> None:
    assert why in refusal(data, name=name).message


def test_of_a_key_that_comes_twice_the_last_counts() -> None:
    assert turns('[{"role": "tool", "role": "user", "content": "a"}]').sessions[0].turns[0].role == "user"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"role": "human"}, 'Message 2 has no "role" that is known'),
        ({"role": None}, "Message 2"),
        ({"role": ["user"]}, "Message 2"),
        ({"content": 7}, 'no "content"'),
        ({"content": None}, 'no "content"'),
        ({"content": [{"type": "text", "text": 7}]}, 'part 1 of "content"'),
        ({"content": [{"type": "image"}, "text"]}, 'part 2 of "content"'),
        ({"content": "a\u0000b"}, "Message 2, content has the control character U+0000 at line 1, column 2"),
        ({"content": "\ud800"}, "lone surrogate"),
        ({"name": "A\nB"}, "Message 2, name"),
        ({"name": "x" * 201}, "201 characters"),
        ({"name": 7}, "Message 2, name"),
        ({"created": True}, 'Message 2 has a "created" that is no time'),
        ({"created": 1e300}, "outside the years"),
        ({"created": -(10**30)}, "outside the years"),
        ({"created_at": "yesterday"}, "Message 2, created_at is not a time"),
        ({"timestamp": "2023-05-07T10:00:00"}, "Message 2, timestamp has no time zone"),
    ],
)
def test_a_message_that_is_wrong_is_named(change: dict[str, Any], why: str) -> None:
    good = {"role": "user", "content": "a"}
    assert turns(json.dumps([good, good])).left_out == 0
    refused = refusal(json.dumps([good, good | change]), name="x.json")
    assert why in refused.message
    assert refused.field == "data"
    assert isinstance(refused, NaiveTime) == ("no time zone" in why)
    assert why.replace("Message", "Line") in refusal(lines([good, good | change]), name="x.jsonl").message


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ([{"role": "system", "content": "a"}], "nothing that a user or an assistant said"),
        ({"messages": []}, "nothing that a user"),
        ({"messages": {}}, 'Conversation 1 has no list "messages"'),
        ([{"messages": [{"role": "x"}]}], "Conversation 1, message 1"),
        (
            [{"id": "a", "messages": MESSAGES}, {"role": "user", "content": "a"}],
            'Conversation 2 has no list "messages"',
        ),
        ([{"id": "a", "messages": MESSAGES}] * 2, "two conversations with the name 'a'"),
        ([{"id": "a\n", "messages": MESSAGES}], "the conversation's name"),
        ([LOCOMO, LOCOMO], "two conversations with the name 'tea/session_1'"),
        ([LOCOMO, {}], "Conversation 2 is not a conversation in LoCoMo's format"),
    ],
)
def test_a_transcript_that_is_wrong_is_refused_with_the_place(content: Any, why: str) -> None:
    assert why in refusal(json.dumps(content), name="x.json").message


def test_name_and_format_are_checked() -> None:
    assert refusal("text", format="pdf").field == "format"
    assert refusal("text", name="a\nb").field == "name"
    assert refusal("text", name="x" * 1001).field == "name"


NAMES = st.sampled_from([None, "x", "x.md", "x.txt", "x.json", "x.jsonl", "x.pdf", ".md", "a/b\\c.Json"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "messages", "type", "text", "name", "id", "created"]), inner
        )
        | st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "system", "x"]), "content": inner})
    ),
    max_leaves=12,
)


def is_source_or_refused(data: bytes | str, name: str | None, format: str | None) -> None:
    try:
        source = read_source(data, name=name, format=format)
    except InvalidInput as error:
        assert error.message
        return
    if isinstance(source, DocumentSource):
        assert [s.start for s in source.sections] == [0, *(s.end for s in source.sections[:-1])]
        assert source.sections[-1].end == len(source.text)
    else:
        assert all(session.turns for session in source.sessions)
        for session in source.sessions:
            assert [turn.position for turn in session.turns] == list(range(len(session.turns)))


@given(
    st.binary(max_size=200) | st.text().map(lambda text: text.encode("utf-16")),
    NAMES,
    st.none() | st.sampled_from(FORMATS),
)
def test_any_bytes_are_a_source_or_refused_with_a_typed_error(
    data: bytes, name: str | None, format: str | None
) -> None:
    is_source_or_refused(data, name, format)


@given(st.text(st.characters()), NAMES, st.none() | st.sampled_from(FORMATS))
def test_any_text_is_a_source_or_refused_with_a_typed_error(data: str, name: str | None, format: str | None) -> None:
    is_source_or_refused(data, name, format)


@given(VALUES, NAMES, st.none() | st.sampled_from(FORMATS), st.booleans())
def test_any_json_is_a_source_or_refused_with_a_typed_error(
    value: Any, name: str | None, format: str | None, as_lines: bool
) -> None:
    data = lines(value) if as_lines and isinstance(value, list) else json.dumps(value)
    is_source_or_refused(data, name, format)
