"""What a merge plans, undone, is what was, for any relations and mentions."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memorygraph.access.state import ParametersInForce, access_properties
from memorygraph.entities.merging import Edges, MergePlan, plan_merge
from memorygraph.entities.splitting import part_properties, part_relations
from memorygraph_forgetting import AccessHistory, DecayParameters

PARAMETERS = ParametersInForce(values=DecayParameters(), version=0)
IDS = ("keep", "other", "third", "fourth")
Relations = dict[str, dict[str, Any]]


def entity(id: str, **properties: Any) -> dict[str, Any]:
    return {
        "id": id,
        "name": id.title(),
        "name_key": id,
        "kind": "person",
        "importance": 0.5,
        **access_properties(AccessHistory.created(len(id)), PARAMETERS, importance=0.5, standing=None),
        **properties,
    }


@st.composite
def relation_sets(draw: st.DrawFn) -> Relations:
    """Relations among four entities, as the verbs leave them: of one kind believed in one period there is one."""
    found: Relations = {}
    taken = set()
    for number in range(draw(st.integers(0, 8))):
        ends = draw(st.sampled_from(IDS)), draw(st.sampled_from(IDS))
        predicate = draw(st.sampled_from(("knows", "likes")))
        valid_from, retired_at = draw(st.sampled_from((None, 3))), draw(st.sampled_from((None, None, 9)))
        key = (*ends, predicate, valid_from)
        if retired_at is None:
            if key in taken:
                continue
            taken.add(key)
        sources = draw(st.lists(st.sampled_from(("s1", "s2", "s3")), unique=True))
        properties: dict[str, Any] = {
            "id": f"r{number}",
            "predicate": predicate,
            "predicate_key": predicate,
            "weight": draw(st.sampled_from((0.5, 1.0))),
            "evidence_count": len(sources) + draw(st.integers(0 if sources else 1, 2)),
            "source_ids": sources,
            "recorded_at": draw(st.integers(1, 5)),
        }
        told = {"valid_from": valid_from, "retired_at": retired_at}
        properties |= {name: value for name, value in told.items() if value is not None}
        found[properties["id"]] = {"subject_id": ends[0], "object_id": ends[1], "properties": properties}
    return found


def edges(properties: dict[str, Any], relations: Relations) -> Edges:
    own = {id: row for id, row in relations.items() if properties["id"] in (row["subject_id"], row["object_id"])}
    return Edges(properties=properties, mentions=(), relations=own)


def plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if value is not None}


def merged(relations: Relations) -> tuple[Relations, MergePlan]:
    """The relations after ``other`` was merged into ``keep``, and the plan."""
    keep, other = edges(entity("keep"), relations), edges(entity("other"), relations)
    plan = plan_merge(keep, other, alias_rows=[], free_keys=[], parameters=PARAMETERS)
    after = {id: row for id, row in relations.items() if id not in other.relations}
    for row in plan.created:
        after[row["properties"]["id"]] = row
    for row in plan.combined:
        old = after[row["id"]]
        after[row["id"]] = {**old, "properties": plain({**old["properties"], **row["properties"]})}
    return after, plan


def split(relations: Relations, plan: MergePlan) -> Relations:
    parted = part_relations(edges(entity("keep"), relations), plan.before, now=99)
    after = {id: row for id, row in relations.items() if id not in {row["id"] for row in parted.deleted}}
    for row in parted.created:
        after[row["properties"]["id"]] = {**row, "properties": plain(row["properties"])}
    for row in parted.written:
        ends = {end: row[end] for end in ("subject_id", "object_id")}
        after[row["id"]] = {**ends, "properties": plain(row["properties"])}
    return after


@given(relation_sets())
def test_relations_merged_and_split_are_what_they_were(relations: Relations) -> None:
    after, plan = merged(relations)
    assert all("other" not in (row["subject_id"], row["object_id"]) for row in after.values())
    believed = [
        (row["subject_id"], p["predicate_key"], row["object_id"], p.get("valid_from"))
        for row in after.values()
        if (p := row["properties"]).get("retired_at") is None
    ]
    assert len(believed) == len(set(believed))
    assert {s for row in after.values() for s in row["properties"]["source_ids"]} == {
        s for row in relations.values() for s in row["properties"]["source_ids"]
    }
    assert split(after, plan) == relations


@given(relation_sets(), st.sampled_from(("s1", "s2", "s3")))
def test_evidence_taken_back_between_merge_and_split_does_not_come_back(relations: Relations, gone: str) -> None:
    def without(relations: Relations) -> Relations:
        left: Relations = {}
        for id, row in relations.items():
            p = dict(row["properties"])
            if gone in p["source_ids"]:
                p["source_ids"] = [source for source in p["source_ids"] if source != gone]
                p["evidence_count"] -= 1
            if p["evidence_count"] > 0:
                left[id] = {**row, "properties": p}
        return left

    after, plan = merged(relations)
    found = split(without(after), plan)
    expected = without(relations)
    assert expected.keys() <= found.keys()
    for id, row in found.items():
        assert gone not in row["properties"]["source_ids"]
        if id in expected:
            assert row["properties"]["evidence_count"] == expected[id]["properties"]["evidence_count"]
            assert sorted(row["properties"]["source_ids"]) == sorted(expected[id]["properties"]["source_ids"])
        else:  # only its own evidence is gone: it is kept for its history, and believed no more
            assert row["properties"]["retired_at"] is not None


@given(st.lists(st.integers(1, 400), max_size=5), st.sampled_from((0.2, 0.5, 0.9)), st.booleans())
def test_the_kept_entity_is_what_it_was_but_for_what_came_since(
    uses: list[int], importance: float, pinned: bool
) -> None:
    keep = entity("keep", aliases=["K"], alias_keys=["k"])
    other = entity("other", importance=importance, pinned=pinned, description="Said.", aliases=["O"], alias_keys=["o"])
    plan = plan_merge(edges(keep, {}), edges(other, {}), alias_rows=[], free_keys=[], parameters=PARAMETERS)
    kept = {**keep, **plan.kept}
    assert (kept["aliases"], kept["description"]) == (["K", "Other", "O"], "Said.")
    assert (kept["importance"], kept["merged_ids"]) == (max(0.5, importance), ["other"])
    history = AccessHistory(
        times=tuple(kept["access_times"]), count=kept["access_count"], first=kept["first_access_at"]
    )
    for step in uses:
        history = history.record(history.last + step, debounce=0)
    used = {**kept, **access_properties(history, PARAMETERS, importance=kept["importance"], standing=None)}
    parted = {**used, **part_properties(used, plan.before["kept"], plan.kept, PARAMETERS)}
    moved = {"access_times", "access_count", "last_access_at", "cold_at", "fusable_at"} if uses else set()
    assert {n: v for n, v in plain(parted).items() if n not in moved} == {
        n: v for n, v in keep.items() if n not in moved
    }
    assert parted["access_count"] == 1 + len(uses)
