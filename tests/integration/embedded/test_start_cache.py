"""The cache that makes starts faster: made once, used by every later server, and never in the way."""

from __future__ import annotations

import re
from pathlib import Path

import psutil
import pytest

from memorygraph.graph.embedded import inspect
from memorygraph.graph.embedded.platforms import server_home
from memorygraph.graph.embedded.start_cache import cache_file, prepare, start_options
from tests.integration.embedded.conftest import NewClient


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A cache, made in a folder for caches that had none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        home = server_home()
        assert start_options(home) == []
        assert prepare(home)
        file = cache_file(home)
        assert prepare(home), "it is there"
        assert file.stat().st_mode & 0o077 == 0
        # What the run took is gone: its data, and its arguments with the password.
        assert {path.name for path in file.parent.iterdir()} == {file.name, "prepare.lock"}
        content = file.read_bytes()
        assert not re.search(rb"rootPassword=[0-9a-f]", content)
        return content


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the cache of the server of this test is looked for."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    file = cache_file(server_home())
    file.parent.mkdir(mode=0o700, parents=True)
    return file


def mapped(data_dir: Path) -> set[str]:
    """The files that the running server has mapped into memory."""
    state = inspect(data_dir).state
    assert state is not None
    return {mapping.path for mapping in psutil.Process(state.pid).memory_maps()}


def test_a_server_starts_from_the_cache(made: bytes, place: Path, data_dir: Path, new_client: NewClient) -> None:
    place.write_bytes(made)
    new_client().attached()
    assert str(place) in mapped(data_dir)


@pytest.mark.parametrize("damage", ["empty", "cut short", "one byte"])
def test_a_server_starts_without_a_cache_that_is_damaged(
    made: bytes, place: Path, data_dir: Path, new_client: NewClient, damage: str
) -> None:
    middle = len(made) // 2
    damaged = {
        "empty": b"",
        "cut short": made[:middle],
        "one byte": made[:middle] + bytes([made[middle] ^ 0xFF]) + made[middle + 1 :],
    }
    place.write_bytes(damaged[damage])
    new_client().attached()
    assert str(place) not in mapped(data_dir)


def test_a_server_starts_where_there_is_no_cache_and_its_launcher_makes_one(
    place: Path, data_dir: Path, new_client: NewClient
) -> None:
    client = new_client(idle_seconds=0)
    client.attached()
    state = inspect(data_dir).state
    assert state is not None
    launcher = psutil.Process(state.launcher_pid)
    client.kill()
    launcher.wait(timeout=200)
    assert place.exists()


def test_a_cache_that_cannot_be_made_is_not_tried_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "memorygraph.graph.embedded.start_cache"
    monkeypatch.setattr(f"{module}.java_argv", lambda home, layout: ["/bin/false"])
    assert prepare(server_home()) is False
    assert place.with_suffix(".failed").exists()
    monkeypatch.setattr(f"{module}._watched_run", lambda *_: pytest.fail("tried again"))
    assert prepare(server_home()) is False
