"""Records as the surfaces show them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import InvalidInput
from memorygraph.validation import EntitySpec
from memorygraph_api.wire import importance_from_mark, inward_item, outward, outward_curve, plain
from memorygraph_forgetting import AccessHistory, DecayParameters, curve


@given(st.floats(1, 10))
def test_a_mark_from_1_to_10_comes_back_as_it_was_given(mark: float) -> None:
    assert outward({"importance": importance_from_mark(mark)})["importance"] == pytest.approx(mark, abs=1e-6)


@given(st.floats().filter(lambda mark: not 1 <= mark <= 10))
def test_any_other_mark_is_refused(mark: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        importance_from_mark(mark)
    assert refused.value.field == "importance"


def test_importance_is_a_mark_at_every_depth_and_nothing_else_changes() -> None:
    record = {"hits": [{"memory": {"importance": 0.5, "text": "importance"}, "score": 0.5}], "importance": None}
    assert outward(record) == {
        "hits": [{"memory": {"importance": 5.0, "text": "importance"}, "score": 0.5}],
        "importance": None,
    }


def test_text_of_any_script_is_shown_as_it_is() -> None:
    text = "café 普洱\u3000茶 \u00a0‘x’\n\tשלום 👩‍🚀"
    assert plain(text) == text


@pytest.mark.parametrize("obeyed", ["\x00", "\x07", "\r", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\ud800"])
def test_what_a_terminal_would_obey_is_written_as_an_escape(obeyed: str) -> None:
    assert plain(f"a{obeyed}b") == f"a{ascii(obeyed)[1:-1]}b"


def test_the_instants_of_a_curve_are_iso_8601_and_everything_else_is_as_it_was() -> None:
    drawn = curve(AccessHistory.created(0), DecayParameters(), start=0, end=86_400_000, points=2)
    told = outward_curve(drawn)
    day = "1970-01-02T00:00:00+00:00"
    assert [point["at"] for point in told["points"]] == ["1970-01-01T00:00:00+00:00", day]
    assert told["accesses"] == [{"at": "1970-01-01T00:00:00+00:00", "share": 1.0}]
    assert told["cold_at"].startswith("1970-01-29T06:46:23")
    assert told["points"][1] == {**drawn.points[1].to_dict(), "at": day}
    never = curve(AccessHistory.created(0), DecayParameters(threshold=0.1), start=0, end=86_400_000, points=2)
    assert outward_curve(never)["cold_at"] is None


def test_an_item_is_told_with_a_mark_and_with_objects_for_what_it_is_about() -> None:
    item = {"text": "Tea.", "importance": 5, "entities": ["Ana", {"name": "Tea", "kind": "drink"}, ["Bo", "person"]]}
    item["relations"] = [{"subject": "Ana", "predicate": "likes", "object": "Tea"}, ["Ana", "knows", ["Bo", "person"]]]
    assert inward_item(item) == {
        "text": "Tea.",
        "importance": 0.5,
        "entities": ["Ana", EntitySpec(name="Tea", kind="drink"), ("Bo", "person")],
        "relations": [("Ana", "likes", "Tea"), ("Ana", "knows", ("Bo", "person"))],
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(
    json_values
    | st.fixed_dictionaries({}, optional=dict.fromkeys(("text", "importance", "entities", "relations"), json_values))
)
def test_whatever_json_an_item_is_it_is_read_or_refused(item: object) -> None:
    try:
        told = inward_item(item)
    except InvalidInput:
        return
    assert isinstance(item, dict)
    assert told.keys() == item.keys()
