"""remember with every field, files of memories, and revise."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.integration.cli.conftest import CommandLine

# The verbs are tested on every graph server; the words of the command line are the same on all.
pytestmark = pytest.mark.only_on("embedded")

MARCH = "2026-03-01T09:30:00+01:00"


def test_every_field_that_is_told_is_kept_and_shown(memorygraph: CommandLine) -> None:
    words = ["--entity", "Ana|person", "--entity", '{"name": "A|B", "kind": "pub"}', "--relation", "Ana|drinks at|A|B"]
    refused = memorygraph("remember", "Ana drinks at the A|B.", *words, "--json")
    assert (refused.code, refused.error["field"]) == (1, "relations")
    words[-1] = '{"subject": {"name": "Ana", "kind": "person"}, "predicate": "drinks at", "object": "A|B"}'
    words += ["--title", "The pub", "--context", "Told over tea.", "--keyword", "pub", "--tag", "places"]
    words += ["--subject", "Ana", "--predicate", "local", "--value", "the A|B", "--functional", "--importance", "7"]
    words += ["--valid-from", MARCH, "--valid-to", "2030-01-01T00:00:00Z", "--expires-at", "2031-01-01T00:00:00Z"]
    words += ["--confidence", "0.9", "--source", "a chat", "--agent", "tests", "--kind", "preference"]
    written = memorygraph("remember", "Ana drinks at the A|B.", *words, "--json").answer
    assert written["outcome"] == "created"
    got = memorygraph("get", written["id"], "--json").answer
    expected: dict[str, object] = {
        "title": "The pub",
        "context": "Told over tea.",
        "keywords": ["pub"],
        "tags": ["places"],
    }
    expected |= {"subject": "Ana", "predicate": "local", "value": "the A|B", "importance": 7, "confidence": 0.9}
    expected |= {"source": "a chat", "agent": "tests", "kind": "preference"}
    expected |= {"valid_from": "2026-03-01T08:30:00+00:00", "valid_to": "2030-01-01T00:00:00+00:00"}
    assert {name: got[name] for name in expected} == expected
    assert {(of["name"], of["kind"]) for of in got["entities"]} >= {("Ana", "person"), ("A|B", "pub")}


def test_a_value_of_a_later_time_takes_the_place_of_the_earlier_and_both_are_read_as_of_a_time(
    memorygraph: CommandLine,
) -> None:
    claim = ["--subject", "Ana", "--predicate", "lives in", "--functional"]
    early = ["--value", "York", "--valid-from", "2020-01-01T00:00:00Z"]
    late = ["--value", "Leeds", "--valid-from", "2024-01-01T00:00:00Z"]
    old = memorygraph("remember", "Ana lives in York.", *claim, *early, "--json").answer["id"]
    told = memorygraph("remember", "Ana lives in Leeds.", *claim, *late)
    assert f"takes the place of {old}" in " ".join(told.out.split())

    def texts(*words: str) -> list[str]:
        ran = memorygraph("recall", "Where does Ana live?", *words, "--json")
        return sorted(hit["memory"]["text"] for hit in ran.answer["hits"])

    assert texts() == ["Ana lives in Leeds."]
    assert texts("--include", "superseded") == ["Ana lives in Leeds.", "Ana lives in York."]
    assert texts("--as-of-valid", "2021-06-01T00:00:00Z") == ["Ana lives in York."]
    assert texts("--as-of-recorded", "2021-06-01T00:00:00Z") == []
    naive = memorygraph("recall", "Ana", "--as-of-valid", "2021-06-01", "--json")
    assert (naive.code, naive.error["code"]) == (1, "naive_time")


def test_what_a_model_concluded_and_what_is_doubtful_is_left_out_unless_asked_for(memorygraph: CommandLine) -> None:
    told = memorygraph("remember", "Bo may like tea.", "--derived", "--confidence", "0.4")
    assert told.out.startswith("Remembered, waiting for a review: ")
    memorygraph("remember", "Bo says he likes tea.", "--speaker", "Bo")

    def texts(*words: str) -> set[str]:
        return {hit["memory"]["text"] for hit in memorygraph("recall", "tea", *words, "--json").answer["hits"]}

    assert texts() == {"Bo says he likes tea."}
    assert texts("--include", "candidate") == {"Bo may like tea.", "Bo says he likes tea."}
    assert texts("--include", "candidate", "--min-confidence", "0.5") == {"Bo says he likes tea."}
    assert "candidate" in memorygraph("recall", "tea", "--include", "candidate").out
    assert memorygraph("recall", "tea", "--include", "rejected", "--json").error["field"] == "include"


def test_a_file_is_remembered_line_by_line_and_what_failed_is_told(
    memorygraph: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items: list[object] = [
        {"text": "Tea at four.", "importance": 8, "entities": ["Tea", ["Ana", "person"]], "tags": ["own"]},
        {"text": "Tea at four.", "importance": 50},
        ["no", "object"],
        {"text": "Cake at five.", "relations": [["Ana", "bakes", {"name": "cake", "kind": "food"}]]},
        {"text": "Scones at six.", "tea": True},
    ]
    file = tmp_path / "items.jsonl"
    file.write_text("\n\n".join(map(json.dumps, items)) + "\n", encoding="utf-8")
    ran = memorygraph("remember", "--file", str(file), "--tag", "ours", "--project", "fete", "--json")
    assert (ran.code, ran.err) == (1, "")
    told = ran.answer
    assert [(item["line"], item["position"], item["outcome"]) for item in told["items"]] == [
        (1, 0, "created"),
        (3, 1, "failed"),
        (5, 2, "failed"),
        (7, 3, "created"),
        (9, 4, "failed"),
    ]
    assert [item["code"] for item in told["items"]] == [None, *["invalid_input"] * 2, None, "invalid_input"]
    assert told["counts"] == {"created": 2, "failed": 3}
    tea, cake = (memorygraph("get", told["items"][at]["written"]["id"], "--json").answer for at in (0, 3))
    assert (tea["importance"], tea["tags"], tea["project"]) == (8, ["own"], "fete")
    assert (cake["importance"], cake["tags"], cake["kind"]) == (5, ["ours"], "fact")

    people = memorygraph("remember", "--file", str(file), "--project", "fete")
    assert (people.code, people.err) == (1, "")
    assert people.out.startswith("Lines 5: confirmed 2, failed 3.\nline 3: invalid_input: importance is 50")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "Jam at seven."}\n')))
    piped = memorygraph("remember", "--file", "-", "--json")
    assert (piped.code, piped.answer["counts"]) == (0, {"created": 1})


def test_a_file_that_cannot_be_read_is_refused_before_anything_is_written(
    memorygraph: CommandLine, tmp_path: Path
) -> None:
    broken = tmp_path / "items.jsonl"
    broken.write_text('{"text": "Tea at four."}\n{"text": \n', encoding="utf-8")
    for words, field in (
        (["--file", str(broken)], "data"),
        (["--file", str(tmp_path / "none.jsonl")], "file"),
        (["--file", str(tmp_path)], "file"),
        (["--file", str(broken), "--idempotency-key", "k"], "idempotency_key"),
        (["Tea.", "--file", str(broken)], "text"),
    ):
        refused = memorygraph("remember", *words, "--json")
        assert (refused.code, refused.out, refused.error["field"]) == (1, "", field)
    assert memorygraph("recall", "tea", "--json").answer["outcome"] == "unknown_user"
    missing = memorygraph("remember")
    assert missing.code == 2
    assert "TEXT" in missing.err


def test_a_memory_is_revised_field_by_field(memorygraph: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--title", "Tea", "--tag", "a", "--tag", "b", "--project", "home", "--json"]
    id = memorygraph("remember", "Tea at four.", *words).answer["id"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("Tea at five.\n"))
    told = ["--text", "-", "--tag", "c", "--importance", "9", "--clear", "title", "--if-revision", "1"]
    revised = memorygraph("revise", id, *told, "--json").answer
    expected = {"text": "Tea at five.", "tags": ["c"], "importance": 9, "title": None, "project": "home", "revision": 2}
    assert {name: revised[name] for name in expected} == expected
    assert [hit["memory"]["text"] for hit in memorygraph("recall", "five", "--json").answer["hits"]] == ["Tea at five."]
    shown = memorygraph("revise", id, "--clear", "tags", "--title", "High tea")
    assert shown.code == 0
    assert "High tea" in shown.out
    for words, code in (
        ([id], "invalid_input"),
        ([id, "--title", "Tea", "--if-revision", "1"], "conflict"),
        ([id, "--clear", "text"], "invalid_input"),
        ([id, "--clear", "title", "--title", "Tea"], "invalid_input"),
        (["no-such-id", "--title", "Tea"], "not_found"),
    ):
        refused = memorygraph("revise", *words, "--json")
        assert (refused.code, refused.out, refused.error["code"]) == (1, "", code)
    assert memorygraph("get", id, "--json").answer["revision"] == 3


def test_a_file_longer_than_a_batch_is_remembered_to_its_end(memorygraph: CommandLine, tmp_path: Path) -> None:
    texts = ["Tea at four.", *[""] * 1999, "Cake at five.", ""]
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(json.dumps({"text": text}) for text in texts), encoding="utf-8")
    told = memorygraph("remember", "--file", str(file), "--json").answer
    assert told["counts"] == {"created": 2, "failed": 2000}
    assert [item["line"] for item in told["items"] if item["outcome"] == "created"] == [1, 2001]
    assert [item["position"] for item in told["items"]] == list(range(2002))
    assert len(memorygraph("list", "--json").answer["items"]) == 2
