"""Behaviour 30, at the SDK: nobody names another user, and who may only read changes nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine
from memorygraph.entities.entities import Entities
from memorygraph.errors import Forbidden, InvalidInput, MemoryGraphError, NotFound
from memorygraph.memory.jobs import Jobs
from memorygraph.memory.reviewing import Review
from tests.support.public_verbs import public
from tests.support.raw_graph import RawGraph

Ids = Mapping[str, str]
Verbs = dict[str, Callable[[Memory, Ids], Awaitable[Any]]]

CHANGES: Verbs = {
    "Memory.erase": lambda memory, ids: memory.erase(ids["statement"]),
    "Memory.expire_due": lambda memory, _: memory.expire_due(),
    "Memory.ingest": lambda memory, _: memory.ingest(["Ana has a cat"]),
    "Memory.link": lambda memory, ids: memory.link(ids["statement"], ids["other"]),
    "Memory.pin": lambda memory, ids: memory.pin(ids["statement"]),
    "Memory.reinforce": lambda memory, ids: memory.reinforce([ids["statement"]]),
    "Memory.reinstate": lambda memory, ids: memory.reinstate(ids["retracted"]),
    "Memory.remember": lambda memory, _: memory.remember("Ana has a dog"),
    "Memory.remember_many": lambda memory, _: memory.remember_many([{"text": "Ana has a dog"}]),
    "Memory.retract": lambda memory, ids: memory.retract(ids["statement"], "not so"),
    "Memory.revert": lambda memory, _: memory.revert(1),
    "Memory.revise": lambda memory, ids: memory.revise(ids["statement"], text="Ana has a ship"),
    "Memory.supersede": lambda memory, ids: memory.supersede(ids["statement"], ids["other"]),
    "Memory.unlink": lambda memory, ids: memory.unlink(ids["statement"], ids["other"]),
    "Memory.unpin": lambda memory, ids: memory.unpin(ids["statement"]),
    "Entities.add_alias": lambda memory, ids: memory.entities.add_alias(ids["entity"], "Annie"),
    "Entities.merge": lambda memory, ids: memory.entities.merge(ids["entity"], ids["other entity"]),
    "Entities.relate": lambda memory, ids: memory.entities.relate(ids["entity"], "knows", ids["other entity"]),
    "Entities.remove_alias": lambda memory, ids: memory.entities.remove_alias(ids["entity"], "Annie"),
    "Entities.revise": lambda memory, ids: memory.entities.revise(ids["entity"], description="a sailor"),
    "Entities.split": lambda memory, ids: memory.entities.split(ids["entity"], 1),
    "Entities.unrelate": lambda memory, ids: memory.entities.unrelate(ids["relation"]),
    "Review.answer": lambda memory, ids: memory.review.answer(ids["asked"], ids["asked of"], "keep_both"),
    "Review.approve": lambda memory, ids: memory.review.approve(ids["candidate"]),
    "Review.lift": lambda memory, ids: memory.review.lift(ids["tombstone"]),
    "Review.reject": lambda memory, ids: memory.review.reject(ids["candidate"], "not so"),
    "Jobs.cancel": lambda memory, ids: memory.jobs.cancel(ids["job"]),
    "Jobs.requeue": lambda memory, ids: memory.jobs.requeue(ids["job"]),
}
OF_AN_ID: Verbs = {
    "Memory.curve": lambda memory, ids: memory.curve(ids["statement"]),
    "Memory.get": lambda memory, ids: memory.get(ids["statement"]),
    "Memory.history": lambda memory, ids: memory.history(ids["statement"]),
    "Memory.relatives": lambda memory, ids: memory.relatives(ids["statement"]),
    "Entities.get": lambda memory, ids: memory.entities.get(ids["entity"]),
    "Entities.relation_history": lambda memory, ids: memory.entities.relation_history(ids["relation"]),
    "Entities.relations": lambda memory, ids: memory.entities.relations(ids["entity"]),
    "Entities.suggestions": lambda memory, ids: memory.entities.suggestions(ids["entity"]),
    "Jobs.get": lambda memory, ids: memory.jobs.get(ids["job"]),
    "Jobs.wait": lambda memory, ids: memory.jobs.wait(ids["job"], timeout=60),
}
OF_ALL: Verbs = {
    "Memory.events": lambda memory, _: memory.events(),
    "Memory.list": lambda memory, _: memory.list(),
    "Memory.recall": lambda memory, _: memory.recall("boat"),
    "Memory.verify_events": lambda memory, _: memory.verify_events(),
    "Entities.list": lambda memory, _: memory.entities.list(),
    "Review.queue": lambda memory, _: memory.review.queue(),
    "Review.tombstones": lambda memory, _: memory.review.tombstones(),
    "Jobs.list": lambda memory, _: memory.jobs.list(),
}
# Asked about a summary, of which there is none here.
LINEAGE = "Memory.lineage"
# What takes no id of what is there: it makes something, or is about all there is.
MAKES = {"Memory.expire_due", "Memory.ingest", "Memory.remember", "Memory.remember_many", "Memory.revert"}


async def furnished(memory: Memory) -> dict[str, str]:
    """A memory with one of everything that a verb can be asked about; their ids by what they are."""
    statement = await memory.remember("Ana has a boat", entities=["Ana", "Bo"], relations=[("Ana", "knows", "Bo")])
    other = await memory.remember("The office is in Leeds")
    retracted = await memory.remember("Ana has a car")
    await memory.retract(retracted.id, "sold")
    candidate = await memory.remember("Ana has a horse", derived=True)
    rejected = await memory.remember("Ana has a plane", derived=True)
    await memory.review.reject(rejected.id, "never")
    (tombstone, *_) = (await memory.review.tombstones()).items
    asked = await memory.remember("Ana uses webpack")
    other_side = await memory.remember("Ana does not use webpack")
    assert other_side.contradictions
    job = await memory.ingest(["We met in Hull"], session_id="s")
    await memory.jobs.wait(job.id, timeout=60)
    return {
        "statement": statement.id,
        "other": other.id,
        "retracted": retracted.id,
        "candidate": candidate.id,
        "asked": asked.id,
        "asked of": other_side.id,
        "tombstone": tombstone.fingerprint,
        "entity": statement.entities[0].id,
        "other entity": statement.entities[1].id,
        "relation": statement.relations[0],
        "job": job.id,
    }


async def failures(verbs: Verbs, memory: Memory, ids: Ids) -> dict[str, type[MemoryGraphError] | None]:
    """What each verb raises, in turn; ``None`` for one that answers."""
    told: dict[str, type[MemoryGraphError] | None] = dict.fromkeys(verbs)
    for name, call in verbs.items():
        try:
            await call(memory, ids)
        except MemoryGraphError as error:
            told[name] = type(error)
    return told


def test_behaviour_30_every_verb_there_is_is_tried() -> None:
    there = {f"{cls.__name__}.{name}" for cls in (Memory, Entities, Review, Jobs) for name in public(cls)}
    assert there == {*CHANGES, *OF_AN_ID, *OF_ALL, LINEAGE}


async def test_behaviour_30_whoever_may_only_read_reads_all_and_changes_nothing(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    ids = await furnished(engine.memory(user))
    reader = engine.memory(user, actor="reader", scopes={"read"})
    before = await raw.everything(user), await reader.jobs.list()
    assert await failures(CHANGES, reader, ids) == dict.fromkeys(CHANGES, Forbidden)
    reads = OF_AN_ID | OF_ALL
    recall = reads.pop("Memory.recall")  # what it finds counts as used
    assert await failures(reads, reader, ids) == dict.fromkeys(reads)
    with pytest.raises(InvalidInput):  # a statement has none: it was asked for, not refused
        await reader.lineage(ids["statement"])
    assert (await raw.everything(user), await reader.jobs.list()) == before
    assert ids["statement"] in {hit.memory.id for hit in (await recall(reader, ids)).hits}
    verbs = CHANGES | OF_AN_ID | OF_ALL
    assert await failures(verbs, engine.memory(user, scopes=()), ids) == dict.fromkeys(verbs, Forbidden)


async def test_behaviour_30_whoever_may_do_all_is_never_told_that_it_is_forbidden(
    engine: MemoryEngine, user: str
) -> None:
    told: dict[str, type[MemoryGraphError] | None] = {}
    for name, call in CHANGES.items():
        memory = engine.memory(f"{user}-{name}")
        told |= await failures({name: call}, memory, await furnished(memory))
    # What there is nothing to do for: no merge, no alias, no such link, a job that is done, an event nobody undoes.
    idle = {"Entities.split", "Entities.remove_alias", "Memory.unlink", "Jobs.cancel", "Jobs.requeue", "Memory.revert"}
    assert {name for name, error in told.items() if error is not None} <= idle
    assert Forbidden not in told.values()


async def test_behaviour_30_what_another_user_has_is_found_by_no_verb(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    bob = f"bob-{user}"
    his = await furnished(engine.memory(bob))
    alice = engine.memory(user)
    await furnished(alice)
    before = await raw.everything(bob), await engine.memory(bob).jobs.list()
    verbs = {name: call for name, call in (CHANGES | OF_AN_ID).items() if name not in MAKES}
    # Of what is reinforced, ids that are not there are passed over.
    assert await failures(verbs, alice, his) == dict.fromkeys(verbs, NotFound) | {"Memory.reinforce": None}
    with pytest.raises(NotFound):
        await alice.lineage(his["statement"])
    await engine.flush()
    assert (await raw.everything(bob), await engine.memory(bob).jobs.list()) == before


async def test_behaviour_30_no_argument_names_another_user(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    other: dict[str, Any] = {"end_user_id": f"bob-{user}"}
    (answer,) = await memory.remember_many([{"text": "Ana has a boat", **other}])
    assert (answer.outcome, answer.code) == ("failed", "invalid_input")
    for call in (memory.remember, memory.recall, memory.ingest):
        with pytest.raises(TypeError):
            await call("Ana has a boat", **other)
    with pytest.raises(InvalidInput):
        await memory.ingest([{"text": "Ana has a boat", **other}])
    assert await engine.memory(f"bob-{user}").events() == ()
    assert (await memory.remember("Ana has a boat")).outcome == "created"
