"""Ingesting without a language model, on every graph server: what is kept, what is known again, what becomes of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from memorygraph import MemoryEngine
from memorygraph.errors import Conflict, Forbidden, IdempotencyConflict, NotFound, StoreUnavailable
from memorygraph.invariants import check_user
from tests.support.ingestions import evidence_of, facts_document, finished
from tests.support.raw_graph import RawGraph

TALK: list[dict[str, Any]] = [
    {"text": "I moved to Leeds in March.", "speaker": "Ana", "role": "user"},
    {"text": "ok, thanks", "speaker": "Bob", "role": "user"},
    {"text": "My sister Eva works at Acme.", "speaker": "Ana", "role": "user"},
]


async def episodes(raw: RawGraph, user: str) -> list[tuple[str, int, str]]:
    rows = await raw.run(
        "MATCH (p:Episode {end_user_id: $u}) RETURN p.session_id AS s, p.position AS n, p.text AS t", u=user
    )
    return sorted((row["s"], row["n"], row["t"]) for row in rows)


async def test_turns_are_kept_at_once_and_become_statements_word_for_word(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    job = await memory.ingest(TALK, session_id="monday", source="chat", tags=["family"], project="home")
    assert (job.kind, job.state, job.end_user_id) == ("ingest", "queued", user)
    assert [text for _, _, text in await episodes(raw, user)] == [turn["text"] for turn in TALK]
    done = await finished(engine, memory, job)
    assert (done.state, done.error) == ("succeeded", None)
    assert (done.calls, done.prompt_tokens, done.completion_tokens) == (0, 0, 0)
    assert done.result == {"episodes": 3, "created": 2, "says_nothing": 1}
    hit = (await memory.recall("Where does Eva work?", limit=1)).hits[0].memory
    assert (hit.text, hit.kind, hit.speaker, hit.trust) == (TALK[2]["text"], "turn", "Ana", "accepted")
    assert (hit.session_id, hit.position, hit.source, hit.tags, hit.project) == (
        "monday", 2, "chat", ("family",), "home",
    )  # fmt: skip
    assert {entity.name for entity in hit.entities} == {"Ana", "Eva", "Acme"}
    assert await check_user(engine.tools, user) == []


async def test_behaviour_26_thanks_makes_no_statement_and_positions_come_from_the_episodes(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    await finished(engine, memory, await memory.ingest(TALK, session_id="monday"))
    found = await evidence_of(raw, user)
    assert [(row["text"], row["position"]) for row in found] == [(TALK[0]["text"], 0), (TALK[2]["text"], 2)]
    assert all(row["episode"][row["start"] : row["end"]] == row["text"] for row in found)
    assert ("monday", 1, "ok, thanks") in await episodes(raw, user)


async def test_the_same_body_twice_and_ten_times_at_once_is_one_ingestion_and_one_job(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    jobs = await asyncio.gather(*(memory.ingest(TALK, session_id="monday") for _ in range(10)))
    assert len({job.id for job in jobs}) == 1
    await finished(engine, memory, jobs[0])
    before = await raw.everything(user)
    assert (await memory.ingest(TALK, session_id="monday")).id == jobs[0].id
    assert len(await memory.jobs.list()) == 1
    assert [row for row in await raw.everything(user) if "EndUser" not in row.get("labels", [])] == [
        row for row in before if "EndUser" not in row.get("labels", [])
    ]
    # The same words at another time were said once more.
    other = await memory.ingest(TALK, session_id="monday", occurred_at="2026-01-01T00:00:00Z")
    assert other.id != jobs[0].id
    assert (await finished(engine, memory, other)).result == {"episodes": 0, "known_episodes": 3}


async def test_an_idempotency_key_names_one_request(engine: MemoryEngine, user: str, raw: RawGraph) -> None:
    memory = engine.memory(user)
    job = await memory.ingest(["I like tea."], session_id="s", idempotency_key="k")
    assert (await memory.ingest(["I like tea."], session_id="s", idempotency_key="k")).id == job.id
    before = await episodes(raw, user)
    with pytest.raises(IdempotencyConflict):
        await memory.ingest(["I like coffee."], session_id="s", idempotency_key="k")
    assert await episodes(raw, user) == before
    assert (await finished(engine, memory, job)).state == "succeeded"


async def test_a_conversation_that_grows_adds_what_is_new_and_another_one_comes_after(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    said = [f"Sentence {number} tells of bird {number}." for number in range(4)]
    await memory.ingest(said[:2], session_id="s")
    grown = await memory.ingest(said, session_id="s")
    assert [place for _, place, _ in await episodes(raw, user)] == [0, 1, 2, 3]
    await memory.ingest(["Something else: a fox."], session_id="s")
    assert (await episodes(raw, user))[-1] == ("s", 4, "Something else: a fox.")
    done = await finished(engine, memory, grown)
    assert done.result == {"episodes": 2, "known_episodes": 2, "created": 2}
    found = await evidence_of(raw, user)
    assert [(row["text"], row["assertion_count"]) for row in found] == [
        (text, 1) for text in (*said, "Something else: a fox.")
    ]


async def test_an_ingestion_that_never_reached_the_ledger_is_found_with_all_that_it_had_to_tell(
    engine: MemoryEngine, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = engine.memory(user)
    said = [f"Sentence {number} tells of bird {number}." for number in range(4)]
    await finished(engine, memory, await memory.ingest(said[:3], session_id="s"))

    async def cut_off(*_: object, **__: object) -> None:
        raise StoreUnavailable("The ledger is away.")

    with monkeypatch.context() as cut:
        cut.setattr(engine.tools.ledger.jobs, "enqueue", cut_off)
        with pytest.raises(StoreUnavailable):
            await memory.ingest(said, session_id="s")
    assert len(await memory.jobs.list()) == 1
    await engine.tools.background.run_until_idle(timeout=60)
    assert [job.result for job in await memory.jobs.list()] == [
        {"episodes": 1, "known_episodes": 3, "created": 1},
        {"episodes": 3, "created": 3},
    ]


async def test_positions_that_are_given_are_taken_in_any_order(engine: MemoryEngine, user: str, raw: RawGraph) -> None:
    memory = engine.memory(user)
    turns = [{"text": f"Place {place} has a tree.", "position": place} for place in (7, 3)]
    await memory.ingest(turns, session_id="s")
    job = await memory.ingest([{"text": "Place 5 has a tree.", "position": 5}, turns[0]], session_id="s")
    assert [place for _, place, _ in await episodes(raw, user)] == [3, 5, 7]
    assert (await finished(engine, memory, job)).result == {"episodes": 1, "known_episodes": 1, "created": 1}


async def test_files_of_conversations_are_read(engine: MemoryEngine, user: str, raw: RawGraph) -> None:
    memory = engine.memory(user)
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "My cat Tom is ill.", "created": 1767225600},
        {"role": "assistant", "content": [{"type": "text", "text": "I hope Tom gets well."}]},
    ]
    lines = "\n".join(json.dumps({"id": name, "messages": messages}) for name in ("one", "two"))
    locomo = {
        "sample_id": "walk",
        "conversation": {
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "We saw a heron.", "blip_caption": "a grey bird"},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "It flew over the river Aire."},
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
        },
    }
    for data, name in ((lines, "talk.jsonl"), (json.dumps(locomo), "walk.json"), (json.dumps(messages), "a.json")):
        assert (await finished(engine, memory, await memory.ingest(data=data, name=name))).state == "succeeded"
    kept = await episodes(raw, user)
    assert [session.split(":")[0] for session, _, _ in kept] == [
        "conversation", "conversation", "one", "one", "two", "two", "walk/session_1", "walk/session_1",
    ]  # fmt: skip
    heron = (await memory.recall("heron", limit=1)).hits[0].memory
    assert (heron.speaker, heron.context) == ("Ana", "Shared a photo: a grey bird")
    assert str(heron.occurred_at) == "2023-05-08 13:56:00+00:00"
    cat = (await memory.recall("Is the cat ill?", limit=1)).hits[0].memory
    assert (cat.text, str(cat.occurred_at)) == ("My cat Tom is ill.", "2026-01-01 00:00:00+00:00")


async def test_conversations_of_one_file_with_the_same_words_and_no_names_are_one(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    conversation = {"messages": [{"role": "user", "content": "The well is dry."}]}
    job = await memory.ingest(data=json.dumps([conversation, conversation]), format="messages")
    assert (await finished(engine, memory, job)).result == {"episodes": 1, "known_episodes": 1, "created": 1}
    named = [{"id": name * 150, "messages": conversation["messages"]} for name in "ab"]
    long = await memory.ingest(data=json.dumps(named), format="messages", session_id="s" * 200)
    assert (await finished(engine, memory, long)).result == {"episodes": 2, "created": 2}
    sessions = {session for session, _, _ in await episodes(raw, user)}
    assert len(sessions) == 3
    assert all(len(session) <= 200 for session in sessions)


async def test_behaviour_25_a_document_becomes_statements_with_exact_evidence_in_bounded_steps(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    text = facts_document(115)
    assert 19_000 < len(text) < 22_000
    job = await memory.ingest(document=text, source="survey.md")
    assert [kept for _, _, kept in await episodes(raw, user)] == [text]
    done = await finished(engine, memory, job)
    assert done.state == "succeeded"
    assert done.result == {"episodes": 1, "created": 115}
    assert done.progress is not None
    (chunks,) = done.progress["chunks"]
    assert chunks["done"] == chunks["of"] == 4
    found = await evidence_of(raw, user)
    assert len(found) == 115
    assert all(row["episode"][row["start"] : row["end"]] == row["text"] for row in found)
    assert {(row["kind"], row["model"], row["trust"]) for row in found} == {("fact", "local", "accepted")}
    hit = (await memory.recall("How long is bridge 63?", limit=1)).hits[0].memory
    assert hit.text.startswith("Bridge 63 is 461 metres long, ")
    assert (hit.title, hit.context) == ("Bridges of the county", "Bridges of the county")


async def test_behaviour_36_two_sources_of_one_fact_are_both_its_evidence(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    for name, lead in (("a", "Minutes of May."), ("b", "Minutes of June, with a longer beginning.")):
        job = await memory.ingest(document=f"{lead}\n\nThe mill stands in Otley.\n", source=name)
        assert (await finished(engine, memory, job)).state == "succeeded"
    places = [row for row in await evidence_of(raw, user) if "mill" in row["text"]]
    assert [(row["assertion_count"], row["source_count"]) for row in places] == [(2, 2), (2, 2)]
    assert len({row["start"] for row in places}) == 2
    assert all(row["episode"][row["start"] : row["end"]] == "The mill stands in Otley." for row in places)
    # Of an earlier confirmation nothing is noted twice: the same body again changes nothing.
    await memory.ingest(document="Minutes of May.\n\nThe mill stands in Otley.\n", source="a")
    await engine.background.run_until_idle(timeout=60)
    assert len([row for row in await evidence_of(raw, user) if "mill" in row["text"]]) == 2
    # One source taken away, the fact stays; and goes with the last one.
    for left in (1, 0):
        (episode, *_) = await raw.run("MATCH (p:Episode {end_user_id: $u}) RETURN p.id AS id", u=user)
        await memory.erase(id=episode["id"])
        hits = (await memory.recall("Where is the mill?")).hits
        assert [hit.memory.text for hit in hits if "mill" in hit.memory.text] == ["The mill stands in Otley."] * left


async def test_two_users_with_the_same_sessions_and_words_share_nothing(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memories = [engine.memory(f"{user}-{name}") for name in ("alice", "bob")]
    jobs = [await memory.ingest(TALK, session_id="monday") for memory in memories]
    await engine.background.run_until_idle(timeout=60)
    found = [await evidence_of(raw, memory.end_user_id) for memory in memories]
    assert found[0] == found[1]
    assert len(found[0]) == 2
    with pytest.raises(NotFound):
        await memories[0].jobs.get(jobs[1].id)
    with pytest.raises(NotFound):
        await memories[0].jobs.cancel(jobs[1].id)
    assert [job.id for job in await memories[0].jobs.list()] == [jobs[0].id]
    assert (await memories[1].jobs.get(jobs[1].id)).state == "succeeded"


async def test_a_cancelled_ingestion_keeps_its_episodes_and_goes_on_when_it_is_queued_again(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    job = await memory.ingest(TALK, session_id="monday")
    # In the same turn of the event loop: no worker has had it yet.
    cancelled = await memory.jobs.cancel(job.id)
    assert cancelled.cancel_requested
    await engine.background.run_until_idle(timeout=60)
    assert (await memory.jobs.get(job.id)).state == "cancelled"
    assert len(await episodes(raw, user)) == 3
    assert await engine.background.sweep() == 0
    await memory.jobs.requeue(job.id)
    done = await memory.jobs.wait(job.id, timeout=60)
    assert done.state == "succeeded"
    assert done.result == {"episodes": 3, "created": 2, "says_nothing": 1}
    with pytest.raises(Conflict):
        await memory.jobs.requeue(job.id)
    with pytest.raises(Conflict):
        await memory.jobs.cancel(job.id)


async def test_an_ingestion_whose_episodes_are_gone_fails_and_says_so(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    job = await memory.ingest(TALK, session_id="monday")
    await memory.jobs.cancel(job.id)
    await engine.background.run_until_idle(timeout=60)
    await raw.run("MATCH (p:Episode {end_user_id: $u}) DETACH DELETE p", u=user)
    await memory.jobs.requeue(job.id)
    done = await memory.jobs.wait(job.id, timeout=60)
    assert (done.state, done.error) == ("failed", "not_found")


async def test_an_ingestion_that_never_became_a_job_is_found_by_the_sweep(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    await finished(engine, memory, await memory.ingest(TALK[:1], session_id="s"))
    (kept,) = await raw.run("MATCH (p:Episode {end_user_id: $u}) RETURN properties(p) AS p", u=user)
    lost = {"id": user, "ingest_id": user, "position": 1, "content_hash": user, "pending_since": 1}
    await raw.run("CREATE (p:Episode) SET p = $p", p=kept["p"] | lost | {"text": "The tower is in Ripon."})
    assert await engine.background.sweep() == 1
    await engine.background.run_until_idle(timeout=60)
    assert (await memory.recall("Ripon", limit=1)).hits[0].memory.text == "The tower is in Ripon."
    assert await engine.background.sweep() == 0


async def test_ingesting_needs_the_scope_to_write(engine: MemoryEngine, user: str, raw: RawGraph) -> None:
    job = await engine.memory(user).ingest(["The mill is old."], session_id="s")
    reader = engine.memory(user, scopes={"read"})
    with pytest.raises(Forbidden):
        await reader.ingest(["The mill is new."], session_id="s")
    with pytest.raises(Forbidden):
        await reader.jobs.cancel(job.id)
    assert [text for _, _, text in await episodes(raw, user)] == ["The mill is old."]
    assert (await reader.jobs.wait(job.id, timeout=60)).state == "succeeded"
