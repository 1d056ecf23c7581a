"""What the events of a memory tell that it claimed, before and after each: of a change they hold what changed alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memorygraph.graph.session import Row
from memorygraph.writing.events import payload_of

__all__ = ["claims_told", "tells_all", "tells_claim"]

_CLAIM = ("text", "speaker", "subject", "predicate", "value")


def tells_claim(payload: Mapping[str, Any]) -> bool:
    """Whether a payload says anything of what a memory claimed."""
    return any(_claimed(payload.get(side)) for side in ("before", "after"))


def tells_all(payload: Mapping[str, Any]) -> bool:
    """Whether a payload says all of what a memory claimed, as that of its first event does."""
    return payload.get("before") is None and len(_claimed(payload.get("after"))) == len(_CLAIM)


def claims_told(events: Sequence[Row], now: Mapping[str, Any] | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """What a memory claimed before and after each of its events that tell of it, with the number of the event.

    ``events`` are all of them in order, ``now`` what the memory is, None when it is not there. What one event leaves
    out is taken from the earlier ones and, where one of these was erased, from the later ones too: then the same event
    may be answered with more than one claim.
    """
    told = [(event["seq"], payload_of(event)) for event in events]
    yield from _followed(told, {}, first="before", then="after")
    if now is not None:
        yield from _followed(reversed(told), _claimed(now), first="after", then="before")


def _followed(
    told: Iterable[tuple[int, Mapping[str, Any]]], claim: dict[str, Any], *, first: str, then: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    for seq, payload in told:
        if not tells_claim(payload):
            continue
        for side in (first, then):
            claim = claim | _claimed(payload.get(side))
            if claim.get("text") is not None:
                is_whole = claim.get("predicate") is not None and claim.get("value") is not None
                yield seq, claim if is_whole else claim | {"predicate": None, "value": None}


def _claimed(properties: object) -> dict[str, Any]:
    if not isinstance(properties, Mapping):
        return {}
    return {name: properties[name] for name in _CLAIM if name in properties}
