"""What every way into a user's memory has: the user, who asks, what they may do, and the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memorygraph.scopes import need

if TYPE_CHECKING:
    from memorygraph.memory.bound import MemoryTools
    from memorygraph.writing.changes import Reversal

__all__ = ["UserDoor"]


class UserDoor:
    """A part of the memory of one user, as far as the scopes allow."""

    def __init__(
        self,
        tools: MemoryTools,
        end_user_id: str,
        *,
        actor: str,
        scopes: frozenset[str],
        reversal: Reversal | None = None,
    ) -> None:
        self._tools = tools
        self._end_user_id = end_user_id
        self._actor = actor
        self._scopes = scopes
        self._reversal = reversal  # of an event, which is what every change is for

    def _need(self, scope: str) -> None:
        need(scope, self._scopes)
