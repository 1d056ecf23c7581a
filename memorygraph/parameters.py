"""The decay parameters in force for each user."""

from __future__ import annotations

import time
from typing import Any

from memorygraph.access.state import ParametersInForce
from memorygraph.errors import ConfigurationError
from memorygraph.ledger import Ledger
from memorygraph_forgetting import DecayParameters, ParameterViolations

__all__ = ["EffectiveParameters"]

_FRESH = 2.0  # seconds after which another process's change is seen
_MOST_USERS = 10_000
_BUILT_IN = ParametersInForce(values=DecayParameters.balanced(), version=0)


class EffectiveParameters:
    """Asks the ledger for a user's parameters, and remembers the answer for two seconds.

    A user's own version goes before the deployment's, and that before the built-in balanced ones.
    Raises :class:`ConfigurationError` for stored parameters that cannot stand.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: dict[str, tuple[float, ParametersInForce]] = {}

    async def __call__(self, end_user_id: str) -> ParametersInForce:
        at, known = self._known.get(end_user_id, (0.0, None))
        now = time.monotonic()
        if known is not None and now - at < _FRESH:
            return known
        found = _in_force(await self._ledger.parameters.effective(end_user_id))
        if len(self._known) >= _MOST_USERS:
            self._known.clear()
        self._known[end_user_id] = (now, found)
        return found

    async def of_version(self, end_user_id: str, version: int) -> ParametersInForce | None:
        """What was in force for the user when ``version`` was the newest; None when no such version was."""
        found = _in_force(await self._ledger.parameters.effective(end_user_id, upto=version))
        return found if found.version == version else None


def _in_force(stored: tuple[dict[str, Any], int] | None) -> ParametersInForce:
    if stored is None:
        return _BUILT_IN
    values, version = stored
    try:
        return ParametersInForce(values=DecayParameters.from_dict(values), version=version)
    except ParameterViolations as error:
        raise ConfigurationError(
            f"The decay parameters in force, version {version}, cannot stand: {error}.",
            hint="Save parameters that can.",
        ) from error
