"""Relations stand and fall with the statements that state them.

A relation whose statements were all withdrawn (retracted, rejected, expired) is believed no more; one
whose statements were all superseded was true until then. Should a statement hold again, so do they.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.writing.events import canonical_json

__all__ = ["end_earlier", "stand_again", "stand_down"]

Note = Callable[[str, str, dict[str, Any], dict[str, Any]], None]
"""Appends an event about a relation: action, id, before, after."""


async def stand_down(
    store: UserStore, retired: Mapping[str, Mapping[str, Any]], *, now: int, note: Note
) -> dict[str, str]:
    """Take from relations what ``retired`` statements said for them, within the transaction that retires these.

    ``retired`` has by id their new ``status`` and, of superseded ones, ``superseded_from`` (epoch ms). Returns
    for each statement that stated any what is needed to undo it, to be kept as its ``relations_before``.
    """
    rows = await store.read_relations_stated(statement_ids=list(retired))
    before: dict[str, list[dict[str, Any]]] = {}
    changes: list[Row] = []
    for row in rows:
        properties = row["properties"]
        ends = {"id": properties["id"], "subject_id": row["subject_id"], "object_id": row["object_id"]}
        ours = [id for id in properties["source_ids"] if id in retired]
        withdrawn = [id for id in ours if retired[id]["status"] != "superseded"]
        after: dict[str, Any] = {}
        if withdrawn:
            after["source_ids"] = [id for id in properties["source_ids"] if id not in withdrawn]
            after["evidence_count"] = max(0, properties["evidence_count"] - len(withdrawn))
            if after["evidence_count"] == 0 and properties.get("retired_at") is None:
                after["retired_at"] = now
        elif len(ours) == len(properties["source_ids"]):
            end = max(retired[id]["superseded_from"] for id in ours)
            if end > (properties.get("valid_from") or end - 1) and end < (properties.get("valid_to") or end + 1):
                after["valid_to"] = end
        if not after:
            continue
        told = {name: properties.get(name) for name in after}
        was = {name: value for name, value in told.items() if name != "source_ids"}
        changes.append({**ends, "properties": after})
        note("relate:withdrawn" if withdrawn else "relate:ended", properties["id"], told, after)
        for id in withdrawn or ours:
            before.setdefault(id, []).append({**ends, **was})
    if changes:
        await store.write_relations(rows=changes)
    return {id: canonical_json(relations) for id, relations in before.items()}


async def end_earlier(store: UserStore, moved: Mapping[str, int], *, note: Note) -> None:
    """Let relations end earlier, with the superseded statements ``moved`` (epoch ms by id) that alone state them."""
    for row in await store.read_relations_stated(statement_ids=list(moved)):
        properties = row["properties"]
        if not moved.keys() >= set(properties["source_ids"]):
            continue
        was, end = properties.get("valid_to"), max(moved[id] for id in properties["source_ids"])
        if end > (properties.get("valid_from") or end - 1) and end < (was or end + 1):
            ends = {"id": properties["id"], "subject_id": row["subject_id"], "object_id": row["object_id"]}
            note("relate:ended", properties["id"], {"valid_to": was}, {"valid_to": end})
            await store.write_relations(rows=[{**ends, "properties": {"valid_to": end}}])


async def stand_again(store: UserStore, revived: Mapping[str, object], *, note: Note) -> None:
    """Give relations back what statements that hold again had said for them; relations that are gone stay so."""
    for row in await store.read_relations_before(statement_ids=list(revived)):
        for was in json.loads(row["relations_before"]):
            current = await store.read_relation(id=was["id"])
            if current is None:
                continue
            properties = current["properties"]
            after: dict[str, Any] = {}
            if "evidence_count" in was and row["id"] not in properties["source_ids"]:
                after["source_ids"] = [*properties["source_ids"], row["id"]]
                after["evidence_count"] = properties["evidence_count"] + 1
            for name in ("retired_at", "valid_to"):
                if name in was:
                    after[name] = was[name]
            note("relate:restored", was["id"], {name: properties.get(name) for name in after}, after)
            ends = {"id": was["id"], "subject_id": current["subject"]["id"], "object_id": current["object"]["id"]}
            await store.write_relations(rows=[{**ends, "properties": after}])
