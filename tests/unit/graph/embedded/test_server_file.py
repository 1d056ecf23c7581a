from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from memorygraph.graph.embedded import inspect
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.server_file import (
    CrashReport,
    ServerState,
    clear_server_state,
    read_crash_report,
    read_server_state,
    write_crash_report,
    write_server_state,
)

STATE = ServerState(
    phase="ready", pid=11, launcher_pid=10, bolt_port=1, http_port=2, started_at=1.5, restarts=0, heap_mb=512
)
CRASH = CrashReport(at=2.5, exit_code=-9, restarts=1, last_lines=("one", "two"), log="somewhere")


@pytest.fixture
def layout(tmp_path: Path) -> DataFolderLayout:
    layout = DataFolderLayout(tmp_path)
    layout.create()
    return layout


def test_state_and_crash_are_read_as_written_until_they_are_removed(layout: DataFolderLayout) -> None:
    write_server_state(layout, STATE)
    write_crash_report(layout, CRASH)

    assert read_server_state(layout) == STATE
    assert read_crash_report(layout) == CRASH

    clear_server_state(layout)
    write_crash_report(layout, None)

    assert read_server_state(layout) is None
    assert read_crash_report(layout) is None


@pytest.mark.parametrize("data", ["", "{}", "[]", '{"pid": 1}', "{"])
def test_a_state_of_another_making_counts_as_none(data: str, layout: DataFolderLayout) -> None:
    layout.server_file.write_text(data)

    assert read_server_state(layout) is None


def test_a_state_with_more_in_it_is_that_of_a_later_release(layout: DataFolderLayout) -> None:
    layout.server_file.write_text(json.dumps({**asdict(STATE), "colour": "blue"}))

    assert read_server_state(layout) == STATE


def test_a_state_counts_only_while_a_launcher_lives(layout: DataFolderLayout) -> None:
    write_server_state(layout, STATE)

    inspection = inspect(layout.data_dir)

    assert not inspection.running
    assert inspection.state is None


def test_an_inspection_of_nothing_finds_nothing_and_makes_nothing(tmp_path: Path) -> None:
    inspection = inspect(tmp_path / "nowhere")

    assert (inspection.running, inspection.state, inspection.crash) == (False, None, None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("exit_code", "restarts", "expected"),
    [(-9, 1, "crashed again after a restart (signal 9)"), (3, 0, "crashed (exit code 3)")],
)
def test_a_crash_says_how_and_what_was_said_last(exit_code: int, restarts: int, expected: str) -> None:
    report = CrashReport(at=0, exit_code=exit_code, restarts=restarts, last_lines=("a", "out of luck"), log="x")

    assert expected in report.summary()
    assert report.summary().endswith(" out of luck.")
