"""The layers are enforced: an import that crosses them is found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT, PACKAGES


def check_layers(checkout: Path) -> subprocess.CompletedProcess[str]:
    roots = [checkout / PACKAGES[name].parent.relative_to(CHECKOUT) for name in PACKAGES]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, roots))}
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for folder in PACKAGES.values():
        shutil.copytree(
            folder, tmp_path / folder.relative_to(CHECKOUT), ignore=shutil.ignore_patterns("__pycache__", "*.cypher")
        )
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "imported"),
    [
        ("memorygraph", "memorygraph_api"),
        ("memorygraph", "typer"),
        ("forgetting/memorygraph_forgetting", "memorygraph"),
        ("forgetting/memorygraph_forgetting", "memorygraph_cypher"),
        ("forgetting/memorygraph_forgetting", "sqlalchemy"),
        ("cypher/memorygraph_cypher", "memorygraph"),
        ("cypher/memorygraph_cypher", "neo4j"),
    ],
)
def test_an_import_across_the_layers_is_found(copy: Path, folder: str, imported: str) -> None:
    assert check_layers(copy).returncode == 0
    (copy / folder / "planted.py").write_text(f"import {imported}\n", encoding="utf-8")
    found = check_layers(copy)
    assert found.returncode == 1
    assert f"{folder.rsplit('/', 1)[-1]}.planted -> {imported}" in found.stdout
