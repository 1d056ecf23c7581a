"""Parting the evidence of a relation that a merge made of two, or moved: who states what, and what came since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from memorygraph.entities.standing import retired_for_good, stated_ids
from memorygraph.graph.session import Row
from memorygraph.ids import new_id

__all__ = ["by_hand", "left_behind", "split_off", "taken_out"]


def by_hand(relation: Mapping[str, Any]) -> int:
    """How often a relation was stated by no statement."""
    return int(relation["evidence_count"]) - len(relation["source_ids"] or ())


def taken_out(into: Row, combination: Mapping[str, Any], *, now: int, theirs: Set[str] = frozenset()) -> Row | None:
    """The properties of the relation that was combined into ``into``, which loses them; None when nothing is left.

    It has its own statements again, and of those since the merge ``theirs``. What was erased meanwhile is gone
    from both; what was withdrawn, or holds again, is so in both. ``now`` is epoch ms.
    """
    original, before, after = combination["original"]["properties"], combination["before"], combination["after"]
    retired_at, for_good = into.get("retired_at"), retired_for_good(into)
    holding, stated = set(into["source_ids"] or ()), stated_ids(into)
    since = [id for id in stated if id in theirs and id not in stated_ids(after)]
    gained = {*stated_ids(after)} - {*stated_ids(before)} | {*since}
    own = [*(id for id in stated_ids(original) if id in stated), *since]
    others = by_hand(into) - by_hand(original)
    _have(into, [id for id in stated if id not in gained], holding, stated_by_hand=others)
    for name in ("weight", "recorded_at"):
        if into[name] == after[name]:
            into[name] = before[name]
    absorbed = {*after["combined_ids"]} - {*(before["combined_ids"] or ())}
    into["combined_ids"] = [id for id in into["combined_ids"] if id not in absorbed] or None
    into |= _retired(into, retired_at, for_good=for_good, now=now)
    restored = dict(original)
    _have(restored, own, holding, stated_by_hand=by_hand(original))
    if not restored["evidence_count"] and not restored["withdrawn_ids"]:
        return None
    retired_at = retired_at or original.get("retired_at")
    return restored | _retired(restored, retired_at, for_good=for_good, now=now)


def left_behind(relation: Row, moved: Mapping[str, Any], *, now: int, theirs: Set[str]) -> Row | None:
    """The properties of a new relation, of what was stated since a merge ``moved`` this one, which loses it.

    None when nothing was, when that is ``theirs``, and when the relation is retired for good.
    """
    if "stated_ids" not in moved or retired_for_good(relation):
        return None
    staying = [id for id in stated_ids(relation) if id not in moved["stated_ids"] and id not in theirs]
    since = by_hand(relation) - moved["by_hand"]
    return split_off(relation, staying, stated_by_hand=since, now=now) if staying or since > 0 else None


def split_off(relation: Row, ids: Sequence[str], *, stated_by_hand: int, now: int) -> Row:
    """The properties of a new relation of what statements ``ids`` say, and of what was stated by hand so many times.

    The relation loses it.
    """
    stated, holding, kept_by_hand = stated_ids(relation), set(relation["source_ids"] or ()), by_hand(relation)
    _have(relation, [id for id in stated if id not in ids], holding, stated_by_hand=kept_by_hand - stated_by_hand)
    part = {**relation, "id": new_id(now), "recorded_at": now, "combined_ids": None}
    _have(part, ids, holding, stated_by_hand=stated_by_hand)
    for one in (relation, part):
        one |= _retired(one, one.get("retired_at"), for_good=False, now=now)
    return part


def _have(relation: Row, stated: Sequence[str], holding: Set[str], *, stated_by_hand: int) -> None:
    """Give a relation the evidence of the statements ``stated``, of which those ``holding`` are not withdrawn."""
    relation["source_ids"] = [id for id in stated if id in holding]
    relation["withdrawn_ids"] = [id for id in stated if id not in holding] or None
    relation["evidence_count"] = stated_by_hand + len(relation["source_ids"])


def _retired(relation: Row, retired_at: int | None, *, for_good: bool, now: int) -> Row:
    """Since when a part is not believed, of what was retired at ``retired_at``, for good or for want of evidence."""
    if for_good:
        return {"retired_at": retired_at, "final": True}
    return {"retired_at": None if relation["evidence_count"] else retired_at or now}
