"""Statements that select, fuse and put off what has gone cold."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row, UserTransaction

__all__ = ["FusionStatements"]


class FusionStatements(UserTransaction):
    """Statements that select, fuse and put off what has gone cold."""

    async def select_fusable_statements(self, *, now: int, after_at: int, after_id: str, page: int) -> list[Row]:
        """A page of statements that may be fused now, coldest first, with their entities."""
        return await self.rows("select_fusable_statements", now=now, after_at=after_at, after_id=after_id, page=page)

    async def select_fusable_summaries(self, *, now: int, after_at: int, after_id: str, page: int) -> list[Row]:
        """A page of summaries that may be fused now, coldest first, with their entities."""
        return await self.rows("select_fusable_summaries", now=now, after_at=after_at, after_id=after_id, page=page)

    async def read_members(self, *, ids: Sequence[str]) -> list[Row]:
        """What is about to be fused: its properties, and each relationship with its other end."""
        return await self.rows("read_members", ids=list(ids))

    async def create_summary(self, *, properties: Row) -> None:
        """Creates the summary that stands for a fused group."""
        await self.rows("create_summary", properties=properties)

    async def carry_mentions(self, *, summary_id: str, rows: Sequence[Row]) -> int:
        """Gives a summary the mentions of its originals."""
        return int((await self.the_row("carry_mentions", summary_id=summary_id, rows=list(rows)))["carried"])

    async def carry_episodes(self, *, summary_id: str, rows: Sequence[Row]) -> int:
        """Gives a summary the episodes of its originals."""
        return int((await self.the_row("carry_episodes", summary_id=summary_id, rows=list(rows)))["carried"])

    async def forget_statements(self, *, rows: Sequence[Row]) -> list[Row]:
        """Replaces statements by their stubs; their relationships go with them."""
        return await self.rows("forget_statements", rows=list(rows))

    async def forget_summaries(self, *, rows: Sequence[Row]) -> list[Row]:
        """Replaces summaries by their stubs; their relationships go with them."""
        return await self.rows("forget_summaries", rows=list(rows))

    async def derive_summary(self, *, summary_id: str, rows: Sequence[Row]) -> int:
        """Ties a summary to the stubs it stands for."""
        return int((await self.the_row("derive_summary", summary_id=summary_id, rows=list(rows)))["derived"])

    async def raise_fence(self, *, fence: int) -> None:
        """Notes the fencing token of the worker that is committing."""
        await self.rows("raise_fence", fence=fence)

    async def postpone_fusion(self, *, ids: Sequence[str], until: int) -> int:
        """Has what could not be grouped looked at again later."""
        return int((await self.the_row("postpone_fusion", ids=list(ids), until=until))["postponed"])
