"""Entities with the change that only the undoing of an event makes: no caller of the public verbs reaches it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memorygraph.entities.entities import Entities
from memorygraph.entities.naming import Restoration

__all__ = ["RestoringEntities"]


class RestoringEntities(Entities):
    """The entities of one user, for the undoing of an event about one."""

    async def restore(self, entity_id: str, before: Mapping[str, Any]) -> None:
        """Let properties of an entity be what an event of it says they were ``before``, with the aliases of then.

        They are written as they are: nothing but what an event kept is to be given. Raises
        :class:`NotFound`, and :class:`Conflict` when the entity was merged since, or another one has a name of then.
        """
        self._need("write")
        await self._change(Restoration(entity_id=entity_id, before=before).run, self._entity_answer)
