"""remember, recall, get and forget on real graph servers."""

from __future__ import annotations

import io
import sys
from datetime import datetime

import pytest

from tests.integration.cli.conftest import CommandLine


def test_what_is_remembered_is_recalled_and_got(memorygraph: CommandLine) -> None:
    words = ["--speaker", "Ana", "--entity", "Leeds", "--tag", "home", "--importance", "8", "--json"]
    written = memorygraph("remember", "I moved to Leeds in May.", *words)
    assert written.code == 0, written.err
    assert written.answer["outcome"] == "created"
    assert {entity["name"] for entity in written.answer["entities"]} >= {"Leeds"}
    id = written.answer["id"]

    found = memorygraph("recall", "Where did Ana move?", "--json")
    assert found.code == 0, found.err
    assert [hit["memory"]["id"] for hit in found.answer["hits"]] == [id]

    got = memorygraph("get", id, "--json")
    assert got.answer["text"] == "I moved to Leeds in May."
    assert got.answer["importance"] == 8
    assert got.answer["tags"] == ["home"]
    assert (written.err, found.err, got.err) == ("", "", "")


def test_the_same_statement_again_confirms_the_first(memorygraph: CommandLine) -> None:
    first = memorygraph("remember", "The kettle is in the attic.", "--json").answer
    again = memorygraph("remember", "The kettle is in the attic.", "--json").answer
    other = memorygraph("remember", "The kettle is in the cellar.", "--json").answer
    assert (first["outcome"], again["outcome"], other["outcome"]) == ("created", "confirmed", "created")
    assert first["id"] == again["id"] != other["id"]


def test_filters_narrow_what_is_recalled(memorygraph: CommandLine) -> None:
    memorygraph("remember", "The red boat needs paint.", "--tag", "boat", "--project", "harbour", "--kind", "event")
    memorygraph("remember", "The red door needs paint.", "--tag", "house", "--project", "home")

    def texts(*words: str) -> set[str]:
        hits = memorygraph("recall", "What needs paint?", "--json", *words).answer["hits"]
        return {hit["memory"]["text"] for hit in hits}

    boat, door = "The red boat needs paint.", "The red door needs paint."
    assert texts() == {boat, door}
    assert texts("--tag", "boat") == {boat}
    assert texts("--project", "home") == {door}
    assert texts("--kind", "event") == {boat}
    assert texts("--kind", "event", "--kind", "fact") == {boat, door}
    assert len(texts("--limit", "1")) == 1


def test_a_session_narrows_too(memorygraph: CommandLine) -> None:
    memorygraph("remember", "Tea at four.", "--session", "monday")
    memorygraph("remember", "Tea at five.", "--session", "tuesday")
    hits = memorygraph("recall", "When is tea?", "--session", "monday", "--json").answer["hits"]
    assert [hit["memory"]["text"] for hit in hits] == ["Tea at four."]


def test_text_is_read_from_standard_input(memorygraph: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("The ferry leaves\nat seven.\n"))
    id = memorygraph("remember", "-", "--json").answer["id"]
    assert memorygraph("get", id, "--json").answer["text"] == "The ferry leaves\nat seven."


def test_nothing_found_is_an_answer_and_no_error(memorygraph: CommandLine) -> None:
    unknown = memorygraph("recall", "anything", "--json")
    assert (unknown.code, unknown.answer["outcome"], unknown.answer["hits"]) == (0, "unknown_user", [])
    memorygraph("remember", "Tea at four.", "--tag", "tea")
    filtered = memorygraph("recall", "Tea?", "--tag", "coffee", "--json")
    assert (filtered.code, filtered.answer["outcome"]) == (0, "filtered_out")
    assert memorygraph("recall", "Tea?", "--tag", "tea", "--json").answer["outcome"] == "found"


@pytest.mark.parametrize(
    ("words", "code", "field"),
    [
        (["remember", ""], "invalid_input", "text"),
        (["remember", "x" * 2001], "invalid_input", "text"),
        (["remember", "half a pair \udc80"], "invalid_input", "text"),
        (["remember", "a\x00b"], "invalid_input", "text"),
        (["remember", "tea", "--kind", "poem"], "invalid_input", "kind"),
        (["remember", "tea", "--confidence", "nan"], "invalid_input", "confidence"),
        (["remember", "tea", "--occurred-at", "2026-03-02T09:00:00"], "naive_time", "occurred_at"),
        (["remember", "tea", "--user", ""], "invalid_end_user_id", "end_user_id"),
        (["remember", "tea", "--user", "u" * 10_000], "invalid_end_user_id", "end_user_id"),
        (["remember", "tea", "--user", "a'}) DETACH DELETE (n) //"], "invalid_end_user_id", "end_user_id"),
        (["recall", "tea", "--limit", "0"], "invalid_input", "limit"),
        (["get", "no-such-id"], "not_found", None),
    ],
)
def test_bad_input_is_told_with_its_code_and_changes_nothing(
    words: list[str], code: str, field: str | None, memorygraph: CommandLine
) -> None:
    before = memorygraph("remember", "The well is deep.", "--json").answer
    refused = memorygraph(*words, "--json")
    assert (refused.code, refused.out) == (1, "")
    assert (refused.error["code"], refused.error.get("field")) == (code, field)
    after = memorygraph("remember", "The well is dry.", "--json").answer
    assert after["seq"] == before["seq"] + 1


