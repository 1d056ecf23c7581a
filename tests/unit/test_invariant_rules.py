"""A node as the engine writes it breaks no rule; changed in one place it breaks the one that is about that place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from memorygraph.access.state import ParametersInForce, access_properties
from memorygraph.invariant_rules import (
    FaultKind,
    Finding,
    Surroundings,
    entity_findings,
    statement_findings,
    stub_findings,
    summary_findings,
)
from memorygraph.text.tokens import search_text
from memorygraph_forgetting import AccessHistory, DecayParameters, Standing

NOW = 1_772_442_000_000
BALANCED = ParametersInForce(values=DecayParameters.balanced(), version=0)


def known_by(node: Mapping[str, Any]) -> tuple[str, ...]:
    return ("of the words",) if node.get("predicate") is None else ("of the claim", "of the words")


AROUND = Surroundings(
    end_user_id="ana",
    told={("n", 7), ("uncovered", 8)},
    parameters={0: BALANCED, 4: None},
    embedding_bytes=8,
    known_by=known_by,
    kept_out={"of other words": "erased"},
    uncovered={"uncovered"},
)
TEXT = "Ana likes tea."
ROW: dict[str, Any] = {"episodes": ["e"], "superseded_by": [], "contradicted_by": []}


def access(standing: Standing | None) -> dict[str, Any]:
    return access_properties(AccessHistory.created(NOW), BALANCED, importance=0.5, standing=standing)


def memory(**changes: Any) -> dict[str, Any]:
    """The properties that statements and summaries share, with ``changes``; None removes one, as the graph does."""
    properties = {
        "id": "n",
        "text": TEXT,
        "kind": "fact",
        "status": "active",
        "trust": "accepted",
        "importance": 0.5,
        "confidence": 1.0,
        "fingerprint": known_by(changes)[0],
        "pinned": False,
        "revision": 1,
        "changed_seq": 7,
        "assertion_count": 2,
        "source_count": 1,
        "search_text": search_text("ana", TEXT, names=["Leeds"]),
        "embedding": b"12345678",
        **access(Standing(kind="fact")),
        **changes,
    }
    return {name: value for name, value in properties.items() if value is not None}


def statement(properties: Mapping[str, Any], **around: Any) -> list[Finding]:
    return list(statement_findings({**ROW, "properties": properties, **around}, AROUND))


def summary(properties: Mapping[str, Any], originals: list[str]) -> list[Finding]:
    return list(summary_findings({"properties": properties, "superseded_by": [], "originals": originals}, AROUND))


BARRED: dict[str, Any] = {"fusable_at": None}
RETIRED: dict[str, Any] = {
    "fusable_at": None,
    "retired_at": NOW,
    "search_text": None,
    "past_search_text": search_text("ana", TEXT),
}


@pytest.mark.parametrize(
    ("properties", "around"),
    [
        ({}, {}),
        ({"kind": "turn", "assertion_count": 1}, {}),
        ({"kind": "decision", **BARRED}, {}),
        ({"pinned": True, **BARRED}, {}),
        ({"status": "superseded", **RETIRED}, {"superseded_by": ["o"]}),
        ({"id": "uncovered", "changed_seq": 8, "status": "superseded", **RETIRED}, {"superseded_by": []}),
        ({"status": "retracted", **RETIRED}, {}),
        ({"status": "retracted", "trust": "candidate", "review_since": NOW, **RETIRED}, {}),
        ({"status": "retracted", "trust": "candidate", **RETIRED}, {}),
        ({"subject": "Ana", "predicate": "likes", "value": "tea", "slot_key": "k"}, {}),
        ({"speaker": "Ana", "predicate": "likes", "value": "tea", "slot_key": "k"}, {}),
        ({"trust": "candidate", "review_since": NOW, **BARRED}, {}),
        ({"trust": "rejected", **BARRED}, {}),
        ({"open_questions": 1, "review_since": NOW, **BARRED}, {"contradicted_by": ["o"]}),
        ({"open_questions": 0}, {"contradicted_by": []}),
        ({"fusable_at": NOW + 10**10}, {}),  # put off
        ({"cold_at": access(None)["cold_at"] + 1000}, {}),
    ],
)
def test_what_the_engine_writes_breaks_no_rule(properties: dict[str, Any], around: dict[str, Any]) -> None:
    assert statement(memory(**properties), **around) == []


@pytest.mark.parametrize(
    ("kind", "detail", "properties", "around"),
    [
        ("shape", "does not have 1 to 2000", {"text": ""}, {}),
        ("shape", "kind is 'rumour'", {"kind": "rumour"}, {}),
        ("shape", "status is 'gone'", {"status": "gone", **RETIRED}, {}),
        ("shape", "trust is None", {"trust": None}, {}),
        ("shape", "importance is 1.1", {"importance": 1.1}, {}),
        ("shape", "confidence is None", {"confidence": None}, {}),
        ("shape", "not that of its value", {"fingerprint": None}, {}),
        ("shape", "not that of its value", {"fingerprint": "of other words"}, {}),
        ("shape", "not that of its value", {"predicate": "likes", "value": "tea", "fingerprint": "of the words"}, {}),
        ("shape", "without its value", {"subject": "Ana", "predicate": "likes", "slot_key": "k"}, {}),
        ("shape", "without its value", {"value": "tea"}, {}),
        ("shape", "revision is 0", {"revision": 0}, {}),
        ("counts", "said 0 times", {"assertion_count": None}, {}),
        ("counts", "by 3 sources", {"source_count": 3}, {}),
        ("counts", "by 0 sources", {"source_count": 0}, {}),
        ("events", "event 6", {"changed_seq": 6}, {}),
        ("relationship", "o supersedes it", {}, {"superseded_by": ["o"]}),
        ("relationship", "nothing supersedes it", {"status": "superseded", **RETIRED}, {}),
        ("shape", "retired_at says None", {"status": "expired", **RETIRED, "retired_at": None}, {}),
        ("shape", "retired_at says 5", {"retired_at": 5}, {}),
        ("shape", "no slot", {"subject": "Ana", "predicate": "likes", "value": "tea"}, {}),
        ("shape", "no slot", {"slot_key": "k"}, {}),
        ("index", "is retired, and search", {"status": "expired", **RETIRED, "search_text": "§ tea"}, {}),
        ("index", "words it is searched by", {"status": "expired", **RETIRED, "past_search_text": "§ tea"}, {}),
        ("index", "is live, and has words", {"past_search_text": "§ tea"}, {}),
        ("relationship", "the episode", {"kind": "turn"}, {"episodes": []}),
        ("question", "0 open questions and has 1", {"review_since": NOW, **BARRED}, {"contradicted_by": ["o"]}),
        ("question", "1 open questions and has 0", {"open_questions": 1}, {}),
        ("question", "does not wait", {"review_since": NOW}, {}),
        ("question", "it waits", {"trust": "candidate", **BARRED}, {}),
        ("question", "it waits", {"open_questions": 1, **BARRED}, {"contradicted_by": ["o"]}),
        ("index", "words it is searched by", {"search_text": search_text("bob", TEXT)}, {}),
        ("index", "words it is searched by", {"search_text": None}, {}),
        ("index", "its vector", {"embedding": b"1234"}, {}),
        ("index", "its vector", {"embedding": None}, {}),
        ("access", "history cannot be", {"access_times": []}, {}),
        ("access", "history cannot be", {"access_times": None}, {}),
        ("access", "times ascend", {"access_times": [NOW + 5, NOW], "access_count": 2}, {}),
        ("access", "count of all accesses is 0", {"access_count": 0}, {}),
        ("access", "is after the oldest", {"first_access_at": NOW + 1}, {}),
        ("access", "last_access_at says", {"last_access_at": NOW + 1}, {}),
        ("access", "no version 4", {"parameters_version": 4}, {}),
        ("access", "no version None", {"parameters_version": None}, {}),
        ("access", "cold_at says", {"cold_at": access(None)["cold_at"] - 1001}, {}),
        ("access", "cold_at says None", {"cold_at": None}, {}),
        ("access", "fusable_at says None", {"fusable_at": None}, {}),
        ("access", "fusable_at says 5", {"fusable_at": 5}, {}),
        ("access", "may never be fused", {"pinned": True}, {}),
        ("access", "may never be fused", {"open_questions": 1, "review_since": 1}, {"contradicted_by": ["o"]}),
    ],
)
def test_a_statement_that_cannot_be_breaks_a_rule(
    kind: FaultKind, detail: str, properties: dict[str, Any], around: dict[str, Any]
) -> None:
    broken = [finding for finding in statement(memory(**properties), **around) if detail in finding[1]]
    assert [finding[0] for finding in broken] == [kind]


@pytest.mark.parametrize("tombstone", ["of the claim", "of the words"])
def test_what_a_tombstone_keeps_out_is_not_live_whichever_of_its_fingerprints_it_names(tombstone: str) -> None:
    around = replace(AROUND, kept_out={tombstone: "rejected"})
    claim = {"subject": "Ana", "predicate": "likes", "value": "tea", "slot_key": "k"}
    found = list(statement_findings({**ROW, "properties": memory(**claim)}, around))
    assert found == [("forgotten", "its value was rejected, and it is live")]
    for gone in ({"status": "retracted", **RETIRED}, {"kind": "turn"}):
        assert list(statement_findings({**ROW, "properties": memory(**claim, **gone)}, around)) == []


def test_a_summary_counts_the_statements_that_it_leads_back_to() -> None:
    fused = memory(generation=1, fused_count=2, confidence=None, fingerprint=None)
    assert summary(fused, ["Statement", "MemorySummary", "Statement"]) == []
    assert [kind for kind, _ in summary(fused, ["Statement", "MemorySummary"])] == ["counts"]
    assert [kind for kind, _ in summary({**fused, "generation": 0}, ["Statement"] * 2)] == ["shape"]


def test_an_entity_has_the_key_of_its_name() -> None:
    entity = {"id": "n", "name": " “Ana” ", "name_key": "ana", "kind": "person", "importance": 0.5, **access(None)}

    def findings(**changes: Any) -> Iterator[Finding]:
        return entity_findings({"properties": {**entity, **changes}}, AROUND)

    assert list(findings()) == []
    for changes in ({"name": "Bob"}, {"name_key": None}, {"kind": None}, {"name": ""}):
        assert [kind for kind, _ in findings(**changes)] == ["shape"]
    assert [kind for kind, _ in findings(access_count=0)] == ["access"]


def test_a_stub_has_a_summary_and_neither_lives_nor_is_searched() -> None:
    stub = {"properties": {"id": "n", "original_type": "Statement"}, "lives": False, "summaries": ["m"]}
    assert list(stub_findings(stub)) == []
    for changes, kind in (
        ({"lives": True}, "forgotten"),
        ({"summaries": []}, "forgotten"),
        ({"properties": {"id": "n", "original_type": "Entity"}}, "shape"),
        ({"properties": {"id": "n", "original_type": "Statement", "search_text": "tea"}}, "index"),
    ):
        assert [found for found, _ in stub_findings({**stub, **changes})] == [kind]
