"""Reading memories page by page, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.memory.bound import Bound
from memorygraph.paging import Page, decode_cursor, encode_cursor
from memorygraph.past.pages import page_as_of
from memorygraph.recall.choice import Choice
from memorygraph.records import MemoryRecord
from memorygraph.validation import check_count

__all__ = ["Listing"]

_MOST = 1000
_AFTER_EVERY_ID = "~"


class Listing(Bound):
    """What is there, without a question."""

    async def list(
        self,
        *,
        kinds: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        session_id: str | None = None,
        include: Sequence[str] = (),
        as_of_valid: datetime | str | None = None,
        as_of_recorded: datetime | str | None = None,
        limit: int = 50,
        after: str | None = None,
    ) -> Page[MemoryRecord]:
        """Statements and summaries, newest first, ``limit`` (1–1,000) of them, or those after the cursor ``after``.

        Which are listed is chosen as in :meth:`recall`, by what was true or believed at other instants
        too. With ``as_of_recorded`` they are as they were then, rebuilt from their events, those that were
        fused since among them; what cannot be rebuilt because an event was erased is left out. Nothing
        counts as used. Raises :class:`InvalidInput`, :class:`Forbidden`.
        """
        self._need("read")
        check_count(limit, field="limit", least=1, most=_MOST)
        (before_id,) = (_AFTER_EVERY_ID,) if after is None else decode_cursor(after, str)
        now = self._tools.clock.now_ms()
        choice = Choice.checked(
            kinds=kinds,
            tags=tags,
            project=project,
            session_id=session_id,
            include=include,
            as_of_valid=as_of_valid,
            as_of_recorded=as_of_recorded,
        )

        async def work(store: UserStore) -> list[Row]:
            if (at := choice.as_of_recorded) is not None:
                return await page_as_of(store, choice, at, before_id=before_id, count=limit + 1, now=now)
            asked = _asked(choice, now=now)
            statements = await store.list_statements(**asked, before_id=before_id, page=limit + 1)
            rows = [*statements, *await store.list_summaries(**asked, before_id=before_id, page=limit + 1)]
            # Ids begin with the time they were made.
            return sorted(rows, key=lambda row: str(row["properties"]["id"]), reverse=True)

        rows = await self._tools.driver.read(self._end_user_id, work)
        parameters = await self._tools.parameters(self._end_user_id)
        found = tuple(
            MemoryRecord.from_properties(
                row["type"], row["properties"], entities=row["entities"], parameters=parameters, now=now
            )
            for row in rows[:limit]
        )
        return Page(items=found, after=encode_cursor(found[-1].id) if len(rows) > limit else None)


def _asked(choice: Choice, *, now: int) -> dict[str, Any]:
    """The parameters of the listing statements for a choice of what is held now."""
    filters = choice.filters(now=now)
    return {
        "kinds": None if filters.kinds is None else sorted(filters.kinds),
        "tags": sorted(filters.tags),
        "project": filters.project,
        "session_id": filters.session_id,
        "statuses": ["active", "superseded"] if filters.as_of_valid is not None else sorted(filters.statuses),
        "trusts": sorted(filters.trusts),
        "now": now,
        "valid_at": filters.as_of_valid,
    }
