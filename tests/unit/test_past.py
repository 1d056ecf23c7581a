"""What was held at an earlier time, told by events alone: truth in the world, relations, entities."""

import json
from typing import Any

import pytest

from memorygraph.past.cards import entity_as_of
from memorygraph.past.relations import relations_from_events
from memorygraph.past.truth import is_true, true_since
from memorygraph.recall.choice import Choice


def event(seq: int, action: str, before: Any = None, after: Any = None, **more: Any) -> dict[str, Any]:
    told = {"seq": seq, "at": seq, "action": action, "target_id": "r", "target_type": "Relation"}
    return told | {"payload": json.dumps({"before": before, "after": after})} | more


def relation(**properties: Any) -> dict[str, Any]:
    told = {"id": "r", "recorded_at": 1, "evidence_count": 1, "source_ids": ["a"], "retired_at": None}
    return {"properties": told | properties, "subject": {"id": "s"}, "object": {"id": "o"}}


def then(events: list[dict[str, Any]], at: int, **properties: Any) -> list[dict[str, Any]]:
    return [found["properties"] for found in relations_from_events([relation(**properties)], events, at)]


def test_a_relation_was_what_its_later_events_say_was_before() -> None:
    events = [
        event(3, "relate:withdrawn", {"retired_at": None, "evidence_count": 1}, {"retired_at": 3, "evidence_count": 0}),
        event(5, "relate:restored", {"retired_at": 3, "evidence_count": 0}, {"retired_at": None, "evidence_count": 1}),
    ]
    assert then(events, 0) == []
    assert [(of["retired_at"], of["evidence_count"]) for of in then(events, 2)] == [(None, 1)]
    assert [(of["retired_at"], of["evidence_count"]) for of in then(events, 4)] == [(3, 0)]
    assert then(events, 5) == [relation()["properties"]]


def test_a_relation_whose_period_was_corrected_was_believed_until_then() -> None:
    events = [event(4, "relate:corrected", {"id": "r"}, {"id": "new"}, target_id="new")]
    assert [of["retired_at"] for of in then(events, 3, retired_at=4)] == [None]
    assert [of["retired_at"] for of in then(events, 4, retired_at=4)] == [4]


def test_a_relation_of_which_an_event_was_erased_is_left_out_unless_that_was_evidence() -> None:
    for action, kept in (("relate:confirmed", 1), ("relate:withdrawn", 0), ("relate:restored", 0)):
        erased = event(5, action, payload=None)
        assert len(then([erased], 4)) == kept
        assert len(then([erased], 5)) == 1


def test_relations_that_a_merge_made_one_were_two_unless_it_was_undone() -> None:
    original = relation(id="other", recorded_at=2)["properties"]
    before = {"combined": [{"into": "r", "original": {"properties": original}, "before": {"recorded_at": 3}}]}
    merged = event(6, "entity:merged", before, {}, target_type="Entity", target_id="s")
    assert [of["id"] for of in then([merged], 5, combined_ids=["other"])] == ["r", "other"]
    assert [of["id"] for of in then([merged], 2, combined_ids=["other"])] == ["other"]
    assert [of["id"] for of in then([merged], 6, combined_ids=["other"])] == ["r"]
    parted = event(7, "entity:split", {}, {"merge_seq": 6}, target_type="Entity", target_id="s")
    assert [of["id"] for of in then([merged, parted], 5)] == ["r"]


def test_an_entity_was_what_its_later_events_say_was_before() -> None:
    events = [
        event(2, "entity:revised", {"name": "A", "aliases": []}, {}),
        event(4, "entity:merged", {"kept": {"importance": 0.2, "access_count": 1}, "other": {"name": "B"}}, {}),
        event(5, "entity:revised", payload=None),
    ]
    entity = {"name": "Ana", "aliases": ["A"], "importance": 0.9, "access_count": 7}
    assert entity_as_of(entity, events, 5) == entity_as_of(entity, events, 4) == entity
    assert entity_as_of(entity, events, 3) == entity | {"importance": 0.2}
    assert entity_as_of(entity, events, 1) == entity | {"importance": 0.2, "name": "A", "aliases": []}


@pytest.mark.parametrize(
    ("told", "since"),
    [
        ({}, None),
        ({"valid_from": 3, "occurred_at": 5}, 3),
        ({"occurred_at": 0}, 0),  # 1 January 1970
        ({"occurred_at": 9}, None),  # nobody told when it happened: it was just then
        ({"covers_from": 4}, 4),
    ],
)
def test_a_memory_is_true_since_it_was_told_to_be_or_happened(told: dict[str, int], since: int | None) -> None:
    memory = {"recorded_at": 9, "status": "active", **told}
    assert true_since(memory) == since
    assert is_true(memory, 9)
    assert is_true(memory, -1) == (since is None)


def test_what_was_superseded_was_true_until_the_other_held() -> None:
    memory = {"recorded_at": 9, "valid_from": 1, "valid_to": 8, "superseded_from": 5}
    assert [is_true(memory | {"status": "superseded"}, at) for at in (0, 1, 4, 5)] == [False, True, True, False]
    assert [is_true(memory | {"status": "active"}, at) for at in (5, 7, 8)] == [True, True, False]


def test_least_confidence_is_asked_of_what_a_memory_had_then_and_not_of_what_has_none() -> None:
    memory = {"recorded_at": 0, "status": "active", "trust": "accepted", "kind": "fact", "confidence": 0.5}
    for least, chosen in ((0.3, True), (0.5, False)):
        choice = Choice.checked(min_confidence=least, as_of_recorded="2026-01-01T00:00:00+00:00")
        assert choice.held(memory, now=0) == chosen
        assert choice.held(memory | {"confidence": None}, now=0)
