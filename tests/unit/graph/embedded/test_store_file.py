from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import SchemaTooNew, StoreCorrupt
from memorygraph.graph.embedded import StoreFile, read_store_file, write_store_file
from memorygraph.graph.embedded.store_file import FORMAT

STORE = StoreFile(
    store_id="0198c0de-0000-7000-8000-000000000001", schema_version=3, server_version="26.10.2", embedder=None
)


def document(**changes: object) -> bytes:
    return json.dumps(
        {
            "format": FORMAT,
            "store_id": "an id",
            "schema_version": 1,
            "server_version": "26.10.2",
            "embedder": "minilm",
            **changes,
        }
    ).encode()


@given(
    store=st.builds(
        StoreFile,
        store_id=st.text(min_size=1),
        schema_version=st.integers(min_value=0, max_value=2**31),
        server_version=st.text(),
        embedder=st.none() | st.text(),
    )
)
def test_what_is_written_is_read_again(store: StoreFile, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("store")

    write_store_file(folder, store)

    assert read_store_file(folder) == store
    assert [path.name for path in folder.iterdir()] == ["store.json"]


def test_a_folder_without_a_store_holds_none(tmp_path: Path) -> None:
    assert read_store_file(tmp_path) is None
    assert read_store_file(tmp_path / "missing") is None
    (tmp_path / "graph" / "databases").mkdir(parents=True)
    assert read_store_file(tmp_path) is None


def test_a_newer_schema_is_told_and_not_judged(tmp_path: Path) -> None:
    (tmp_path / "store.json").write_bytes(document(schema_version=999))

    store = read_store_file(tmp_path)

    assert store is not None
    assert store.schema_version == 999


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 64,
        b'{"format": 1, "store_id": "cut off in the mid',
        b"[]",
        b"null",
        document(format=0),
        document(format="1"),
        document(format=True),
        document(format=None),
        document(store_id=""),
        document(store_id=7),
        document(schema_version=-1),
        document(schema_version="1"),
        document(schema_version=1.5),
        document(server_version=None),
        document(embedder=5),
        document(colour="blue"),
        b'{"format": 1, "store_id": "an id"}',
    ],
)
def test_a_file_that_cannot_be_understood_is_refused_untouched(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "store.json"
    file.write_bytes(document())
    assert read_store_file(tmp_path) is not None
    file.write_bytes(data)
    before = file.stat()

    with pytest.raises(StoreCorrupt, match="Restore the folder from a backup"):
        read_store_file(tmp_path)

    assert file.read_bytes() == data
    assert file.stat().st_mtime_ns == before.st_mtime_ns


@given(data=st.binary(max_size=300))
def test_no_file_whatever_makes_it_fail_otherwise(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("store")
    (folder / "store.json").write_bytes(data)

    with pytest.raises((StoreCorrupt, SchemaTooNew)):
        read_store_file(folder)


def test_a_newer_format_is_refused_whatever_else_it_holds(tmp_path: Path) -> None:
    (tmp_path / "store.json").write_bytes(json.dumps({"format": FORMAT + 1, "shape": "unheard of"}).encode())

    with pytest.raises(SchemaTooNew, match="Upgrade memorygraph"):
        read_store_file(tmp_path)


def test_a_graph_without_its_store_file_is_refused_untouched(tmp_path: Path) -> None:
    database = tmp_path / "graph" / "databases" / "memory"
    database.mkdir(parents=True)
    assert read_store_file(tmp_path) is None
    (database / "schema.json").write_text("{}")

    with pytest.raises(StoreCorrupt, match=r"no store\.json"):
        read_store_file(tmp_path)

    assert sorted(path.name for path in tmp_path.rglob("*")) == ["databases", "graph", "memory", "schema.json"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write_store_file(tmp_path, STORE)
    unencodable = StoreFile(store_id="\ud800" * 3, schema_version=1, server_version="1", embedder=None)
    write_store_file(tmp_path, unencodable)  # JSON spells even that
    assert read_store_file(tmp_path) == unencodable
    blocked = tmp_path / "blocked"
    (blocked / "store.json").mkdir(parents=True)

    with pytest.raises(OSError, match=r"store\.json"):
        write_store_file(blocked, STORE)

    assert [path.name for path in blocked.iterdir()] == ["store.json"]


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        write_store_file(tmp_path, STORE)
    finally:
        os.umask(previous)

    assert (tmp_path / "store.json").stat().st_mode & 0o777 == 0o600
