"""Merging one entity into another: what is read becomes a plan, and the plan is written with its event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memorygraph.access.state import ParametersInForce, access_properties, history_of
from memorygraph.entities.change import Change
from memorygraph.entities.histories import joined_history
from memorygraph.entities.names import described, find_entity
from memorygraph.entities.naming import Names
from memorygraph.entities.parting import by_hand
from memorygraph.entities.standing import retired_for_good, stated_ids
from memorygraph.errors import Conflict
from memorygraph.graph.session import Row

__all__ = ["MERGED", "Edges", "Merge", "MergePlan", "mention_key", "plan_merge"]

MERGED = "entity:merged"
# What a merge may change of the entity that is kept, bookkeeping and the access fields apart.
_KEPT_FIELDS = ("aliases", "alias_keys", "merged_ids", "description", "importance", "pinned")
_COMBINED_FIELDS = (
    "weight",
    "evidence_count",
    "source_ids",
    "withdrawn_ids",
    "recorded_at",
    "retired_at",
    "superseded_from",
    "combined_ids",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """An entity and all that hangs on it; of edges the properties are without their user."""

    properties: Row
    mentions: tuple[Row, ...]  # id of the memory, properties
    relations: Mapping[str, Row]  # by id: subject_id, object_id, properties

    @classmethod
    def of(cls, row: Row) -> Edges:
        """Those of a row of ``read_entity_edges``."""
        relations = {r["properties"]["id"]: _own(r) for r in (*row["outgoing"], *row["incoming"])}
        return cls(
            properties=row["properties"],
            mentions=tuple(_own(mention) for mention in (*row["statements"], *row["summaries"])),
            relations=relations,
        )


def _own(edge: Mapping[str, Any]) -> Row:
    properties = {name: value for name, value in edge["properties"].items() if name != "end_user_id"}
    return {**edge, "properties": properties}


@dataclass(slots=True, kw_only=True)
class MergePlan:
    """What a merge writes. ``before`` and ``after`` are the event's, and all that a split goes by."""

    kept: Row  # properties of the kept entity that change
    aliases: list[Row] = field(default_factory=list)  # keys that lead to the kept entity from now on
    mentions: list[Row] = field(default_factory=list)  # that the kept entity gets
    created: list[Row] = field(default_factory=list)  # relations at their new ends
    combined: list[Row] = field(default_factory=list)  # relations that take over another's evidence
    before: Row = field(default_factory=dict)
    after: Row = field(default_factory=dict)


def plan_merge(
    keep: Edges,
    other: Edges,
    *,
    alias_rows: Sequence[Row],
    free_keys: Sequence[Row],
    parameters: ParametersInForce,
) -> MergePlan:
    """How ``other`` becomes part of ``keep``.

    ``alias_rows`` (``name_key``, ``kind``) lead to ``other`` now; ``free_keys`` are those in the kept
    entity's kind that are to lead to it too, and that nobody else has.
    """
    kept_id, other_id = keep.properties["id"], other.properties["id"]
    plan = MergePlan(kept=_kept(keep.properties, other.properties, parameters))
    own = {"name_key": other.properties["name_key"], "kind": other.properties["kind"]}
    new_keys = [own, *(row for row in free_keys if row != own and row not in alias_rows)]
    plan.aliases = [{**row, "entity_id": kept_id} for row in (*alias_rows, *new_keys)]

    shared = {mention_key(mention) for mention in keep.mentions}
    plan.mentions = [mention for mention in other.mentions if mention_key(mention) not in shared]
    moved, combinations = _relations(plan, keep, other)
    plan.before = {
        "kept": {name: keep.properties.get(name) for name in plan.kept},
        "other": other.properties,
        "aliases": list(alias_rows),
        "mentions": list(plan.mentions),
        "shared_mentions": [mention for mention in other.mentions if mention_key(mention) in shared],
        "relations": moved,
        "combined": combinations,
    }
    plan.after = {"kept": plan.kept, "merged_id": other_id, "aliases": new_keys}
    return plan


def _kept(keep: Row, other: Row, parameters: ParametersInForce) -> Row:
    names = Names.of(keep)
    theirs = Names.of(other)
    for alias, key in ((other["name"], other["name_key"]), *zip(theirs.aliases, theirs.alias_keys, strict=True)):
        if key != keep["name_key"]:
            names = names.with_alias(alias, key)
    importance = max(keep["importance"], other["importance"])
    history = joined_history(history_of(keep), history_of(other), limit=parameters.values.history_limit)
    merged_ids = [*(keep.get("merged_ids") or []), *(other.get("merged_ids") or []), other["id"]]
    after = {
        **names.properties(),
        "merged_ids": merged_ids,
        "description": keep.get("description") or other.get("description"),
        "importance": importance,
        "pinned": bool(keep.get("pinned") or other.get("pinned")) or keep.get("pinned"),
    }
    changed = {name: after[name] for name in _KEPT_FIELDS if after[name] != keep.get(name)}
    # All of the history, whether it changes or not: a split tells by it what came later.
    return changed | access_properties(history, parameters, importance=importance, standing=None)


def mention_key(mention: Mapping[str, Any]) -> tuple[str, str]:
    return mention["id"], mention["properties"].get("role") or ""


