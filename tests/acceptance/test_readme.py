"""The README's quick start, run as it stands there on a real store."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memorygraph.settings import Settings
from memorygraph_api.cli import run
from tests.support.checkout import CHECKOUT
from tests.support.command_line import child_environment, environment_of

pytestmark = pytest.mark.only_on("embedded")

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of the README in ``language``."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_quick_start_in_python_prints_what_the_readme_says(settings: Settings, tmp_path: Path) -> None:
    (program,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=child_environment(environment_of(settings)),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == blocks("text")[0]
    assert len([line for line in program.splitlines() if line.strip()]) <= 25


STARTING = ["doctor", "remember", "recall", "get", "curve", "forget", "forget"]
WRITING = ["remember", "remember", "ingest", "recall", "entities", "review", "history", "audit"]


def test_the_command_lines_of_the_readme_run_one_after_another(
    settings: Settings, user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment_of(settings, end_user_id=user).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text("# Notes\n\nThe office moves to Hull in May.\n", encoding="utf-8")
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("memorygraph ")]
    assert [shlex.split(line)[1] for line in lines] == STARTING + WRITING
    told: dict[str, str] = {}
    memory_id = ""
    for line in lines:
        words = shlex.split(line)[1:]
        if "ID" in words:
            words[words.index("ID")] = memory_id
        assert run(words) == 0, line
        output = capsys.readouterr()
        assert output.err == ""
        told[line] = output.out
        if words[0] == "remember":
            memory_id = id_in(output.out)
    first = {shlex.split(line)[1]: told[line] for line in reversed(lines)}
    for name in ("recall", "get"):
        assert "Ana moved to Leeds on 3 February." in first[name]
        assert id_in(first["remember"]) in first[name]
    assert "Cold (retention 0.3): " in first["curve"]
    then = {shlex.split(line)[1]: told[line] for line in lines[len(STARTING) :]}
    assert "Ana works in York." in then["recall"]
    assert "Ana works in Hull." in then["recall"]
    assert "succeeded" in then["ingest"]
    assert "Leeds" in then["entities"]
    assert "remember:created" in then["history"]


def id_in(output: str) -> str:
    found = re.search(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", output)
    assert found
    return found[0]
