"""One statement as a language model tells it, made into a claim."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.extraction.claims import Claim, Passage
from memorygraph.extraction.model_claims import Findings
from memorygraph.extraction.prompts import EXTRACTION_SCHEMA
from memorygraph.times import to_ms
from memorygraph.validation import KINDS, EntitySpec

TEXT = "I moved to Leeds yesterday."
PASSAGE = Passage(
    episode_id="e",
    start=0,
    text=TEXT,
    speaker="Ana",
    occurred_at=to_ms("2026-03-02T09:00:00+00:00", field="at"),
    zone="Europe/Berlin",
)


def found(*statements: object) -> Findings:
    findings = Findings()
    findings.read({"statements": list(statements)}, [(0, 0, PASSAGE)])
    return findings


def claim_of(**told: Any) -> Claim:
    [claim] = found({"text": "Ana moved to Leeds.", "quote": "moved to Leeds", **told}).claims
    return claim


def at(text: str) -> int:
    return to_ms(text, field="at")


@pytest.mark.parametrize(
    ("told", "importance"),
    [
        (1, 0.0), (10, 1.0), (5.5, 0.5), ("10", 1.0), (0.7, 0.7), (0, 0.0), (99, 1.0),
        (-3, 0.5), (None, 0.5), ("high", 0.5), (True, 0.5), ([], 0.5), (float("nan"), 0.5), (10**400, 0.5),
    ],
)  # fmt: skip
def test_importance_of_one_to_ten_becomes_zero_to_one(told: object, importance: float) -> None:
    assert claim_of(importance=told).importance == pytest.approx(importance)


@pytest.mark.parametrize(
    ("told", "confidence"), [(0, 0.0), (0.4, 0.4), (1, 1.0), ("0.4", 0.4), (2, 1.0), (-1, 1.0), (None, 1.0), ({}, 1.0)]
)
def test_confidence_is_taken_when_it_is_one(told: object, confidence: float) -> None:
    assert claim_of(confidence=told).confidence == confidence


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("decision", "decision"),
        (" Decision", "decision"),
        ("turn", "fact"),
        ("gossip", "fact"),
        (None, "fact"),
        (3, "fact"),
    ],
)
def test_an_unknown_kind_is_a_fact(told: object, kind: str) -> None:
    assert claim_of(kind=told).kind == kind


DAY = ("2026-03-01T00:00:00+01:00", "2026-03-02T00:00:00+01:00")


@pytest.mark.parametrize(
    ("words", "begins", "ends"),
    [
        ("yesterday", *DAY),
        ("2026-03-01", *DAY),
        ("since yesterday", *DAY),
        ("until 2026-03-01", *DAY),
        ("2022", "2022-01-01T00:00:00+01:00", "2023-01-01T00:00:00+01:00"),
        ("2026-03-01T10:00:00+05:00", "2026-03-01T10:00:00+05:00", "2026-03-01T10:00:00+05:00"),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
    ],
)
def test_times_are_taken_as_words_and_as_dates(words: str, begins: str, ends: str) -> None:
    assert claim_of(valid_from=words).valid_from == at(begins)
    assert claim_of(valid_to=words).valid_to == at(ends)


@pytest.mark.parametrize("words", ["", "once upon a time", "null", None, 5, ["yesterday"], "2026-13-45", "99999"])
def test_what_is_no_time_leaves_it_open(words: object) -> None:
    claim = claim_of(valid_from=words, valid_to=words)
    assert (claim.valid_from, claim.valid_to) == (None, None)


def test_a_time_that_ends_before_it_begins_is_none() -> None:
    same_day = claim_of(valid_from="2026-03-01", valid_to="2026-03-01")
    assert (same_day.valid_from, same_day.valid_to) == tuple(map(at, DAY))
    backwards = claim_of(valid_from="2026-03-01", valid_to="2025-03-01")
    assert (backwards.valid_from, backwards.valid_to) == (None, None)


def test_what_a_triple_calls_its_object_is_the_value() -> None:
    claim = claim_of(subject="Ana", predicate="lives in", object="Leeds")
    assert (claim.subject, claim.predicate, claim.value) == ("Ana", "lives in", "Leeds")
    assert claim_of(value="York", object="Leeds").value == "York"
    assert claim_of(value=3).value == "3"
    assert (claim_of(subject="N/A").subject, claim_of(value=["Leeds"]).value) == (None, None)


def test_entities_that_fit_no_limit_are_left_out_and_told() -> None:
    names = ["Leeds", {"name": "Leeds", "kind": ""}, {"name": ""}, {"kind": "city"}, {"name": "y" * 201}, 5.5, None]
    findings = found({"text": "Ana moved to Leeds.", "quote": "to Leeds", "entities": names})
    [claim] = findings.claims
    assert claim.entities == (EntitySpec(name="Leeds"), EntitySpec(name="5.5"))
    assert findings.notices() == ("Entities or relations that fit no limit were left out: 4.",)
    many = claim_of(entities=[f"entity {number}" for number in range(60)])
    assert len(many.entities) == 50


def test_relations_bear_the_kinds_of_their_entities() -> None:
    claim = claim_of(
        entities=[{"name": "Ana", "kind": "person"}],
        relations=[{"subject": "ana", "predicate": "lives in", "object": "Leeds"}] * 2,
    )
    [relation] = claim.relations
    assert (relation.subject, relation.object) == (EntitySpec(name="Ana", kind="person"), EntitySpec(name="Leeds"))
    for broken in ({"subject": "Ana", "predicate": "", "object": "Leeds"}, {"subject": "Ana"}, "Ana lives in Leeds"):
        assert claim_of(relations=[broken]).relations == ()


def test_one_thing_told_by_itself_is_a_list_of_one() -> None:
    assert claim_of(entities="Leeds").entities == (EntitySpec(name="Leeds"),)


def test_a_subject_beyond_its_limit_drops_the_statement() -> None:
    findings = found({"text": "Ana moved.", "quote": "moved to Leeds", "subject": "y" * 201})
    assert (findings.claims, findings.dropped) == ([], 1)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([TEXT, "yesterday", "Leeds"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = tuple(EXTRACTION_SCHEMA["properties"]["statements"]["items"]["properties"])


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), ANYTHING) | ANYTHING, max_size=4))
def test_whatever_is_told_gives_claims_within_the_limits_or_is_counted(told: list[Any]) -> None:
    findings = found(*told)
    assert len(findings.claims) + findings.dropped <= len(told)
    assert bool(findings.claims) or findings.dropped == len(told)
    for claim in findings.claims:
        assert claim.kind in KINDS
        assert claim.kind != "turn"
        assert 0 < len(claim.text) <= 2000
        assert 0 <= claim.start < claim.end <= len(TEXT)
        assert 0 <= claim.importance <= 1
        assert 0 <= claim.confidence <= 1
        assert json.dumps([claim.subject, claim.predicate, claim.value])
