"""Statements that read memories, lineage, events and what recall needs."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row, UserTransaction

__all__ = ["ReadingStatements"]


class ReadingStatements(UserTransaction):
    """Statements that read memories, lineage, events and what recall needs."""

    async def read_user(self) -> Row | None:
        """Where the user's events stand."""
        return await self.row("read_user")

    async def read_memories(self, *, ids: Sequence[str]) -> list[Row]:
        """Statements and summaries in full, with their entities, and where the events stand."""
        return await self.rows("read_memories", ids=list(ids))

    async def read_forgotten(self, *, ids: Sequence[str]) -> list[Row]:
        """Stubs of fused originals, with the live summary each went into."""
        return await self.rows("read_forgotten", ids=list(ids))

    async def read_lineage(self, *, summary_id: str) -> list[Row]:
        """The stubs a summary was derived from."""
        return await self.rows("read_lineage", summary_id=summary_id)

    async def read_events(self, *, after: int, upto: int) -> list[Row]:
        """A page of the user's events in order."""
        return await self.rows("read_events", after=after, upto=upto)

    async def read_changes(self, *, after: int, upto: int) -> list[Row]:
        """What the events after a point changed, by id."""
        return await self.rows("read_changes", after=after, upto=upto)

    async def read_statement_rows(self) -> list[Row]:
        """What recall needs of every statement of the user."""
        return await self.rows("read_statement_rows")

    async def read_summary_rows(self) -> list[Row]:
        """What recall needs of every summary of the user."""
        return await self.rows("read_summary_rows")

    async def read_changed_statement_rows(self, *, ids: Sequence[str]) -> list[Row]:
        """What recall needs of the named statement nodes."""
        return await self.rows("read_changed_statement_rows", ids=list(ids))

    async def read_changed_summary_rows(self, *, ids: Sequence[str]) -> list[Row]:
        """What recall needs of the named summary nodes."""
        return await self.rows("read_changed_summary_rows", ids=list(ids))
