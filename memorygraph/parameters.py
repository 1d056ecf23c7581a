"""The decay parameters in force for each user."""

from __future__ import annotations

import time

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
        stored = await self._ledger.parameters.effective(end_user_id)
        if stored is None:
            found = _BUILT_IN
        else:
            values, version = stored
            try:
                found = ParametersInForce(values=DecayParameters.from_dict(values), version=version)
            except ParameterViolations as error:
                raise ConfigurationError(
                    f"The decay parameters in force, version {version}, cannot stand: {error}.",
                    hint="Save parameters that can.",
                ) from error
        if len(self._known) >= _MOST_USERS:
            self._known.clear()
        self._known[end_user_id] = (now, found)
        return found
