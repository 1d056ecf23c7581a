"""Statements of the access history and of the figures taken over it."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row, UserTransaction

__all__ = ["AccessStatements"]


class AccessStatements(UserTransaction):
    """Statements of the access history and of the figures taken over it."""

    async def read_access_targets(self, *, ids: Sequence[str]) -> list[Row]:
        """Access histories of statements, summaries and entities; of what was fused, its summary's."""
        return await self.rows("read_access_targets", ids=list(ids))

    async def write_accesses(self, *, rows: Sequence[Row]) -> int:
        """Writes access histories with the instants that follow from them."""
        return int((await self.the_row("write_accesses", rows=list(rows)))["written"])

    async def count_live_statements(self, *, now: int) -> Row:
        """How many statements live, and how many of them have gone cold."""
        return await self.the_row("count_live_statements", now=now)

    async def count_live_summaries(self, *, now: int) -> Row:
        """How many summaries live, and how many of them have gone cold."""
        return await self.the_row("count_live_summaries", now=now)

    async def count_live_entities(self, *, now: int) -> Row:
        """How many entities live, and how many of them have gone cold."""
        return await self.the_row("count_live_entities", now=now)

    async def sample_statements(self, *, skip: int, size: int) -> list[Row]:
        """Access histories of statements in the order of their ids, ``size`` of them after ``skip``."""
        return await self.rows("sample_statements", skip=skip, size=size)

    async def sample_summaries(self, *, skip: int, size: int) -> list[Row]:
        """Access histories of summaries in the order of their ids, ``size`` of them after ``skip``."""
        return await self.rows("sample_summaries", skip=skip, size=size)

    async def sample_entities(self, *, skip: int, size: int) -> list[Row]:
        """Access histories of entities in the order of their ids, ``size`` of them after ``skip``."""
        return await self.rows("sample_entities", skip=skip, size=size)
