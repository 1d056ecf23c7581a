"""ingest, and the jobs that make memories of what was kept."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.integration.cli.conftest import CommandLine

pytestmark = pytest.mark.only_on("embedded")

TALK = [
    {"role": "user", "content": "I moved to Leeds in May.", "name": "Ana"},
    {"role": "assistant", "content": "The flat in Leeds costs 850 pounds."},
]


def test_a_conversation_is_ingested_and_recalled_and_its_job_is_told(memorygraph: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(TALK), encoding="utf-8")
    words = [str(file), "--session", "may", "--project", "home", "--tag", "talk"]
    ran = memorygraph("ingest", *words, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert (ran.answer["kind"], ran.answer["state"], ran.answer["error"]) == ("ingest", "succeeded", None)
    assert ran.answer["result"]["episodes"] == 2
    id = ran.answer["id"]
    (hit, *_) = memorygraph("recall", "Where did Ana move?", "--json").answer["hits"]
    told = {name: hit["memory"][name] for name in ("text", "speaker", "session_id", "project", "tags")}
    assert told == {
        "text": "I moved to Leeds in May.",
        "speaker": "Ana",
        "session_id": "may",
        "project": "home",
        "tags": ["talk"],
    }
    again = memorygraph("ingest", *words)
    assert (again.code, again.err) == (0, "")
    assert again.out.startswith(f"Ingest succeeded: {id}\nepisodes 2")
    listed = memorygraph("jobs", "list", "--state", "succeeded", "--state", "dead", "--json")
    assert [job["id"] for job in listed.answer["jobs"]] == [id]
    assert memorygraph("jobs", "show", id, "--json").answer == ran.answer
    for refused in (memorygraph("jobs", "requeue", id, "--json"), memorygraph("jobs", "cancel", id, "--json")):
        assert (refused.code, refused.out, refused.error["code"]) == (1, "", "conflict")
    assert memorygraph("jobs", "list", "--state", "lost", "--json").error["field"] == "states"
    for verb in ("show", "wait", "cancel", "requeue"):
        assert memorygraph("jobs", verb, "no-such-job", "--json").error["code"] == "not_found"


def test_a_job_is_left_for_later_stopped_and_run_after_all(
    memorygraph: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memorygraph("jobs", "list").out == "No jobs.\n"
    document = "# Tea\n\nThe kettle is in the attic.\n\nThe cups are in the cellar.\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(document.encode())))
    left = memorygraph("ingest", "-", "--no-wait", "--json")
    assert left.code == 0, left.err
    id = left.answer["id"]
    stopped = memorygraph("jobs", "cancel", id)
    assert (stopped.code, stopped.out) == (0, f"Ingest cancelled: {id}\n")
    at_end = memorygraph("jobs", "wait", id, "--json")
    assert (at_end.code, at_end.answer["state"]) == (1, "cancelled")
    assert "cancelled" in memorygraph("jobs", "list").out
    assert memorygraph("jobs", "requeue", id, "--json").answer["state"] == "queued"
    ran = memorygraph("jobs", "run", "--json")
    assert (ran.code, ran.answer["idle"], ran.answer["degraded"]) == (0, True, None)
    assert ran.answer["jobs"]["succeeded"] >= 1
    assert memorygraph("jobs", "wait", id, "--timeout", "60", "--json").answer["state"] == "succeeded"
    assert memorygraph("jobs", "show", id).out.startswith(f"Ingest succeeded: {id}\n")
    assert memorygraph("recall", "Where is the kettle?", "--json").answer["outcome"] == "found"
    people = memorygraph("jobs", "run")
    assert (people.code, people.out.splitlines()[0]) == (0, "No job is due.")


def test_a_job_is_put_off_while_the_model_is_away_and_that_is_told(
    memorygraph: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYGRAPH_LLM_MODEL", "openai/scripted")
    monkeypatch.setenv("MEMORYGRAPH_LLM_API_KEY", "none")
    monkeypatch.setenv("MEMORYGRAPH_LLM_API_BASE", "http://127.0.0.1:1/v1")
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(TALK), encoding="utf-8")
    ran = memorygraph("ingest", str(file))
    assert (ran.code, ran.err) == (1, "")
    assert "Ingest queued: " in ran.out
    assert "error: model_unavailable" in ran.out
    assert "to be tried again from " in ran.out
    # What was said is there all the same.
    assert memorygraph("recall", "Where did Ana move?", "--json").answer["outcome"] == "found"


@pytest.mark.parametrize(
    ("name", "content", "words", "field"),
    [
        ("scan.pdf", b"%PDF-1.7", [], "data"),
        ("empty.md", b" \n", [], "data"),
        ("talk.json", b'{"turns": ', [], "data"),
        ("notes.txt", b"Tea.", ["--format", "poem"], "format"),
        ("notes.txt", b"Tea.", ["--zone", "Europe/Atlantis"], "zone"),
        ("notes.txt", b"Tea.", ["--occurred-at", "2026-03-02"], "occurred_at"),
        ("long.txt", b"x" * 5_000_001, [], "data"),
    ],
    ids=["foreign", "empty", "no JSON", "no format", "no zone", "no time", "too long"],
)
def test_what_cannot_be_ingested_is_refused_with_the_reason(
    name: str, content: bytes, words: list[str], field: str, memorygraph: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    refused = memorygraph("ingest", str(tmp_path / name), *words, "--json")
    assert (refused.code, refused.out, refused.error["field"]) == (1, "", field)


def test_a_file_that_is_not_there_is_told(memorygraph: CommandLine, tmp_path: Path) -> None:
    refused = memorygraph("ingest", str(tmp_path / "none.md"), "--json")
    assert (refused.code, refused.error["code"], refused.error["field"]) == (1, "invalid_input", "file")
