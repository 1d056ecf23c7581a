"""Relations stand and fall with the statements that state them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine
from memorygraph.errors import Conflict
from memorygraph.invariants import check_user

WORKS: dict[str, Any] = {"subject": "Ana", "predicate": "works at", "functional": True}


async def test_a_relation_falls_with_its_only_statement_and_stands_again_with_it(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    said = await memory.remember("Ana knows Bo", relations=[("Ana", "knows", "Bo")])
    await memory.remember("Bo and Ana are friends", relations=[("Ana", "is a friend of", "Bo")])
    assert {of.predicate for of in await memory.entities.relations("Ana")} == {"knows", "is a friend of"}
    await memory.retract(said.id, "a mistake")
    assert {of.predicate for of in await memory.entities.relations("Ana")} == {"is a friend of"}
    await memory.reinstate(said.id)
    held = {of.predicate: of for of in await memory.entities.relations("Ana")}
    assert held.keys() == {"knows", "is a friend of"}
    assert (held["knows"].id, held["knows"].evidence_count) == (said.relations[0], 1)
    assert (await memory.verify_events()).ok


async def test_behaviour_36_of_two_statements_for_one_relation_one_is_enough(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    first = await memory.remember("Ana knows Bo", relations=[("Ana", "knows", "Bo")])
    second = await memory.remember("Ana met Bo in May", relations=[("Ana", "knows", "Bo")])
    assert first.relations == second.relations
    await memory.retract(first.id, "a mistake")
    (relation,) = await memory.entities.relations("Ana")
    assert (relation.id, relation.evidence_count) == (first.relations[0], 1)
    await memory.retract(second.id, "a mistake too")
    assert not await memory.entities.relations("Ana")


async def test_a_relation_ends_when_its_statement_is_superseded_and_is_read_as_of_before(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    await memory.remember(
        "Ana works at Acme",
        value="Acme",
        valid_from="2024-01-01T00:00:00Z",
        relations=[("Ana", "works at", "Acme")],
        **WORKS,
    )
    await memory.remember(
        "Ana works at Globex",
        value="Globex",
        valid_from="2025-06-01T00:00:00Z",
        relations=[("Ana", "works at", "Globex")],
        **WORKS,
    )

    async def employers(when: str) -> set[str]:
        return {of.object.name for of in await memory.entities.relations("Ana", as_of_valid=when)}

    assert await employers("2024-05-01T00:00:00Z") == {"Acme"}
    assert await employers("2025-07-01T00:00:00Z") == {"Globex"}


def year(of: int) -> datetime:
    return datetime(of, 1, 1, tzinfo=UTC)


async def evidence(memory: Memory, name: str, **asked: Any) -> dict[str, tuple[str, ...]]:
    """The sources of an entity's relations in force, by what they lead to."""
    relations = await memory.entities.relations(name, **asked)
    assert all(of.evidence_count == len(of.source_ids) for of in relations)
    return {of.object.name: of.source_ids for of in relations}


