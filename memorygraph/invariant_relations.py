"""What holds for every relation between entities, by the statements that state it: pure rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memorygraph.entities.standing import settled, stated_ids
from memorygraph.invariant_rules import Finding, Row

__all__ = ["relation_findings", "stating_findings"]


def relation_findings(relation: Row, memories: Mapping[str, Row | None]) -> Iterator[Finding]:
    """Of a relation's properties; ``memories`` are all of the user by id, None in place of what was fused."""
    if not 0 < (relation.get("weight") or 0) <= 1:
        yield "shape", f"its weight is {relation.get('weight')!r}"
    begin, end = relation.get("valid_from"), relation.get("valid_to")
    if begin is not None and end is not None and begin >= end:
        yield "shape", f"it is valid from {begin} until {end}"
    stated = stated_ids(relation)
    if len(set(stated)) < len(stated):
        yield "counts", "it names a statement twice as evidence"
    if relation["evidence_count"] < len(relation["source_ids"] or ()):
        yield "counts", f"it has {len(relation['source_ids'])} sources and counts {relation['evidence_count']}"
        return
    for id in stated:
        if id not in memories:
            yield "relationship", f"it names {id} as evidence, which is not there"
    standings = {id: memory for id in stated if (memory := memories.get(id)) is not None}
    for name, should in settled(relation, standings, now=0).items():
        should_be = "an instant" if name == "retired_at" and should is not None else repr(should)
        yield "relationship", f"by what its statements are, {name} is {should_be}, and it is {relation.get(name)!r}"


def stating_findings(memories: Mapping[str, Row | None], relations: Sequence[Row]) -> Iterator[tuple[str, Finding]]:
    """Of all memories and the properties of all relations: ids of memories, with what is wrong of them."""
    named = {id for relation in relations for id in stated_ids(relation)}
    for id, memory in memories.items():
        if memory is None:
            continue
        states = memory.get("states_relations") is True
        if id in named and not states:
            yield id, ("relationship", "a relation names it as evidence, and it does not say that it states any")
        if states and id not in named:
            yield id, ("relationship", "it says that it states relations, and none names it as evidence")
