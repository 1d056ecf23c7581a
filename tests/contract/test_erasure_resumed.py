"""An erasure that was cut off, or that a restored graph knows nothing of, is finished at the next start."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.erasing import Erasing
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.invariants import check_user
from memorygraph.settings import Settings
from memorygraph.writing.mutation import Head, Mutations
from tests.support.canary import words_in_graph
from tests.support.erasures import TALK, WORD, check_chain, corners, fused, said
from tests.support.raw_graph import RawGraph


class Killed(BaseException):
    """The process ends here."""


class Mortal(Mutations):
    """Mutations of a process that is killed before the one of this number."""

    def __init__(self, other: Mutations, lives: int) -> None:
        self._other = other
        self.left = lives

    async def run_for_known(
        self, end_user_id: str, work: Callable[[UserStore, Head], Awaitable[None]], **options: Any
    ) -> None:
        if self.left == 0:
            raise Killed
        self.left -= 1
        await self._other.run_for_known(end_user_id, work, **options)


async def test_behaviour_35_wherever_an_erasure_is_cut_off_the_next_start_finishes_it(
    engine: MemoryEngine, erasing: Erasing, clock: SimulatedClock, settings: Settings, raw: RawGraph, user: str
) -> None:
    for lives in itertools.count():
        name = f"{user}-{lives}"
        memory = engine.memory(name)
        await said(memory, *TALK)
        summary = await fused(engine, clock, name)
        await memory.remember(f"{WORD} is sweet", entities=[WORD])
        await memory.retract((await memory.remember("It is bitter")).id, f"no, {WORD} is not")
        try:
            await replace(erasing, mutations=Mortal(erasing.mutations, lives)).erase(name, match=WORD, actor="tester")
        except Killed:
            assert await erasing.resume() == 1
            done = False
        else:
            done = True
        assert await corners(settings, raw, name, WORD) == set()
        assert (await memory.get(summary)).fused_count == 3
        await check_chain(memory)
        assert await erasing.resume() == 0
        if done:
            assert lives > 2
            break


class Beaten(Mutations):
    """Mutations of a process before the first of which another one has its turn."""

    def __init__(self, other: Mutations, first: Callable[[], Awaitable[object]]) -> None:
        self._other = other
        self._first: Callable[[], Awaitable[object]] | None = first

    async def run_for_known(
        self, end_user_id: str, work: Callable[[UserStore, Head], Awaitable[None]], **options: Any
    ) -> None:
        if self._first is not None:
            first, self._first = self._first, None
            await first()
        await self._other.run_for_known(end_user_id, work, **options)


async def test_what_is_said_while_its_erasure_is_planned_goes_too(
    engine: MemoryEngine, erasing: Erasing, memory: Memory, user: str
) -> None:
    words = f"I keep {WORD}"
    written = await memory.remember(words, speaker="Ana")

    async def say() -> None:
        await memory.remember(words, speaker="Ana", project="shop")
        await memory.remember(words, speaker="Ana", predicate="keeps", value=WORD)
        await memory.remember(words, speaker="Bob")

    beaten = Beaten(erasing.mutations, say)
    erased = await replace(erasing, mutations=beaten).erase(user, id=written.id, actor="tester")
    assert len(erased.statements) == 3
    assert [memory.speaker for memory in (await memory.list()).items] == ["Bob"]
    assert await check_user(engine.tools, user) == []


async def test_behaviour_35_a_graph_from_before_the_erasure_is_erased_again_at_start(
    erasing: Erasing, memory: Memory, raw: RawGraph, user: str
) -> None:
    written = await memory.remember(f"{WORD} is sweet", entities=["sugar"])
    before = await memory.remember("Tea is bitter")
    nodes: list[Row] = await raw.run(
        "MATCH (n {end_user_id: $u}) WHERE n.id = $id OR n.seq IS NOT NULL RETURN labels(n)[0] AS label, "
        "properties(n) AS properties",
        u=user,
        id=written.id,
    )
    await erasing.erase(user, id=written.id, actor="tester")
    assert await erasing.resume() == 0
    # What a restored graph would have: the statement, the events and the user's head of then.
    await raw.run("MATCH (v:Event {end_user_id: $u}) DETACH DELETE v", u=user)
    await raw.run("MATCH (t:Tombstone {end_user_id: $u}) DETACH DELETE t", u=user)
    for node in nodes:
        if node["label"] == "EndUser":
            await raw.run("MATCH (n:EndUser {end_user_id: $u}) SET n = $p", u=user, p=node["properties"])
        else:
            await raw.run(
                f"CREATE (n:{node['label']} {{end_user_id: $u, id: $id, seq: $seq, idempotency_key: $key}}) SET n = $p",
                u=user,
                p=node["properties"],
                id=node["properties"].get("id"),
                seq=node["properties"].get("seq"),
                key=node["properties"].get("idempotency_key"),
            )
    assert await words_in_graph(raw, user, [WORD]) == {WORD}

    assert await erasing.resume() == 1

    assert await words_in_graph(raw, user, [WORD]) == set()
    assert (await memory.get(before.id)).text == "Tea is bitter"
    assert (await memory.remember(f"{WORD} is sweet")).outcome == "refused"
    await check_chain(memory)
    assert await erasing.resume() == 0
