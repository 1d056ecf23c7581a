"""The checkout that the tests belong to."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["CHECKOUT", "PACKAGES", "tracked_files"]

CHECKOUT = Path(__file__).resolve().parents[2]

PACKAGES = {
    "memorygraph": CHECKOUT / "memorygraph",
    "memorygraph_cypher": CHECKOUT / "cypher" / "memorygraph_cypher",
    "memorygraph_forgetting": CHECKOUT / "forgetting" / "memorygraph_forgetting",
    "memorygraph_api": CHECKOUT / "api" / "memorygraph_api",
}


def tracked_files() -> list[Path]:
    """Every file under version control, relative to the checkout."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=CHECKOUT, check=True, capture_output=True, text=True
    )
    names = [name for name in listed.stdout.split("\0") if name]
    return [Path(name) for name in names if (CHECKOUT / name).is_file()]
