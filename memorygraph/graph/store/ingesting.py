"""Statements that keep episodes and read them back."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row, UserTransaction

__all__ = ["IngestionStatements"]


class IngestionStatements(UserTransaction):
    """Statements that keep episodes and read them back."""

    async def begin_ingestion(self, *, idempotency_key: str, session_ids: Sequence[str]) -> Row | None:
        """As :meth:`lock_user`, with the event of the same request, and the turns of the sessions it is about."""
        return await self.row("begin_ingestion", idempotency_key=idempotency_key, session_ids=list(session_ids))

    async def create_episodes(self, *, rows: Sequence[Row]) -> None:
        """Keeps what was said or written, verbatim."""
        await self.rows("create_episodes", rows=list(rows))

    async def read_ingestion(self, *, ingest_id: str) -> list[Row]:
        """The episodes of one ingestion in the order in which they were said."""
        return await self.rows("read_ingestion", ingest_id=ingest_id)

    async def finish_episodes(self, *, ingest_id: str) -> None:
        """Notes that nothing is left to be done with the episodes of one ingestion."""
        await self.rows("finish_episodes", ingest_id=ingest_id)

    async def read_comparison(self, *, id: str) -> Row | None:
        """A statement that is to be compared, with those it is compared with; None when there is nothing to do."""
        return await self.row("read_comparison", id=id)

    async def finish_comparison(self, *, id: str) -> None:
        """Notes that a statement has been compared."""
        await self.rows("finish_comparison", id=id)
