"""A value that is erased goes from the history of whatever was revised away from it, by whatever events tell it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.invariants import check_user
from tests.contract.test_erasure_resumed import Killed, Mortal
from tests.support.canary import words_in_graph
from tests.support.erasures import WORD, check_chain
from tests.support.raw_graph import RawGraph

WORDS = f"{WORD} is my hint"


async def readable(memory: Memory, id: str) -> list[str]:
    """What of a memory was done by events that can be read, oldest first."""
    return [entry.action for entry in reversed(await memory.history(id)) if not entry.erased]


async def test_what_was_revised_away_from_an_erased_value_does_not_tell_it_any_more(
    engine: MemoryEngine, memory: Memory, raw: RawGraph, user: str
) -> None:
    kept = await memory.remember(WORDS, speaker="Ana", title="Hints")
    await memory.pin(kept.id)
    await memory.revise(kept.id, title="A dog")
    await memory.revise(kept.id, text="The dog is brown")
    await memory.revise(kept.id, text="The dog is black")
    of_bob = await memory.remember("The cat is white", speaker="Bob")
    other = await memory.remember(WORDS, speaker="Ana")
    assert await words_in_graph(raw, user, [WORD]) == {WORD}

    erased = await memory.erase(id=other.id)

    assert erased.statements == (other.id,)
    assert await words_in_graph(raw, user, [WORD]) == set()
    assert await readable(memory, kept.id) == ["pin", "revise", "revise"]
    titles, texts = (entry.before for entry in (await memory.history(kept.id))[2::-2])
    assert (titles, texts) == ({"title": "Hints"}, {"text": "The dog is brown"})
    assert (await memory.get(kept.id)).text == "The dog is black"
    assert await readable(memory, of_bob.id) == ["remember:created"]
    assert await check_user(engine.tools, user) == []
    await check_chain(memory)


@pytest.mark.parametrize("way", ["claim", "words of a claim", "subject", "speaker"])
async def test_every_way_in_which_it_was_told_is_found_and_nobody_elses(
    engine: MemoryEngine, memory: Memory, raw: RawGraph, user: str, way: str
) -> None:
    who: dict[str, Any] = {"subject": "Ana"} if way == "subject" else {"speaker": "Ana"}
    claim: dict[str, Any] = {"predicate": "hints", "value": WORD} if "claim" in way else {}
    away: dict[str, Any] = {"value": "dog"} if claim else {}
    kept = await memory.remember("It is told here" if way == "claim" else WORDS, **who, **claim)
    if way == "subject":  # the words stay where they are of somebody else
        await memory.revise(kept.id, subject="Bob")
    elif way == "claim":
        await memory.revise(kept.id, value="dog")
    else:
        await memory.revise(kept.id, text="The dog is brown", **away)
    bobs = await memory.remember(f"Bob keeps {WORD}", speaker="Bob")
    await memory.revise(bobs.id, text="Bob keeps nothing")
    other = await memory.remember(WORDS, **who, **(claim if way == "claim" else {}))

    await memory.erase(id=other.id)

    assert await readable(memory, kept.id) == []
    assert await readable(memory, bobs.id) == ["remember:created", "revise"]
    assert (await memory.get(kept.id)).text == {"subject": WORDS, "claim": "It is told here"}.get(
        way, "The dog is brown"
    )
    assert await check_user(engine.tools, user) == []
    await check_chain(memory)


async def test_it_is_found_page_by_page_in_what_was_fused_and_where_earlier_events_are_erased(
    engine: MemoryEngine,
    memory: Memory,
    clock: SimulatedClock,
    raw: RawGraph,
    user: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memorygraph.erasing.sweep._PAGE", 3)
    kept = [
        await memory.remember(f"Parcel {number} is big", speaker="Ana", entities=["port"], title="Saffron")
        for number in (1, 2)
    ]
    for one in kept:
        await memory.revise(one.id, title="Cargo")
    await memory.erase(match="saffron")  # with the events that say who is speaking
    assert [await readable(memory, one.id) for one in kept] == [[], []]
    for one, number in zip(kept, (1, 2), strict=True):
        await memory.revise(one.id, text=f"{WORDS} {number}", title="Bags")
        await memory.revise(one.id, text=f"Parcel {number} is small")
    clock.advance(timedelta(days=400))
    assert (await engine.forgetting.run(user)).merged_count == 2
    for number in (1, 2):
        other = await memory.remember(f"{WORDS} {number}", speaker="Ana")
        assert await words_in_graph(raw, user, [WORD]) == {WORD}
        await memory.erase(id=other.id)
    assert await words_in_graph(raw, user, [WORD]) == set()
    assert await readable(memory, kept[0].id) == ["fuse"]
    assert (await memory.get(kept[0].id)).text == "Parcel 1 is small"
    assert await check_user(engine.tools, user) == []
    await check_chain(memory)


async def test_an_erasure_that_is_cut_off_takes_it_when_it_is_resumed(
    engine: MemoryEngine, raw: RawGraph, user: str
) -> None:
    erasing, left = engine.tools.erasing, []
    for lives in range(3):
        memory = engine.memory(f"{user}-{lives}")
        kept = await memory.remember(WORDS)
        await memory.revise(kept.id, text="The dog is brown")
        other = await memory.remember(WORDS)
        mortal = replace(erasing, mutations=Mortal(erasing.mutations, lives))
        try:
            await mortal.erase(memory.end_user_id, id=other.id, actor="tester")
        except Killed:
            left.append(lives)
            assert await erasing.resume() == 1
        assert await words_in_graph(raw, memory.end_user_id, [WORD]) == set()
        assert (await memory.get(kept.id)).text == "The dog is brown"
        assert await check_user(engine.tools, memory.end_user_id) == []
    assert left == [0, 1, 2]


async def test_a_graph_from_before_it_was_said_again_loses_it_by_the_log(
    engine: MemoryEngine, memory: Memory, raw: RawGraph, user: str
) -> None:
    kept = await memory.remember(WORDS)
    await memory.revise(kept.id, text="The dog is brown")
    told = await raw.run(
        "MATCH (v:Event {end_user_id: $u}) WHERE v.seq <= 2 RETURN v.seq AS seq, v.payload AS payload, v.salt AS salt",
        u=user,
    )
    other = await memory.remember(WORDS)
    await memory.erase(id=other.id)
    # What a graph restored from then would lack, and what it would still have.
    await raw.run("MATCH (t:Tombstone {end_user_id: $u}) DETACH DELETE t", u=user)
    await raw.run(
        "MATCH (v:Event {end_user_id: $u, action: 'erase:completed'}) SET v.idempotency_key = 'another'", u=user
    )
    for row in told:
        await raw.run(
            "MATCH (v:Event {end_user_id: $u, seq: $seq}) SET v.payload = $payload, v.salt = $salt", u=user, **row
        )
    assert await words_in_graph(raw, user, [WORD]) == {WORD}
    assert await engine.tools.erasing.resume() == 1
    assert await words_in_graph(raw, user, [WORD]) == set()
