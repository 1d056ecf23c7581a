"""Reading conversations in the format of LoCoMo."""

from __future__ import annotations

import contextlib
import copy
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import InvalidInput
from memorygraph.ingest.locomo import Conversation, parse, parse_date_time

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
