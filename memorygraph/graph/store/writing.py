"""Statements of the write path and of the event chain."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row, UserTransaction

__all__ = ["WritingStatements"]


class WritingStatements(UserTransaction):
    """Statements of the write path and of the event chain."""

    async def lock_user(self) -> Row | None:
        """Takes the lock of the user's mutations and tells where the events stand; no row without such a user."""
        return await self.row("lock_user")

    async def create_user(self, *, now: int, genesis: str) -> Row | None:
        """Makes the user on first use."""
        return await self.row("create_user", now=now, genesis=genesis)

    async def begin_writing(
        self, *, fingerprint: str, project: str, idempotency_key: str, name_keys: Sequence[str]
    ) -> Row | None:
        """As :meth:`lock_user`, with what is known of a value: tombstone, earlier request, same live or forgotten."""
        return await self.row(
            "begin_writing",
            fingerprint=fingerprint,
            project=project,
            idempotency_key=idempotency_key,
            name_keys=list(name_keys),
        )

    async def append_event(self, *, event: Row) -> None:
        """Appends one event to the user's chain and moves its head."""
        await self.rows("append_event", event=event)

    async def read_turn(self, *, session_id: str, position: int, content_hash: str) -> Row | None:
        """The statement of a turn that is already known, or the summary it was fused into."""
        return await self.row("read_turn", session_id=session_id, position=position, content_hash=content_hash)

    async def read_last_position(self, *, session_id: str) -> Row:
        """The highest position taken in a session."""
        return await self.the_row("read_last_position", session_id=session_id)

    async def create_statement(
        self, *, properties: Row, mentions: Sequence[Row], turns: Sequence[Row], event: Row
    ) -> None:
        """Creates a statement with the entities it mentions, the turn it keeps verbatim (or none), and its event."""
        await self.rows(
            "create_statement", properties=properties, mentions=list(mentions), turns=list(turns), event=event
        )

    async def confirm_statement(self, *, statement_id: str, properties: Row, event: Row) -> Row:
        """Counts that a value was said again, with its event, and tells the entities it mentions."""
        return await self.the_row("confirm_statement", statement_id=statement_id, properties=properties, event=event)

    async def restate_forgotten(self, *, statement_id: str, forgotten_ids: Sequence[str], at: int) -> None:
        """Marks a statement as saying again what was forgotten."""
        await self.rows("restate_forgotten", statement_id=statement_id, forgotten_ids=list(forgotten_ids), at=at)
