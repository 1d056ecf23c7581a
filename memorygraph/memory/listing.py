"""Reading memories page by page, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.memory.bound import Bound
from memorygraph.paging import Page, decode_cursor, encode_cursor
from memorygraph.recall.choice import Choice
from memorygraph.records import MemoryRecord
from memorygraph.validation import check_count

__all__ = ["Listing"]

_MOST = 1000
_LATEST = 2**62  # after every instant
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
        too. Nothing counts as used. Raises :class:`InvalidInput`, :class:`Forbidden`.
        """
        self._need("read")
        check_count(limit, field="limit", least=1, most=_MOST)
        (before_id,) = (_AFTER_EVERY_ID,) if after is None else decode_cursor(after, str)
        now = self._tools.clock.now_ms()
        asked = _asked(
            Choice.checked(
                kinds=kinds,
                tags=tags,
                project=project,
                session_id=session_id,
                include=include,
                as_of_valid=as_of_valid,
                as_of_recorded=as_of_recorded,
            ),
            now=now,
        )

        async def work(store: UserStore) -> tuple[Sequence[Row], Sequence[Row]]:
            statements = await store.list_statements(**asked, before_id=before_id, page=limit + 1)
            return statements, await store.list_summaries(**asked, before_id=before_id, page=limit + 1)

        statements, summaries = await self._tools.driver.read(self._end_user_id, work)
        parameters = await self._tools.parameters(self._end_user_id)
        found = [
            *(
                MemoryRecord.from_properties(
                    "Statement", row["properties"], entities=row["entities"], parameters=parameters, now=now
                )
                for row in statements
            ),
            *(
                MemoryRecord.from_properties(
                    "MemorySummary", row["properties"], entities=row["entities"], parameters=parameters, now=now
                )
                for row in summaries
            ),
        ]
        found.sort(key=lambda memory: memory.id, reverse=True)  # ids begin with the time they were made
        return Page(
            items=tuple(found[:limit]), after=encode_cursor(found[limit - 1].id) if len(found) > limit else None
        )


def _asked(choice: Choice, *, now: int) -> dict[str, Any]:
    """The parameters of the listing statements for a choice."""
    filters = choice.filters(now=now)
    return {
        "kinds": None if filters.kinds is None else sorted(filters.kinds),
        "tags": sorted(filters.tags),
        "project": filters.project,
        "session_id": filters.session_id,
        "statuses": sorted(filters.statuses),
        "trusts": sorted(filters.trusts),
        "now": now,
        "past": filters.as_of_valid is not None or filters.as_of_recorded is not None,
        "valid_at": filters.as_of_valid,
        "believed_at": _LATEST if filters.as_of_recorded is None else filters.as_of_recorded,
    }
