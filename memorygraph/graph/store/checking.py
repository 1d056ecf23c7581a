"""Statements that look for what must not be."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row, UserTransaction

__all__ = ["CheckingStatements"]


class CheckingStatements(UserTransaction):
    """Statements that look for what must not be."""

    async def check_statements(self, *, after: str, page: int) -> list[Row]:
        """A page of statements in full, in the order of their ids, with what their relationships say of them."""
        return await self.rows("check_statements", after=after, page=page)

    async def check_summaries(self, *, after: str, page: int) -> list[Row]:
        """A page of summaries in full, in the order of their ids, with the kinds of the originals they stand for."""
        return await self.rows("check_summaries", after=after, page=page)

    async def check_entities(self, *, after: str, page: int) -> list[Row]:
        """A page of entities in full, in the order of their ids."""
        return await self.rows("check_entities", after=after, page=page)

    async def check_stubs(self, *, after: str, page: int) -> list[Row]:
        """A page of stubs in the order of their ids, with the summaries that stand for each."""
        return await self.rows("check_stubs", after=after, page=page)

    async def check_relations(self, *, after: str, page: int) -> list[Row]:
        """A page of relations between entities in full, in the order of their ids."""
        return await self.rows("check_relations", after=after, page=page)

    async def check_aliases(self) -> list[Row]:
        """Aliases that lead to no entity, or to one that does not bear them."""
        return await self.rows("check_aliases")

    async def check_alias_names(self) -> list[Row]:
        """Names that entities have as aliases, and that do not lead to them."""
        return await self.rows("check_alias_names")

    async def check_tombstones(self, *, after: str, page: int) -> list[Row]:
        """A page of the tombstones in force, in the order of their fingerprints."""
        return await self.rows("check_tombstones", after=after, page=page)

    async def check_statement_words(self, *, rows: Sequence[Row]) -> list[str]:
        """Which of the statements of ``rows`` (``id``, ``query``) the server's full-text index finds."""
        return [row["id"] for row in await self.rows("check_statement_words", rows=list(rows))]

    async def check_summary_words(self, *, rows: Sequence[Row]) -> list[str]:
        """Which of the summaries of ``rows`` (``id``, ``query``) the server's full-text index finds."""
        return [row["id"] for row in await self.rows("check_summary_words", rows=list(rows))]

    async def check_statement_index(self, *, query: str) -> list[Row]:
        """What the server's full-text index of statements holds under the user's token."""
        return await self.rows("check_statement_index", query=query)

    async def check_summary_index(self, *, query: str) -> list[Row]:
        """What the server's full-text index of summaries holds under the user's token."""
        return await self.rows("check_summary_index", query=query)
