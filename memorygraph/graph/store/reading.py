"""Statements that read memories, lineage, events and what recall needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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

    async def read_relatives(self, *, id: str) -> Row | None:
        """What a statement or summary is tied to: links, questions, what it took the place of, and what took its."""
        return await self.row("read_relatives", id=id)

    async def select_expired_statements(self, *, now: int, page: int) -> list[Row]:
        """Statements whose time is over and that still count as active, a page of them."""
        return await self.rows("select_expired_statements", now=now, page=page)

    async def select_expired_summaries(self, *, now: int, page: int) -> list[Row]:
        """Summaries whose time is over and that still count as active, a page of them."""
        return await self.rows("select_expired_summaries", now=now, page=page)

    async def list_statements(self, **asked: Any) -> list[Row]:
        """A page of statements, newest first: those that hold, or held at an instant as believed now."""
        return await self.rows("list_statements", **asked)

    async def list_summaries(self, **asked: Any) -> list[Row]:
        """A page of summaries, newest first: those that hold, or held at an instant as believed now."""
        return await self.rows("list_summaries", **asked)

    async def list_recorded_statements(self, *, before_id: str, at: int, retired: bool, page: int) -> list[Row]:
        """A page of statements recorded by an instant, newest first; only with ``retired`` those retired by then."""
        return await self.rows("list_recorded_statements", before_id=before_id, at=at, retired=retired, page=page)

    async def list_recorded_summaries(self, *, before_id: str, at: int, retired: bool, page: int) -> list[Row]:
        """A page of summaries recorded by an instant, newest first; only with ``retired`` those retired by then."""
        return await self.rows("list_recorded_summaries", before_id=before_id, at=at, retired=retired, page=page)

    async def list_forgotten_since(self, *, before_id: str, at: int, page: int) -> list[Row]:
        """A page of the stubs of what was fused after an instant and can still be read, newest first."""
        return await self.rows("list_forgotten_since", before_id=before_id, at=at, page=page)

    async def read_changed_since(self, *, ids: Sequence[str], at: int) -> list[Row]:
        """Which of some memories have an event of a later time."""
        return await self.rows("read_changed_since", ids=list(ids), at=at)

    async def read_questions(self, *, ids: Sequence[str]) -> list[Row]:
        """When the contradictions of some statements were opened and answered."""
        return await self.rows("read_questions", ids=list(ids))

    async def read_history(self, *, target_id: str, before: int, page: int) -> list[Row]:
        """A page of the events whose target something is, newest first."""
        return await self.rows("read_history", target_id=target_id, before=before, page=page)

    async def read_fusion(self, *, id: str, cycle_id: str) -> Row | None:
        """The event by which a cycle fused a memory."""
        return await self.row("read_fusion", id=id, cycle_id=cycle_id)
