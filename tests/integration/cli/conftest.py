"""The command line, run in this process against the session's real stores."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from memorygraph.settings import Settings
from memorygraph_api.cli import run
from tests.support.command_line import environment_of


@dataclass(frozen=True)
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        value: dict[str, Any] = json.loads(self.out)
        return value

    @property
    def error(self) -> dict[str, Any]:
        """The JSON error on standard error."""
        value: dict[str, Any] = json.loads(self.err)["error"]
        return value


CommandLine = Callable[..., Ran]


@pytest.fixture
def memorygraph(
    settings: Settings, user: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    """Runs ``memorygraph WORDS…`` on the session's store, as a user of the test's own."""
    for name, value in environment_of(settings, end_user_id=user).items():
        monkeypatch.setenv(name, value)

    def invoke(*words: str) -> Ran:
        capsys.readouterr()
        code = run(words)
        told = capsys.readouterr()
        return Ran(code, told.out, told.err)

    return invoke
