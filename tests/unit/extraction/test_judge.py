"""A language model on the wire that is asked which memories contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memorygraph.cost import NOTHING_SPENT, Cost
from memorygraph.errors import ExtractionFailed, ModelUnavailable
from memorygraph.extraction.judge import Judged, judge_contradictions
from memorygraph.llm import ChatModel
from tests.support.openai_server import Chat, OpenAIServer, Status, openai_server

CANDIDATES = [("id-a", "Ana lives in York."), ("id-b", "Ana has a cat."), ("id-c", "Ana never left Hull.")]
ONE_CALL = Cost(calls=1, prompt_tokens=100, completion_tokens=10)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture
def model(server: OpenAIServer) -> ChatModel:
    return ChatModel("openai/small", api_base=server.base_url, timeout=10)


async def judge(model: ChatModel) -> Judged:
    return await judge_contradictions(model, "Ana lives in Leeds.", CANDIDATES)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ('{"contradicting": [1, 3]}', ("id-a", "id-c")),
        ('```json\n{"contradicting": ["[3]", "1"]}\n```', ("id-a", "id-c")),
        ("<think>Only [1]?</think>[1]", ("id-a",)),
        ('{"contradicting": 2}', ("id-b",)),
        ('{"contradicting": []}', ()),
        ('{"contradicting": [0, 4, -1, 99, "id-z", 3, 3]}', ("id-c",)),
    ],
)
async def test_the_numbers_that_candidates_have_are_taken_and_others_ignored(
    model: ChatModel, server: OpenAIServer, text: str, ids: tuple[str, ...]
) -> None:
    server.script(Chat(text))
    assert await judge(model) == Judged(ids, ONE_CALL)


async def test_all_candidates_go_out_in_one_fenced_question_without_their_ids(
    model: ChatModel, server: OpenAIServer
) -> None:
    server.script(Chat('{"contradicting": []}'))
    await judge(model)
    [request] = server.requests
    assert "[1] Ana lives in York.\n[2] Ana has a cat.\n[3] Ana never left Hull.\n" in request.said
    assert "Statement:\nAna lives in Leeds.\n" in request.said
    assert "id-a" not in request.said
    assert request.body["response_format"]["json_schema"]["name"] == "contradictions"


async def test_nothing_is_asked_about_no_candidates(model: ChatModel, server: OpenAIServer) -> None:
    assert await judge_contradictions(model, "Ana lives in Leeds.", []) == Judged((), NOTHING_SPENT)
    assert server.requests == []


async def test_failures_come_with_their_cost(model: ChatModel, server: OpenAIServer) -> None:
    server.script(Chat("All of them!"), Chat("Every one."), Status(500), Status(500))
    with pytest.raises(ExtractionFailed) as failed:
        await judge(model)
    assert failed.value.cost == Cost(calls=2, prompt_tokens=200, completion_tokens=20)
    with pytest.raises(ModelUnavailable) as away:
        await judge(model)
    assert away.value.cost == Cost(calls=2)
