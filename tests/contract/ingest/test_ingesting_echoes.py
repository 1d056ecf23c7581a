"""Behaviour 26: what recall answered and somebody hands back makes no memory; the same said in new words does."""

from __future__ import annotations

import json
from collections.abc import Callable

from memorygraph import MemoryEngine
from memorygraph.ingest.echoes import fenced
from memorygraph.records import Answer
from tests.support.ingestions import evidence_of, finished
from tests.support.raw_graph import RawGraph

FACTS = ("Ana lives in Leeds.", "Ana's cat is called Tom.", "Ana works at Acme since 2019.")

PASTED: dict[str, Callable[[Answer], str]] = {
    "the answer as JSON": lambda answer: json.dumps(answer.to_dict()),
    "the answer as indented JSON": lambda answer: json.dumps(answer.to_dict(), indent=2),
    "a list of texts": lambda answer: json.dumps([hit.memory.text for hit in answer.hits]),
    "the fence": lambda answer: fenced([hit.memory.text for hit in answer.hits]),
    "a list with scores": lambda answer: "\n".join(
        f"- {hit.memory.text} (score: {hit.score:.2f})" for hit in answer.hits
    ),
    "a numbered list": lambda answer: "\n".join(f"{hit.rank}. “{hit.memory.text}”" for hit in answer.hits),
}


async def statements(raw: RawGraph, user: str) -> list[str]:
    rows = await raw.run("MATCH (s:Statement {end_user_id: $u}) RETURN s.text AS text", u=user)
    return sorted(row["text"] for row in rows)


async def test_behaviour_26_what_recall_answered_writes_nothing_as_talk_or_as_document(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    await memory.remember_many([{"text": text} for text in FACTS])
    answer = await memory.recall("What do you know of Ana?", reinforce=False)
    assert len(answer.hits) == 3
    seq = (await memory.verify_events()).checked
    for what, render in PASTED.items():
        pasted = render(answer)
        for job in (
            await memory.ingest([{"text": pasted, "role": "user"}], session_id=what),
            await memory.ingest(document=pasted, source=what),
        ):
            done = await finished(engine, memory, job)
            assert done.result == {"episodes": 1, "echoes": 1}, what
    assert await statements(raw, user) == sorted(FACTS)
    # Each is kept, and told of by the one event of its ingestion.
    assert (await memory.verify_events()).checked == seq + 2 * len(PASTED)


async def test_behaviour_26_new_words_of_the_same_and_a_persons_own_repetition_are_written(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    await memory.remember_many([{"text": text} for text in FACTS])
    document = "- Ana lives in Leeds. (score: 0.91)\n- Her house there has a red door and two chimneys.\n"
    turns = [
        {"text": "Leeds is where Ana has her home.", "role": "assistant"},
        {"text": FACTS[0], "role": "user"},
        {"text": FACTS[1], "role": "assistant"},
    ]
    assert (await finished(engine, memory, await memory.ingest(document=document))).result == {
        "episodes": 1,
        "created": 2,
    }
    talk = await finished(engine, memory, await memory.ingest(turns, session_id="s"))
    assert talk.result == {"episodes": 3, "created": 2, "echoes": 1}
    assert await statements(raw, user) == sorted(
        [
            *FACTS,
            "Ana lives in Leeds. (score: 0.91)",
            "Her house there has a red door and two chimneys.",
            turns[0]["text"],
            turns[1]["text"],
        ]
    )


async def test_behaviour_26_words_beside_the_fence_are_written_without_it(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    await memory.remember_many([{"text": text} for text in FACTS])
    fence = fenced([*FACTS, *(f"Filler number {number} of what recall had found." for number in range(60))])
    assert len(fence) > 2000
    long = "\n\n".join(f"Field {number} is ploughed by farmer {number} and his two horses." for number in range(40))
    turns = [
        {"text": f"{fence}\n\nMy new phone is a Fairphone 6.", "role": "user"},
        {"text": f"{long}\n\n{fence}\n\nMy aunt Rosa is a baker.", "role": "user"},
    ]
    job = await memory.ingest(turns, session_id="s")
    done = await finished(engine, memory, job)
    assert done.result == {"episodes": 2, "created": 42}
    found = await evidence_of(raw, user)
    assert [row["text"] for row in found if row["kind"] == "turn"] == ["My new phone is a Fairphone 6."]
    assert all(row["episode"][row["start"] : row["end"]] == row["text"] for row in found)
    assert not any("Filler" in row["text"] or row["text"] in FACTS for row in found)
    job = await memory.ingest(document=f"# Notes\n\n{fence}\n\nThe attic needs a new window.\n")
    assert (await finished(engine, memory, job)).result == {"episodes": 1, "created": 1}


async def test_behaviour_26_candidates_that_were_recalled_and_handed_back_stay_candidates(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    written = await memory.remember("Ana may move to York.", derived=True)
    answer = await memory.recall("York", include=["candidate"])
    assert len(answer.hits) == 1
    job = await memory.ingest(document=PASTED["a list with scores"](answer))
    assert (await finished(engine, memory, job)).result == {"episodes": 1, "echoes": 1}
    assert (await memory.get(written.id)).trust == "candidate"
    # Control: somebody's own words for it are no echo.
    await memory.remember("Ana may move to York.")
    assert (await memory.get(written.id)).trust == "accepted"
