"""``store.json``: what a data folder holds, read before the graph server opens, and so writes to, the graph.

The file is JSON. ``format`` is the version of the file's own layout; ``schema_version`` is that of the graph
inside, which the engine compares with its own.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from memorygraph.errors import SchemaTooNew, StoreCorrupt
from memorygraph.graph.embedded.atomic import write_atomically
from memorygraph.graph.embedded.layout import DataFolderLayout

__all__ = ["FORMAT", "StoreFile", "read_store_file", "write_store_file"]

FORMAT = 1

_RESTORE = "Restore the folder from a backup, or set MEMORYGRAPH_DATA_DIR to another folder."


@dataclass(frozen=True, kw_only=True)
class StoreFile:
    """What the store is."""

    store_id: str  # UUIDv7, also in the graph's Store node and in the ledger
    schema_version: int  # of the graph, 1 or more; 0 while the first migration has not run
    server_version: str  # of the graph server that last opened it
    embedder: str | None  # the model its vectors come from; None before the first vector


def read_store_file(data_dir: Path) -> StoreFile | None:
    """What ``data_dir`` holds; ``None`` when it holds no store. Nothing is written.

    Raises :class:`StoreCorrupt` when the file cannot be understood, or is missing beside graph files,
    and :class:`SchemaTooNew` when a newer memorygraph wrote it.
    """
    layout = DataFolderLayout(data_dir)
    path = layout.store_file
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        if _holds_a_graph(layout):
            raise StoreCorrupt(
                f"{data_dir} holds a graph but no store.json, so what it is cannot be known. It was left untouched.",
                hint=_RESTORE,
            ) from None
        return None
    except OSError as error:
        raise StoreCorrupt(
            f"{path} cannot be read: {error.strerror}.", hint="Correct its permissions, or restore it from a backup."
        ) from error
    return _parsed(data, path)


def write_store_file(data_dir: Path, store_file: StoreFile) -> None:
    """Replace ``store.json`` atomically and durably. The folder must exist. Raises ``OSError``.

    It has to be there before the server first starts: a graph without it is taken for a damaged store.
    """
    document = {"format": FORMAT, **asdict(store_file)}
    data = json.dumps(document, indent=2).encode() + b"\n"
    write_atomically(DataFolderLayout(data_dir).store_file, data, durable=True)


def _holds_a_graph(layout: DataFolderLayout) -> bool:
    try:
        return any(entry.is_dir() and any(entry.iterdir()) for entry in layout.databases.iterdir())
    except FileNotFoundError:
        return False
    except OSError:
        # Something is there that cannot even be listed.
        return True


def _parsed(data: bytes, path: Path) -> StoreFile:
    try:
        document = json.loads(data)
    except ValueError as error:
        raise _corrupt(path, f"it is not JSON ({error})") from error
    if not isinstance(document, dict):
        raise _corrupt(path, "it is not a JSON object")
    file_format = document.pop("format", None)
    if not _is_count(file_format) or file_format < 1:
        raise _corrupt(path, f"format is {file_format!r}")
    if file_format > FORMAT:
        raise SchemaTooNew(
            f"{path} has format {file_format}; this memorygraph reads {FORMAT}. The store was left untouched.",
            hint="Upgrade memorygraph, or set MEMORYGRAPH_DATA_DIR to another folder.",
        )
    expected = set(StoreFile.__dataclass_fields__)
    if set(document) != expected:
        odd = ", ".join(sorted(set(document) ^ expected))
        raise _corrupt(path, f"fields are missing or unknown: {odd}")
    embedder = document["embedder"]
    if not (
        isinstance(document["store_id"], str)
        and document["store_id"]
        and _is_count(document["schema_version"])
        and isinstance(document["server_version"], str)
        and (embedder is None or isinstance(embedder, str))
    ):
        raise _corrupt(path, "a field has a value of the wrong kind")
    return StoreFile(**document)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _corrupt(path: Path, reason: str) -> StoreCorrupt:
    return StoreCorrupt(f"{path} cannot be understood: {reason}. The store was left untouched.", hint=_RESTORE)
