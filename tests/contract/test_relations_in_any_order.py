"""Whatever becomes of statements and entities, in any order: relations are what the statements that hold state."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import MemoryGraphError, NotFound
from memorygraph.invariants import check_user
from memorygraph.records import MemoryRecord
from memorygraph.times import from_ms

SEEDS = range(4)
STEPS = 35
PEOPLE = ("Bob", "Bobby", "Robert")
PLACES = ("Acme", "Bolt")

Step = Callable[[], Awaitable[Any]]


class World:
    """A memory in which statements say who works where, and any verb may come next."""

    def __init__(self, memory: Memory, clock: SimulatedClock, seed: int) -> None:
        self.memory, self.clock, self.random = memory, clock, random.Random(seed)
        self.said: dict[str, tuple[str, str, str]] = {}  # subject, predicate and object by statement
        self.merges: list[int] = []

    def step(self) -> Step:
        steps: list[Step] = [
            self.tell, self.tell, self.tell, self.retract, self.retract, self.reinstate, self.reinstate,
            self.supersede, self.reject, self.approve, self.expire, self.erase, self.merge, self.merge, self.split,
            self.split, self.revert, self.revert, self.relate, self.unrelate,
        ]  # fmt: skip
        return self.random.choice(steps)

    def one(self) -> str:
        return self.random.choice([*self.said]) if self.said else "none"

    async def tell(self) -> None:
        who, where = self.random.choice(PEOPLE), self.random.choice(PLACES)
        relation = (who, "works at", where)
        told: dict[str, Any] = {}
        if self.random.random() < 0.4:
            told = {"subject": who, "predicate": "works at", "value": where, "functional": True}
            told["valid_from"] = from_ms(self.clock.now_ms()) - timedelta(days=self.random.randrange(1000))
        if self.random.random() < 0.2:
            told = {"derived": True}
        if self.random.random() < 0.2:
            told["expires_at"] = from_ms(self.clock.now_ms()) + timedelta(days=1)
        text = f"{who} works at {where}, {len(self.said)}"
        written = await self.memory.remember(text, relations=[relation], **told)
        if written.outcome != "refused":
            self.said.setdefault(written.id, relation)

    async def retract(self) -> None:
        await self.memory.retract(self.one(), "a mistake")

    async def reinstate(self) -> None:
        await self.memory.reinstate(self.one())

    async def supersede(self) -> None:
        await self.memory.supersede(self.one(), self.one())

    async def reject(self) -> None:
        await self.memory.review.reject(self.one(), "never true")

    async def approve(self) -> None:
        await self.memory.review.approve(self.one())

    async def expire(self) -> None:
        self.clock.advance(timedelta(days=2))
        await self.memory.expire_due()

    async def erase(self) -> None:
        if self.random.random() < 0.4:
            await self.memory.erase(id=self.one())

    async def merge(self) -> None:
        self.merges.append((await self.memory.entities.merge(*self.random.sample(PEOPLE, 2))).seq)

    async def split(self) -> None:
        if self.merges:
            await self.memory.revert(self.random.choice(self.merges))

    async def revert(self) -> None:
        events = await self.memory.events(limit=8)
        if events:
            await self.memory.revert(self.random.choice(events).seq)

    async def relate(self) -> None:
        source = None if self.random.random() < 0.5 else self.one()
        who, whom = self.random.sample(PEOPLE, 2)
        await self.memory.entities.relate(who, "knows", whom, statement_id=source)

    async def unrelate(self) -> None:
        for of in await self.memory.entities.relations(self.random.choice(PEOPLE)):
            if of.predicate == "knows":
                await self.memory.entities.unrelate(of.id)

    async def expected(self) -> dict[tuple[str, str], set[str]]:
        """The statements that hold, by who works where according to them."""
        found: dict[tuple[str, str], set[str]] = {}
        for id, (subject, _, object) in self.said.items():
            with suppress(NotFound):
                statement = await self.memory.get(id)
                if holds(statement):
                    key = tuple([(await self.memory.entities.get(name)).entity.id for name in (subject, object)])
                    found.setdefault((key[0], key[1]), set()).add(id)
        return found

    async def stated(self) -> dict[tuple[str, str], set[str]]:
        """The evidence that relations have, by their ends."""
        found: dict[tuple[str, str], set[str]] = {}
        for name in PLACES:
            with suppress(NotFound):
                for of in await self.memory.entities.relations(name, include_retired=True):
                    assert of.evidence_count == len(of.source_ids)
                    if of.retired_at is None:  # else nothing states it, or another period corrected it
                        assert of.source_ids
                        found.setdefault((of.subject.id, of.object.id), set()).update(of.source_ids)
        return found


def holds(statement: MemoryRecord) -> bool:
    return statement.trust == "accepted" and statement.status in ("active", "superseded")


@pytest.mark.parametrize("seed", SEEDS)
async def test_relations_are_what_the_statements_that_hold_state_after_any_sequence_of_verbs(
    engine: MemoryEngine, user: str, clock: SimulatedClock, seed: int
) -> None:
    world = World(engine.memory(user), clock, seed)
    done: dict[str, int] = {}
    for _ in range(STEPS):
        step = world.step()
        with suppress(MemoryGraphError):
            await step()
            done[step.__name__] = done.get(step.__name__, 0) + 1
    assert sum(done.values()) > STEPS / 3
    assert await world.stated() == await world.expected()
    assert await check_user(engine.tools, user) == []
