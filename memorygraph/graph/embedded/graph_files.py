"""Whether the graph server would find its files whole, asked before it starts.

The server itself opens almost anything: it drops what it cannot find from its schema, takes an older schema for one
it cannot read, and serves an empty graph where a file was cut short.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from memorygraph.errors import StoreCorrupt
from memorygraph.graph.embedded.command_line import DATABASE
from memorygraph.graph.embedded.layout import DataFolderLayout

__all__ = ["check_graph_files"]

# name.id.page size.version.kind; what the server keeps beside such a file has one more suffix
_COMPONENT = re.compile(r"(?P<name>.+)\.\d+\.(?P<page_bytes>\d+)\.v\d+\.[a-z]+")


def check_graph_files(layout: DataFolderLayout) -> None:
    """Look at the database's files while no server runs. Contents of pages are not looked at.

    The schema has to be readable. After a clean stop every file that it names has to be there, and every file has to
    consist of whole pages; after a crash both are restored from the server's log of writes, so neither is asked then.
    Raises :class:`StoreCorrupt`; nothing is written.
    """
    folder = layout.databases / DATABASE
    try:
        files = {path.name: path.stat().st_size for path in folder.iterdir()}
    except FileNotFoundError:
        return
    except OSError as error:
        raise _corrupt(folder, f"it cannot be read ({error.strerror})") from error
    for name in ("schema.json", "configuration.json"):
        if name in files:
            _json(folder / name)
    if any(name.endswith(".wal") for name in files):
        return
    if "schema.json" not in files:
        if any(name.endswith(".bucket") for name in files):
            raise _corrupt(folder, "schema.json is missing")
        return  # the server was killed while it made the database, and will make it again
    components: set[str] = set()
    for name, size in files.items():
        if match := _COMPONENT.fullmatch(name):
            components.add(match["name"])
            if size % int(match["page_bytes"]):
                raise _corrupt(folder, f"{name} ends in the middle of a page")
    for component in ("dictionary", *_named_in(_json(folder / "schema.json"))):
        if component not in components:
            raise _corrupt(folder, f"the file of {component} is missing")


def _named_in(schema: dict[str, Any]) -> set[str]:
    """The buckets and indexes that hold what the schema's types describe."""
    types = schema.get("types")
    described = [kind for kind in types.values() if isinstance(kind, dict)] if isinstance(types, dict) else []
    return {name for kind in described for part in ("buckets", "indexes") for name in kind.get(part, ())}


def _json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise _corrupt(path.parent, f"{path.name} cannot be read ({error})") from error
    if not isinstance(document, dict):
        raise _corrupt(path.parent, f"{path.name} is not a JSON object")
    return document


def _corrupt(folder: Path, reason: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"The graph in {folder} is damaged: {reason}. It was left untouched.",
        hint="Restore the data folder from a backup, or set MEMORYGRAPH_DATA_DIR to another folder.",
    )
