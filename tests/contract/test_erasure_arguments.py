"""A word that was given to every verb in every argument that takes words, and then erased, is nowhere any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.invariants import check_user
from memorygraph.memory.reviewing import Decision
from memorygraph.settings import Settings
from tests.support.canary import words_in_graph
from tests.support.erasures import check_chain, corners
from tests.support.raw_graph import RawGraph

WORD = "Qxcanary"
STEM = "qxcanar"  # of it, as indexes have it
SAID = f"Mr {WORD} of {WORD.upper()}"

# Where the graph holds the word once it was said in every way: label or type, and property.
EVERYWHERE = {
    *(
        f"Statement.{name}"
        for name in (
            *("text", "title", "context", "keywords", "tags", "project", "speaker", "session_id", "source", "agent"),
            *("subject", "predicate", "value", "search_text", "past_search_text"),
        )
    ),
    *(f"Entity.{name}" for name in ("name", "name_key", "kind", "aliases", "alias_keys", "description")),
    *(f"EntityAlias.{name}" for name in ("name_key", "kind")),
    *(f"Episode.{name}" for name in ("text", "speaker", "session_id", "source", "metadata")),
    *("Forgotten.payload", "Event.payload", "MemorySummary.search_text"),
    *("SUPERSEDES.reason", "RELATES.predicate", "RELATES.predicate_key"),
}


async def remembered(memory: Memory) -> None:
    """One statement for each argument, so that each has to be found by that alone."""
    told: list[dict[str, Any]] = [
        {"speaker": SAID},
        {"session_id": SAID},
        {"subject": SAID, "predicate": "likes", "value": "tea"},
        {"subject": "Bo", "predicate": SAID, "value": "tea"},
        {"subject": "Bo", "predicate": "likes", "value": SAID},
        *({name: SAID} for name in ("project", "title", "context", "source", "agent", "idempotency_key")),
        *({name: [SAID]} for name in ("keywords", "tags", "entities")),
        {"entities": [("Cleo", SAID)], "relations": [("Cleo", SAID, "Dan")]},
    ]
    for number, arguments in enumerate(told):
        await memory.remember(f"Nothing is said of it {number}", **arguments)
    over = await memory.remember(f"The {SAID} is here")
    await memory.retract(over.id, "It is there.")
    await memory.remember("He said hello", kind="turn", session_id=SAID, speaker="Eve")
    await memory.remember("He said hello too", kind="turn", session_id="s", speaker=SAID)


async def changed(memory: Memory) -> str:
    """A statement that stays, whose life is told with the word; its id."""
    kept = await memory.remember("The tea is hot", source="kitchen")
    await memory.remember("the tea is hot", source=SAID, agent=SAID, session_id=SAID, idempotency_key=WORD)
    for name, last in (("title", "Tea"), ("context", None), ("project", None), ("speaker", None)):
        for value in (SAID, last):
            given: dict[str, Any] = {name: value}
            await memory.revise(kept.id, **given)
    await memory.revise(kept.id, keywords=[SAID], tags=[SAID], entities=[(SAID, SAID), ("Ana", "person")])
    await memory.revise(kept.id, keywords=[], tags=[], entities=[("Ana", "person")])
    await memory.revise(kept.id, text=f"The tea of {SAID} is hot")
    await memory.revert((await memory.history(kept.id))[0].seq, reason=SAID)
    await memory.retract(kept.id, SAID)
    await memory.reinstate(kept.id, reason=SAID)
    old = await memory.remember("The tea is cold")
    await memory.supersede(old.id, kept.id, reason=SAID)
    return kept.id


async def reviewed(memory: Memory) -> None:
    """Decisions whose reasons say it."""
    decisions: tuple[tuple[Decision, int | None], ...] = (("supersede", 1), ("keep_both", None), ("reject", 0))
    for decision, keep in decisions:
        pair = [(await memory.remember(f"{decision} {does} webpack")).id for does in ("uses", "does not use")]
        kept = None if keep is None else pair[keep]
        await memory.review.answer(pair[1], pair[0], decision, keep=kept, reason=SAID)
    doubtful = await memory.remember("It may rain", derived=True)
    await memory.review.approve(doubtful.id, reason=SAID)
    wrong = await memory.remember("It may snow")
    await memory.review.reject(wrong.id, SAID)
    (fingerprint, *_) = [of.fingerprint for of in (await memory.review.tombstones()).items]
    await memory.review.lift(fingerprint, reason=SAID)


async def related(memory: Memory) -> None:
    """Entities that stay, whose names, kinds and relations say it."""
    entities = memory.entities
    for name in ("Ana", "Anna", "Fay", "Gus"):
        await memory.remember(f"{name} is here", entities=[(name, SAID if name in ("Anna", "Gus") else "person")])
    await entities.add_alias("Ana", SAID)
    await entities.add_alias("Gus", "Gustav")
    await entities.add_alias("Fay", f"{SAID} Fay")
    await entities.remove_alias("Fay", f"{SAID} Fay")
    await entities.revise("Fay", name=f"Fay {WORD}", description=SAID)
    await entities.revise(f"Fay {WORD}", name="Fay")
    await entities.merge("Ana", "Anna", reason=SAID)
    await entities.merge("Fay", (await memory.remember("Kit", entities=[(f"{WORD} Kit", SAID)])).entities[0].id)
    relation = await entities.relate("Ana", SAID, "Fay")
    other = await entities.relate("Ana", "knows", "Fay")
    await entities.unrelate(other.id, reason=SAID)
    assert relation.predicate == SAID


async def ingested(memory: Memory) -> None:
    told: list[dict[str, Any]] = [
        {"turns": [{"text": f"We met {SAID} on the boat", "speaker": "Ana"}], "session_id": "i0"},
        {"turns": [{"text": "We met on the boat to Porto", "speaker": SAID}], "session_id": "i1"},
        {"document": "The boat to Porto leaves at nine.", "title": SAID},
        {"data": b"The boat to Lagos leaves at nine.", "name": f"{SAID}.txt"},
        {"document": f"# {SAID}\n\nThe boat to Faro leaves at ten."},
        {"document": "The boat to Vigo leaves.", "session_id": SAID},
        {"document": "The boat to Bari leaves.", "project": SAID},
        {"document": "The boat to Nice leaves.", "source": SAID, "agent": SAID},
        {"document": "The boat to Cork leaves.", "tags": [SAID], "idempotency_key": f"{SAID} 2"},
    ]
    for arguments in told:
        job = await memory.ingest(**arguments)
        assert (await memory.jobs.wait(job.id, timeout=30)).state == "succeeded"


async def places(raw: RawGraph, user: str) -> set[str]:
    """The properties that hold the word, each with the label or type of what has it."""
    nodes = "MATCH (n) WHERE n.end_user_id = $u RETURN labels(n)[0] AS of, properties(n) AS properties"
    edges = "MATCH ()-[r]->() WHERE r.end_user_id = $u RETURN type(r) AS of, properties(r) AS properties"
    return {
        f"{row['of']}.{name}"
        for query in (nodes, edges)
        for row in await raw.run(query, u=user)
        for name, value in row["properties"].items()
        if STEM in str(value).casefold()
    }


async def test_behaviour_35_a_word_given_in_every_argument_of_every_verb_is_nowhere_once_it_is_erased(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock, settings: Settings, raw: RawGraph, user: str
) -> None:
    for number in range(2):
        await memory.remember(f"Parcel {number} went to Hull", entities=[("Hull", SAID), f"{WORD} Hull"])
    clock.advance(timedelta(days=400))
    (summary,) = (await engine.forgetting.run(user)).summaries
    await remembered(memory)
    kept = await changed(memory)
    await reviewed(memory)
    await related(memory)
    await ingested(memory)
    found = await places(raw, user)
    assert found >= EVERYWHERE, EVERYWHERE - found
    before = {memory.text for memory in (await memory.list(limit=1000)).items}

    await memory.erase(match=WORD)

    assert await places(raw, user) == set()
    assert await corners(settings, raw, user, STEM) == set()
    told = [await memory.history(kept), await memory.history(summary), await memory.events(limit=1000)]
    assert STEM not in repr(told).casefold()
    # Beside it: what only was changed, decided or related with it.
    left = {memory.text for memory in (await memory.list(limit=1000)).items}
    assert left < before
    beside = {"Nothing is said of it 10", "The tea is hot", "keep_both uses webpack", "It may rain", "Ana is here"}
    assert beside <= left
    assert (await memory.get(kept)).text == "The tea is hot"
    assert {of.kind for of in (await memory.entities.list()).entities} == {"person", "unknown"}
    assert {of.predicate for of in await memory.entities.relations("Ana")} == {"related to"}
    assert len((await memory.lineage(summary)).originals) == 2
    assert await check_user(engine.tools, user) == []
    await check_chain(memory)


@pytest.mark.parametrize("word", [WORD, "unknown", "2"])
async def test_a_kind_that_says_it_becomes_one_in_which_the_name_is_free(
    engine: MemoryEngine, memory: Memory, raw: RawGraph, user: str, word: str
) -> None:
    kinds = ["unknown", "person", f"{word} one", f"{word} two", f"three {word}"]
    named = [
        (await memory.remember(f"Jordan is in room {room}", entities=[("Jordan", kind)])).entities[0]
        for room, kind in zip("ABCDE", kinds, strict=True)
    ]
    await memory.entities.add_alias(named[2].id, "Jo")
    await memory.entities.add_alias(named[0].id, "Jo")

    await memory.erase(match=word)

    found = {of.id: of.kind for of in (await memory.entities.list()).entities}
    assert found.keys() == {of.id for of in named}
    assert [found[of.id] for of in named[:2]] == kinds[:2]
    assert len(set(found.values())) == 5
    assert not any(word in kind for kind in found.values() if kind != "unknown")
    for entity in named:
        assert (await memory.entities.get("Jordan", kind=found[entity.id])).entity.id == entity.id
    assert (await memory.entities.get("Jo", kind=found[named[2].id])).entity.id == named[2].id
    assert (await memory.entities.get("Jo", kind="unknown")).entity.id == named[0].id
    if word == WORD:
        assert await words_in_graph(raw, user, [word]) == set()
    assert await check_user(engine.tools, user) == []


async def test_a_name_that_led_to_it_from_a_kind_that_is_erased_leads_to_it_from_another(
    engine: MemoryEngine, memory: Memory, raw: RawGraph, user: str
) -> None:
    await memory.remember("Ana is here", entities=[("Ana", "person")])
    third = (await memory.remember("Ann is there", entities=[("Ann", "person")])).entities[0]
    other = (await memory.remember("Ann is far", entities=[("Ann", WORD)])).entities[0]
    await memory.entities.merge("Ana", other.id)

    await memory.erase(match=WORD)

    assert await words_in_graph(raw, user, [WORD]) == set()
    assert (await memory.entities.get("Ann", kind="person")).entity.id == third.id
    assert (await memory.entities.get("Ann", kind="unknown")).entity.name == "Ana"
    assert await check_user(engine.tools, user) == []


async def test_a_name_that_was_merged_into_another_entity_outlives_the_statement_that_said_it_and_not_the_word(
    engine: MemoryEngine, memory: Memory, raw: RawGraph, user: str
) -> None:
    await memory.remember("Ana likes tea", entities=["Ana"])
    said = await memory.remember(f"{WORD} likes tea too", entities=[WORD])
    beside = await memory.remember("Somebody is tall", entities=[WORD])
    await memory.entities.merge("Ana", WORD)

    await memory.erase(id=said.id)

    assert (await memory.entities.get(WORD)).entity.name == "Ana"
    assert await places(raw, user) >= {"Entity.aliases", "EntityAlias.name_key", "Statement.search_text"}

    await memory.erase(match=WORD)

    assert await places(raw, user) == set()
    assert [of.name for of in (await memory.get(beside.id)).entities] == ["Ana"]
    assert await check_user(engine.tools, user) == []
    await check_chain(memory)


async def test_who_acted_stays_on_record_though_the_name_is_erased(
    engine: MemoryEngine, memory: Memory, raw: RawGraph, user: str
) -> None:
    kept = await engine.memory(user, actor=WORD).remember("Cats sleep")
    gone = await engine.memory(user, actor=WORD).remember(f"{WORD} has cats")

    assert (await memory.erase(match=WORD)).statements == (gone.id,)

    assert await places(raw, user) == {"Statement.actor", "Event.actor"} | {
        name for name in await places(raw, user) if name == "Event.payload"
    }
    assert [(of.actor, of.erased) for of in await memory.history(kept.id)] == [(WORD, True)]
    assert await check_user(engine.tools, user) == []
    await check_chain(memory)


async def test_a_summary_is_found_by_the_keywords_it_was_given_though_the_name_of_what_it_mentions_is_erased(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    memory = engine.memory(user)
    for number in range(4):
        await memory.remember(f"Crate {number} is at the dock", entities=["Merrow", "dock"])
    clock.advance(timedelta(days=60))
    [summary] = (await engine.forgetting.run(user)).summaries
    await memory.revise(summary, keywords=["lighthouse"])

    async def found(word: str) -> list[str]:
        return [hit.memory.id for hit in (await memory.recall(word)).hits if hit.lexical]

    for word in ("Merrow", "lighthouse", "dock"):
        assert await found(word) == [summary], word
    await memory.erase(match="Merrow")
    assert await found("Merrow") == []
    for word in ("lighthouse", "dock"):
        assert await found(word) == [summary], word
    assert await check_user(engine.tools, user) == []
