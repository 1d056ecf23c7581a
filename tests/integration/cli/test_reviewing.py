"""review: candidates, contradictions, and values that are refused."""

from __future__ import annotations

import pytest

from tests.integration.cli.conftest import CommandLine

pytestmark = pytest.mark.only_on("embedded")


def test_a_candidate_is_approved_and_another_is_rejected_and_refused_from_then_on(memorygraph: CommandLine) -> None:
    assert memorygraph("review", "queue").out == "Nothing waits for a review.\n"
    assert memorygraph("review", "tombstones").out == "No value is refused.\n"
    good = memorygraph("remember", "Bo likes tea.", "--derived", "--json").answer["id"]
    bad = memorygraph("remember", "Bo hates cats.", "--derived", "--json").answer["id"]
    queue = memorygraph("review", "queue", "--json").answer
    assert [(item["memory"]["id"], item["waits_for"]) for item in queue["items"]] == [
        (good, "approval"),
        (bad, "approval"),
    ]
    assert queue["items"][0]["memory"]["importance"] == 5
    first = memorygraph("review", "queue", "--limit", "1")
    assert "Bo likes tea." in first.out
    cursor = first.out.split("--cursor ")[1].strip()
    assert "Bo hates cats." in memorygraph("review", "queue", "--cursor", cursor).out
    assert memorygraph("review", "approve", good, "--json").answer["trust"] == "accepted"
    rejected = memorygraph("review", "reject", bad, "--reason", "He has two.")
    assert (rejected.code, rejected.out.splitlines()[:2]) == (0, ["Rejected", "Bo hates cats."])

    again = memorygraph("remember", "BO  hates cats!", "--json")
    assert (again.code, again.err, again.answer["outcome"]) == (1, "", "refused")
    people = memorygraph("remember", "Bo hates cats.")
    assert people.code == 1
    assert people.out.startswith("Refused: this value was rejected before.")
    (stone,) = memorygraph("review", "tombstones", "--json").answer["items"]
    assert (stone["memory_id"], stone["reason"], stone["lifted_at"]) == (bad, "He has two.", None)
    fingerprint = stone["fingerprint"]
    assert fingerprint == again.answer["refusal"]["fingerprint"]
    lifted = memorygraph("review", "lift", fingerprint, "--json")
    assert lifted.answer == {"fingerprint": fingerprint, "lifted": True}
    assert "lifted" in memorygraph("review", "tombstones").out
    assert memorygraph("remember", "Bo hates cats.", "--json").answer["outcome"] == "created"
    for words, code in (
        (("lift", fingerprint), "conflict"),
        (("lift", "no-such-tombstone"), "not_found"),
        (("approve", good), "conflict"),
        (("reject", "no-such-id", "--reason", "Why not."), "not_found"),
        (("queue", "--cursor", "nonsense"), "invalid_input"),
    ):
        refused = memorygraph("review", *words, "--json")
        assert (refused.code, refused.out, refused.error["code"]) == (1, "", code)


def test_a_contradiction_is_answered(memorygraph: CommandLine) -> None:
    uses = memorygraph("remember", "Acme uses webpack.", "--json").answer["id"]
    told = memorygraph("remember", "Acme does not use webpack.")
    assert "a question for the review, negation: Acme uses webpack." in " ".join(told.out.split())
    queue = memorygraph("review", "queue", "--json").answer["items"]
    (other,) = {item["memory"]["id"] for item in queue} - {uses}
    assert "Acme uses webpack." in memorygraph("review", "queue").out
    assert "contradiction" in memorygraph("get", uses, "--relatives").out
    for words, code in (
        ((uses, other, "forget"), "invalid_input"),
        ((uses, other, "supersede"), "invalid_input"),
        ((uses, "no-such-id", "keep_both"), "not_found"),
    ):
        refused = memorygraph("review", "answer", *words, "--json")
        assert (refused.code, refused.out, refused.error["code"]) == (1, "", code)
    done = memorygraph("review", "answer", uses, other, "supersede", "--keep", other, "--reason", "It moved.", "--json")
    assert done.code == 0, done.err
    assert (done.answer["memory"]["status"], done.answer["other"]["status"]) == ("superseded", "active")
    (tie,) = memorygraph("get", uses, "--relatives", "--json").answer["relatives"]["superseded_by"]
    assert (tie["id"], tie["reason"]) == (other, "It moved.")
    again = memorygraph("review", "answer", uses, other, "keep-both", "--json")
    assert (again.code, again.error["code"]) == (1, "conflict")
