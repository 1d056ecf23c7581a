"""A language model's second look at contradictions, on the wire and through jobs."""

from __future__ import annotations

import json
from datetime import timedelta

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.invariants import check_user
from memorygraph.times import from_ms
from tests.support.ingestions import ended, finished, stated, statements
from tests.support.openai_server import Chat, OpenAIServer, Reply, Request
from tests.support.raw_graph import RawGraph


def contradicting(*numbers: int) -> Reply:
    return Chat(json.dumps({"contradicting": list(numbers)}), prompt_tokens=70, completion_tokens=5)


async def marks(raw: RawGraph, user: str) -> int:
    rows = await raw.run("MATCH (s:Statement {end_user_id: $u}) WHERE s.compare_since >= 0 RETURN s.id AS id", u=user)
    return len(rows)


async def test_a_contradiction_that_no_word_shows_becomes_a_question_for_one_call(
    thinking: MemoryEngine, user: str, raw: RawGraph, llm: OpenAIServer
) -> None:
    memory = thinking.memory(user)
    leeds = await memory.remember("Ana lives in Leeds.")
    await memory.remember("Ana's cat lives in a basket.")
    llm.requests.clear()
    llm.chat = lambda request: contradicting(*(n for n in (1, 2) if f"[{n}] Ana lives in Leeds." in request.said))
    york = await memory.remember("Ana's home is in York.")
    assert york.contradictions == ()
    await thinking.background.run_until_idle(timeout=60)
    (request,) = (request for request in llm.requests if "Statement:\nAna's home is in York." in request.said)
    assert "Ana lives in Leeds." in request.said
    waiting = {item.memory.id: item for item in (await memory.review.queue()).items}
    assert waiting.keys() == {leeds.id, york.id}
    (question,) = waiting[york.id].contradictions
    assert (question.id, question.reason) == (leeds.id, "model")
    # Both hold until somebody decides, and are found.
    found = {hit.memory.id for hit in (await memory.recall("Where does Ana live?")).hits}
    assert {leeds.id, york.id} <= found
    jobs = [job for job in await memory.jobs.list() if job.result == {"questions": 1}]
    assert [(job.kind, job.state, job.calls, job.prompt_tokens, job.completion_tokens) for job in jobs] == [
        ("compare", "succeeded", 1, 70, 5)
    ]
    assert await marks(raw, user) == 0
    assert await check_user(thinking.tools, user) == []
    # The queue of jobs lost, and done again: the question is there already.
    await raw.run(
        "MATCH (s:Statement {end_user_id: $u, id: $id}) SET s.compare_since = 1, s.compare_with = [$other]",
        u=user,
        id=york.id,
        other=leeds.id,
    )
    await thinking.store.ledger.jobs.delete(user, [jobs[0].id])
    await thinking.background.run_until_idle(timeout=60)
    assert await marks(raw, user) == 0
    (again,) = [job for job in await memory.jobs.list() if job.result == {"questions": 0} and job.calls][:1]
    assert again.state == "succeeded"
    assert len((await memory.review.queue()).items) == 2


async def test_without_a_model_nothing_is_to_be_compared(engine: MemoryEngine, user: str, raw: RawGraph) -> None:
    memory = engine.memory(user)
    await memory.remember("Ana lives in Leeds.")
    await memory.remember("Ana's home is in York.")
    assert await marks(raw, user) == 0
    assert await memory.jobs.list() == ()
    assert (await memory.review.queue()).items == ()


async def test_what_is_not_alike_costs_no_call_and_a_model_that_sees_nothing_opens_nothing(
    thinking: MemoryEngine, user: str, llm: OpenAIServer
) -> None:
    memory = thinking.memory(user)
    llm.chat = lambda request: contradicting()
    await memory.remember("Ana lives in Leeds.")
    await memory.remember("The printer on the third floor needs toner.")
    await thinking.background.run_until_idle(timeout=60)
    assert llm.requests == []
    await memory.remember("Ana's home is in York.")
    await thinking.background.run_until_idle(timeout=60)
    assert len(llm.requests) == 1
    assert (await memory.review.queue()).items == ()


