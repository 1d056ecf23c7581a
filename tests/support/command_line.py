"""The command line as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from memorygraph.settings import Settings

__all__ = ["COMMAND", "child_environment", "environment_of", "run_command"]

COMMAND = (sys.executable, "-m", "memorygraph_api.cli")


def environment_of(settings: Settings, *, end_user_id: str | None = None) -> dict[str, str]:
    """The ``MEMORYGRAPH_*`` variables that give ``settings``, for ``end_user_id`` when it is set."""
    values = {name: getattr(settings, name) for name in settings.model_fields_set}
    if end_user_id is not None:
        values["end_user_id"] = end_user_id
    secrets = {name: value.get_secret_value() for name, value in values.items() if hasattr(value, "get_secret_value")}
    return {f"MEMORYGRAPH_{name.upper()}": str(v) for name, v in {**values, **secrets}.items() if v is not None}


def child_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """This process's environment with ``variables``, in which the sources under test are importable."""
    sources = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return {**os.environ, **sources, "MEMORYGRAPH_EMBEDDER_THREADS": "1", **variables}


def run_command(
    words: Sequence[str], variables: Mapping[str, str] | None = None, *, timeout: float = 150
) -> subprocess.CompletedProcess[str]:
    """Run ``memorygraph WORDS…`` with ``variables`` set, to its end; standard output and error are kept."""
    return subprocess.run(
        [*COMMAND, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        env=child_environment(variables or {}),
    )
