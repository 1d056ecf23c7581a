"""A memory engine for LLM agents that forgets by fusing, and keeps the lineage.

``MemoryEngine.open()`` opens a store, ``engine.memory(user)`` is the memory of one user. Every
exception is in :mod:`memorygraph.errors`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from memorygraph._version import __version__

# Imported on first use: a command line that only prints its help must not load a driver and numpy.
if TYPE_CHECKING:
    from memorygraph.clock import Clock, SimulatedClock, SystemClock
    from memorygraph.engine import MemoryEngine
    from memorygraph.errors import MemoryGraphError
    from memorygraph.memory import Memory
    from memorygraph.records import (
        Answer,
        BatchItem,
        Contradiction,
        EntityRef,
        Explanation,
        Hit,
        Lineage,
        MemoryRecord,
        Original,
        Refusal,
        Similar,
        Written,
    )
    from memorygraph.runs import Cycle, Job
    from memorygraph.settings import Settings, load_settings
    from memorygraph.sync import SyncMemory, SyncMemoryEngine
    from memorygraph.validation import EntitySpec, RelationSpec
    from memorygraph.writing.events import ChainReport

_MODULES = {
    "Answer": "records",
    "BatchItem": "records",
    "ChainReport": "writing.events",
    "Clock": "clock",
    "Contradiction": "records",
    "Cycle": "runs",
    "EntityRef": "records",
    "EntitySpec": "validation",
    "Explanation": "records",
    "Hit": "records",
    "Job": "runs",
    "Lineage": "records",
    "Memory": "memory",
    "MemoryEngine": "engine",
    "MemoryGraphError": "errors",
    "MemoryRecord": "records",
    "Original": "records",
    "Refusal": "records",
    "RelationSpec": "validation",
    "Settings": "settings",
    "Similar": "records",
    "SimulatedClock": "clock",
    "SyncMemory": "sync",
    "SyncMemoryEngine": "sync",
    "SystemClock": "clock",
    "Written": "records",
    "load_settings": "settings",
}

__all__ = [
    "Answer",
    "BatchItem",
    "ChainReport",
    "Clock",
    "Contradiction",
    "Cycle",
    "EntityRef",
    "EntitySpec",
    "Explanation",
    "Hit",
    "Job",
    "Lineage",
    "Memory",
    "MemoryEngine",
    "MemoryGraphError",
    "MemoryRecord",
    "Original",
    "Refusal",
    "RelationSpec",
    "Settings",
    "Similar",
    "SimulatedClock",
    "SyncMemory",
    "SyncMemoryEngine",
    "SystemClock",
    "Written",
    "__version__",
    "load_settings",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
