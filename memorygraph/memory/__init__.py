"""The memory of one user: the only door to a user's data."""

from __future__ import annotations

from memorygraph.entities.entities import Entities
from memorygraph.memory.auditing import Auditing
from memorygraph.memory.bound import MemoryTools
from memorygraph.memory.erasing import Erasure
from memorygraph.memory.ingesting import Ingestion
from memorygraph.memory.jobs import Jobs
from memorygraph.memory.listing import Listing
from memorygraph.memory.reading import Reading
from memorygraph.memory.reviewing import Review
from memorygraph.memory.revising import Revising
from memorygraph.memory.writing import Writing

__all__ = ["Memory", "MemoryTools"]


class Memory(Writing, Ingestion, Revising, Erasure, Reading, Listing, Auditing):
    """The memory of one user, made by :meth:`MemoryEngine.memory`. Nothing of another user is within its reach.

    What a caller's scopes do not allow raises :class:`Forbidden` and changes nothing.
    """

    @property
    def entities(self) -> Entities:
        """Who and what this memory is about, and how they are related."""
        return Entities(self._tools, self._end_user_id, actor=self._actor, scopes=self._scopes)

    @property
    def review(self) -> Review:
        """What a reviewer decides: candidates, contradictions, values that are refused."""
        return Review(self._tools, self._end_user_id, actor=self._actor, scopes=self._scopes)

    @property
    def jobs(self) -> Jobs:
        """The durable work of this user."""
        return Jobs(self._tools, self._end_user_id, actor=self._actor, scopes=self._scopes)

    @property
    def end_user_id(self) -> str:
        """The user whose memory this is."""
        return self._end_user_id
