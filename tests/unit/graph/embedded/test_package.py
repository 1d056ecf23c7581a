from __future__ import annotations

import subprocess
import sys

import memorygraph.graph.embedded as package

HEAVY = {"asyncio", "neo4j", "numpy", "pydantic", "sqlalchemy", "http.client", "memorygraph.graph.embedded.attaching"}


def modules_after(statement: str) -> set[str]:
    program = f"{statement}; import sys; print(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", program], text=True).split())


def test_the_launcher_stays_small() -> None:
    assert "asyncio" in modules_after("import memorygraph.graph.embedded.attaching")

    assert modules_after("import memorygraph.graph.embedded.launcher") & HEAVY == set()


def test_every_exported_name_is_there() -> None:
    for name in package.__all__:
        assert getattr(package, name).__name__ == name
