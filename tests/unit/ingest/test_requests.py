"""What may be handed over to be ingested: anything else is refused, and never anything but refused."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import InvalidInput
from memorygraph.ingest.requests import IngestRequest
from memorygraph.ingest.sources import DocumentSource, TurnsSource

NOTHING: dict[str, Any] = {
    "turns": None,
    "document": None,
    "data": None,
    "title": None,
    "name": None,
    "format": None,
    "session_id": None,
    "occurred_at": None,
    "zone": "UTC",
    "project": None,
    "source": None,
    "agent": None,
    "tags": (),
    "idempotency_key": None,
}
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None))
    | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["text", "content", "role", "position", "occurred_at", "x"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


def checked(**asked: Any) -> IngestRequest:
    return IngestRequest.checked(**NOTHING | asked)


@given(st.dictionaries(st.sampled_from(sorted(NOTHING)), ANYTHING, max_size=4))
def test_anything_is_a_request_or_a_refusal_that_names_an_argument(asked: dict[str, Any]) -> None:
    try:
        request = checked(**asked)
    except InvalidInput as refused:
        assert refused.field in NOTHING, refused
    else:
        assert isinstance(request.source, TurnsSource | DocumentSource)


def turns_of(request: IngestRequest) -> list[tuple[int, str]]:
    assert isinstance(request.source, TurnsSource)
    (session,) = request.source.sessions
    return [(turn.position, turn.text) for turn in session.turns]


def test_turns_are_numbered_in_their_order_unless_they_have_positions() -> None:
    request = checked(turns=["a fox", {"content": "a well", "name": "Ana"}])
    assert not request.numbered
    assert turns_of(request) == [(0, "a fox"), (1, "a well")]
    request = checked(turns=[{"text": "a fox", "position": 9}, {"text": "a well", "position": 2}])
    assert request.numbered
    assert turns_of(request) == [(2, "a well"), (9, "a fox")]


def test_a_title_that_is_given_takes_the_place_of_the_documents_own() -> None:
    text = "# Mills\n\nThey grind."
    for title, told in ((None, "Mills"), ("Notes", "Notes")):
        source = checked(document=text, title=title).source
        assert isinstance(source, DocumentSource)
        assert (source.title, source.text) == (told, text)


@pytest.mark.parametrize("key", ["content", "name"])
def test_two_keys_that_mean_the_same_are_refused_and_an_empty_one_beside_the_other_is_not(key: str) -> None:
    turn = {"text": "a fox", "speaker": "Ana"}
    with pytest.raises(InvalidInput, match="mean the same"):
        checked(turns=[turn | {key: "else"}])
    assert turns_of(checked(turns=[turn | {key: None}])) == [(0, "a fox")]


@pytest.mark.parametrize(
    ("key", "said"),
    [("mood", "'mood'"), (7, "7"), (10**5000, "of type int"), (("a",), "of type tuple")],
    ids=["text", "number", "5,000 digits", "tuple"],
)
def test_an_unknown_key_of_a_turn_is_named_as_far_as_it_can_be(key: object, said: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(f"has the unknown key {said}.")):
        checked(turns=[{"text": "a fox", key: 1}])
