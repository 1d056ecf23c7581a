"""What holds for the repository as a whole: its lock, its layers, its words."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import memorygraph
from tests.support.checkout import CHECKOUT, PACKAGES, tracked_files

LOCK = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
PINNED = [line for line in LOCK.splitlines() if re.match(r"[a-z0-9]", line)]


def requirements() -> list[Requirement]:
    project = PROJECT["project"]
    listed = [
        *project["dependencies"],
        *project["optional-dependencies"]["embedded"],
        *PROJECT["dependency-groups"]["dev"],
    ]
    return [Requirement(text) for text in listed]


def test_every_line_of_the_lock_is_pinned_and_hashed() -> None:
    blocks = re.findall(r"^[a-z0-9].*?(?=^[a-z0-9]|\Z)", LOCK, re.MULTILINE | re.DOTALL)
    assert len(blocks) == len(PINNED) > 50
    for block in blocks:
        assert re.match(r"[a-z0-9._-]+==[^\s;]+( ; .+?)? \\\n", block), block.splitlines()[0]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", block), block.splitlines()[0]


def test_the_lock_holds_no_address() -> None:
    assert "://" not in LOCK
    assert not re.search(r"^\s*-", LOCK.replace("    --hash=", ""), re.MULTILINE)  # no option such as an index


def test_the_lock_pins_all_that_pyproject_asks_for_within_its_bounds() -> None:
    pins: dict[str, list[str]] = {}
    for line in PINNED:
        requirement = Requirement(line.removesuffix("\\"))
        pins.setdefault(canonicalize_name(requirement.name), []).append(str(requirement.specifier).removeprefix("=="))
    for requirement in requirements():
        versions = pins[canonicalize_name(requirement.name)]
        assert all(requirement.specifier.contains(version) for version in versions), requirement


def test_the_compromised_release_of_litellm_is_excluded_and_its_neighbours_are_not() -> None:
    litellm = next(requirement for requirement in requirements() if requirement.name == "litellm")
    assert not litellm.specifier.contains("1.107.0")
    assert litellm.specifier.contains("1.106.0")


def test_every_dependency_has_its_reason_above_it() -> None:
    lines = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    inside = False
    reasons = 0
    for number, line in enumerate(lines):
        if re.match(r"(dependencies|embedded|dev) = \[", line):
            inside, reasons = True, 0
        elif line == "]":
            inside = False
        elif inside and line.lstrip().startswith("#"):
            reasons += 1
        elif inside:
            assert reasons, f"line {number + 1} of pyproject.toml: {line.strip()} comes without a reason"


# Put together here, or this file would be the first to be found.
_PLACES = ("work", "root", "tmp/lab", r"home/\w+")
_HOSTS = ("py pi.org", "python hosted.org", "registry.npm js", "repo.mav en", "repo1.mav en", "deb.deb ian.org")
_FOREIGN = re.compile(
    "|".join(
        [
            rf"(?<![\w.~$}}])/(?:{'|'.join(_PLACES)})/",
            *(re.escape(host.replace(" ", "")) for host in _HOSTS),
        ]
    )
)


def test_no_file_names_a_place_on_one_machine_or_the_host_of_a_registry() -> None:
    found = [
        f"{path}: {match[0]}"
        for path in tracked_files()
        if (match := _FOREIGN.search((CHECKOUT / path).read_text(encoding="utf-8", errors="replace")))
    ]
    assert not found


@pytest.mark.parametrize(
    "parts", [("see ", "root", ".cache/x"), ("path = '", "work", "main'"), ("https://files.python", "hosted.org", "x")]
)
def test_such_a_place_would_be_found(parts: tuple[str, str, str]) -> None:
    before, middle, after = parts
    text = "".join([before, "" if "hosted" in middle else "/", middle, "/", after])
    assert _FOREIGN.search(text)


def test_the_version_comes_from_one_place() -> None:
    assert importlib.metadata.version("memorygraph") == memorygraph.__version__
    assert "version" not in PROJECT["project"]
    assert "version" in PROJECT["project"]["dynamic"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_that_it_is_typed(package: str) -> None:
    assert (PACKAGES[package] / "py.typed").is_file()


def lint(source: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select",
        "TID251",
        "--stdin-filename",
        "memorygraph/new.py",
        "-",
    ]
    return subprocess.run(command, input=source, cwd=CHECKOUT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("folder", ["api", "cypher", "forgetting"])
def test_a_source_root_cannot_be_imported_as_a_package(folder: str) -> None:
    refused = lint(f"import {folder}.memorygraph_{folder}\n")
    assert refused.returncode == 1
    assert "TID251" in refused.stdout
    assert lint(f"import memorygraph_{folder}\n").returncode == 0


def targets() -> set[str]:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    declared = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert declared
    return set(declared[1].split())


def test_every_target_of_the_makefile_is_documented_and_every_documented_target_exists() -> None:
    documented = (CHECKOUT / "docs" / "development.md").read_text(encoding="utf-8")
    told = set(re.findall(r"\bmake ([a-z0-9]+)", documented))
    assert targets() <= told
    for page in ["README.md", "CONTRIBUTING.md", *(str(path) for path in tracked_files() if path.parts[0] == "docs")]:
        named = set(re.findall(r"`make ([a-z0-9]+)", (CHECKOUT / page).read_text(encoding="utf-8")))
        assert named <= targets(), page


def test_make_help_tells_of_every_target() -> None:
    told = subprocess.run(["make", "help"], cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"^  make (\S+)", told, re.MULTILINE)) == targets()
