"""Reading all nodes of a kind, a page at a time, in the order of the key that pages are told apart by."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from memorygraph.graph.session import Row

__all__ = ["PAGE", "scanned"]

PAGE = 500


async def scanned(read: Callable[[str], Awaitable[list[Row]]]) -> AsyncIterator[Row]:
    """The ``properties`` of every node, of which ``read`` gives the page of :data:`PAGE` whose keys come after a key.

    The key is the ``id``, of a node without one its ``fingerprint``.
    """
    after = ""
    while True:
        rows = await read(after)
        for row in rows:
            yield row["properties"]
        if len(rows) < PAGE:
            return
        last = rows[-1]["properties"]
        after = last["id"] if "id" in last else last["fingerprint"]
