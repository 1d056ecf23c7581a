"""A real language model, from question to claims. It is too small to be right: form and bookkeeping are looked at."""

from __future__ import annotations

from typing import Any

import pytest

from memorygraph.errors import ExtractionFailed
from memorygraph.extraction.claims import Chunk, Passage
from memorygraph.extraction.judge import judge_contradictions
from memorygraph.extraction.model_extractor import ModelExtractor
from memorygraph.llm import ChatModel
from memorygraph.times import to_ms
from tests.support.tiny_model import TinyModel

ANSWER_TOKENS = 128  # a model of this size may list things without end
TEXT = "I moved to Leeds yesterday with my cat Tom."
COLOURS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "colours": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string", "enum": ["red", "green"]}},
                "required": ["name"],
                "additionalProperties": False,
            },
            "minItems": 1,
            "maxItems": 2,
        }
    },
    "required": ["colours"],
    "additionalProperties": False,
}


@pytest.fixture
def model(tiny: TinyModel) -> ChatModel:
    return ChatModel(
        tiny.name, api_base=tiny.base_url, context_tokens=tiny.context_tokens, max_output_tokens=ANSWER_TOKENS
    )


async def test_a_real_server_keeps_its_answer_to_the_schema(model: ChatModel) -> None:
    reply = await model.structured("Name the colours in the text.", "The door is green.", COLOURS, name="colours")
    colours = reply.value["colours"]
    assert 1 <= len(colours) <= 2
    assert all(colour in ({"name": "red"}, {"name": "green"}) for colour in colours)
    assert reply.cost.calls == 1  # the schema was not refused, and the answer needed no repair
    assert 20 < reply.cost.prompt_tokens < 200
    assert 5 < reply.cost.completion_tokens <= ANSWER_TOKENS


async def test_a_real_model_judges_with_ids_of_the_candidates_alone(model: ChatModel) -> None:
    candidates = [("id-a", "Ana lives in York."), ("id-b", "Ana has a cat.")]
    try:
        judged = await judge_contradictions(model, "Ana lives in Leeds.", candidates)
    except ExtractionFailed as failed:
        cost = failed.cost
    else:
        assert set(judged.contradicting) <= {"id-a", "id-b"}
        cost = judged.cost
    assert 1 <= cost.calls <= 2
    assert 100 < cost.prompt_tokens < 500 * cost.calls
    assert 0 < cost.completion_tokens <= ANSWER_TOKENS * cost.calls


async def test_a_real_model_gives_claims_with_evidence_or_fails_with_the_cost(model: ChatModel) -> None:
    passage = Passage(
        episode_id="e",
        start=0,
        text=TEXT,
        speaker="Ana",
        occurred_at=to_ms("2026-03-02T09:00:00+00:00", field="at"),
        zone="Europe/Berlin",
    )
    try:
        extraction = await ModelExtractor(model).extract(Chunk(passages=(passage,)))
    except ExtractionFailed as failed:
        calls, completion_tokens = failed.cost.calls, failed.cost.completion_tokens
        assert failed.cost.prompt_tokens > 300
    else:
        calls, completion_tokens = extraction.calls, extraction.completion_tokens
        assert extraction.prompt_tokens > 300
        assert all(TEXT[claim.start : claim.end].strip() for claim in extraction.claims)
    assert 1 <= calls <= 2
    assert 0 < completion_tokens <= ANSWER_TOKENS * calls
