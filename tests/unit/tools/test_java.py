"""Which Java runtime a Neo4j release gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.neo4j_server.java import find_java, installed_javas
from tools.neo4j_server.releases import RELEASES


def make_java(home: Path, version: str) -> Path:
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "java"
    program.touch()
    program.chmod(0o755)
    (home / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\n', encoding="utf-8")
    return home


def test_java_home_comes_first_when_the_release_supports_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = make_java(tmp_path / "jdk", "21.0.4")
    monkeypatch.setenv("JAVA_HOME", str(home))
    for release in RELEASES.values():
        assert find_java(release).home == home


def test_a_java_that_is_too_old_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = make_java(tmp_path / "jdk", "11.0.20")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert home in [java.home for java in installed_javas()]
    for release in RELEASES.values():
        assert find_java(release).major >= release.oldest_java


def test_a_supported_java_comes_before_one_that_is_merely_new_enough(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    newest = make_java(tmp_path / "newest", "24")
    supported = make_java(tmp_path / "supported", "21.0.4")
    monkeypatch.setenv("JAVA_HOME", str(newest))
    monkeypatch.setenv("PATH", str(supported / "bin"))
    assert [java.home for java in installed_javas()][:2] == [newest, supported]
    assert find_java(RELEASES["neo4j2026"]).home != newest
    assert find_java(RELEASES["neo4j2026"]).major in RELEASES["neo4j2026"].supported_java


def test_a_folder_that_holds_no_runtime_is_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert tmp_path not in [java.home for java in installed_javas()]


def test_the_runtime_of_the_embedded_server_is_always_there_for_neo4j() -> None:
    bundled = [java for java in installed_javas() if "arcadedb_embedded" in java.home.parts]
    assert [java.major >= release.oldest_java for java in bundled for release in RELEASES.values()] == [True, True]
