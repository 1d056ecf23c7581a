"""Pages of memories as they were at an earlier time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.lineage import original_row
from memorygraph.past.memories import rows_as_of

if TYPE_CHECKING:
    from memorygraph.recall.choice import Choice

__all__ = ["page_as_of"]

_READ_AT_ONCE = 20  # at least: how many of them are chosen shows only when it is known how they were


async def page_as_of(store: UserStore, choice: Choice, at: int, *, before_id: str, count: int, now: int) -> list[Row]:
    """``count`` rows of ``read_memories``, newest first, of what ``choice`` chooses as it was at ``at`` (epoch ms).

    What was fused since is among them, as long as it can be read.
    """
    page = max(count, _READ_AT_ONCE)
    found: list[Row] = []
    while True:
        rows = await _recorded(store, at, before_id=before_id, retired=choice.may_be_retired, page=page)
        found += [row for row in await rows_as_of(store, rows, at) if choice.held(row["properties"], now=now)]
        if len(found) >= count or len(rows) < page:
            return found[:count]
        before_id = rows[-1]["properties"]["id"]


async def _recorded(store: UserStore, at: int, *, before_id: str, retired: bool, page: int) -> list[Row]:
    """A page of all that was there at ``at``, as it is now, or was when it was fused."""
    statements = await store.list_recorded_statements(before_id=before_id, at=at, retired=retired, page=page)
    summaries = await store.list_recorded_summaries(before_id=before_id, at=at, retired=retired, page=page)
    stubs = await store.list_forgotten_since(before_id=before_id, at=at, page=page)
    rows = [*statements, *summaries, *(original_row(stub["properties"]) for stub in stubs)]
    return sorted(rows, key=lambda row: str(row["properties"]["id"]), reverse=True)[:page]
