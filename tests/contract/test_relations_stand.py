"""Relations stand and fall with the statements that state them."""

from __future__ import annotations

from typing import Any

from memorygraph import MemoryEngine

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
