"""Erasing: a value or a word out of everything that is kept."""

from __future__ import annotations

from memorygraph.erasing.records import Erased
from memorygraph.memory.bound import Bound

__all__ = ["Erasure"]


class Erasure(Bound):
    """The door out, for good. What only has to be forgotten is fused; what is wrong is retracted."""

    async def erase(self, id: str | None = None, *, match: str | None = None, dry_run: bool = False) -> Erased:
        """Erase what bears ``id``, or everything that says ``match`` (1–200 characters on one line); one of the two.

        With a statement goes everything of the same value, and the turn it was taken from; with a summary
        all that it was made of; with an episode what nothing else is evidence of; with an entity its
        relations and its name, and no statement. ``match`` is found as whole words, in any case and
        Unicode form. ``dry_run`` says what would go and changes nothing. Answered when nothing of it is
        left in either store, in events, stubs and jobs neither; the value is refused from then on. On the
        embedded server ``memorygraph compact`` makes the files forget it too.

        Needs the scope ``forget``. Raises :class:`NotFound`, :class:`InvalidInput`, :class:`Forbidden`,
        :class:`StoreUnavailable`, :class:`EmbedderError`; an erasure that was cut off is finished when the
        store is opened again.
        """
        self._need("forget")
        return await self._tools.erasing.erase(
            self._end_user_id, id=id, match=match, actor=self._actor, dry_run=dry_run
        )
