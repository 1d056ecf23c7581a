"""What of a user's memory is near to what is about to be written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from memorygraph.graph.driver import GraphDriver
from memorygraph.recall.cache import RecallIndexes
from memorygraph.recall.index import Filters, IndexRow, Neighbour
from memorygraph.recall.reading import GraphReader

__all__ = ["MOST_NEIGHBOURS", "Neighbours"]

MOST_NEIGHBOURS = 8  # looked at for each text, nearest first


class Neighbours:
    """Looks for live memories of like meaning in the recall indexes of this process."""

    def __init__(self, indexes: RecallIndexes, driver: GraphDriver) -> None:
        self._indexes = indexes
        self._driver = driver

    async def near(
        self,
        end_user_id: str,
        vectors: npt.NDArray[np.float32],
        projects: Sequence[str | None],
        *,
        floor: float,
        now: int,
        head: int | None = None,
    ) -> tuple[int, list[list[Neighbour]]]:
        """For each of ``vectors``, shape (n, dimension), its neighbours; before them the event they were seen at.

        ``projects`` are those of the texts: neighbours are of the same project or of none, and for a
        text of none of any. Without ``head`` the index is taken as it stands, else as of that event.
        """
        reader = GraphReader(self._driver, end_user_id)
        if head is None:
            index = await self._indexes.at_hand(end_user_id, reader)
        else:
            index = await self._indexes.current(end_user_id, reader, head)
        if index is None:
            return 0, [[] for _ in vectors]
        found: list[list[Neighbour]] = [[] for _ in vectors]
        for project in dict.fromkeys(projects):
            filters = Filters(now=now, project=project, or_without_project=True, trusts=("accepted", "candidate"))
            of_it = [number for number, of in enumerate(projects) if of == project]
            nearest = index.nearest(vectors[of_it], filters, MOST_NEIGHBOURS, floor=floor)
            for number, neighbours in zip(of_it, nearest, strict=True):
                found[number] = neighbours
        return index.seq, found

    async def sharing_words(
        self, end_user_id: str, texts: Sequence[tuple[Sequence[str], int]], *, now: int
    ) -> list[list[str]]:
        """For each of ``texts``, its tokens and a number, ids of so many live memories that share most words with it.

        Candidates are among them, and what other processes wrote until now.
        """
        reader = GraphReader(self._driver, end_user_id)
        head = await reader.head()
        if head is None:
            return [[] for _ in texts]
        index = await self._indexes.current(end_user_id, reader, head)
        filters = Filters(now=now, trusts=("accepted", "candidate"))
        return [[hit.id for hit in index.search(tokens, None, filters, most).hits] for tokens, most in texts]

    def wrote(self, end_user_id: str, rows: Iterable[IndexRow], *, before: int, seq: int) -> None:
        """Take in statements that this process created by the events after ``before`` up to ``seq``."""
        self._indexes.wrote(end_user_id, rows, before=before, seq=seq)
