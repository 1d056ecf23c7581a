"""The page on the data model, held against what a real store holds after everything was written once."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.settings import Settings
from tests.support.checkout import CHECKOUT
from tests.support.raw_graph import RawGraph, raw_graph

pytestmark = pytest.mark.only_on("embedded")

DATA_MODEL = (CHECKOUT / "docs" / "data-model.md").read_text(encoding="utf-8")
NODES = {"Store", "EndUser", "Episode", "Statement", "MemorySummary", "Entity", "EntityAlias", "Forgotten", "Tombstone"}
RELATIONSHIPS = {"FROM_EPISODE", "MENTIONS", "RELATES", "SIMILAR_TO", "SUPERSEDES", "CONTRADICTS", "DERIVED_FROM"}
# There only as long as a job has something to do.
PASSING = {"pending_since", "compare_since", "compare_with"}


async def test_the_data_model_names_just_the_properties_and_relationships_that_are_stored(
    engine: MemoryEngine, settings: Settings, clock: SimulatedClock, user: str
) -> None:
    memory = engine.memory(user)
    stored: dict[str, set[str]] = {}
    async with raw_graph(settings) as raw:
        await write_and_review(memory)
        await relate_and_merge(memory)
        await ingest(memory)
        add(stored, await properties_stored(raw, user))
        clock.advance(timedelta(days=60))
        cycle = await engine.forgetting.run(user)
        assert (await memory.remember("Ana swims on Mondays", entities=["Ana"])).restates
        instead = await memory.remember("The lockers are gone")
        await memory.revise(cycle.summaries[0], expires_at="2030-01-01T00:00:00+00:00")
        add(stored, await properties_stored(raw, user))
        await memory.supersede(cycle.summaries[0], instead.id)
        add(stored, await properties_stored(raw, user))
    assert stored.keys() == NODES | RELATIONSHIPS | {"Event", "RESTATES"}
    for name, properties in stored.items():
        told = documented(name)
        assert properties - told <= {"end_user_id"}, name
        assert told - properties <= PASSING, name


async def write_and_review(memory: Memory) -> None:
    """Statements with everything that one can have, links, questions, successions, tombstones."""
    for number in range(2):
        await memory.remember(
            f"Ana's locker is number {number}",
            kind="turn",
            speaker="Ana",
            session_id="monday",
            title="Lockers",
            context="At the pool",
            keywords=["locker"],
            tags=["pool"],
            project="swimming",
            source="notes",
            agent="scribe",
            entities=["Ana"],
            idempotency_key=f"key {number}",
        )
    await memory.remember("Ana swims on Mondays", entities=["Ana"], kind="observation", project="swimming")
    await memory.remember("The pool opens at seven", expires_at="2030-01-01T00:00:00+00:00")
    await memory.remember("the pool opens at seven", source="another")
    assert (await memory.remember("The pool opens at seven in summer")).similar[0].linked
    pools = [
        await memory.remember(
            f"The pool is in {place}",
            subject="pool",
            predicate="is in",
            value=place,
            functional=True,
            valid_from="2026-01-01T00:00:00+00:00",
            valid_to="2027-01-01T00:00:00+00:00",
        )
        for place in ("Leeds", "York")
    ]
    assert pools[1].supersedes
    heated = [
        await memory.remember(text, entities=["Ana"]) for text in ("The pool is heated", "The pool is not heated")
    ]
    await memory.review.answer(heated[0].id, heated[1].id, "keep_both", reason="One of two pools is")
    await memory.remember("The pool has 3 lanes")
    assert (await memory.remember("The pool has 5 lanes")).contradictions
    cold = await memory.remember("Ana is cold", derived=True)
    await memory.review.reject(cold.id, "She is not")
    await memory.review.lift((await memory.review.tombstones()).items[0].fingerprint)
    old, new = [await memory.remember(text) for text in ("The door is on the left side", "The door is on the right")]
    await memory.supersede(old.id, new.id, reason="It was rebuilt")


async def relate_and_merge(memory: Memory) -> None:
    """Relations of every age, an entity that another was merged into, and one with an alias."""
    for name in ("Bo", "Bob"):
        await memory.entities.relate(name, "swims with", "Ana", create_missing=True)
    kept, other = [(await memory.entities.get(name)).entity.id for name in ("Bob", "Bo")]
    await memory.entities.merge(kept, other)
    ends = "2027-01-01T00:00:00+00:00"
    await memory.entities.relate("Bob", "teaches", "Ana", valid_from="2026-01-01T00:00:00+00:00", valid_to=ends)
    lent = await memory.entities.relate("Bob", "owes", "Ana")
    await memory.entities.unrelate(lent.id)
    told = await memory.remember("Bob knows Ana", relations=[("Bob", "knows", "Ana")])
    await memory.retract(told.id, "They have not met yet")
    left = await memory.remember("Bob works at the pool", relations=[("Bob", "works at", "the pool")])
    await memory.supersede(left.id, (await memory.remember("Bob has no work")).id)
    await memory.entities.revise("Bob", description="A friend", pinned=True)


async def ingest(memory: Memory) -> None:
    """A conversation and a document, with all that is told of them."""
    notes = {"source": "notes", "agent": "scribe", "project": "swimming"}
    for job in (
        await memory.ingest([{"text": "I swim at six.", "speaker": "Ana", "role": "user"}], tags=["pool"], **notes),
        await memory.ingest(document="# Pool\n\nThe changing rooms are being painted.", title="Notice", **notes),
    ):
        assert (await memory.jobs.wait(job.id, timeout=60)).state == "succeeded"


def add(stored: dict[str, set[str]], more: dict[str, set[str]]) -> None:
    for label, names in more.items():
        stored[label] = stored.get(label, set()) | names


async def properties_stored(raw: RawGraph, user: str) -> dict[str, set[str]]:
    """The names of the properties that have values, by label and relationship type."""
    rows = await raw.run(
        "MATCH (n) WHERE n.end_user_id = $u OR n:Store RETURN labels(n)[0] AS name, properties(n) AS properties "
        "UNION ALL MATCH ()-[r]->() WHERE r.end_user_id = $u RETURN type(r) AS name, properties(r) AS properties",
        u=user,
    )
    found: dict[str, set[str]] = {}
    for row in rows:
        having = {name for name, value in row["properties"].items() if value is not None}
        found.setdefault(row["name"], set()).update(having)
    return found


def documented(name: str) -> set[str]:
    """The properties that the page names for a label or a relationship type; what stands in brackets are values."""
    if f"| `{name}` |" in DATA_MODEL:
        (cell,) = re.findall(rf"^\| `{name}` \| .+? \| (.+) \|$", DATA_MODEL, re.MULTILINE)
        return names_in(cell)
    start = DATA_MODEL.index(f"**{name}**")
    text = DATA_MODEL[start : min(DATA_MODEL.find(mark, start + 1) % (1 << 30) for mark in ("\n**", "\n#"))]
    first_cells = re.findall(r"^\| (`.+?) \|", text, re.MULTILINE)
    names = names_in(re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)) | names_in(" ".join(first_cells))
    return names | documented("Access fields") if "access fields" in text else names


def names_in(text: str) -> set[str]:
    while (bare := re.sub(r"\([^()]*\)", "", text)) != text:
        text = bare
    return set(re.findall(r"`(\w+)`", text))


def test_what_the_data_model_leaves_out_would_be_noticed() -> None:
    assert documented("FROM_EPISODE") == {"start", "end"}
    assert documented("EntityAlias") == {"name_key", "kind", "entity_id"}
    assert {"payload_hash", "salt"} <= documented("Event")
    assert not documented("Forgotten") & {"Statement", "undo_days", "payload_hash"}
    assert {"text", "slot_key", "cold_at"} <= documented("Statement")
    assert not documented("Statement") & {"accepted", "generation"}
