from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import Claim, ProcessLock, launcher_is_alive, live_claims

HOLD = """
import sys
from pathlib import Path
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import Claim
claim = Claim(DataFolderLayout(Path(sys.argv[1])))
print("held", flush=True)
sys.stdin.read()
"""

# The child ends as any Python does, with everything collected.
FORK = """
import os, sys
from pathlib import Path
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import Claim, live_claims
layout = DataFolderLayout(Path(sys.argv[1]))
claim = Claim(layout)
ready, tell = os.pipe()
if os.fork() == 0:
    os.close(ready)
    del claim
    sys.exit()
os.close(tell)
os.read(ready, 1)
os.wait()
after_child = live_claims(layout)
pause, end = os.pipe()
if os.fork() == 0:
    os.close(end)
    os.read(pause, 1)
    sys.exit()
claim.release()
print(after_child, live_claims(layout), flush=True)
"""


@pytest.fixture
def layout(tmp_path: Path) -> DataFolderLayout:
    layout = DataFolderLayout(tmp_path / "data")
    layout.create()
    return layout


def test_a_lock_is_held_by_its_object_and_not_by_its_process(tmp_path: Path) -> None:
    first, second = ProcessLock(tmp_path / "lock"), ProcessLock(tmp_path / "lock")

    assert first.acquire(timeout=0)
    assert not second.acquire(timeout=0)
    first.release()
    first.release()
    assert second.acquire(timeout=0)


def test_claims_are_counted_until_they_are_released(layout: DataFolderLayout) -> None:
    assert live_claims(layout) == 0
    first, second = Claim(layout), Claim(layout)
    assert live_claims(layout) == 2

    first.release()
    first.release()

    assert live_claims(layout) == 1
    second.release()
    assert live_claims(layout) == 0
    assert list(layout.clients.iterdir()) == []


def test_the_claim_of_a_killed_process_is_swept(layout: DataFolderLayout) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(layout.data_dir)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert live_claims(layout) == 1
        holder.kill()
        holder.wait()

    assert len(list(layout.clients.iterdir())) == 1
    assert live_claims(layout) == 0
    assert list(layout.clients.iterdir()) == []


def test_files_that_are_no_claims_are_left_alone(layout: DataFolderLayout) -> None:
    (layout.clients / ".DS_Store").write_text("")

    assert live_claims(layout) == 0
    assert (layout.clients / ".DS_Store").exists()


def test_a_launcher_is_alive_while_it_holds_its_lock(layout: DataFolderLayout) -> None:
    assert not launcher_is_alive(layout)
    lock = ProcessLock(layout.launcher_lock)
    assert lock.acquire(timeout=0)
    assert launcher_is_alive(layout)

    lock.release()

    assert not launcher_is_alive(layout)


def test_a_forked_child_neither_drops_nor_keeps_the_claim(layout: DataFolderLayout) -> None:
    counted = subprocess.check_output([sys.executable, "-c", FORK, str(layout.data_dir)], text=True, timeout=60)

    assert counted == "1 0\n"
