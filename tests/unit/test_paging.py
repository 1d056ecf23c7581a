"""A cursor leads back to its place, and what is none is refused, however it was made."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import InvalidInput
from memorygraph.paging import decode_cursor, encode_cursor

_NUMBERS = st.integers(-(2**63), 2**63 - 1)
_TEXTS = st.text(st.characters(codec="utf-8"), max_size=50)


@given(_NUMBERS, _TEXTS)
def test_a_cursor_stands_for_its_place(number: int, text: str) -> None:
    assert decode_cursor(encode_cursor(number, text), int, str) == (number, text)
    for types in ((str, str), (int,), (int, str, str)):
        with pytest.raises(InvalidInput):
            decode_cursor(encode_cursor(number, text), *types)


_ENCODED = st.binary(max_size=50).map(lambda raw: base64.urlsafe_b64encode(raw).decode())


@given(st.one_of(st.text(max_size=60), _ENCODED, st.integers(), st.none(), st.binary(max_size=8)))
def test_what_is_no_cursor_is_refused(cursor: object) -> None:
    with pytest.raises(InvalidInput):
        decode_cursor(cursor, int, str)


@pytest.mark.parametrize(
    "place",
    [
        [2**63, "a"],
        [-(2**63) - 1, "a"],
        [1, "\ud800"],
        [True, "a"],
        [1.0, "a"],
        ["1", "a"],
        [1],
        [1, "a", "b"],
        {"1": "a"},
        None,
    ],
)
def test_a_place_that_no_list_has_is_refused(place: Any) -> None:
    with pytest.raises(InvalidInput):
        decode_cursor(base64.urlsafe_b64encode(json.dumps(place).encode()).decode(), int, str)


def test_a_cursor_nested_beyond_all_depth_is_refused() -> None:
    with pytest.raises(InvalidInput):
        decode_cursor(base64.urlsafe_b64encode(b"[" * 5000).decode(), str)
