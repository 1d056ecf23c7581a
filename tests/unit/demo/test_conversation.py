"""Reading conversations in the format of LoCoMo."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import InvalidInput
from memorygraph_api.demo.conversation import Conversation, load_file, parse, parse_date_time, shipped
from memorygraph_api.demo.play import QUESTIONS, questions_to_ask

SHIPPED: dict[str, Any] = json.loads(
    resources.files("memorygraph_api.demo").joinpath("conversation.json").read_text(encoding="utf-8")
)
SMALL: dict[str, Any] = {
    "sample_id": "tea",
    "conversation": {
        "speaker_a": "Ana",
        "session_1_date_time": "12:06 am on 11 November, 2022",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "Tea?"},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Yes!", "blip_caption": "a cup"},
        ],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [{"speaker": "Ana", "dia_id": "D2:1", "text": "More tea?"}],
        "session_3_date_time": "1:56 pm on 9 May, 2023",
    },
    "qa": [
        {"question": "Who wants tea?", "answer": "Bo", "evidence": ["D1:2; D2:1", "D9:9", "D"]},
        {"question": "How many?", "answer": 2, "evidence": ["D:1:01"]},
        {"question": "Coffee?", "adversarial_answer": "no", "evidence": ["D1:1"]},
    ],
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += places(inner, (*path, index))
    return found


def with_value(path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(SMALL)
    at: Any = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return changed


def test_the_shipped_conversation_is_two_people_over_three_weeks() -> None:
    conversation = shipped()
    assert conversation.speakers == ("Nadia", "Ruben")
    assert len(conversation.turns) == 60
    assert timedelta(days=18) <= conversation.turns[-1].said_at - conversation.turns[0].said_at <= timedelta(days=22)
    assert questions_to_ask(conversation) == list(conversation.questions)
    assert all(question.evidence and question.answer for question in conversation.questions)


def test_the_shipped_evidence_holds_the_numbers_and_names_of_the_answers() -> None:
    conversation = shipped()
    said = {turn.id: turn.text for turn in conversation.turns}
    for question in conversation.questions:
        evidence = " ".join(said[turn] for turn in question.evidence)
        for known in re.findall(r"[0-9][0-9.,]*[0-9]|[0-9]", question.answer or ""):
            assert known in evidence, question.text


def test_the_shipped_conversation_corrects_an_appointment() -> None:
    conversation = shipped()
    newer = next(turn for turn in conversation.turns if turn.id == conversation.questions[0].evidence[0])
    older = next(turn for turn in conversation.turns if "fire inspection" in turn.text)
    assert "Tuesday 18 March" in older.text
    assert "Thursday 20 March" in newer.text
    assert newer.said_at > older.said_at


def test_turns_come_in_order_with_session_position_speaker_and_time() -> None:
    conversation = parse(SMALL, where="here")
    assert [(t.id, t.session, t.position, t.speaker) for t in conversation.turns] == [
        ("D1:1", 1, 0, "Ana"),
        ("D1:2", 1, 1, "Bo"),
        ("D2:1", 2, 0, "Ana"),
    ]
    assert conversation.turns[0].said_at == datetime(2022, 11, 11, 0, 6, tzinfo=UTC)
    assert conversation.turns[1].photo == "a cup"
    assert conversation.turns[0].photo is None


def test_evidence_is_cleaned_and_what_leads_nowhere_is_dropped() -> None:
    first, second, third = parse(SMALL, where="here").questions
    assert first.evidence == ("D1:2", "D2:1")
    assert second.evidence == ("D1:1",)
    assert (second.answer, third.answer) == ("2", None)


def test_questions_without_answer_are_not_asked_and_many_are_thinned_out_evenly() -> None:
    assert [q.text for q in questions_to_ask(parse(SMALL, where="here"))] == ["Who wants tea?", "How many?"]
    many = {**SMALL, "qa": [{"question": f"Q{n}", "answer": "a", "evidence": ["D1:1"]} for n in range(90)]}
    asked = questions_to_ask(parse(many, where="here"))
    assert [q.text for q in asked] == [f"Q{n}" for n in range(0, 90, 90 // QUESTIONS)]


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))  # noqa: DTZ001
def test_a_time_is_read_as_it_was_written(at: datetime) -> None:
    at = at.replace(second=0, microsecond=0, tzinfo=UTC)
    half = "pm" if at.hour >= 12 else "am"
    written = f"{at.hour % 12 or 12}:{at.minute:02} {half} on {at.day} {at:%B}, {at.year:04}"
    assert parse_date_time(written) == at


@pytest.mark.parametrize(
    "text",
    [
        "",
        "8 May, 2023",
        "13:05 pm on 8 May, 2023",
        "0:05 am on 8 May, 2023",
        "1:60 pm on 8 May, 2023",
        "1:05 pm on 31 February, 2023",
        "1:05 pm on 8 Mayo, 2023",
        "1:05 pm on 8 May, 0000",
        "١:٠٥ pm on 8 May, 2023",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse_date_time(text)


@given(json_values)
def test_any_json_is_a_conversation_or_refused_with_a_typed_error(value: Any) -> None:
    with pytest.raises(InvalidInput):
        parse(value, where="here")


@given(st.sampled_from(places(SMALL)), json_values)
def test_one_wrong_value_anywhere_is_read_or_refused_with_a_typed_error(path: tuple[Any, ...], value: Any) -> None:
    with contextlib.suppress(InvalidInput):
        read = parse(with_value(path, value), where="here")
        assert isinstance(read, Conversation)
        assert read.turns


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("conversation", "session_1", 0, "text"), "", "turn 1"),
        (("conversation", "session_1", 0, "text"), "x" * 2001, "2001 characters"),
        (("conversation", "session_1", 0, "text"), "\ud800", "surrogate"),
        (("conversation", "session_1", 0, "speaker"), None, '"speaker"'),
        (("conversation", "session_1", 1, "dia_id"), "D1:1", "twice"),
        (("conversation", "session_1"), {}, "not a list"),
        (("conversation", "session_1_date_time"), "yesterday", "yesterday"),
        (("conversation", "session_1_date_time"), None, "missing"),
        (("conversation",), {}, "no session"),
        (("qa",), {}, '"qa"'),
        (("qa", 1), 7, "question 2"),
    ],
)
def test_a_refusal_says_where_and_why(path: tuple[Any, ...], value: Any, why: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(why)):
        parse(with_value(path, value), where="here")


def test_a_file_holds_one_conversation_or_a_list(tmp_path: Path) -> None:
    one, several = tmp_path / "one.json", tmp_path / "several.json"
    one.write_text(json.dumps(SMALL), encoding="utf-8")
    several.write_text(json.dumps([SHIPPED, SMALL]), encoding="utf-8")
    assert load_file(one).name == "tea"
    assert load_file(several).name == SHIPPED["sample_id"]
    assert load_file(several, number=2) == load_file(one)


@pytest.mark.parametrize("number", [-1, 0, 3])
def test_a_conversation_that_a_file_does_not_hold_is_refused(number: int, tmp_path: Path) -> None:
    file = tmp_path / "two.json"
    file.write_text(json.dumps([SMALL, SMALL]), encoding="utf-8")
    assert load_file(file, number=2).name == "tea"
    with pytest.raises(InvalidInput, match="it holds 2"):
        load_file(file, number=number)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"1" * 5000, b"nothing", b'{"conversation": 1}']
)
def test_a_file_that_is_something_else_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match=re.escape(str(file))):
        load_file(file)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_file(tmp_path / "none.json")
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_file(tmp_path)
