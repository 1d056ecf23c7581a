"""What a relation is by how the statements that state it are."""

from __future__ import annotations

from typing import Any

import pytest

from memorygraph.entities.standing import settled
from memorygraph.invariant_relations import relation_findings, stating_findings

HOLDS = {"status": "active", "trust": "accepted", "superseded_from": None}
WAITS = {**HOLDS, "trust": "candidate"}
RETRACTED = {**HOLDS, "status": "retracted"}


def superseded(at: int) -> dict[str, Any]:
    return {"status": "superseded", "trust": "accepted", "superseded_from": at}


def relation(*sources: str, by_hand: int = 0, **more: Any) -> dict[str, Any]:
    return {"source_ids": list(sources), "evidence_count": len(sources) + by_hand, "weight": 1.0, **more}


FALLEN: dict[str, Any] = {"source_ids": [], "withdrawn_ids": ["a"], "evidence_count": 0, "retired_at": 9}


@pytest.mark.parametrize(
    ("before", "standings", "after"),
    [
        (relation("a"), {"a": HOLDS}, {}),
        (relation("a"), {}, {}),  # it was fused
        (relation("a"), {"a": RETRACTED}, FALLEN),
        (relation("a"), {"a": WAITS}, FALLEN),
        (relation(withdrawn_ids=["a"], retired_at=5), {"a": RETRACTED}, {}),
        (
            relation(withdrawn_ids=["a"], retired_at=5),
            {"a": HOLDS},
            {"source_ids": ["a"], "withdrawn_ids": None, "evidence_count": 1, "retired_at": None},
        ),
        (
            relation("a", by_hand=1),
            {"a": RETRACTED},
            {"source_ids": [], "withdrawn_ids": ["a"], "evidence_count": 1},
        ),
        (relation("a", "b"), {"a": superseded(3), "b": superseded(4)}, {"superseded_from": 4}),
        (relation("a", "b"), {"a": superseded(3), "b": HOLDS}, {}),
        (relation("a", by_hand=1), {"a": superseded(3)}, {}),
        (relation("a", superseded_from=3), {"a": HOLDS}, {"superseded_from": None}),
        (
            relation("a", "b", superseded_from=4),
            {"a": superseded(3), "b": RETRACTED},
            {"source_ids": ["a"], "withdrawn_ids": ["b"], "evidence_count": 1, "superseded_from": 3},
        ),
        (relation("a", retired_at=5), {"a": RETRACTED}, {}),  # retired by hand
    ],
)
def test_a_relation_is_what_its_statements_state(
    before: dict[str, Any], standings: dict[str, Any], after: dict[str, Any]
) -> None:
    assert settled(before, standings, now=9) == after
    assert settled(before | after, standings, now=11) == {}


def test_a_relation_that_is_not_what_its_statements_state_is_told() -> None:
    memories: dict[str, Any] = {"a": {**HOLDS, "states_relations": True}, "b": RETRACTED, "fused": None}
    assert list(relation_findings(relation("a", "fused"), memories)) == []
    for broken, words in (
        (relation("a", weight=0), "weight"),
        (relation("a", "a"), "twice"),
        (relation("a", by_hand=-1), "counts 0"),
        (relation("a", "gone"), "gone as evidence"),
        (relation("a", valid_from=3, valid_to=3), "valid from 3 until 3"),
        (relation("a", superseded_from=3), "superseded_from is None"),
        (relation(withdrawn_ids=["b"]), "retired_at is an instant"),
    ):
        (finding,) = relation_findings(broken, memories)
        assert words in finding[1]
    assert list(stating_findings(memories, [relation("a", "fused")])) == []
    told = list(stating_findings(memories, [relation("b")]))
    assert [id for id, _ in told] == ["a", "b"]
