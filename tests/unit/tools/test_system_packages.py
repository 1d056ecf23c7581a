"""What is said when the machine lacks something that cannot be installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT
from tools.neo4j_server.jars import fetch_jars
from tools.neo4j_server.releases import Release
from tools.system_packages import MissingProgram, install

ABSENT = Release(name="absent", version="0.0.0", main_class="none", oldest_java=17, supported_java=(17,))


def test_without_apt_the_caller_s_sentence_is_all_that_happens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingProgram, match=r"^Install the thing\.$"):
        install("thing", missing="Install the thing.")


def test_without_maven_neo4j_is_not_fetched_and_how_to_leave_it_out_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tools.neo4j_server.jars.CACHE", tmp_path / "cache")
    with pytest.raises(MissingProgram, match=r"apt install maven.*make test GRAPH=embedded"):
        fetch_jars(ABSENT)
    assert not (tmp_path / "cache" / "0.0.0" / "lib").exists()


def path_with(folder: Path, *programs: str) -> str:
    folder.mkdir()
    for program in programs:
        found = shutil.which(program)
        assert found
        (folder / program).symlink_to(found)
    return str(folder)


def copy_of_checkout(folder: Path) -> Path:
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "tools"):
        source = CHECKOUT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    (folder / "memorygraph").mkdir()
    shutil.copy(CHECKOUT / "memorygraph" / "_version.py", folder / "memorygraph")
    return folder


def make_setup(checkout: Path, path: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": path, **variables}
    return subprocess.run(
        ["make", "setup"], cwd=checkout, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_make_names_the_pythons_it_can_use_when_there_is_none(tmp_path: Path) -> None:
    made = make_setup(copy_of_checkout(tmp_path / "checkout"), path_with(tmp_path / "bin", "make", "sh"))
    assert made.returncode != 0
    assert "Python 3.11, 3.12 or 3.13 is needed and none is on the path" in made.stderr


def test_make_names_the_missing_module_when_python_cannot_make_an_environment(tmp_path: Path) -> None:
    # Debian ships Python without this module.
    (tmp_path / "ensurepip.py").write_text("raise ImportError\n", encoding="utf-8")
    path = path_with(tmp_path / "bin", "make", "sh")
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    checkout = copy_of_checkout(tmp_path / "checkout")
    made = make_setup(checkout, path, PYTHONPATH=str(tmp_path))
    assert made.returncode != 0
    assert "lacks its venv module: install it (on Debian: apt install python3-venv)" in made.stderr
    assert not (checkout / ".venv").exists()
