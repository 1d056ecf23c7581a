"""The demonstration, as a person or a program runs it: what it says is what happened."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from memorygraph.settings import Settings
from memorygraph_api.demo.conversation import shipped
from tests.support.command_line import COMMAND, child_environment, environment_of, run_command
from tests.support.graph_servers import GraphKind

# To it, one Neo4j is like the other.
pytestmark = pytest.mark.only_on("embedded", "neo4j2026")

TURNS = {turn.id: turn for turn in shipped().turns}


@pytest.fixture(scope="module")
def variables(graph_kind: GraphKind, settings: Settings) -> dict[str, str]:
    """Where the demonstration runs: by itself, or on a configured Neo4j."""
    return {} if graph_kind == "embedded" else environment_of(settings)


@pytest.fixture(scope="module")
def played(variables: dict[str, str]) -> dict[str, Any]:
    done = run_command(["demo", "--json"], variables)
    assert (done.returncode, done.stderr) == (0, "")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def stores_in(folder: Path) -> list[Path]:
    """Temporary stores; the libraries leave caches of their own beside them."""
    return list(folder.glob("memorygraph-demo-*"))


def originals(lineage: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for original in lineage["originals"]:
        if original["lineage"]:
            found |= originals(original["lineage"])
        else:
            found[original["memory"]["id"]] = original["memory"]
    return found


def test_every_turn_is_remembered_with_who_spoke_and_when(played: dict[str, Any]) -> None:
    memories = played["memories"]
    assert [(m["turn"], m["text"], m["speaker"]) for m in memories] == [
        (t.id, t.text, t.speaker) for t in TURNS.values()
    ]
    assert {m["outcome"] for m in memories} == {"created"}
    assert all(m["speaker"] in m["entities"] for m in memories)
    assert {"Ilse Brandt", "Wooden Wheel", "Pavel Dudek"} <= {name for m in memories for name in m["entities"]}


def test_every_question_finds_its_evidence_before_anything_is_forgotten(played: dict[str, Any]) -> None:
    assert len(played["answers"]["before"]) == len(shipped().questions)
    for answer in played["answers"]["before"]:
        assert answer["evidence_rank"] is not None, answer["question"]
        scores = [found["score"] for found in answer["found"]]
        assert scores == sorted(scores, reverse=True)


def test_memories_that_are_not_used_go_cold_and_those_that_are_stay_warm(played: dict[str, Any]) -> None:
    passed = played["time_passed"]
    threshold = passed["kept"]["curve"]["threshold"]
    kept, fading = ([point["retention"] for point in passed[name]["curve"]["points"]] for name in ("kept", "fading"))
    assert kept[0] > threshold < fading[0]
    assert kept[-1] > threshold > fading[-1]
    assert fading == sorted(fading, reverse=True)
    assert passed["days"] == 120
    assert 0 < passed["cold"] < passed["live"] == len(TURNS)


def test_the_cycle_fuses_what_is_cold_and_nothing_fails(played: dict[str, Any]) -> None:
    cycle = played["cycle"]
    assert cycle["status"] == "succeeded"
    assert cycle["merged_count"] >= 1
    assert cycle["failed_count"] == 0
    assert cycle["summary_count"] == len(played["summaries"]) == len(cycle["summaries"]) >= 1
    assert cycle["total_nodes_after"] < cycle["total_nodes_before"]
    fused = {id for lineage in played["summaries"] for id in originals(lineage)}
    # What was used lately is never among the fused, and nothing is fused twice.
    assert not fused & {id for reuse in played["time_passed"]["reused"] for id in reuse["ids"]}
    assert len(fused) == sum(len(originals(lineage)) for lineage in played["summaries"])


def test_a_summary_answers_a_question_whose_evidence_was_fused(played: dict[str, Any]) -> None:
    told = played["answered_by_summary"]
    assert told["evidence_ids"]
    before = next(a for a in played["answers"]["before"] if a["question"] == told["question"])
    assert before["found"][before["evidence_rank"] - 1]["type"] == "Statement"
    answering = told["found"][told["evidence_rank"] - 1]
    assert answering["type"] == "MemorySummary"
    assert answering["id"] == played["lineage"]["summary"]["id"]
    assert not {found["id"] for found in told["found"]} & set(told["evidence_ids"])


def test_the_lineage_leads_to_the_turns_as_they_were_said(played: dict[str, Any]) -> None:
    turn_of = {memory["id"]: memory["turn"] for memory in played["memories"]}
    found = originals(played["lineage"])
    assert set(played["answered_by_summary"]["evidence_ids"]) <= set(found)
    for id, memory in found.items():
        assert memory["type"] == "Forgotten"
        assert memory["text"] == TURNS[turn_of[id]].text
        assert memory["speaker"] == TURNS[turn_of[id]].speaker


def test_what_was_used_on_the_way_is_still_there_as_it_was_said(played: dict[str, Any]) -> None:
    used = {id for reuse in played["time_passed"]["reused"] for id in reuse["ids"]}
    assert used
    assert set(played["still_live"]) == used


def test_the_correction_is_found_before_and_after(played: dict[str, Any]) -> None:
    question = shipped().questions[0]
    corrected = question.evidence[0]
    for answers in (played["answers"]["before"], played["answers"]["after"]):
        answer = next(a for a in answers if a["question"] == question.text)
        found = next(f for f in answer["found"] if corrected in f["turns"])
        assert "Thursday 20 March" in found["text"]


def test_the_event_chain_verifies_and_holds_every_turn_and_fusion(played: dict[str, Any]) -> None:
    assert played["events"]["verified"] is True
    assert played["events"]["count"] >= len(TURNS) + played["cycle"]["summary_count"]


def test_each_run_on_a_server_has_a_user_of_its_own(
    played: dict[str, Any], variables: dict[str, str], graph_kind: GraphKind
) -> None:
    store = played["store"]
    if graph_kind == "embedded":
        assert store == {"server": "embedded", "data_dir": None, "end_user_id": "demo"}
    else:
        assert store["server"] == variables["MEMORYGRAPH_NEO4J_URI"]
        assert store["end_user_id"].startswith("demo-")
        refused = run_command(["demo", "--keep", tempfile.gettempdir(), "--json"], variables)
        assert refused.returncode == 1
        assert json.loads(refused.stderr)["error"]["field"] == "keep"


@pytest.mark.only_on("embedded")
def test_people_see_it_in_80_columns_without_a_terminal(graph_kind: GraphKind, tmp_path: Path) -> None:
    file, scratch = tmp_path / "talk.json", tmp_path / "tmp"
    file.write_text(json.dumps(_talk()), encoding="utf-8")
    scratch.mkdir()
    words = ["demo", "--file", str(file)]
    done = run_command(words, {"NO_COLOR": "1", "COLUMNS": "80", "TMPDIR": str(scratch)})
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    for heading in ("Remember", "Ask", "120 days pass", "Forget", "Ask again", "What became of one answer"):
        assert heading in done.stdout
    assert " merged, 0 failed, " in done.stdout
    assert "│" in done.stdout
    assert stores_in(scratch) == []


@pytest.mark.only_on("embedded")
def test_a_terminal_of_plain_ascii_gets_it_and_a_kept_store_can_be_asked_afterwards(
    graph_kind: GraphKind, tmp_path: Path
) -> None:
    file, folder = tmp_path / "talk.json", tmp_path / "kept"
    file.write_text(json.dumps([_talk(), _talk()]), encoding="utf-8")
    words = ["demo", "--file", str(file), "--conversation", "2", "--days", "1", "--keep", str(folder)]
    done = run_command(words, {"MEMORYGRAPH_EMBEDDED_IDLE_SECONDS": "0", "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert "Do\\u0148a" in done.stdout
    assert str(folder) in "".join(done.stdout.split())
    told_user = re.search(r'The user is "(.+?)"', done.stdout)
    assert told_user
    asked = run_command(
        ["recall", "Who drinks tea?", "--json"],
        {
            "MEMORYGRAPH_DATA_DIR": str(folder),
            "MEMORYGRAPH_END_USER_ID": told_user[1],
            "MEMORYGRAPH_EMBEDDED_IDLE_SECONDS": "0",
        },
    )
    assert asked.returncode == 0, asked.stderr
    assert any("tea" in hit["memory"]["text"] for hit in json.loads(asked.stdout)["hits"])


def test_a_folder_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("mine")
    done = run_command(["demo", "--keep", str(tmp_path), "--json"])
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads(done.stderr)["error"]["field"] == "keep"
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_a_file_in_another_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text('{"messages": []}')
    done = run_command(["demo", "--file", str(file), "--json"])
    assert (done.returncode, done.stdout) == (1, "")
    assert json.loads(done.stderr)["error"]["field"] == "file"
    chosen = run_command(["demo", "--conversation", "2", "--json"])
    assert json.loads(chosen.stderr)["error"]["field"] == "conversation"


@pytest.mark.only_on("embedded")
def test_an_interrupted_demonstration_leaves_nothing_behind(graph_kind: GraphKind, tmp_path: Path) -> None:
    child = subprocess.Popen(
        [*COMMAND, "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=child_environment({"TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}),
    )
    assert child.stdout is not None
    # The first line is printed when the store is open and the turns begin to be remembered.
    assert child.stdout.readline().startswith("Nadia and Ruben")
    assert len(stores_in(tmp_path)) == 1
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=60)
    assert (child.returncode, told) == (130, "")
    assert stores_in(tmp_path) == []


def _talk() -> dict[str, Any]:
    return {
        "sample_id": "tea",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Doňa", "dia_id": "D1:1", "text": "Do you drink tea, Bo?", "blip_caption": "a cup of tea"},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "I drink green tea from Uji every morning."},
            ],
        },
        "qa": [{"question": "What does Bo drink?", "answer": "green tea", "evidence": ["D1:2"]}],
    }
