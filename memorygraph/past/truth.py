"""When, in the world, what a memory says was true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["is_true", "true_since"]


def true_since(memory: Mapping[str, Any]) -> int | None:
    """Since when (epoch ms) a memory, its stored properties, is true; None: since ever.

    What happened at a time that was told has been true since then, for all that is known.
    """
    happened = memory.get("occurred_at")
    if happened is None:
        happened = memory.get("covers_from")
    since = memory.get("valid_from")
    return since if since is not None or happened == memory["recorded_at"] else happened


def is_true(memory: Mapping[str, Any], at: int) -> bool:
    """Whether an active or superseded memory was true at ``at`` (epoch ms), as its stored properties have it."""
    since, until = true_since(memory), memory.get("valid_to")
    if (since is not None and since > at) or (until is not None and until <= at):
        return False
    return memory["status"] != "superseded" or memory.get("superseded_from") is None or memory["superseded_from"] > at