def test_people_see_what_was_found_and_what_to_do(memorygraph: CommandLine) -> None:
    written = memorygraph("remember", "Beware of [bold]markup[/bold] :cat: in 普洱 tea.", "--speaker", "Bo")
    assert written.out.startswith("Remembered: ")
    id = written.out.split()[1]
    found = memorygraph("recall", "markup")
    assert "Bo: Beware of [bold]markup[/bold] :cat: in 普洱 tea." in " ".join(found.out.split())
    assert id in found.out
    shown = memorygraph("get", id)
    assert "importance" in shown.out
    assert "普洱" in shown.out
    assert memorygraph("recall", "zzz", "--tag", "none").out == "Nothing passes the filters.\n"
    lost = memorygraph("get", "no-such-id")
    assert (lost.code, lost.out) == (1, "")
    assert lost.err.startswith("error: ")


def test_a_memory_is_used_when_it_is_recalled_unless_asked_not_to(memorygraph: CommandLine) -> None:
    id = memorygraph("remember", "Tea at four.", "--json").answer["id"]
    memorygraph("recall", "tea", "--no-reinforce")
    assert memorygraph("get", id, "--json").answer["access_count"] == 1
    # Within a minute of the first an access does not count, so reinforcing shows only that it is taken.
    assert memorygraph("recall", "tea", "--reinforce", "--json").code == 0


def test_a_cycle_is_run_and_listed(memorygraph: CommandLine) -> None:
    memorygraph("remember", "Tea at four.", "--entity", "tea")
    assert memorygraph("forget", "status", "--json").answer["cycles"] == []
    assert memorygraph("forget", "status").out.startswith("No forgetting cycle")
    ran = memorygraph("forget", "run", "--json")
    assert ran.code == 0, ran.err
    assert (ran.answer["status"], ran.answer["trigger_type"], ran.answer["merged_count"]) == ("succeeded", "manual", 0)
    listed = memorygraph("forget", "status", "--json").answer["cycles"]
    assert [cycle["id"] for cycle in listed] == [ran.answer["id"]]
    assert "manual" in memorygraph("forget", "status").out
    assert memorygraph("forget", "run").out.startswith("Cycle succeeded: 0 merged, 0 failed, 0 skipped")
    assert len(memorygraph("forget", "status", "--limit", "1", "--json").answer["cycles"]) == 1


def test_a_curve_is_drawn_for_people_and_told_for_programs(memorygraph: CommandLine) -> None:
    id = memorygraph("remember", "Tea at four.", "--json").answer["id"]
    drawn = memorygraph("curve", id)
    assert drawn.code == 0, drawn.err
    assert "Cold (retention 0.3): 2" in drawn.out
    assert "Used once until " in drawn.out
    assert ".30 " in drawn.out  # the mark of the threshold at the chart's edge
    told = memorygraph("curve", id, "--points", "3", "--json").answer
    assert datetime.fromisoformat(told["cold_at"]) < datetime.fromisoformat(told["points"][-1]["at"])
    assert [point["retention"] for point in told["points"]] == sorted(
        (point["retention"] for point in told["points"]), reverse=True
    )
    assert (len(told["points"]), told["threshold"], len(told["accesses"])) == (3, 0.3, 1)
    for words, code in (([id, "--points", "1"], "invalid_input"), (["no-such-id"], "not_found")):
        refused = memorygraph("curve", *words, "--json")
        assert (refused.code, refused.error["code"]) == (1, code)
    assert memorygraph("curve", id, "--start", "yesterday", "--json").error["code"] == "invalid_input"


def test_a_recall_says_why_when_it_is_asked(memorygraph: CommandLine) -> None:
    memorygraph("remember", "Tea at four.")
    told = memorygraph("recall", "tea", "--explain")
    assert "activation " in told.out
    assert "last used 0.0 days before" in told.out
    assert "last used" not in memorygraph("recall", "tea").out
    (hit,) = memorygraph("recall", "tea", "--explain", "--json").answer["hits"]
    assert hit["explanation"]["retention"] == hit["memory"]["retention"]
    assert memorygraph("recall", "tea", "--json").answer["hits"][0]["explanation"] is None
