"""Asking a memory."""

from typing import Any

from memorygraph import Memory

__all__ = ["found"]


async def found(memory: Memory, query: str, **arguments: Any) -> list[str]:
    """Ids of the memories that ``recall`` finds, the best first."""
    return [hit.memory.id for hit in (await memory.recall(query, **arguments)).hits]
