"""doctor and migrate, on stores that are well and on stores that are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memorygraph.settings import Settings
from memorygraph_api.cli import run
from tests.integration.cli.conftest import CommandLine
from tests.support.command_line import environment_of


def diagnosed(capsys: pytest.CaptureFixture[str], code: int) -> dict[str, dict[str, Any]]:
    """The checks of ``doctor --json`` by name, after its exit code was ``code``."""
    capsys.readouterr()
    assert run(["doctor", "--json"]) == code
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