async def test_a_statement_reinstated_after_a_merge_was_undone_states_the_relation_of_whom_it_named(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    bobs = await memory.remember("Bob works at Acme as a clerk", relations=[("Bob", "works at", "Acme")])
    bobbys = await memory.remember("Bobby sells insurance for Acme", relations=[("Bobby", "works at", "Acme")])
    merged = await memory.entities.merge("Bob", "Bobby")
    assert await evidence(memory, "Bob") == {"Acme": (bobs.id, bobbys.id)}
    await memory.retract(bobbys.id, "a mistake")
    assert await evidence(memory, "Bob") == {"Acme": (bobs.id,)}
    await memory.revert(merged.seq)
    assert await evidence(memory, "Bob") == {"Acme": (bobs.id,)}
    assert await evidence(memory, "Bobby") == {}
    await memory.reinstate(bobbys.id)
    assert await evidence(memory, "Bob") == {"Acme": (bobs.id,)}
    assert await evidence(memory, "Bobby") == {"Acme": (bobbys.id,)}
    assert await check_user(engine.tools, user) == []


async def test_a_statement_retracted_before_a_merge_and_reinstated_after_it_is_evidence_of_the_one_relation(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    bobs = await memory.remember("Bob works at Acme as a clerk", relations=[("Bob", "works at", "Acme")])
    bobbys = await memory.remember("Bobby sells insurance for Acme", relations=[("Bobby", "works at", "Acme")])
    await memory.retract(bobbys.id, "a mistake")
    merged = await memory.entities.merge("Bob", "Bobby")
    await memory.reinstate(bobbys.id)
    (relation,) = await memory.entities.relations("Bob")
    assert (relation.source_ids, relation.evidence_count) == ((bobs.id, bobbys.id), 2)
    await memory.entities.split("Bob", merged.seq)
    assert await evidence(memory, "Bobby") == {"Acme": (bobbys.id,)}
    assert await evidence(memory, "Bob") == {"Acme": (bobs.id,)}
    assert await check_user(engine.tools, user) == []


async def test_what_was_superseded_in_a_relation_of_two_ends_the_relation_of_whom_it_was_about(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    bobs = await memory.remember("Bob works at Acme as a clerk", relations=[("Bob", "works at", "Acme")])
    bobbys = await memory.remember("Bobby sells insurance for Acme", relations=[("Bobby", "works at", "Acme")])
    merged = await memory.entities.merge("Bob", "Bobby")
    await memory.remember("Bobby retired", valid_from=year(2024), supersedes=[bobbys.id])
    assert await evidence(memory, "Bob") == {"Acme": (bobs.id, bobbys.id)}
    await memory.entities.split("Bob", merged.seq)
    assert await evidence(memory, "Bob") == {"Acme": (bobs.id,)}
    assert await evidence(memory, "Bobby") == {}
    assert await evidence(memory, "Bobby", as_of_valid=year(2023)) == {"Acme": (bobbys.id,)}
    assert await check_user(engine.tools, user) == []


async def test_what_was_stated_since_a_merge_goes_with_the_name_that_the_statement_says(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    await memory.remember("Bob, Bobby, Acme, Bolt", entities=["Bob", "Bobby", "Acme", "Bolt"])
    first = await memory.remember("Bobby sells insurance for Acme", relations=[("Bobby", "works at", "Acme")])
    merged = await memory.entities.merge("Bob", "Bobby")
    bobs = await memory.remember("Bob works at Acme as a clerk", relations=[("Bob", "works at", "Acme")])
    bobbys = await memory.remember("Bobby guards Bolt at night", relations=[("Bobby", "guards", "Bolt")])
    both = [await memory.remember(f"{who} met Ann", relations=[(who, "met", "Ann")]) for who in ("Bob", "Bobby")]
    await memory.entities.split("Bob", merged.seq)
    assert await evidence(memory, "Bob") == {"Acme": (bobs.id,), "Ann": (both[0].id,)}
    assert await evidence(memory, "Bobby") == {"Acme": (first.id,), "Bolt": (bobbys.id,), "Ann": (both[1].id,)}
    assert await check_user(engine.tools, user) == []


async def test_the_relation_of_a_statement_that_was_superseded_when_it_was_told_holds_again_with_it(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    later = await memory.remember("Ana works at Dyn", value="Dyn", valid_from=year(2024), **WORKS)
    earlier = await memory.remember(
        "Ana works at Bolt", value="Bolt", valid_from=year(2022), relations=[("Ana", "works at", "Bolt")], **WORKS
    )
    assert earlier.superseded_by == later.id
    assert await evidence(memory, "Ana") == {}
    assert await evidence(memory, "Ana", as_of_valid=year(2023)) == {"Bolt": (earlier.id,)}
    await memory.retract(later.id, "a mistake")
    await memory.reinstate(earlier.id)
    assert await evidence(memory, "Ana") == {"Bolt": (earlier.id,)}
    assert await check_user(engine.tools, user) == []


async def test_the_relation_of_a_superseded_statement_that_is_rejected_was_never_true(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    old = await memory.remember("Ana works at Acme", valid_from=year(2020), relations=[("Ana", "works at", "Acme")])
    new = await memory.remember("Ana works at Bolt", valid_from=year(2024), supersedes=[old.id])
    assert await evidence(memory, "Ana", as_of_valid=year(2021)) == {"Acme": (old.id,)}
    await memory.review.reject(old.id, "never true")
    assert await evidence(memory, "Ana", as_of_valid=year(2021)) == {}
    assert (await memory.get(new.id)).status == "active"
    assert await check_user(engine.tools, user) == []


async def test_what_a_candidate_states_is_believed_once_it_is_approved(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    said = await memory.remember("Ana knows Bo", relations=[("Ana", "knows", "Bo")])
    waits = await memory.remember("Ana met Bo in May", derived=True, relations=[("Ana", "knows", "Bo")])
    other = await memory.remember("Ana likes Cy", derived=True, relations=[("Ana", "likes", "Cy")])
    assert (waits.outcome, waits.relations, len(other.relations)) == ("candidate", said.relations, 1)
    assert await evidence(memory, "Ana") == {"Bo": (said.id,)}
    approval = await memory.review.approve(waits.id)
    await memory.review.approve(other.id)
    assert await evidence(memory, "Ana") == {"Bo": (said.id, waits.id), "Cy": (other.id,)}
    await memory.revert(approval.changed_seq)
    await memory.review.reject(other.id, "never true")
    assert await evidence(memory, "Ana") == {"Bo": (said.id,)}
    assert await check_user(engine.tools, user) == []


async def test_a_relation_stated_anew_after_its_statement_was_withdrawn_is_one_with_what_that_stated(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    first = await memory.remember("Ana knows Bo", relations=[("Ana", "knows", "Bo")])
    await memory.retract(first.id, "a mistake")
    second = await memory.remember("Ana met Bo in May", relations=[("Ana", "knows", "Bo")])
    assert second.relations == first.relations
    assert await evidence(memory, "Ana") == {"Bo": (second.id,)}
    await memory.reinstate(first.id)
    assert {frozenset(of) for of in (await evidence(memory, "Ana")).values()} == {frozenset((first.id, second.id))}
    assert await check_user(engine.tools, user) == []


async def test_a_relation_that_was_retired_by_hand_stays_so_when_its_statement_holds_again(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    said = await memory.remember("Ana knows Bo", relations=[("Ana", "knows", "Bo")])
    await memory.entities.unrelate(said.relations[0])
    await memory.retract(said.id, "a mistake")
    with pytest.raises(Conflict, match="retracted"):
        await memory.entities.relate("Ana", "knows", "Bo", statement_id=said.id)
    await memory.reinstate(said.id)
    assert await evidence(memory, "Ana") == {}
    anew = await memory.entities.relate("Ana", "knows", "Bo", statement_id=said.id)
    assert await evidence(memory, "Ana") == {"Bo": (said.id,)}
    assert anew.id != said.relations[0]
    assert await check_user(engine.tools, user) == []


async def test_erasing_leaves_to_a_relation_what_other_statements_say_or_may_say_again(
    engine: MemoryEngine, memory: Memory, user: str
) -> None:
    kept, erased = [
        await memory.remember(text, relations=[("Ana", "knows", "Bo")]) for text in ("Ana knows Bo", "Ana met Bo")
    ]
    await memory.retract(kept.id, "a mistake")
    await memory.erase(id=erased.id)
    assert await evidence(memory, "Ana") == {}
    await memory.reinstate(kept.id)
    assert await evidence(memory, "Ana") == {"Bo": (kept.id,)}
    bo = (await memory.entities.get("Bo")).entity.id
    await memory.erase(id=bo)
    assert await evidence(memory, "Ana") == {}
    assert (await memory.get(kept.id)).status == "active"
    assert await check_user(engine.tools, user) == []