def _relations(plan: MergePlan, keep: Edges, other: Edges) -> tuple[list[Row], list[Row]]:
    """Fill in the relations of ``plan``; returns what was moved and what was combined, as they were."""
    kept_id, other_id = keep.properties["id"], other.properties["id"]
    staying = {id: row for id, row in keep.relations.items() if id not in other.relations}
    believed = {_relation_key(row): row for row in staying.values()}
    made: dict[str, Row] = {}
    moved: list[Row] = []
    combinations: list[Row] = []
    changed: dict[str, Row] = {}
    for id, row in sorted(other.relations.items(), key=lambda item: (item[1]["properties"]["recorded_at"], item[0])):
        ends = {end: kept_id if row[end] == other_id else row[end] for end in ("subject_id", "object_id")}
        new = {**ends, "properties": dict(row["properties"])}
        key = _relation_key(new)
        into = believed.get(key)
        if into is None:
            made[id] = new
            ends_then = {"subject_id": row["subject_id"], "object_id": row["object_id"]}
            relation = row["properties"]
            evidence = {"stated_ids": stated_ids(relation), "by_hand": by_hand(relation)}
            moved.append({"id": id, **ends_then, "predicate_key": relation["predicate_key"], **evidence})
            believed[key] = new
            continue
        into_id = into["properties"]["id"]
        after = _combination(into["properties"], row["properties"])
        before = {name: into["properties"].get(name) for name in _COMBINED_FIELDS}
        combinations.append({"into": into_id, "original": row, "before": before, "after": after})
        combined = {**into, "properties": {**into["properties"], **after}}
        believed[key] = combined
        if into_id in made:
            made[into_id] = combined
        else:
            changed[into_id] = {
                "id": into_id,
                "subject_id": into["subject_id"],
                "object_id": into["object_id"],
                "properties": after,
            }
    plan.created, plan.combined = list(made.values()), list(changed.values())
    return moved, combinations


def _relation_key(relation: Mapping[str, Any]) -> tuple[Any, ...]:
    """By what two relations say the same; one that is retired for good says what no other does."""
    properties = relation["properties"]
    if retired_for_good(properties):
        return (properties["id"],)
    period = (properties.get("valid_from"), properties.get("valid_to"))
    return relation["subject_id"], properties["predicate_key"], relation["object_id"], *period


def _combination(into: Row, other: Row) -> Row:
    sources = into["source_ids"] or []
    gained = [source for source in other["source_ids"] or [] if source not in sources]
    shared = len(other["source_ids"] or []) - len(gained)
    withdrawn = dict.fromkeys([*(into.get("withdrawn_ids") or ()), *(other.get("withdrawn_ids") or ())])
    held = [one for one in (into, other) if one["evidence_count"]]
    ends = [one["superseded_from"] for one in held if one.get("superseded_from") is not None]
    return {
        "weight": max(into["weight"], other["weight"]),
        "evidence_count": into["evidence_count"] + other["evidence_count"] - shared,
        "source_ids": [*sources, *gained],
        "withdrawn_ids": list(withdrawn) or None,
        "recorded_at": min(into["recorded_at"], other["recorded_at"]),
        "retired_at": None if held else max(into["retired_at"], other["retired_at"]),
        "superseded_from": max(ends) if ends and len(ends) == len(held) else None,
        "combined_ids": [*(into.get("combined_ids") or []), *(other.get("combined_ids") or []), other["id"]],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two entities that are one."""

    keep: str
    other: str
    reason: str | None

    async def run(self, change: Change) -> str:
        """Raises :class:`NotFound`, and :class:`Conflict` when they are one already; returns the kept one's id."""
        store = change.store
        keep = await find_entity(store, self.keep, None, field="keep_id")
        other = await find_entity(store, self.other, None, field="other_id")
        if keep["id"] == other["id"]:
            raise Conflict(f"{self.keep[:60]!r} and {self.other[:60]!r} are one already: {described(keep)}.")
        rows = {row["properties"]["id"]: row for row in await store.read_entity_edges(ids=[keep["id"], other["id"]])}
        keys = [other["name_key"], *(other.get("alias_keys") or [])]
        plan = plan_merge(
            Edges.of(rows[keep["id"]]),
            Edges.of(rows[other["id"]]),
            alias_rows=await store.read_aliases(entity_id=other["id"], name_keys=keys),
            free_keys=await self._free_keys(change, keep, other, keys),
            parameters=change.parameters,
        )
        await store.delete_entity(id=other["id"])
        bookkeeping = {"revision": keep["revision"] + 1, "changed_seq": change.seq, "updated_at": change.now}
        await store.write_entity(id=keep["id"], properties={**plan.kept, **bookkeeping})
        await store.write_aliases(rows=plan.aliases)
        await store.create_mentions(entity_id=keep["id"], rows=plan.mentions)
        await store.create_relations(rows=plan.created)
        await store.write_relations(rows=plan.combined)
        await change.note(MERGED, keep["id"], before=plan.before, after=plan.after, reason=self.reason)
        return str(keep["id"])

    async def _free_keys(self, change: Change, keep: Row, other: Row, keys: Sequence[str]) -> list[Row]:
        """The other's keys in the kept one's kind, as far as they are free or become so."""
        named = await change.store.read_named_entities(name_keys=keys)
        aliased = await change.store.read_aliased_entities(name_keys=keys)
        taken = {
            row["key"]
            for row in (*named, *aliased)
            if row["kind"] == keep["kind"] and row["properties"]["id"] != other["id"]
        }
        return [{"name_key": key, "kind": keep["kind"]} for key in keys if key not in taken]