async def test_a_model_that_is_down_blocks_no_writing_and_is_asked_when_it_is_back(
    thinking: MemoryEngine, user: str, raw: RawGraph, llm: OpenAIServer
) -> None:
    memory = thinking.memory(user)
    await memory.remember("Ana lives in Leeds.")
    llm.chat = lambda request: contradicting(1)
    with llm.down():
        york = await memory.remember("Ana's home is in York.")
        assert york.outcome == "created"
        await thinking.background.run_until_idle(timeout=60)
        (job,) = await memory.jobs.list()
        assert (job.state, job.error) == ("queued", "model_unavailable")
        assert "openai/scripted" in (thinking.background.degraded or "")
        assert await marks(raw, user) == 1
    done = await ended(thinking, memory, job)
    assert (done.state, done.result, done.prompt_tokens) == ("succeeded", {"questions": 1}, 70)
    assert thinking.background.degraded is None
    assert (await memory.get(york.id)).open_questions == 1


async def test_a_memory_that_is_over_by_the_time_it_is_compared_raises_no_question(
    thinking: MemoryEngine, user: str, clock: SimulatedClock, llm: OpenAIServer
) -> None:
    memory = thinking.memory(user)
    soon = from_ms(clock.now_ms()) + timedelta(hours=1)
    leeds = await memory.remember("Ana lives in Leeds.", expires_at=soon)
    llm.chat = lambda request: contradicting(1)
    with llm.down():
        york = await memory.remember("Ana's home is in York.")
        await thinking.background.run_until_idle(timeout=60)
    (job,) = await memory.jobs.list()
    clock.advance(timedelta(hours=1))
    assert (await ended(thinking, memory, job)).result == {"questions": 0}
    assert [(await memory.get(id)).open_questions for id in (leeds.id, york.id)] == [0, 0]
    assert await check_user(thinking.tools, user) == []


async def test_a_memory_that_was_retired_meanwhile_raises_no_question(
    thinking: MemoryEngine, user: str, raw: RawGraph, llm: OpenAIServer
) -> None:
    memory = thinking.memory(user)
    leeds = await memory.remember("Ana lives in Leeds.")
    llm.chat = lambda request: contradicting(1)
    with llm.down():
        york = await memory.remember("Ana's home is in York.")
        await thinking.background.run_until_idle(timeout=60)
    (job,) = await memory.jobs.list()
    await memory.retract(leeds.id, "It was Lisa.")
    assert (await ended(thinking, memory, job)).result == {"questions": 0}
    assert (await memory.get(york.id)).open_questions == 0
    assert await marks(raw, user) == 0


async def test_two_who_speak_are_told_apart(thinking: MemoryEngine, user: str, llm: OpenAIServer) -> None:
    memory = thinking.memory(user)
    llm.chat = lambda request: contradicting()
    await memory.remember("I live in Leeds.", speaker="Ana")
    await memory.remember("The house of Ana and me is in Leeds by the river.", speaker="Bob")
    await thinking.background.run_until_idle(timeout=60)
    (request,) = llm.requests
    assert "Statement:\nBob: The house of Ana and me is in Leeds by the river." in request.said
    assert "[1] Ana: I live in Leeds." in request.said


async def test_what_a_model_derived_of_one_document_is_compared_with_what_was_known_alone(
    thinking: MemoryEngine, user: str, llm: OpenAIServer
) -> None:
    memory = thinking.memory(user)
    said = "Ana's home is in York. Ana lives by the river."

    def chat(request: Request) -> Reply:
        if "Other statements:" in request.said:
            return contradicting(1)
        return statements(stated("Ana's home is York.", quote="Ana's home is in York"))

    llm.chat = chat
    await finished(thinking, memory, await memory.ingest(document=said, source="a"))
    assert [job.kind for job in await memory.jobs.list()] == ["ingest"]
    known = await memory.remember("Ana lives in Leeds.")
    job = await memory.ingest(document=f"{said} Ana resides in York.", source="b")
    await finished(thinking, memory, job)
    compared = [job for job in await memory.jobs.list() if job.kind == "compare"]
    assert {job.state for job in compared} == {"succeeded"}
    # What was remembered, alike as it is; the claim of the second document is the first one's, confirmed.
    assert [job.calls for job in compared] == [1]
    assert (await memory.get(known.id)).open_questions == 1
