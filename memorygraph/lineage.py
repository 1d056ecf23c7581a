"""What a summary was made of, as a tree down to the first statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memorygraph.access.state import ParametersInForce
from memorygraph.fusion.stubs import decode_payload
from memorygraph.records import Lineage, MemoryRecord, Original

__all__ = ["build_lineage", "forgotten_record", "original_row"]


def original_row(stub: Mapping[str, Any]) -> dict[str, Any]:
    """A fused original from its ``Forgotten`` node's properties, as ``read_memories`` told of it before."""
    properties, relationships = decode_payload(stub["payload"])
    entities = [
        {"id": r["id"], "name": r["name"], "kind": r.get("kind", "unknown")}
        for r in relationships
        if r["type"] == "MENTIONS"
    ]
    return {"type": stub["original_type"], "properties": properties, "entities": entities}


def forgotten_record(
    stub: Mapping[str, Any], *, parameters: ParametersInForce, now: int, summary_id: str | None
) -> MemoryRecord:
    """The record of a fused original from its ``Forgotten`` node's properties."""
    original = original_row(stub)
    return MemoryRecord.from_properties(
        "Forgotten",
        original["properties"],
        entities=original["entities"],
        parameters=parameters,
        now=now,
        forgotten=stub,
        summary_id=summary_id,
    )


def _when(memory: MemoryRecord) -> tuple[datetime, int, int]:
    return memory.covers_from or memory.occurred_at or memory.recorded_at, memory.position or 0, memory.changed_seq


def build_lineage(
    summary: MemoryRecord, rows: Sequence[Mapping[str, Any]], *, parameters: ParametersInForce, now: int
) -> Lineage:
    """The tree under ``summary`` from the rows of ``read_lineage``.

    Originals come in the order in which they happened. The graph ties a summary to every original
    it stands for, those of earlier summaries included; which of them belongs under which earlier
    summary is told by that one's own stub.
    """
    stubs = {row["properties"]["id"]: row for row in rows}
    below: dict[str, list[str]] = {}
    for stub_id, row in stubs.items():
        if row["original_type"] == "MemorySummary":
            _, relationships = decode_payload(row["properties"]["payload"])
            below[stub_id] = [r["id"] for r in relationships if r["type"] == "DERIVED_FROM" and r["id"] in stubs]
    nested = {child for children in below.values() for child in children}

    def originals(ids: Sequence[str]) -> tuple[Original, ...]:
        found = []
        for stub_id in ids:
            memory = forgotten_record(
                stubs[stub_id]["properties"], parameters=parameters, now=now, summary_id=summary.id
            )
            inner = None
            if stub_id in below:
                # What came to an earlier summary from a still earlier one hangs below that one.
                deeper = {child for other in below[stub_id] for child in below.get(other, [])}
                inner = Lineage(
                    summary=memory, originals=originals([child for child in below[stub_id] if child not in deeper])
                )
            found.append(Original(memory=memory, lineage=inner))
        return tuple(sorted(found, key=lambda original: _when(original.memory)))

    return Lineage(summary=summary, originals=originals([id for id in stubs if id not in nested]))
