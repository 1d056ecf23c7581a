"""Behaviours 35 and 36: what is erased is gone from every corner of both stores, and what stood beside it lives."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.erasing import Erasing
from memorygraph.errors import InvalidInput, NotFound
from memorygraph.invariants import check_user
from memorygraph.settings import Settings
from tests.support.canary import words_in_graph
from tests.support.erasures import TALK, WORD, check_chain, corners, fused, recalled, said
from tests.support.raw_graph import RawGraph


async def test_behaviour_35_a_word_is_gone_from_everything_after_it_was_linked_fused_twice_and_told_in_reasons(
    engine: MemoryEngine,
    erasing: Erasing,
    memory: Memory,
    clock: SimulatedClock,
    settings: Settings,
    raw: RawGraph,
    user: str,
) -> None:
    await said(memory, *TALK)
    await fused(engine, clock, user)
    for number in range(2):
        await memory.remember(f"The port has crane {number}.", kind="turn", session_id="t", entities=["port"])
    second = await fused(engine, clock, user)
    assert (await memory.get(second)).generation == 2
    about = await memory.remember(f"{WORD} is what we ship", entities=[WORD, "Ana"], relations=[("Ana", "ships", WORD)])
    other = await memory.remember("We ship to Porto", entities=["Ana"], tags=["shipping"])
    await memory.retract(other.id, f"said when we still had {WORD.upper()}")
    await memory.reinstate(other.id)
    stranger = engine.memory(f"{user}-other")
    await stranger.remember(f"I like {WORD}")
    assert await corners(settings, raw, user, WORD) == {"graph"}
    assert any(WORD in text for text in await recalled(memory, WORD))

    dry = await erasing.erase(user, match=WORD.lower(), actor="tester", dry_run=True)
    assert await corners(settings, raw, user, WORD) == {"graph"}
    erased = await erasing.erase(user, match=WORD.lower(), actor="tester")

    assert replace(erased, id=None) == dry
    assert about.id in erased.statements
    assert erased.summaries
    assert await corners(settings, raw, user, WORD) == set()
    assert not any(WORD in text for text in await recalled(memory, WORD))
    await check_chain(memory)
    # Beside it: the rest of the conversation, in summary and stubs, and the statement whose reason named it.
    summary = await memory.get(second)
    assert summary.fused_count == 5
    lineage = await memory.lineage(second)
    texts = {original.memory.text for original in lineage.originals}
    texts |= {inner.memory.text for o in lineage.originals if o.lineage for inner in o.lineage.originals}
    assert set(TALK[1:]) <= texts
    assert "battery" in summary.text or "Tomasz" in summary.text or "1 May" in summary.text
    assert summary.id in {hit.memory.id for hit in (await memory.recall("crane of the port", reinforce=False)).hits}
    assert (await memory.get(other.id)).text == "We ship to Porto"
    assert await recalled(stranger, WORD) == {f"I like {WORD}"}
    # It is refused from then on.
    refused = await memory.remember(f"{WORD.lower()}  IS what we ship.")
    assert refused.outcome == "refused"
    assert refused.refusal is not None
    assert refused.refusal.kind == "erased"


async def test_behaviour_35_a_statement_is_erased_by_its_id_with_the_turn_it_was_taken_from_and_the_summary_made_of_it(
    engine: MemoryEngine,
    erasing: Erasing,
    memory: Memory,
    clock: SimulatedClock,
    settings: Settings,
    raw: RawGraph,
    user: str,
) -> None:
    turns = await said(memory, *TALK)
    summary = await fused(engine, clock, user)
    assert await corners(settings, raw, user, WORD) == {"graph"}

    erased = await erasing.erase(user, id=turns[0], actor="tester")

    assert (erased.statements, erased.summaries, len(erased.episodes)) == ((turns[0],), (summary,), 1)
    assert await corners(settings, raw, user, WORD) == set()
    left = await memory.get(summary)
    assert left.fused_count == 3
    assert [original.memory.text for original in (await memory.lineage(summary)).originals] == TALK[1:]
    await check_chain(memory)
    again = await memory.remember(TALK[0], kind="turn", session_id="s", position=0, speaker="Ana")
    assert again.outcome == "refused"
    with pytest.raises(NotFound):
        await erasing.erase(user, id=turns[0], actor="tester")


async def test_a_summary_of_which_nothing_is_left_goes_too(
    engine: MemoryEngine,
    erasing: Erasing,
    memory: Memory,
    clock: SimulatedClock,
    settings: Settings,
    raw: RawGraph,
    user: str,
) -> None:
    await said(memory, *TALK[:2])
    summary = await fused(engine, clock, user)
    beside = await memory.remember("The dog is called Biscuit.", entities=["port"])

    erased = await erasing.erase(user, id=summary, actor="tester")

    assert len(erased.statements) == 2
    with pytest.raises(NotFound):
        await memory.get(summary)
    assert await corners(settings, raw, user, WORD, "closed") == set()
    assert (await memory.get(beside.id)).text == "The dog is called Biscuit."
    await check_chain(memory)


async def document(raw: RawGraph, user: str, text: str, *evidence: tuple[str, str]) -> str:
    """An episode of ``text``, from which each of the statements was taken at the words given."""
    id = f"document-{user}-{len(text)}"
    await raw.run(
        "CREATE (p:Episode {end_user_id: $u, id: $id, text: $text, recorded_at: 1, content_hash: $id})",
        u=user,
        id=id,
        text=text,
    )
    for statement, words in evidence:
        await raw.run(
            "MATCH (s:Statement {end_user_id: $u, id: $s}), (p:Episode {end_user_id: $u, id: $id}) "
            "CREATE (s)-[:FROM_EPISODE {end_user_id: $u, start: $start, end: $end}]->(p)",
            u=user,
            s=statement,
            id=id,
            start=text.index(words),
            end=text.index(words) + len(words),
        )
    return id


async def text_of(raw: RawGraph, episode: str) -> list[str]:
    return [row["text"] for row in await raw.run("MATCH (p:Episode {id: $id}) RETURN p.text AS text", id=episode)]


async def test_evidence_in_a_longer_episode_is_blanked_and_places_in_it_stay(
    erasing: Erasing, memory: Memory, raw: RawGraph, user: str
) -> None:
    text = f"Minutes.\nWe order {WORD}.\nTomasz drives."
    ordered = await memory.remember(f"The team orders {WORD}")
    drives = await memory.remember("Tomasz drives the van")
    episode = await document(raw, user, text, (ordered.id, f"We order {WORD}."), (drives.id, "Tomasz drives."))

    erased = await erasing.erase(user, id=ordered.id, actor="tester")

    assert (erased.episodes, erased.blanked) == ((), (episode,))
    (left,) = await text_of(raw, episode)
    assert len(left) == len(text)
    assert left.startswith("Minutes.\n█")
    assert left[text.index("Tomasz") :] == "Tomasz drives."
    assert not await words_in_graph(raw, user, [WORD])
    assert (await memory.get(drives.id)).text == "Tomasz drives the van"


async def test_behaviour_36_a_fact_with_two_sources_outlives_one_of_them(
    erasing: Erasing, memory: Memory, raw: RawGraph, user: str
) -> None:
    fact = await memory.remember("Ana works at Acme", source="mail", entities=["Ana"])
    await memory.remember("Ana works at Acme", source="minutes")
    alone = await memory.remember("Ana has a cold", source="mail")
    mail = await document(raw, user, "Ana works at Acme. Ana has a cold.", (fact.id, "Ana works"), (alone.id, "a cold"))
    minutes = await document(raw, user, "Acme, where Ana works", (fact.id, "Ana works"))

    await erasing.erase(user, id=mail, actor="tester")

    assert await text_of(raw, mail) == []
    assert await text_of(raw, minutes) == ["Acme, where Ana works"]
    left = await memory.get(fact.id)
    assert (left.text, left.source_count) == ("Ana works at Acme", 1)
    with pytest.raises(NotFound):
        await memory.get(alone.id)

    await erasing.erase(user, id=minutes, actor="tester")

    with pytest.raises(NotFound):
        await memory.get(fact.id)
    await check_chain(memory)


async def test_what_was_superseded_by_the_erased_does_not_hold_again_and_its_question_is_closed(
    erasing: Erasing, memory: Memory, raw: RawGraph, user: str
) -> None:
    old = await memory.remember("Ana lives in York", subject="Ana", predicate="lives in", value="York", functional=True)
    new = await memory.remember(
        f"Ana lives in {WORD}", subject="Ana", predicate="lives in", value=WORD, functional=True
    )
    assert (await memory.get(old.id)).status == "superseded"
    one = await memory.remember("The build uses webpack")
    two = await memory.remember("The build does not use webpack")
    assert two.contradictions

    for id in (new.id, two.id):
        await erasing.erase(user, id=id, actor="tester")

    assert (await memory.get(old.id)).status == "superseded"
    rows = await raw.run(
        "MATCH (s:Statement {end_user_id: $u, id: $id}) RETURN s.open_questions AS open, s.review_since AS since",
        u=user,
        id=one.id,
    )
    assert [(row["open"], row["since"]) for row in rows] == [(None, None)]
    assert not await words_in_graph(raw, user, [WORD, "does not use"])
    await check_chain(memory)


@pytest.mark.parametrize("erased", ["plain", "claimed", "forgotten"])
async def test_the_same_words_go_with_whatever_claim_they_were_told(
    engine: MemoryEngine, erasing: Erasing, clock: SimulatedClock, memory: Memory, user: str, erased: str
) -> None:
    words = f"I keep {WORD}"
    told = [
        await memory.remember(words, speaker="Ana", predicate=predicate, value=WORD, entities=["Ana"])
        for predicate in ("keeps", "sells")
    ]
    if erased == "forgotten":
        clock.advance(timedelta(days=400))
        assert (await engine.forgetting.run(user)).merged_count == 2
    plain = await memory.remember(words, speaker="Ana")
    other = await memory.remember(words, speaker="Bob")
    ids = {one.id for one in (*told, plain)}
    assert len(ids) == 3
    done = await erasing.erase(user, id=told[0].id if erased == "claimed" else plain.id, actor="tester")
    assert set(done.statements) == ids
    assert (await memory.remember(words, speaker="Ana")).outcome == "refused"
    assert (await memory.get(other.id)).text == words
    assert await check_user(engine.tools, user) == []


async def test_words_said_by_the_way_go_and_what_carries_them_stays(
    engine: MemoryEngine, erasing: Erasing, memory: Memory, settings: Settings, raw: RawGraph, user: str
) -> None:
    (turn,) = await said(memory, "Tea at four.")
    old = await memory.remember("Ana lives in York", entities=["Ana"])
    new = await memory.remember(
        "Ana lives in Leeds", entities=["Ana", "Leeds"], relations=[("Ana", "works_at", "Leeds")]
    )
    await memory.supersede(old.id, new.id, reason=f"so says {WORD}")
    for planted in (
        "MATCH (e:Entity {end_user_id: $u, name: 'Ana'}) SET e.aliases = ['Anita', $said], e.description = $said",
        (
            "MATCH (e:Entity {end_user_id: $u, name: 'Ana'}) "
            "CREATE (:EntityAlias {end_user_id: $u, name_key: toLower($said), kind: e.kind, entity_id: e.id})"
        ),
        "MATCH (:Entity {end_user_id: $u})-[r:RELATES]->() SET r.predicate = $said, r.predicate_key = toLower($said)",
        (
            "MATCH (p:Episode {end_user_id: $u}) SET p.text = p.text + ' ' + $said + ' ' + p.text, p.zone = $said, "
            'p.metadata = \'{"has_headings":false,"tags":["\' + $said + \'"],"title":"Tea"}\''
        ),
        "CREATE (t:Tombstone {end_user_id: $u, fingerprint: 'f', kind: 'rejected', reason: $said})",
    ):
        await raw.run(planted, u=user, said=f"mr {WORD}")
    job = await engine.tools.ledger.jobs.enqueue(user, kind="test", payload={"texts": [f"mr {WORD}"]})
    assert await corners(settings, raw, user, WORD) == {"graph", "ledger"}

    erased = await erasing.erase(user, match=f"Mr.  {WORD}", actor="tester")
    assert await corners(settings, raw, user, WORD) == {"graph", "ledger"}, "another phrase"
    erased = await erasing.erase(user, match=WORD, actor="tester")

    assert (erased.statements, erased.entities, len(erased.blanked)) == ((), (), 1)
    assert await corners(settings, raw, user, WORD) == set()
    (episode,) = await raw.run("MATCH (p:Episode {end_user_id: $u}) RETURN p {.zone, .metadata} AS p", u=user)
    assert episode["p"] == {"zone": None, "metadata": '{"has_headings":false,"title":"Tea"}'}
    assert {id: (await memory.get(id)).status for id in (turn, old.id, new.id)} == {
        turn: "active",
        old.id: "superseded",
        new.id: "active",
    }
    rows = await raw.run("MATCH (p:Episode {end_user_id: $u}) RETURN p.text AS text", u=user)
    assert [row["text"] for row in rows] == [f"Tea at four. mr {'█' * len(WORD)} Tea at four."]
    (ana,) = await raw.run("MATCH (e:Entity {end_user_id: $u, name: 'Ana'}) RETURN e.aliases AS aliases", u=user)
    assert ana["aliases"] == ["Anita"]
    with pytest.raises(NotFound):
        await engine.tools.ledger.jobs.get(user, job.id)
    await check_chain(memory)


async def test_an_entity_is_erased_by_its_id_and_what_mentions_it_is_found_by_it_no_more(
    erasing: Erasing, memory: Memory, raw: RawGraph, user: str
) -> None:
    kept = await memory.remember("She likes tea", entities=[WORD, "Ana"], relations=[(WORD, "knows", "Ana")])
    entity = next(entity for entity in kept.entities if entity.name == WORD)
    assert await recalled(memory, WORD) == {"She likes tea"}

    await erasing.erase(user, id=entity.id, actor="tester")

    assert "She likes tea" in await recalled(memory, "tea")
    assert not await words_in_graph(raw, user, [WORD])
    assert [entity.name for entity in (await memory.get(kept.id)).entities] == ["Ana"]
    await check_chain(memory)


@pytest.mark.parametrize("given", [{}, {"id": "a", "match": "b"}, {"match": "  "}, {"match": "a\nb"}])
async def test_what_to_erase_has_to_be_said_in_one_way(erasing: Erasing, user: str, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await erasing.erase(user, actor="tester", **given)


@pytest.mark.parametrize("ours", ["fact", "active", "accepted", "sdk", "Statement"])
async def test_words_that_only_the_store_says_erase_nothing(memory: Memory, ours: str) -> None:
    said = await memory.remember("Ana keeps bees")
    assert not (await memory.erase(match=ours, dry_run=True)).statements
    assert (await memory.erase(match="bees", dry_run=True)).statements == (said.id,)
