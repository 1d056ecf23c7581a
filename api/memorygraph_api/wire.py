"""How the engine's records look on the surfaces.

Inside, importance is a share in [0, 1] and the mathematics counts milliseconds; outside they are a mark from 1 to 10
and ISO 8601. Text is shown, never obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memorygraph.errors import InvalidInput
from memorygraph.times import from_ms

if TYPE_CHECKING:
    from memorygraph_forgetting import Curve

__all__ = ["IMPORTANCE_MARKS", "importance_from_mark", "outward", "outward_curve", "plain"]

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

IMPORTANCE_MARKS = (1, 10)
"""Lowest and highest mark."""


def importance_from_mark(mark: float) -> float:
    """The share in (0, 1] of a mark from 1 to 10; raises :class:`InvalidInput` for any other."""
    lowest, highest = IMPORTANCE_MARKS
    if not lowest <= mark <= highest:
        raise InvalidInput(
            f"importance is {mark:g}, outside {lowest} to {highest}.", field="importance", hint="5 is the usual mark."
        )
    return mark / highest


def outward(value: Any) -> Any:
    """``value``, the ``to_dict()`` of a record, with every ``importance`` in it as a mark from 1 to 10."""
    if isinstance(value, Mapping):
        return {key: _mark(inner) if key == "importance" else outward(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [outward(inner) for inner in value]
    return value


def outward_curve(curve: Curve) -> dict[str, Any]:
    """``curve.to_dict()`` with its instants in ISO 8601, UTC."""
    told = curve.to_dict()
    for part in (*told["points"], *told["accesses"]):
        part["at"] = from_ms(part["at"]).isoformat()
    if told["cold_at"] is not None:
        told["cold_at"] = from_ms(told["cold_at"]).isoformat()
    return told


def plain(text: str) -> str:
    """``text`` with what a terminal would obey written as escapes: control characters (not line breaks
    and tabs), changes of writing direction, halves of surrogate pairs."""
    return _OBEYED.sub(lambda found: ascii(found[0])[1:-1], text)


def _mark(share: Any) -> Any:
    return round(share * IMPORTANCE_MARKS[1], 6) if isinstance(share, int | float) else share
