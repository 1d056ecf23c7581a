"""Every command and option is explained, and every settings option names its variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
import typer

from memorygraph.ingest import formats
from memorygraph.ledger import job_records
from memorygraph.settings import Settings
from memorygraph_api.cli import command_tree, run
from memorygraph_api.cli.ingesting import FORMATS
from memorygraph_api.cli.invocation import SETTINGS_OPTIONS
from memorygraph_api.cli.jobs import STATES

EXPECTED = {
    "demo",
    "doctor",
    "migrate",
    "compact",
    "remember",
    "revise",
    "recall",
    "get",
    "curve",
    "supersede",
    "retract",
    "reinstate",
    "pin",
    "unpin",
    "link",
    "unlink",
    "entities",
    "entities list",
    "entities show",
    "entities revise",
    "entities alias",
    "entities suggest",
    "entities merge",
    "entities split",
    "entities relate",
    "entities unrelate",
    "entities relations",
    "entities relation",
    "ingest",
    "jobs",
    "jobs list",
    "jobs show",
    "jobs wait",
    "jobs cancel",
    "jobs requeue",
    "jobs run",
    "review",
    "review queue",
    "review approve",
    "review reject",
    "review answer",
    "review tombstones",
    "review lift",
    "history",
    "revert",
    "audit",
    "audit events",
    "audit verify",
    "list",
    "erase",
    "forget",
    "forget run",
    "forget status",
}


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    yield " ".join(path), command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, (*path, name))


def unexplained(command: Any) -> list[str]:
    """Commands without help, and ``command parameter`` without help."""
    found = []
    for path, one in walk(command):
        if not (one.help or "").strip():
            found.append(path)
        found += [f"{path} {p.name}".strip() for p in one.params if not (getattr(p, "help", "") or "").strip()]
    return found


def test_the_commands_are_these() -> None:
    assert {path for path, _ in walk(typer.main.get_command(command_tree())) if path} == EXPECTED


def test_every_command_and_every_option_has_help() -> None:
    assert unexplained(typer.main.get_command(command_tree())) == []


def test_a_command_or_option_without_help_would_be_noticed() -> None:
    planted = typer.Typer()

    @planted.command()
    def silent(name: str, loud: Annotated[bool, typer.Option(help="Loud.")] = False) -> None:
        raise AssertionError(name, loud)

    assert unexplained(typer.main.get_command(planted))[:2] == ["", "name"]


def test_every_settings_option_names_the_variable_of_its_setting() -> None:
    seen = set()
    for path, command in walk(typer.main.get_command(command_tree())):
        for parameter in command.params:
            if parameter.name in SETTINGS_OPTIONS:
                seen.add(parameter.name)
                assert parameter.envvar == f"MEMORYGRAPH_{parameter.name.upper()}", path
            else:
                assert parameter.name not in Settings.model_fields, path
    assert seen == set(SETTINGS_OPTIONS)


def test_every_settings_option_is_a_setting() -> None:
    assert set(SETTINGS_OPTIONS) <= set(Settings.model_fields)


def test_every_command_answers_in_json_too() -> None:
    for path, command in walk(typer.main.get_command(command_tree())):
        if not getattr(command, "commands", None):
            assert "--json" in {name for p in command.params for name in p.opts}, path


@pytest.mark.parametrize("path", sorted(EXPECTED))
def test_help_of_every_command_fits_80_columns(
    path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*path.split(), "--help"]) == 0
    told = capsys.readouterr().out
    assert "Usage: memorygraph" in told
    assert max(map(len, told.splitlines())) <= 80


def test_what_is_offered_is_what_there_is() -> None:
    assert FORMATS == formats.FORMATS
    assert STATES == job_records.JOB_STATES
