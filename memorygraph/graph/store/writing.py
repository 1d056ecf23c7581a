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
        self,
        *,
        items: Sequence[Row],
        name_keys: Sequence[str],
        near_statements: Sequence[str],
        near_summaries: Sequence[str],
    ) -> list[Row]:
        """As :meth:`lock_user`, with what is known of each of ``items``, a row for each in their order.

        The first row tells of the names and of the memories near to any of them as well, each once:
        values of a batch share many.
        """
        return await self.rows(
            "begin_writing",
            items=[item | {"is_first": number == 0} for number, item in enumerate(items)],
            name_keys=list(name_keys),
            near_statements=list(near_statements),
            near_summaries=list(near_summaries),
        )

    async def read_places(self, *, items: Sequence[Row]) -> list[Row]:
        """Slots, what is superseded, episodes and known turns of each of ``items``, a row for each in their order."""
        return await self.rows("read_places", items=list(items))

    async def read_slots(self, *, slots: Sequence[Row]) -> list[list[Row]]:
        """The claims of ``slots``, newest first: the live ones, and those superseded since after an instant."""
        return [row["claims"] for row in await self.rows("read_slots", slots=list(slots))]

    async def begin_change(self, *, ids: Sequence[str] = (), idempotency_key: str) -> Row | None:
        """As :meth:`lock_user`, with the memories to be changed, and the event of the same call if there is one."""
        row = await self.row("begin_change", ids=list(ids), idempotency_key=idempotency_key)
        if row is not None:
            # A map within a map is what the servers do not agree on.
            row["memories"] = [
                {
                    "id": memory["id"],
                    "type": memory.pop("node type"),
                    "entities": memory.pop("named entities"),
                    "properties": memory,
                }
                for memory in row["memories"]
            ]
        return row

    async def append_event(self, *, event: Row) -> None:
        """Appends one event to the user's chain and moves its head."""
        await self.rows("append_event", event=event)

    async def read_last_position(self, *, session_id: str) -> Row:
        """The highest position taken in a session."""
        return await self.the_row("read_last_position", session_id=session_id)

    async def create_statements(self, *, head: Row, events: Sequence[Row], rows: Sequence[Row]) -> None:
        """Creates statements with their entities, turns, evidence and links, and the events of it."""
        await self.rows("create_statements", head=head, events=list(events), rows=list(rows))

    async def update_memories(self, *, head: Row, events: Sequence[Row], rows: Sequence[Row]) -> int:
        """Changes properties of statements and summaries, and appends the events of it; how many it changed."""
        updated = await self.rows("update_memories", head=head, events=list(events), rows=list(rows))
        return int(updated[0]["updated"]) if updated else 0

    async def restate_forgotten(self, *, rows: Sequence[Row], at: int) -> None:
        """Marks statements as saying again what was forgotten."""
        await self.rows("restate_forgotten", rows=list(rows), at=at)

    async def retire_memories(self, *, rows: Sequence[Row]) -> None:
        """Takes statements and summaries out of search, walks and fusion."""
        await self.rows("retire_memories", rows=list(rows))

    async def revive_memories(self, *, rows: Sequence[Row]) -> None:
        """Brings retired statements and summaries back into search."""
        await self.rows("revive_memories", rows=list(rows))

    async def supersede_memories(self, *, rows: Sequence[Row]) -> None:
        """Ties what holds now to what it took the place of."""
        await self.rows("supersede_memories", rows=list(rows))

    async def question_statements(self, *, rows: Sequence[Row]) -> None:
        """Opens the question which of two statements holds."""
        await self.rows("question_statements", rows=list(rows))

    async def read_open_questions(self, *, ids: Sequence[str]) -> list[Row]:
        """The open contradictions of the named statements, each once."""
        found = await self.rows("read_open_questions", ids=list(ids))
        questions = (question for row in found for question in row["questions"])
        return list({(question["id"], question["other_id"]): question for question in questions}.values())

    async def answer_questions(self, *, rows: Sequence[Row]) -> int:
        """Closes open contradictions, with who decided and how; how many it closed."""
        return int((await self.the_row("answer_questions", rows=list(rows)))["answered"])

    async def link_memories(self, *, rows: Sequence[Row]) -> None:
        """Links pairs of statements and summaries."""
        await self.rows("link_memories", rows=list(rows))

    async def add_evidence(self, *, rows: Sequence[Row]) -> None:
        """Notes further places in episodes that statements are taken from."""
        await self.rows("add_evidence", rows=list(rows))

    async def unlink_memories(self, *, rows: Sequence[Row]) -> int:
        """Removes every link between pairs of statements and summaries; how many."""
        return int((await self.the_row("unlink_memories", rows=list(rows)))["unlinked"])

    async def unlink_automatic(self, *, ids: Sequence[str]) -> None:
        """Removes the links that were made by likeness; those made by hand stay."""
        await self.rows("unlink_automatic", ids=list(ids))

    async def unsupersede_memories(self, *, ids: Sequence[str]) -> None:
        """Unties memories from what had taken their place."""
        await self.rows("unsupersede_memories", ids=list(ids))

    async def mention_entities(self, *, id: str, mentions: Sequence[Row]) -> None:
        """Gives a statement other mentions than it had."""
        await self.rows("mention_entities", id=id, mentions=list(mentions))

    async def find_values(self, *, fingerprints: Sequence[str]) -> Row:
        """What stands under the fingerprints of values: tombstones in force, and live statements."""
        return await self.the_row("find_values", fingerprints=list(fingerprints))

    async def read_near(self, *, ids: Sequence[str]) -> list[Row]:
        """The live of the named statements and summaries, as far as they are compared with another."""
        return await self.rows("read_near", ids=list(ids))
