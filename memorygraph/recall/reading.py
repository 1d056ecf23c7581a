"""What recall reads from the graph: everything of a user at once, or what changed since."""

from __future__ import annotations

from collections.abc import AsyncIterator

from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.recall.index import IndexRow

__all__ = ["GraphReader"]


class GraphReader:
    """Reads one user's rows for the recall index."""

    def __init__(self, driver: GraphDriver, end_user_id: str) -> None:
        self._driver = driver
        self._end_user_id = end_user_id

    async def head(self) -> int | None:
        """The number of the user's newest event; ``None`` when there is no such user."""

        async def work(store: UserStore) -> Row | None:
            return await store.read_user()

        row = await self._driver.read(self._end_user_id, work)
        return None if row is None else int(row["seq"])

    async def rows(self) -> AsyncIterator[list[IndexRow]]:
        """Every statement and summary of the user, in two pages."""

        async def statements(store: UserStore) -> list[Row]:
            return await store.read_statement_rows()

        async def summaries(store: UserStore) -> list[Row]:
            return await store.read_summary_rows()

        for page in (statements, summaries):
            yield [_index_row(row) for row in await self._driver.read(self._end_user_id, page)]

    async def changed(self, after: int, upto: int) -> tuple[list[IndexRow], list[str]]:
        """What the events ``after < seq ≤ upto`` changed: rows as they are now, and ids of what is gone."""

        async def work(store: UserStore) -> tuple[list[IndexRow], list[str]]:
            ids = [row["id"] for row in await store.read_changes(after=after, upto=upto)]
            rows = await store.read_changed_statement_rows(ids=ids) + await store.read_changed_summary_rows(ids=ids)
            found = [_index_row(row) for row in rows]
            return found, sorted(set(ids) - {row.id for row in found})

        return await self._driver.read(self._end_user_id, work)


def _index_row(row: Row) -> IndexRow:
    return IndexRow.of(row["type"], row)
