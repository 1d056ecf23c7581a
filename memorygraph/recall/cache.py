"""The recall indexes of many users, bounded in memory and brought up to date before every use."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial

from memorygraph.recall.index import IndexReader, IndexRow, RecallIndex
from memorygraph.recall.process import ProcessIndex

__all__ = ["RecallIndexes"]

# Reading a change costs about as much as reading a row in a full scan, plus the search for it.
_CHANGES_ALWAYS_READ = 500


class RecallIndexes:
    """A cache, used from one event loop. The least recently used indexes leave when the budget is exceeded.

    ``budget_bytes`` bounds the sum of :attr:`RecallIndex.nbytes`; the index in use stays even when it
    is larger than that. ``new_index`` makes an empty index.
    """

    def __init__(self, *, budget_bytes: int, new_index: Callable[[], RecallIndex] = ProcessIndex) -> None:
        self._budget = budget_bytes
        self._new_index = new_index
        self._indexes: OrderedDict[str, RecallIndex] = OrderedDict()  # least recently used first
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._refreshing: dict[str, asyncio.Task[RecallIndex]] = {}

    @property
    def nbytes(self) -> int:
        """Memory held by all indexes, in bytes."""
        return self._total

    def __len__(self) -> int:
        return len(self._indexes)

    def __contains__(self, end_user_id: str) -> bool:
        return end_user_id in self._indexes

    async def current(self, end_user_id: str, reader: IndexReader, head: int) -> RecallIndex:
        """The user's index with every mutation up to ``head`` in it; later ones may be in it too.

        ``head`` is what the caller saw last of :meth:`IndexReader.head`. When an index has it, nothing is read.
        Callers that come while an index is loaded or brought up to date wait for the same work, and
        share its failure. Whatever ``reader`` raises is raised here.
        """
        index = self._indexes.get(end_user_id)
        if index is not None and index.seq == head:
            self._indexes.move_to_end(end_user_id)
            return index
        while True:
            task = self._refreshing.get(end_user_id)
            # One that is done stays until its callback runs; to await it would not let that happen.
            others = task is not None and not task.done()
            if task is None or not others:
                task = asyncio.create_task(self._refresh(end_user_id, reader, head))
                self._refreshing[end_user_id] = task
                task.add_done_callback(partial(self._refreshed, end_user_id))
            # A caller that gives up does not take the work away from the others.
            index = await asyncio.shield(task)
            # What was under way already may have begun for a caller who had seen less.
            if index.seq >= head or not others:
                return index

    async def at_hand(self, end_user_id: str, reader: IndexReader) -> RecallIndex | None:
        """The user's index as it is, loaded if need be; it may lag behind. None for an unknown user."""
        index = self._indexes.get(end_user_id)
        if index is not None:
            self._indexes.move_to_end(end_user_id)
            return index
        head = await reader.head()
        return None if head is None else await self.current(end_user_id, reader, head)

    def wrote(self, end_user_id: str, rows: Iterable[IndexRow], *, before: int, seq: int) -> None:
        """Take in what this process wrote by itself, if the index stands at ``before``: it need not be read again."""
        index = self._indexes.get(end_user_id)
        if index is not None and index.seq == before:
            index.apply(rows, (), seq)
            self._keep(end_user_id, index)

    def drop(self, end_user_id: str) -> None:
        """Let go of the user's index, if there is one."""
        self._indexes.pop(end_user_id, None)
        self._total -= self._sizes.pop(end_user_id, 0)

    async def close(self) -> None:
        """Stop what is being read and let go of everything."""
        tasks = list(self._refreshing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for end_user_id in list(self._indexes):
            self.drop(end_user_id)

    def _refreshed(self, end_user_id: str, task: asyncio.Task[RecallIndex]) -> None:
        if self._refreshing.get(end_user_id) is task:
            del self._refreshing[end_user_id]

    async def _refresh(self, end_user_id: str, reader: IndexReader, head: int | None) -> RecallIndex:
        index = self._indexes.get(end_user_id)
        if index is not None and head is not None and head < index.seq:
            # The caller has seen less than the index, or the store was put back to an earlier state.
            head = await reader.head()
        if index is None or head is None or not _worth_updating(index, head):
            index, head = await self._loaded(reader, head)
        if head > index.seq:
            rows, removed = await reader.changed(index.seq, head)
            index.apply(rows, removed, head)
        self._keep(end_user_id, index)
        return index

    async def _loaded(self, reader: IndexReader, head: int | None) -> tuple[RecallIndex, int]:
        """A new index as of ``head``, and the head after it was read."""
        index = self._new_index()
        index.apply((), (), head or 0)
        async for page in reader.rows():
            index.apply(page, (), index.seq)
        # The pages were read after the head: what happened meanwhile is in some of them and not in others.
        return index, await reader.head() or 0

    def _keep(self, end_user_id: str, index: RecallIndex) -> None:
        self._indexes[end_user_id] = index
        self._indexes.move_to_end(end_user_id)
        size = index.nbytes
        self._total += size - self._sizes.get(end_user_id, 0)
        self._sizes[end_user_id] = size
        while self._total > self._budget and len(self._indexes) > 1:
            self.drop(next(iter(self._indexes)))


def _worth_updating(index: RecallIndex, head: int) -> bool:
    """Whether the changes up to ``head`` are cheaper to read than everything. A head behind: the store was restored."""
    return 0 <= head - index.seq <= max(_CHANGES_ALWAYS_READ, len(index))
