"""Statements of the review: what waits for it, questions, tombstones."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row, UserTransaction

__all__ = ["ReviewStatements"]


class ReviewStatements(UserTransaction):
    """Statements of the review: what waits for it, questions, tombstones."""

    async def read_review_queue(self, *, since: int, after_id: str, now: int, page: int) -> list[Row]:
        """A page of the active statements that wait for a review, those that wait longest first."""
        return await self.rows("read_review_queue", since=since, after_id=after_id, now=now, page=page)

    async def reopen_question(self, *, id: str, other_id: str, resolved_at: int) -> int:
        """Opens a contradiction that was answered at an instant, as if it had not been; how many it opened."""
        row = await self.the_row("reopen_question", id=id, other_id=other_id, resolved_at=resolved_at)
        return int(row["reopened"])

    async def write_tombstones(self, *, rows: Sequence[Row]) -> None:
        """Puts tombstones on values, or puts those again in force that were lifted."""
        await self.rows("write_tombstones", rows=list(rows))

    async def lift_tombstones(self, *, fingerprints: Sequence[str], at: int) -> None:
        """Lets values be taken again."""
        await self.rows("lift_tombstones", fingerprints=list(fingerprints), at=at)

    async def read_tombstones(self, *, fingerprints: Sequence[str]) -> list[Row]:
        """The tombstones of some values, in force or lifted."""
        return await self.rows("read_tombstones", fingerprints=list(fingerprints))

    async def list_tombstones(self, *, after: str, page: int) -> list[Row]:
        """A page of tombstones in the order of their fingerprints, with what the event that put each there says."""
        return await self.rows("list_tombstones", after=after, page=page)
