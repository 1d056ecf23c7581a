"""Whenever a replacement is cut off, the old database or the new one is in force, whole, and nothing is left over."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.replacing import finish_replacing, replace_database


@pytest.fixture
def layout(tmp_path: Path) -> DataFolderLayout:
    layout = DataFolderLayout(tmp_path / "data")
    layout.create()
    layout.databases.mkdir()
    return layout


def database(folder: Path, says: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "schema.json").write_text(says)
    return folder


def in_force(layout: DataFolderLayout) -> str:
    return (layout.databases / "memory" / "schema.json").read_text()


def leftovers(layout: DataFolderLayout) -> set[str]:
    return {path.name for path in layout.root.iterdir()} - {"clients", "config", "databases", "log"}


class Killed(BaseException):
    """The process ends here."""


def test_a_database_is_replaced_and_nothing_is_left_over(layout: DataFolderLayout) -> None:
    database(layout.databases / "memory", "old")
    new = database(layout.compacting / "graph" / "databases" / "memory", "new")

    replace_database(layout, new)

    assert in_force(layout) == "new"
    assert leftovers(layout) == set()


def test_wherever_it_is_cut_off_the_next_to_look_finds_one_whole_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = []
    for survived in itertools.count():
        layout = DataFolderLayout(tmp_path / str(survived))
        layout.create()
        database(layout.databases / "memory", "old")
        new = database(layout.compacting / "graph" / "databases" / "memory", "new")
        done = 0

        def renamed(self: Path, target: Path, survived: int = survived) -> None:
            nonlocal done
            if done == survived:
                raise Killed
            done += 1
            os.rename(self, target)  # noqa: PTH104 — the method is the one that is replaced here

        with monkeypatch.context() as patched:
            patched.setattr(Path, "rename", renamed)
            try:
                replace_database(layout, new)
            except Killed:
                cut_off = True
            else:
                cut_off = False

        finish_replacing(layout)
        assert leftovers(layout) == set()
        outcomes.append(in_force(layout))
        if not cut_off:
            break
    assert outcomes == ["old", "new", "new", "new"]


def test_an_abandoned_copy_and_a_database_that_was_replaced_are_cleared_away(layout: DataFolderLayout) -> None:
    database(layout.databases / "memory", "current")
    database(layout.replaced, "older")
    database(layout.compacting / "graph" / "databases" / "memory", "half")

    finish_replacing(layout)

    assert in_force(layout) == "current"
    assert leftovers(layout) == set()


def test_a_folder_without_a_graph_is_left_alone(layout: DataFolderLayout) -> None:
    finish_replacing(layout)

    assert list(layout.databases.iterdir()) == []
