from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import InvalidEndUserId, InvalidInput, NaiveTime
from memorygraph.times import from_ms
from memorygraph.validation import EntitySpec, RememberRequest, check_count, check_end_user_id, check_text, check_unit

GOOD: dict[str, Any] = {
    "text": "Ana works at Acme",
    "speaker": None,
    "session_id": None,
    "position": None,
    "kind": "fact",
    "importance": 0.5,
    "entities": (),
    "title": None,
    "context": None,
    "keywords": (),
    "tags": (),
    "project": None,
    "occurred_at": None,
    "confidence": None,
    "source": None,
    "agent": None,
    "idempotency_key": None,
}


def test_a_good_request_is_taken_as_it_is() -> None:
    request = RememberRequest.checked(
        **{**GOOD, "entities": ["Ana", ("Acme", "company")], "occurred_at": "2026-03-01T09:30:00+01:00"}
    )
    assert request.text == "Ana works at Acme"
    assert request.entities == (EntitySpec(name="Ana"), EntitySpec(name="Acme", kind="company"))
    assert request.occurred_at == 1_772_353_800_000


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", ""),
        ("text", " \n\t "),
        ("text", "\u200b\u200d\ufeff"),
        ("text", "\ufe0f"),
        ("entities", ["\ufe0f \U000e0100"]),
        ("relations", [("\ufe0f", "is", "x")]),
        ("relations", [("x", "is", EntitySpec(name="\ufe0f"))]),
        ("text", "x" * 2001),
        ("text", "a lone \ud800 surrogate"),
        ("text", "a bell \x07"),
        ("text", "a null \x00"),
        ("text", 7),
        ("kind", "rumour"),
        ("importance", float("nan")),
        ("importance", float("inf")),
        ("importance", -0.1),
        ("importance", 1.1),
        ("importance", "0.5"),
        ("importance", True),
        ("confidence", float("nan")),
        ("title", "x" * 201),
        ("title", "two\nlines"),
        ("context", "x" * 501),
        ("tags", [f"tag {n}" for n in range(11)]),
        ("tags", "not a list"),
        ("tags", ["x" * 101]),
        ("keywords", [""]),
        ("entities", ["Ana"] * 51),
        ("entities", "Ana"),
        ("entities", [""]),
        ("entities", [3]),
        ("entities", [("Ana", "")]),
        ("speaker", ""),
        ("project", "\u0085"),
        ("source", "x" * 201),
        ("idempotency_key", ""),
        ("position", 1),
        ("occurred_at", "yesterday"),
        ("occurred_at", 1_772_353_800_000),
        ("occurred_at", date(2026, 3, 1)),
        ("occurred_at", "0001-01-01T00:00:00+14:00"),
        ("occurred_at", "9999-12-31T23:59:59-14:00"),
        ("kind", "turn"),
    ],
)
def test_what_cannot_be_taken_is_refused_by_the_name_of_its_field(field: str, value: object) -> None:
    RememberRequest.checked(**GOOD)
    with pytest.raises(InvalidInput) as caught:
        RememberRequest.checked(**{**GOOD, field: value})
    expected = "session_id" if value == "turn" else field
    assert caught.value.field == expected
    assert caught.value.code == "invalid_input"


def test_a_number_too_large_to_be_written_out_is_refused_like_any_other() -> None:
    for field in ("importance", "confidence", "kind", "position", "occurred_at", "text"):
        with pytest.raises(InvalidInput) as caught:
            RememberRequest.checked(**{**GOOD, "session_id": "s", field: 10**5000})
        assert caught.value.field == field


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59.999999+00:00", "1970-01-01T00:00Z"])
def test_the_first_and_the_last_time_are_taken_and_given_back(time: str) -> None:
    at = RememberRequest.checked(**{**GOOD, "occurred_at": time}).occurred_at
    assert at is not None
    assert abs(from_ms(at) - datetime.fromisoformat(time)) < timedelta(milliseconds=1)


def test_a_naive_time_is_refused_and_the_same_time_with_an_offset_taken() -> None:
    with pytest.raises(NaiveTime, match="offset"):
        RememberRequest.checked(**{**GOOD, "occurred_at": "2026-03-01T09:30:00"})
    assert RememberRequest.checked(**{**GOOD, "occurred_at": "2026-03-01T09:30:00Z"}).occurred_at is not None


@pytest.mark.parametrize(
    "end_user_id",
    ["", "x" * 201, "x" * 10_000, "a b", "a'b", 'a"b', "a`b", "{a}", "a\nb", "a\x00", "\ud800", "a)", "a$b", 7, None],
)
def test_a_user_id_that_is_none_is_refused(end_user_id: object) -> None:
    with pytest.raises(InvalidEndUserId) as caught:
        check_end_user_id(end_user_id)
    assert caught.value.code == "invalid_end_user_id"
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("end_user_id", ["a", "ana@acme.com", "auth0|5f", "urn:x:y", "用户-1", "x" * 200, "A+b/c=~#1"])
def test_a_user_id_of_the_usual_forms_is_taken(end_user_id: str) -> None:
    assert check_end_user_id(end_user_id) == end_user_id


@given(st.text(max_size=2200))
def test_text_is_taken_unchanged_or_refused(text: str) -> None:
    try:
        assert check_text(text, field="text", longest=2000) == text
        text.encode()
        assert 1 <= len(text) <= 2000
    except InvalidInput as error:
        assert error.field == "text"


@given(st.floats() | st.integers() | st.booleans() | st.none())
def test_a_unit_is_a_finite_number_from_0_to_1_or_refused(value: object) -> None:
    try:
        assert 0 <= check_unit(value, field="importance") <= 1
    except InvalidInput as error:
        assert error.field == "importance"


def test_counts_have_bounds() -> None:
    assert check_count(5, field="limit", least=1, most=5) == 5
    for value in (0, 6, 2.0, True, "3", None, 10**5000):
        with pytest.raises(InvalidInput, match="limit"):
            check_count(value, field="limit", least=1, most=5)
