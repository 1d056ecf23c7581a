"""Which events are still in effect, against a model that does and undoes them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import Conflict
from memorygraph.memory.histories import fields_of, in_effect_since
from memorygraph.memory.records import HistoryEntry
from memorygraph.past.memories import row_as_of

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
NOON_MS = 1_772_452_800_000


def entry(seq: int, action: str = "revise", **more: Any) -> HistoryEntry:
    told: dict[str, Any] = {"before": {}, "after": {}, "reason": None, "reverts": None, "erased": False, "at": NOON}
    return HistoryEntry(seq=seq, actor="a", action=action, target_id="t", target_type="Statement", **told | more)


@given(st.lists(st.integers(min_value=0, max_value=9), max_size=12))
def test_events_that_were_undone_and_those_that_undid_them_count_no_more(choices: list[int]) -> None:
    """A stack of values: each choice pushes a new value or, from 5 on, undoes the newest event in effect."""
    entries: list[HistoryEntry] = []
    effects: list[int] = []  # numbers of the events whose value holds or lies under the one that does
    undone_by: dict[int, int] = {}
    for seq, choice in enumerate(choices, start=1):
        if choice < 5 or not effects:
            entries.insert(0, entry(seq))
            effects.append(seq)
        else:
            gone = effects.pop()
            undone_by[gone] = seq
            entries.insert(0, entry(seq, reverts=gone))
    for seq in range(1, len(choices) + 1):
        counting = [of.seq for of in in_effect_since(entries, seq)]
        expected = {of for of in effects if of > seq}
        # What undid this event itself, or one before it, changed the same after it.
        expected |= {by for gone, by in undone_by.items() if gone <= seq < by}
        assert counting == sorted(expected, reverse=True)


def test_what_an_event_changed_is_told_link_by_link_and_question_by_question() -> None:
    assert fields_of(entry(1, before={"title": None}, after={"title": "x", "reason": "y"})) == {"title"}
    assert fields_of(entry(1, "supersede", before={"status": 1}, after={"status": 2, "superseded_by": 3})) == {"status"}
    assert fields_of(entry(1, "link", before=None, after={"linked": "a", "origin": "manual"})) == {"linked a"}
    asked = entry(1, "question:opened", before=None, after={"contradicted_by": "b", "reason": "negation"})
    assert fields_of(asked) == {"question b"}


def row(**properties: Any) -> dict[str, Any]:
    told = {"revision": 3, "created_at": 1, "recorded_at": 1, "status": "active", "changed_seq": 3, "title": "Now"}
    return {"type": "Statement", "properties": told | properties, "entities": [{"id": "e", "name": "Now"}]}


def test_a_row_is_rebuilt_from_what_the_later_events_say_was_before() -> None:
    entries = [
        entry(3, before={"title": "Then", "entities": []}, after={"title": "Now", "entities": []}),
        entry(2, at=datetime.fromtimestamp(5 / 1000, UTC)),
    ]
    then = row_as_of(row(), entries, NOON_MS - 1, questions=[])
    assert (then["properties"]["title"], then["properties"]["revision"], then["entities"]) == ("Then", 2, [])
    assert (then["properties"]["changed_seq"], then["properties"]["updated_at"]) == (2, 5)
    assert row_as_of(row(), entries, NOON_MS, questions=[])["properties"]["title"] == "Now"
    questions: list[dict[str, Any]] = [{"opened_at": 5, "resolved_at": 9}, {"opened_at": 9, "resolved_at": None}]
    for at, count in ((4, 0), (5, 1), (8, 1), (9, 1)):
        assert row_as_of(row(), entries, at, questions=questions)["properties"]["open_questions"] == count


def test_a_row_is_not_rebuilt_from_what_was_erased() -> None:
    entries = [entry(3, erased=True, before=None, after=None)]
    assert row_as_of(row(), entries, NOON_MS, questions=[])["properties"]["title"] == "Now"
    with pytest.raises(Conflict, match="event 3"):
        row_as_of(row(), entries, NOON_MS - 1, questions=[])
