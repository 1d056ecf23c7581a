"""Whatever is sent to a verb that writes, it answers or raises an error of ours, and the store is whole after.

In the default suite a few inputs go to all verbs in turn; ``make fuzz`` sends 10,000 to each (``FUZZ_INPUTS``).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import Phase, given
from hypothesis import settings as drawing
from hypothesis import strategies as st

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.entities.records import Relation
from memorygraph.errors import Conflict, MemoryGraphError, ScopeViolation, StatementFailed
from memorygraph.invariants import check_user
from memorygraph.records import BatchItem, Record, Written
from memorygraph.runs import Job
from memorygraph.settings import Settings
from tests.fuzz.strategies import resolved
from tests.fuzz.verbs import REST, VERBS, World
from tests.support.raw_graph import raw_graph

INPUTS = int(os.environ.get("FUZZ_INPUTS", "10000"))
SMOKE_INPUTS = 200
_LONGEST_MESSAGE = 2000  # bytes
_LOOK_EVERY = 20  # inputs
_PATIENCE = 120.0  # seconds for one job
_MOST_KNOWN = 50  # ids of each kind that are used again
_CALLS = {**VERBS, **REST}


@contextmanager
def world(settings: Settings, end_user_id: str) -> Iterator[tuple[World, asyncio.Runner]]:
    """A memory with something of everything in it, beside that of another user, and the loop they live on.

    At the end both are whole, and the other one is what it was.
    """
    clock = SimulatedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with asyncio.Runner() as runner:
        engine = runner.run(MemoryEngine.open(settings, clock=clock))
        made = World(engine=engine, clock=clock, end_user_id=end_user_id)
        other = f"other-{end_user_id}"
        try:
            runner.run(furnish(made, other))
            before = runner.run(everything(settings, other))
            yield made, runner
            runner.run(settle(made))
            faults = runner.run(check_user(engine.tools, end_user_id))
            assert not faults, "\n".join(f"{fault.kind}: {fault.detail} {fault.ids}" for fault in faults)
            assert runner.run(everything(settings, other)) == before
        finally:
            runner.run(engine.close())


async def settle(world: World) -> None:
    """Let every job come to its end, and every use be written."""
    for job in await world.memory.jobs.list(limit=1000):
        await world.memory.jobs.wait(job.id, timeout=_PATIENCE)
    await world.engine.flush()


async def everything(settings: Settings, end_user_id: str) -> list[dict[str, Any]]:
    async with raw_graph(settings) as raw:
        return await raw.everything(end_user_id)


async def furnish(world: World, other: str) -> None:
    """Two users with the same memories, and of the first what the ids that are drawn stand for."""
    for user in (other, world.end_user_id):
        memory = world.engine.memory(user)
        for number in range(3):
            await memory.remember(f"The parcel {number} went to Hull", entities=["Hull"])
    world.clock.advance(timedelta(days=60))
    cycle = await world.engine.forgetting.run(world.end_user_id)
    summary = cycle.summaries[0]
    memory, known = world.memory, world.known
    stubs = [original.memory.id for original in (await memory.lineage(summary)).originals]
    ana = await memory.remember("Ana knows Bob", entities=[("Ana", "person"), ("Bob", "person"), "Leeds"])
    relation = await world.entities.relate(ana.entities[0].id, "knows", ana.entities[1].id)
    theirs = (await world.engine.memory(other).recall("parcel", reinforce=False)).hits[0].memory
    known |= {
        "memory": [ana.id, summary, (await memory.remember("Ana likes tea")).id],
        "turn": [(await memory.remember("Hello!", kind="turn", session_id="s1", speaker="Ana")).id],
        "retired": [(await memory.remember("It snowed")).id],
        "candidate": [(await memory.remember("Bob likes Ana", derived=True)).id],
        "summary": [summary],
        "stub": stubs,
        "entity": [entity.id for entity in ana.entities],
        "relation": [relation.id],
        "foreign": [theirs.id, theirs.entities[0].id],
        "job": [],
    }
    await memory.retract(known["retired"][0], "It did not.")
    await world.engine.flush()


async def send(world: World, name: str, arguments: Mapping[str, Any]) -> None:
    """Call the verb; an answer has to fit into JSON, an error has to be ours, and fit to be shown."""
    try:
        answer = await _CALLS[name].call(world)(
            **{name: resolved(value, world.known) for name, value in arguments.items()}
        )
    except MemoryGraphError as error:
        # These two say that the fault is memorygraph's.
        assert not isinstance(error, ScopeViolation | StatementFailed), error
        assert len(str(error).encode()) <= _LONGEST_MESSAGE
        world.refused[name] += 1
    else:
        json.dumps([one.to_dict() for one in _records(answer)], allow_nan=False).encode()
        learn(world.known, answer)
        world.answered[name] += 1
    if (world.answered.total() + world.refused.total()) % _LOOK_EVERY == 0:
        await look(world)


async def look(world: World) -> None:
    """See what waits for a review, which values are refused, and which jobs can be tried again."""
    queue = await world.memory.review.queue()
    world.known["candidate"] = [item.memory.id for item in queue.items if item.waits_for == "approval"]
    world.known["question"] = [f"{item.memory.id} {of.id}" for item in queue.items for of in item.contradictions]
    world.known["tombstone"] = [of.fingerprint for of in (await world.memory.review.tombstones()).items]
    jobs = await world.memory.jobs.list(states=["cancelled"])
    if not jobs:
        said = await world.memory.ingest([{"speaker": "Ana", "text": f"Hello {len(world.known['job'])}"}])
        with suppress(Conflict):  # done already
            jobs = (await world.memory.jobs.cancel(said.id),)
        learn(world.known, said)
    world.known["cancelled"] = [job.id for job in jobs]


def _records(answer: object) -> list[Record]:
    answers = answer if isinstance(answer, tuple) else (answer,)
    return [one for one in answers if isinstance(one, Record)]


def learn(known: dict[str, list[str]], answer: object) -> None:
    """Take in the ids of what was made."""
    for one in _records(answer):
        written = one.written if isinstance(one, BatchItem) else one
        if isinstance(written, Written) and written.id is not None:
            known["memory"].append(written.id)
            known["entity"] += [entity.id for entity in written.entities]
        elif isinstance(written, Relation):
            known["relation"].append(written.id)
        elif isinstance(written, Job):
            known["job"].append(written.id)
    for ids in known.values():
        del ids[:-_MOST_KNOWN]


def fuzz(settings: Settings, end_user_id: str, name: str | None, inputs: int, *, again: bool) -> World:
    """Send ``inputs`` inputs: to all verbs at random, or three of four to the one that is named.

    ``again`` draws the same ones every time.
    """
    others = st.sampled_from(sorted(_CALLS))
    names = others if name is None else st.one_of(others, *(st.just(name) for _ in range(3)))
    with world(settings, end_user_id) as (made, runner):

        @drawing(
            max_examples=inputs,
            derandomize=again,
            database=None,
            # What an input does depends on those before it: it cannot be made smaller by itself.
            phases=[Phase.generate],
        )
        @given(drawn=names.flatmap(lambda name: st.tuples(st.just(name), _CALLS[name].calls)))
        def run(drawn: tuple[str, dict[str, Any]]) -> None:
            runner.run(send(made, *drawn))

        run()
    return made


@pytest.mark.only_on("embedded")
def test_whatever_is_sent_is_answered_or_refused_and_the_store_stays_whole(settings: Settings, user: str) -> None:
    made = fuzz(settings, user, None, SMOKE_INPUTS, again=True)
    # Of inputs that are all refused, or all taken, nothing would be learnt.
    assert made.answered.total() >= SMOKE_INPUTS / 10, made.answered
    assert made.refused.total() >= SMOKE_INPUTS / 10, made.refused


@pytest.mark.fuzz
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", sorted(VERBS))
def test_many_inputs_to_a_verb_are_answered_or_refused_and_the_store_stays_whole(
    settings: Settings, user: str, name: str
) -> None:
    made = fuzz(settings, user, name, INPUTS * 4 // 3, again=False)
    assert made.answered[name]
    assert made.refused[name]
