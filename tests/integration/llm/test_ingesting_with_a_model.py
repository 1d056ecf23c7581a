"""A real language model from an ingestion to the review. It is too small to be right: the bookkeeping is looked at."""

from __future__ import annotations

import pytest

from memorygraph import MemoryEngine
from memorygraph.invariants import check_user
from memorygraph.settings import Settings
from tests.support.ingestions import evidence_of, finished
from tests.support.raw_graph import raw_graph
from tests.support.tiny_model import TinyModel

ANSWER_TOKENS = 256  # a model of this size may list things without end
SAID = "I moved to Leeds yesterday with my cat Tom."


@pytest.mark.only_on("embedded")
async def test_a_real_model_reads_what_is_ingested_and_each_call_and_token_is_counted(
    settings: Settings, user: str, tiny: TinyModel
) -> None:
    asking = settings.model_copy(
        update={
            "llm_model": tiny.name,
            "llm_api_base": tiny.base_url,
            "llm_context_tokens": tiny.context_tokens,
            "llm_max_output_tokens": ANSWER_TOKENS,
            "llm_timeout_seconds": 120,
        }
    )
    async with await MemoryEngine.open(asking) as engine, raw_graph(settings) as raw:
        memory = engine.memory(user)
        job = await memory.ingest([{"text": SAID, "speaker": "Ana", "role": "user"}], session_id="s")
        done = await finished(engine, memory, job, timeout=240)
        assert (done.state, done.error) == ("succeeded", None)
        assert done.result is not None
        assert (done.result["episodes"], done.result["created"]) == (1, 1)
        assert done.result.keys() & {"candidate", "dropped", "failed_chunks"} or done.calls == 1
        assert 1 <= done.calls <= 2  # one, and its repair
        assert done.prompt_tokens > 300
        assert 0 < done.completion_tokens <= ANSWER_TOKENS * done.calls
        found = await evidence_of(raw, user)
        assert [row["text"] for row in found if row["kind"] == "turn"] == [SAID]
        derived = [row for row in found if row["kind"] != "turn"]
        assert len(derived) == done.result.get("candidate", 0)
        assert all(row["trust"] == "candidate" and row["model"] == tiny.name for row in derived)
        assert all(row["episode"][row["start"] : row["end"]].strip() for row in derived)
        assert len((await memory.review.queue()).items) == len(derived)
        assert await check_user(engine.tools, user) == []
