"""doctor and migrate, on stores that are well and on stores that are not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from memorygraph.settings import Settings
from memorygraph_api.cli import run
from tests.integration.cli.conftest import CommandLine
from tests.support.command_line import environment_of
from tests.support.raw_graph import raw_graph


def diagnosed(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> dict[str, dict[str, Any]]:
    """The checks of ``doctor --json`` with ``words`` by name, after its exit code was ``code``."""
    capsys.readouterr()
    assert run(["doctor", "--json", *words]) == code
    told = capsys.readouterr()
    assert told.err == ""
    answer = json.loads(told.out)
    assert answer["ok"] is (code == 0)
    return {check["name"]: check for check in answer["checks"]}


def test_a_store_that_is_well_is_told_line_by_line(memorygraph: CommandLine) -> None:
    memorygraph("remember", "Tea at four.")
    ran = memorygraph("doctor", "--json")
    assert ran.code == 0, ran.out
    assert ran.answer["ok"]
    assert all(check["ok"] and check["detail"] for check in ran.answer["checks"])
    people = memorygraph("doctor")
    assert people.code == 0
    assert [line[:4] for line in people.out.splitlines() if line[:4].strip()] == ["ok  "] * len(ran.answer["checks"])


def test_a_graph_server_out_of_reach_is_told_with_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORYGRAPH_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("MEMORYGRAPH_NEO4J_URI", "bolt://127.0.0.1:1")
    failed = [check for check in diagnosed(capsys, 1).values() if not check["ok"]]
    assert failed
    assert all(check["detail"] and check["advice"] for check in failed)
    assert any("127.0.0.1:1" in check["detail"] for check in failed)
    assert run(["doctor"]) == 1
    assert "FAIL" in capsys.readouterr().out


def test_a_folder_that_is_a_file_is_told_and_left_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    monkeypatch.setenv("MEMORYGRAPH_DATA_DIR", str(file))
    assert not all(check["ok"] for check in diagnosed(capsys, 1).values())
    assert file.read_text() == "mine"


def test_settings_that_cannot_be_used_are_a_failed_check(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYGRAPH_EMBEDER", "auto")
    checks = diagnosed(capsys, 1)
    assert list(checks) == ["settings"]
    assert "MEMORYGRAPH_EMBEDDER" in checks["settings"]["advice"]


def test_migrate_makes_a_new_store_and_then_has_nothing_to_do(
    fresh_store: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment_of(fresh_store).items():
        monkeypatch.setenv(name, value)
    assert run(["migrate", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert run(["migrate", "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    for store in ("graph", "ledger"):
        assert first[store]["before"] != first[store]["after"]
        assert second[store] == {"before": first[store]["after"], "after": first[store]["after"]}
    assert run(["migrate"]) == 0
    assert "nothing to do" in capsys.readouterr().out


@pytest.mark.only_on("neo4j5", "neo4j2026")
def test_compacting_a_store_on_neo4j_does_the_ledger_and_says_that_the_graph_keeps_its_files(
    memorygraph: CommandLine,
) -> None:
    memorygraph("remember", "Tea at four.")
    ran = memorygraph("compact", "--json")
    assert ran.code == 1
    assert ran.answer["graph"] is None
    assert "fresh one" in ran.answer["refusal"]
    assert ran.answer["ledger"]["bytes_after"] > 0
    people = memorygraph("compact")
    assert people.code == 1
    assert "graph: not done." in people.out
    assert memorygraph("recall", "tea", "--json").answer["hits"]


@pytest.mark.only_on("embedded")
def test_a_deep_look_tells_what_is_wrong_with_whose_memory(
    fresh_store: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment_of(fresh_store).items():
        monkeypatch.setenv(name, value)
    for user in ("ana", "bob"):
        assert run(["remember", "Tea at four.", "--user", user]) == 0
    capsys.readouterr()
    assert run(["doctor", "--deep"]) == 0
    assert "those of 2 users are whole" in capsys.readouterr().out

    async def plant() -> None:
        async with raw_graph(fresh_store) as raw:
            await raw.run("MATCH (s:Statement {end_user_id: 'bob'}) SET s.source_count = 5")
            await raw.run("CREATE (:Episode {end_user_id: 'nobody', id: 'stray'}), (:Episode {id: 'lost'})")

    asyncio.run(plant())
    memories = diagnosed(capsys, 1, "--deep")["memories"]
    assert "3 faults among those of 2 users" in memories["detail"]
    found = {(fault["kind"], fault["end_user_id"]): fault for fault in memories["faults"]}
    assert found.keys() == {("counts", "bob"), ("ownership", "nobody"), ("ownership", None)}
    assert found["ownership", None]["ids"] == ["lost"]
    assert run(["doctor", "--deep"]) == 1
    told = capsys.readouterr().out
    assert "FAIL  memories" in told
    for fault in found.values():
        assert f"{fault['ids'][0]}: {fault['detail']}" in told
        assert fault["advice"] in told
    assert "memories" not in diagnosed(capsys, 0)
