"""What the verbs of entities share: transactions of one user, and the checks of their arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar

from memorygraph.access.state import ParametersInForce
from memorygraph.door import UserDoor
from memorygraph.entities.change import Change, run_change
from memorygraph.errors import InvalidInput
from memorygraph.graph.store import UserStore
from memorygraph.times import to_ms
from memorygraph.validation import MAX_LABEL, EntitySpec, check_line, entity_spec

__all__ = ["Door", "checked_entity", "checked_instant", "checked_kind", "checked_spec"]

T = TypeVar("T")


class Door(UserDoor):
    """Transactions within the memory of one user, as far as the scopes allow."""

    async def _change(
        self, work: Callable[[Change], Awaitable[str]], answer: Callable[[UserStore, str, int], Awaitable[T]]
    ) -> T:
        return await run_change(
            self._tools.mutations,
            self._end_user_id,
            work,
            answer,
            actor=self._actor,
            now=self._tools.clock.now_ms(),
            parameters=await self._parameters(),
            reversal=self._reversal,
        )

    async def _read(self, work: Callable[[UserStore], Awaitable[T]]) -> T:
        return await self._tools.driver.read(self._end_user_id, work)

    async def _parameters(self) -> ParametersInForce:
        return await self._tools.parameters(self._end_user_id)


def checked_entity(value: str, field: str = "entity") -> str:
    return check_line(value, field=field)


def checked_kind(value: str | None) -> str | None:
    return None if value is None else check_line(value, field="kind", longest=MAX_LABEL)


def checked_spec(value: EntitySpec | str | tuple[str, str], field: str) -> EntitySpec:
    try:
        return entity_spec(value)
    except InvalidInput as error:
        raise InvalidInput(error.message.replace("entities", field, 1), field=field, hint=error.hint) from None


def checked_instant(value: datetime | str | None, field: str) -> int | None:
    return None if value is None else to_ms(value, field=field)
