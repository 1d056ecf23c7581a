"""The embedded graph server: ArcadeDB as a child process that speaks Bolt on loopback, shared by all our processes.

``attach`` finds or starts it; ``inspect`` tells about it without starting it; ``run_sql`` says what Cypher cannot;
``compact_graph`` makes its files anew.
``read_store_file`` and ``check_data_folder`` say whether a data folder may be opened, before anything touches it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

# Imported on first use: the launcher, which is a module of this package, runs without most of it.
if TYPE_CHECKING:
    from memorygraph.graph.embedded.attaching import EmbeddedServer, attach
    from memorygraph.graph.embedded.compaction import GraphCompaction, compact_graph
    from memorygraph.graph.embedded.data_folder import check_data_folder
    from memorygraph.graph.embedded.inspection import Inspection, inspect
    from memorygraph.graph.embedded.platforms import server_version
    from memorygraph.graph.embedded.sql import run_sql
    from memorygraph.graph.embedded.store_file import StoreFile, read_store_file, write_store_file

__all__ = [
    "EmbeddedServer",
    "GraphCompaction",
    "Inspection",
    "StoreFile",
    "attach",
    "check_data_folder",
    "compact_graph",
    "inspect",
    "read_store_file",
    "run_sql",
    "server_version",
    "write_store_file",
]

_MODULES = {
    "EmbeddedServer": "attaching",
    "GraphCompaction": "compaction",
    "Inspection": "inspection",
    "StoreFile": "store_file",
    "attach": "attaching",
    "check_data_folder": "data_folder",
    "compact_graph": "compaction",
    "inspect": "inspection",
    "read_store_file": "store_file",
    "run_sql": "sql",
    "server_version": "platforms",
    "write_store_file": "store_file",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
