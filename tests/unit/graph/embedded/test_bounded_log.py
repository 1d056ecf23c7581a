from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.graph.embedded.bounded_log import BoundedLog

LIMIT = 100


@given(pieces=st.lists(st.binary(max_size=250), max_size=40))
def test_the_log_never_grows_beyond_twice_its_limit_and_keeps_the_newest(
    pieces: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("log") / "some.log"
    log = BoundedLog(path, limit=LIMIT)
    older = path.with_name("some.log.1")

    for piece in pieces:
        log.write(piece)
        assert path.stat().st_size <= LIMIT
        assert not older.exists() or older.stat().st_size <= LIMIT

    kept = (older.read_bytes() if older.exists() else b"") + (path.read_bytes() if path.exists() else b"")
    assert b"".join(piece[-LIMIT:] for piece in pieces).endswith(kept)


def test_it_goes_on_where_an_earlier_process_stopped(tmp_path: Path) -> None:
    path = tmp_path / "some.log"
    BoundedLog(path, limit=LIMIT).write(b"first\n")

    BoundedLog(path, limit=LIMIT).write(b"second\n")

    assert path.read_bytes() == b"first\nsecond\n"


def test_a_folder_that_is_gone_loses_the_line_and_nothing_else(tmp_path: Path) -> None:
    BoundedLog(tmp_path / "gone" / "some.log", limit=LIMIT).write(b"lost")

    assert not (tmp_path / "gone").exists()
