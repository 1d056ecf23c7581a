"""A language model on the wire: what it is asked, what is made of each kind of reply, and what that is said to cost."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from memorygraph.cost import Cost
from memorygraph.errors import (
    ConfigurationError,
    ExtractionFailed,
    ModelError,
    ModelMisconfigured,
    ModelUnavailable,
    ReplyTruncated,
)
from memorygraph.llm import ChatModel, Reply, load_chat_model
from memorygraph.llm.chat import CALLS_AT_ONCE
from memorygraph.settings import load_settings
from tests.support.openai_server import (
    After,
    Answer,
    Chat,
    Cut,
    Hang,
    Held,
    OpenAIServer,
    Status,
    every_other_refused,
    openai_server,
)
from tests.support.waiting import wait_until_async

KEY = "sk-a-secret-of-the-tests"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}
VALUE = {"facts": [{"text": "Ana lives in Leeds."}]}
GOOD = Chat(json.dumps(VALUE), prompt_tokens=50, completion_tokens=7)
NO_JSON = Chat("I cannot do that.", prompt_tokens=40, completion_tokens=5)
AT_ONCE = {"Retry-After": "0.01"}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture
def model(server: OpenAIServer) -> ChatModel:
    return ChatModel("openai/small", api_base=server.base_url, api_key=SecretStr(KEY), timeout=10)


async def ask(model: ChatModel) -> Reply:
    return await model.structured("Find facts.", "I live in Leeds.", SCHEMA, name="facts")


async def test_the_question_goes_out_with_key_model_schema_and_limits(model: ChatModel, server: OpenAIServer) -> None:
    server.script(GOOD)
    reply = await ask(model)
    assert reply == Reply(VALUE, Cost(calls=1, prompt_tokens=50, completion_tokens=7))
    [request] = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Find facts."},
            {"role": "user", "content": "I live in Leeds."},
        ],
        "temperature": 0.0,
        "max_tokens": 2048,
        "response_format": {"type": "json_schema", "json_schema": {"name": "facts", "schema": SCHEMA, "strict": True}},
    }


async def test_a_reply_that_is_no_answer_is_shown_to_the_model_once(model: ChatModel, server: OpenAIServer) -> None:
    server.script(NO_JSON, GOOD)
    assert await ask(model) == Reply(VALUE, Cost(calls=2, prompt_tokens=90, completion_tokens=12))
    *before, said, repair = server.requests[1].body["messages"]
    assert before == server.requests[0].body["messages"]
    assert said == {"role": "assistant", "content": "I cannot do that."}
    assert "contained no JSON" in repair["content"]
    assert json.dumps(SCHEMA) in repair["content"]


async def test_two_replies_that_are_no_answer_are_a_failure_with_its_cost(
    model: ChatModel, server: OpenAIServer
) -> None:
    server.script(Chat(json.dumps(SCHEMA)), NO_JSON)
    with pytest.raises(ExtractionFailed, match="could not be read, even the second time") as caught:
        await ask(model)
    assert caught.value.cost == Cost(calls=2, prompt_tokens=140, completion_tokens=15)
    assert "repeated the schema" in server.requests[1].said
    server.script(GOOD)
    assert (await ask(model)).value == VALUE


@pytest.mark.parametrize("text", [None, "", "<think>Hm.</think>"])
async def test_an_empty_reply_is_asked_for_again_in_one_question(
    model: ChatModel, server: OpenAIServer, text: str | None
) -> None:
    server.script(Chat(text), GOOD)
    assert (await ask(model)).cost.calls == 2
    roles = [message["role"] for message in server.requests[1].body["messages"]]
    assert roles[:2] == ["system", "user"]
    assert roles[2:] in ([], ["assistant", "user"])
    assert "It was empty" in server.requests[1].said


@pytest.mark.parametrize(
    "reply", [Chat('{"facts": [{"text": "An'), Chat('{"facts": [', finish_reason="length"), Chat("", "length")]
)
async def test_a_reply_that_was_cut_off_is_told_as_such_and_not_repaired(
    model: ChatModel, server: OpenAIServer, reply: Chat
) -> None:
    server.script(reply)
    with pytest.raises(ReplyTruncated, match="not complete") as caught:
        await ask(model)
    assert caught.value.cost == Cost(calls=1, prompt_tokens=100, completion_tokens=10)
    assert len(server.requests) == 1


async def test_a_question_longer_than_the_model_reads_is_told_like_an_answer_cut_off(
    model: ChatModel, server: OpenAIServer
) -> None:
    server.script(Status(400, "This model's maximum context length is 8192 tokens."))
    with pytest.raises(ReplyTruncated, match="longer than openai/small allows") as caught:
        await ask(model)
    assert caught.value.cost == Cost(calls=1)


async def test_the_form_that_a_provider_takes_is_found_and_remembered(model: ChatModel, server: OpenAIServer) -> None:
    refusal = Status(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported.")
    server.script(refusal, refusal, GOOD, GOOD)
    assert (await ask(model)).cost == Cost(calls=3, prompt_tokens=50, completion_tokens=7)
    assert (await ask(model)).cost.calls == 1
    forms = [request.body.get("response_format", {}).get("type") for request in server.requests]
    assert forms == ["json_schema", "json_object", None, None]
    described = [json.dumps(SCHEMA) in request.said for request in server.requests]
    assert described == [False, True, True, True]


async def test_a_form_is_remembered_only_when_it_worked(model: ChatModel, server: OpenAIServer) -> None:
    server.script(*[Status(422)] * 3, GOOD)
    with pytest.raises(ExtractionFailed, match="refused the request") as caught:
        await ask(model)
    assert caught.value.cost == Cost(calls=3)
    assert (await ask(model)).cost.calls == 1
    assert server.requests[-1].body["response_format"]["type"] == "json_schema"


async def test_a_model_that_takes_no_temperature_is_asked_without(model: ChatModel, server: OpenAIServer) -> None:
    server.script(Status(400, "Unsupported value: 'temperature' does not support 0.0 with this model."), GOOD, GOOD)
    assert (await ask(model)).cost.calls == 2
    assert (await ask(model)).cost.calls == 1
    assert ["temperature" in request.body for request in server.requests] == [True, False, False]
    assert server.requests[-1].body["response_format"]["type"] == "json_schema"


async def test_a_429_for_every_other_request_is_not_noticed(model: ChatModel, server: OpenAIServer) -> None:
    server.chat = every_other_refused(lambda _: GOOD)
    costs = [(await ask(model)).cost for _ in range(3)]
    assert costs == [Cost(calls=2, prompt_tokens=50, completion_tokens=7)] * 3


@pytest.mark.parametrize("trouble", [Status(500), Status(502), Status(529), Cut()])
async def test_one_failure_is_not_noticed_and_two_are_an_outage(
    model: ChatModel, server: OpenAIServer, trouble: Status | Cut
) -> None:
    server.script(trouble, GOOD, trouble, trouble)
    assert (await ask(model)).cost.calls == 2
    with pytest.raises(ModelUnavailable, match="failed") as caught:
        await ask(model)
    assert (caught.value.cost, caught.value.retry_after) == (Cost(calls=2), None)


@pytest.mark.parametrize("body", ["<html>a proxy's page</html>", "", {"unexpected": True}, {"choices": []}])
async def test_what_is_no_completion_is_an_outage(model: ChatModel, server: OpenAIServer, body: object) -> None:
    server.script(Answer(body), Answer(body))
    with pytest.raises(ModelUnavailable) as caught:
        await ask(model)
    assert caught.value.cost.calls == 2


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "30"}, 30),
        (
            {"Date": "Mon, 02 Mar 2026 09:00:00 GMT", "Retry-After": "Mon, 02 Mar 2026 09:02:00 GMT"},
            120,
        ),
    ],
)
async def test_a_long_wait_that_the_provider_asks_for_is_passed_on(
    model: ChatModel, server: OpenAIServer, headers: dict[str, str], seconds: float
) -> None:
    server.script(Status(429, headers=headers))
    with pytest.raises(ModelUnavailable) as caught:
        await ask(model)
    assert caught.value.retry_after == pytest.approx(seconds, abs=2)
    assert len(server.requests) == 1


async def test_what_is_no_time_to_wait_is_none(model: ChatModel, server: OpenAIServer) -> None:
    server.script(*[Status(503, headers={"Retry-After": "soon"})] * 2)
    with pytest.raises(ModelUnavailable) as caught:
        await ask(model)
    assert caught.value.retry_after is None


async def test_an_answer_slower_than_the_timeout_is_an_outage(server: OpenAIServer) -> None:
    model = ChatModel("openai/small", api_base=server.base_url, timeout=0.3)
    server.script(After(0.05, GOOD), Hang())
    assert (await ask(model)).value == VALUE
    with pytest.raises(ModelUnavailable, match=r"at most 0\.3 seconds") as caught:
        await ask(model)
    assert caught.value.cost == Cost(calls=1)
    assert len(server.requests) == 2


async def test_a_provider_that_is_down_and_comes_back_is_used_again(model: ChatModel, server: OpenAIServer) -> None:
    server.chat = lambda _: GOOD
    with server.down():
        with pytest.raises(ModelUnavailable):
            await ask(model)
        assert server.requests == []
    assert (await ask(model)).value == VALUE


@pytest.mark.parametrize("code", [401, 402, 403])
async def test_a_refused_key_is_told_with_what_to_do_and_without_the_key(
    model: ChatModel, server: OpenAIServer, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script(Status(code, f"Incorrect API key provided: {KEY}"))
    with pytest.raises(ModelMisconfigured, match="MEMORYGRAPH_LLM_API_KEY") as caught:
        await ask(model)
    assert caught.value.cost == Cost(calls=1)
    assert caught.value.__cause__ is None
    assert len(server.requests) == 1
    assert KEY not in str(caught.value) + repr(model) + repr(vars(model)) + caplog.text


async def test_no_secret_is_told_whichever_way_the_provider_repeats_it(
    model: ChatModel, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "another-secret-of-the-tests")
    server.script(*[Status(400, f"bad request with {KEY} and another-secret-of-the-tests")] * 3)
    with pytest.raises(ExtractionFailed, match=r"bad request with \*\*\* and \*\*\*"):
        await ask(model)


async def test_an_unknown_model_is_told_with_what_to_do(model: ChatModel, server: OpenAIServer) -> None:
    server.script(Status(404, "The model small does not exist."))
    with pytest.raises(ModelMisconfigured, match=r"does not have openai/small: .* Check MEMORYGRAPH_LLM_MODEL"):
        await ask(model)
    assert len(server.requests) == 1
    with pytest.raises(ModelMisconfigured, match="begins with the provider"):
        await ask(ChatModel("nobody-knows-this-model"))


async def test_a_text_that_the_provider_refuses_is_a_failure_of_that_text(
    model: ChatModel, server: OpenAIServer
) -> None:
    server.script(*[Status(400, "The response was filtered: content_policy_violation")] * 3)
    with pytest.raises(ExtractionFailed):
        await ask(model)
    server.script(GOOD)
    assert (await ask(model)).value == VALUE


async def test_a_failure_after_a_first_reply_costs_both(model: ChatModel, server: OpenAIServer) -> None:
    server.script(NO_JSON, Status(500), Status(500))
    with pytest.raises(ModelError) as caught:
        await ask(model)
    assert caught.value.cost == Cost(calls=3, prompt_tokens=40, completion_tokens=5)


async def test_a_server_of_ones_own_is_asked_without_a_key(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server.chat = lambda _: GOOD
    await ask(ChatModel("openai/small", api_base=server.base_url))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    await ask(ChatModel("openai/small", api_base=server.base_url))
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer none", f"Bearer {KEY}"]


async def test_calls_beyond_the_limit_wait_for_others_to_end(model: ChatModel, server: OpenAIServer) -> None:
    free = threading.Event()
    server.script(*[Held(free, GOOD)] * (CALLS_AT_ONCE + 2))
    asked = [asyncio.create_task(ask(model)) for _ in range(CALLS_AT_ONCE + 2)]
    try:
        await wait_until_async(lambda: _enough(server), timeout=10, what="as many requests as are allowed at once")
        assert len(server.requests) == CALLS_AT_ONCE
    finally:
        free.set()
    assert {reply.cost.calls for reply in await asyncio.gather(*asked)} == {1}
    assert len(server.requests) == CALLS_AT_ONCE + 2


async def _enough(server: OpenAIServer) -> bool:
    return len(server.requests) >= CALLS_AT_ONCE


def test_event_loops_one_after_another_use_one_model(model: ChatModel, server: OpenAIServer) -> None:
    server.chat = lambda _: GOOD
    for _ in range(2):
        assert asyncio.run(ask(model)).value == VALUE


async def test_the_settings_name_the_model(server: OpenAIServer) -> None:
    assert load_chat_model(load_settings()) is None
    settings = load_settings(
        llm_model="openai/small", llm_api_base=server.base_url, llm_api_key=KEY, llm_max_output_tokens=300
    )
    assert KEY not in repr(settings)
    model = load_chat_model(settings)
    assert model is not None
    server.script(GOOD)
    assert (await ask(model)).value == VALUE
    assert server.requests[0].body["max_tokens"] == 300
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_settings_that_leave_no_room_for_a_text_are_refused() -> None:
    load_chat_model(load_settings(llm_model="openai/small", llm_context_tokens=4096, llm_max_output_tokens=1024))
    with pytest.raises(ConfigurationError, match="no room for a text"):
        load_chat_model(load_settings(llm_model="openai/small", llm_context_tokens=4096, llm_max_output_tokens=3000))
