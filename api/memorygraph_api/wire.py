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
from memorygraph.validation import EntitySpec

if TYPE_CHECKING:
    from memorygraph_forgetting import Curve

__all__ = [
    "IMPORTANCE_MARKS",
    "importance_from_mark",
    "inward_entity",
    "inward_item",
    "inward_relation",
    "outward",
    "outward_change",
    "outward_curve",
    "plain",
]

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

# Names of stored properties that are epoch milliseconds.
_INSTANT = re.compile(r"\w+_at|valid_from|valid_to|superseded_from|review_since|covers_from|covers_to")

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


def inward_item(item: object) -> dict[str, Any]:
    """The arguments of ``remember`` that ``item`` is the JSON object of: its importance is a mark from 1 to 10.

    Raises :class:`InvalidInput`; what is wrong with the arguments themselves ``remember`` says.
    """
    if not isinstance(item, Mapping):
        raise InvalidInput("The item is not a JSON object.", field="items")
    told = dict(item)
    mark = told.get("importance")
    if isinstance(mark, int | float) and not isinstance(mark, bool):
        told["importance"] = importance_from_mark(mark)
    for name, read in (("entities", inward_entity), ("relations", inward_relation)):
        if isinstance(told.get(name), list):
            told[name] = [read(value) for value in told[name]]
    return told


def inward_entity(value: object, *, field: str = "entities") -> Any:
    """An entity as ``remember`` takes it: from its name, ``[name, kind]``, or an object of ``name`` and ``kind``.

    Raises :class:`InvalidInput` for an object of anything else.
    """
    if isinstance(value, list):
        return tuple(value)
    if not isinstance(value, Mapping):
        return value
    if "name" not in value or not value.keys() <= {"name", "kind"}:
        raise InvalidInput(f'{field} has an object that is not {{"name": …, "kind": …}}.', field=field)
    return EntitySpec(name=value["name"], kind=value.get("kind"))


def inward_relation(value: object) -> Any:
    """A relation as ``remember`` takes it: from ``[subject, predicate, object]``, or an object of these three.

    Raises :class:`InvalidInput` for an object of anything else.
    """
    if isinstance(value, Mapping):
        if value.keys() != {"subject", "predicate", "object"}:
            raise InvalidInput(
                'relations has an object that is not {"subject": …, "predicate": …, "object": …}.', field="relations"
            )
        value = [value["subject"], value["predicate"], value["object"]]
    if not isinstance(value, list) or len(value) != 3:
        return value
    subject, predicate, target = value
    return inward_entity(subject, field="relations"), predicate, inward_entity(target, field="relations")


def outward(value: Any) -> Any:
    """``value``, the ``to_dict()`` of a record, with every ``importance`` in it as a mark from 1 to 10."""
    if isinstance(value, Mapping):
        return {key: _mark(inner) if key == "importance" else outward(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [outward(inner) for inner in value]
    return value


def outward_change(told: Mapping[str, Any]) -> dict[str, Any]:
    """``told``, the ``to_dict()`` of an event, with what was stored ``before`` and ``after`` as the surfaces show it:
    instants in ISO 8601, UTC, and importance as a mark."""
    return {name: _stored(value) if name in ("before", "after") else value for name, value in told.items()}


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


def _stored(value: Any, name: str = "") -> Any:
    if isinstance(value, Mapping):
        return {key: _stored(inner, key) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_stored(inner, name) for inner in value]
    if name == "importance":
        return _mark(value)
    if _INSTANT.fullmatch(name) and isinstance(value, int) and not isinstance(value, bool):
        return from_ms(value).isoformat()
    return value


def _mark(share: Any) -> Any:
    return round(share * IMPORTANCE_MARKS[1], 6) if isinstance(share, int | float) else share
