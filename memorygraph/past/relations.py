"""Relations as they were at an earlier time, rebuilt from what their events and merges of their ends say of before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memorygraph.entities.merging import MERGED
from memorygraph.entities.splitting import SPLIT
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.writing.events import payload_of

__all__ = ["relations_as_of", "relations_from_events"]

_MADE = ("relate:created", "relate:corrected")
# The properties of a relation that events change, by the name that they have there.
_TOLD = frozenset(
    {
        "weight",
        "evidence_count",
        "source_ids",
        "withdrawn_ids",
        "superseded_from",
        "valid_from",
        "valid_to",
        "recorded_at",
        "retired_at",
        "combined_ids",
    }
)


async def relations_as_of(
    store: UserStore, relations: Sequence[Row], at: int, *, merged_ids: Sequence[str]
) -> list[Row]:
    """``relations``, maps of ``read_relations``, as they were at ``at`` (epoch ms), without those not recorded yet.

    Ends are those of now: entities that are one now count as one then, and ``merged_ids`` are the ids that
    the entity asked about had before. A relation of which an event since was erased is left out, unless
    that was evidence for it.
    """
    targets = set(merged_ids)
    for relation in relations:
        targets |= {relation["properties"]["id"], relation["subject"]["id"], relation["object"]["id"]}
        targets |= set(relation["properties"].get("combined_ids") or ())
    events = await store.read_events_of(target_ids=sorted(targets)) if relations else []
    return relations_from_events(relations, [row["event"] for row in events], at)


def relations_from_events(relations: Sequence[Row], events: Sequence[Row], at: int) -> list[Row]:
    """See :func:`relations_as_of`; ``events`` are those of the relations and of their ends, in any order."""
    found = {of["properties"]["id"]: {**of, "properties": dict(of["properties"])} for of in relations}
    parted = {(payload_of(event).get("after") or {}).get("merge_seq") for event in events if event["action"] == SPLIT}
    for event in sorted(events, key=lambda event: -int(event["seq"])):
        if event["at"] <= at:
            continue
        if event["action"] == MERGED and event["seq"] not in parted:
            _part(found, (payload_of(event).get("before") or {}).get("combined") or ())
        elif event["target_type"] == "Relation":
            _undo(found, event)
    then = [relation for relation in found.values() if relation["properties"]["recorded_at"] <= at]
    for relation in then:
        if (relation["properties"].get("retired_at") or at) > at:  # a correction is an event of what took its place
            relation["properties"]["retired_at"] = None
    return then


def _undo(found: dict[str, Row], event: Row) -> None:
    id = event["target_id"]
    if event["action"] in _MADE or (event["payload"] is None and event["action"] != "relate:confirmed"):
        found.pop(id, None)
    if id not in found or event["payload"] is None:
        return
    payload = payload_of(event)
    before, after = payload.get("before") or {}, payload.get("after") or {}
    changed = (before.keys() | after.keys()) & _TOLD
    if "source_ids" not in before:  # events of earlier versions do not tell whose evidence it was
        changed -= {"source_ids"}
    found[id]["properties"] |= {name: before.get(name) for name in changed}


def _part(found: dict[str, Row], combined: Sequence[Mapping[str, Any]]) -> None:
    """Let relations that a merge made one be two."""
    for combination in reversed(combined):
        if (into := found.get(combination["into"])) is not None:
            original = dict(combination["original"]["properties"])
            found[original["id"]] = {**into, "properties": original}
            into["properties"] |= combination["before"]
