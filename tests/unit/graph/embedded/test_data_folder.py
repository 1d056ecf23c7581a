from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from memorygraph.errors import DataFolderUnusable
from memorygraph.graph.embedded import check_data_folder
from tests.unit.graph.embedded import disks
from tests.unit.graph.embedded.disks import Disk, run_on

CHECK = """
from memorygraph.errors import DataFolderUnusable
from memorygraph.graph.embedded import check_data_folder
try:
    check_data_folder(folder)
    result = {"refused": None}
except DataFolderUnusable as error:
    result = {"refused": str(error)}
"""
ATTACH = """
import asyncio
from memorygraph.errors import DataFolderUnusable
from memorygraph.graph.embedded import attach
try:
    asyncio.run(attach(folder, heap_mb=128, idle_seconds=0))
except DataFolderUnusable as error:
    result = {"refused": str(error)}
"""


def test_a_writable_disk_is_accepted_and_no_trace_is_left(tmp_path: Path) -> None:
    assert run_on("roomy", CHECK, tmp_path) == {"result": {"refused": None}, "untouched": True}


@pytest.mark.parametrize(("disk", "advice"), [("full", "Free some space"), ("read-only", "set MEMORYGRAPH_DATA_DIR")])
@pytest.mark.parametrize("program", [CHECK, ATTACH], ids=["check", "attach"])
def test_a_full_or_read_only_disk_is_refused_untouched(disk: Disk, advice: str, program: str, tmp_path: Path) -> None:
    answer = run_on(disk, program, tmp_path)

    assert advice in answer["result"]["refused"]
    assert answer["untouched"]


@pytest.mark.parametrize("disk", ["full", "read-only"])
def test_the_disks_that_need_no_mounting_are_refused_too(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disks, "_can_mount", lambda: False)

    (tmp_path / "control").mkdir()
    (tmp_path / "trial").mkdir()

    assert run_on("roomy", CHECK, tmp_path / "control")["result"] == {"refused": None}
    answer = run_on(disk, CHECK, tmp_path / "trial")

    assert answer["result"]["refused"] is not None
    assert answer["untouched"]


def test_a_folder_that_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    check_data_folder(tmp_path / "to" / "come")

    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("mine")

    with pytest.raises(DataFolderUnusable, match="is not a folder"):
        check_data_folder(file)
    with pytest.raises(DataFolderUnusable, match="is not a folder"):
        check_data_folder(file / "below")
    assert file.read_text() == "mine"


def test_a_graph_that_belongs_to_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        (tmp_path / "graph").mkdir()
        check_data_folder(tmp_path)
        os.chown(tmp_path / "graph", pwd.getpwnam("nobody").pw_uid, -1)
        foreign = tmp_path
    else:
        # Anybody's home but one's own: a folder that another user owns needs no privilege to be found.
        foreign = next(
            Path(entry.pw_dir)
            for entry in pwd.getpwall()
            if entry.pw_uid not in (0, os.geteuid()) and Path(entry.pw_dir).is_dir()
        )

    with pytest.raises(DataFolderUnusable, match=r"belongs to another user|cannot be written"):
        check_data_folder(foreign)
