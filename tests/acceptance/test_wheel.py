"""The wheel, built and installed as a user would, far from the checkout."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import memorygraph
from tests.support.checkout import CHECKOUT, PACKAGES, tracked_files

UV = Path(sys.executable).with_name("uv")
LOCK = CHECKOUT / "requirements.lock"

Run = Callable[..., str]


def uv(*words: str | Path) -> None:
    done = subprocess.run([UV, *words], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel made from it."""
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "-q", "--build-constraints", LOCK, "--out-dir", folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty virtual environment into which the wheel was installed, with the embedded graph server."""
    environment = tmp_path_factory.mktemp("installed") / "venv"
    uv("venv", "-q", "--python", sys.executable, environment)
    uv(
        "pip",
        "install",
        "-q",
        "--python",
        environment,
        "--constraints",
        LOCK,
        f"memorygraph[embedded] @ {wheel.as_uri()}",
    )
    return environment


@pytest.fixture
def run(installed: Path, tmp_path: Path) -> Run:
    """Runs the installed `memorygraph` where nothing of the checkout is in reach, and returns what it prints."""

    def run(*words: str) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
        environment |= {"MEMORYGRAPH_DATA_DIR": str(tmp_path / "data"), "MEMORYGRAPH_EMBEDDED_IDLE_SECONDS": "0"}
        command = [str(installed / "bin" / "memorygraph"), *words]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def sources() -> set[str]:
    """Where every tracked file of the packages belongs in the wheel."""
    return {
        str(Path(name) / path.relative_to(folder.relative_to(CHECKOUT)))
        for name, folder in PACKAGES.items()
        for path in tracked_files()
        if path.is_relative_to(folder.relative_to(CHECKOUT))
    }


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names >= sources()
    assert {name.split("/")[0] for name in names} == set(PACKAGES)
    assert {name.rsplit(".", 1)[-1] for name in names - sources()} <= {
        "py",
        "cypher",
        "toml",
        "json",
    }  # not committed yet
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert sum(name.endswith(".cypher") for name in names) > 40


def test_the_wheel_carries_the_license_and_one_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name.split(".dist-info/", 1)[1]: name for name in archive.namelist() if ".dist-info/" in name}
        assert "Apache License" in archive.read(inside["licenses/LICENSE"]).decode()
        scripts = archive.read(inside["entry_points.txt"]).decode()
    assert re.findall(r"^(\S+) =", scripts, re.MULTILINE) == ["memorygraph"]


def test_the_sdist_holds_only_what_is_under_version_control(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {str(Path(*Path(member.name).parts[1:])) for member in archive if member.isfile()}
    tracked = {str(path) for path in tracked_files()}
    assert {"pyproject.toml", "README.md", "LICENSE", "requirements.lock", "Makefile", "tests/conftest.py"} <= names
    left = names - tracked - {"PKG-INFO"}
    assert not {name for name in left if not name.endswith((".py", ".cypher", ".md"))}  # not committed yet
    assert not {name for name in names if "__pycache__" in name or name.startswith((".venv", ".cache"))}


def test_nothing_generic_is_installed(installed: Path) -> None:
    site = next(installed.glob("lib/python*/site-packages"))
    assert all((site / package).is_dir() for package in PACKAGES)
    ours = next(site.glob("memorygraph-*.dist-info")) / "RECORD"
    tops = {line.split("/")[0] for line in ours.read_text(encoding="utf-8").splitlines()}
    assert tops - {".."} == {*PACKAGES, ours.parent.name}
    assert not [name for name in ("api", "cypher", "forgetting", "tests", "tools") if (site / name).exists()]


def test_the_installed_command_tells_its_version(run: Run) -> None:
    assert run("--version").split()[-1] == memorygraph.__version__


def test_what_the_installed_command_remembers_it_recalls_in_a_later_process(run: Run) -> None:
    written = json.loads(run("remember", "Ana works at Acme", "--json"))
    run("remember", "The kettle is in the kitchen", "--json")
    answer = json.loads(run("recall", "where does Ana work?", "--json"))
    assert answer["hits"][0]["memory"]["id"] == written["id"]
    assert answer["hits"][0]["memory"]["text"] == "Ana works at Acme"
