from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from memorygraph.embedding import load_embedder
from memorygraph.embedding.service import ServiceEmbedder, load_service
from memorygraph.errors import ConfigurationError, EmbedderError
from tests.support.openai_server import Answer, Cut, Hang, OpenAIServer, Status, openai_server, vector_of

KEY = "sk-a-secret-of-the-tests"
AT_ONCE = {"Retry-After": "0.01"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with openai_server(dimension=8) as running:
        monkeypatch.setenv("OPENAI_API_BASE", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield running


@pytest.fixture
def embedder(server: OpenAIServer) -> ServiceEmbedder:
    embedder = load_service("openai/embed-small", timeout=10)
    server.requests.clear()
    return embedder


def expected(texts: list[str]) -> npt.NDArray[np.float64]:
    rows = np.array([vector_of(text, 8) for text in texts])
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float64)


def test_the_dimension_is_learnt_by_asking_once(server: OpenAIServer) -> None:
    embedder = load_service("openai/embed-small")
    assert (embedder.name, embedder.dimension) == ("litellm:openai/embed-small", 8)
    assert len(server.requests) == 1


def test_the_digest_is_of_name_and_dimension(embedder: ServiceEmbedder, server: OpenAIServer) -> None:
    assert load_service("openai/embed-small").digest == embedder.digest
    assert load_service("openai/embed-large").digest != embedder.digest
    server.dimension = 16
    assert load_service("openai/embed-small").digest != embedder.digest
    assert len(embedder.digest) == 64


async def test_vectors_come_normalised_and_in_order(embedder: ServiceEmbedder) -> None:
    vectors = await embedder.embed(["one", "two"])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected(["one", "two"]), atol=1e-6)


async def test_the_service_is_asked_with_key_and_model(embedder: ServiceEmbedder, server: OpenAIServer) -> None:
    await embedder.embed(["one"])
    request = server.requests[0]
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert (request.body["model"], request.body["input"]) == ("embed-small", ["one"])


async def test_an_answer_in_another_order_is_put_right(embedder: ServiceEmbedder, server: OpenAIServer) -> None:
    shuffled = server.embeddings(["one", "two"])
    shuffled["data"].reverse()
    server.script(Answer(shuffled))
    np.testing.assert_allclose(await embedder.embed(["one", "two"]), expected(["one", "two"]), atol=1e-6)


async def test_many_texts_go_in_batches(embedder: ServiceEmbedder, server: OpenAIServer) -> None:
    texts = [f"text {n}" for n in range(150)]
    np.testing.assert_allclose(await embedder.embed(texts), expected(texts), atol=1e-6)
    assert [len(request.body["input"]) for request in server.requests] == [64, 64, 22]


async def test_blank_and_overlong_texts_are_sent_as_services_take_them(
    embedder: ServiceEmbedder, server: OpenAIServer
) -> None:
    await embedder.embed(["", "x" * 50_000])
    blank, long = server.requests[0].body["input"]
    assert blank == "."
    assert len(long) == 6_000


async def test_no_texts_ask_nothing(embedder: ServiceEmbedder, server: OpenAIServer) -> None:
    assert (await embedder.embed([])).shape == (0, 8)
    assert server.requests == []


async def test_a_limit_of_requests_is_waited_out(embedder: ServiceEmbedder, server: OpenAIServer) -> None:
    server.script(Status(429, headers=AT_ONCE), Status(503, headers=AT_ONCE))
    np.testing.assert_allclose(await embedder.embed(["one"]), expected(["one"]), atol=1e-6)
    assert len(server.requests) == 3


@pytest.mark.parametrize(("code", "message"), [(429, "fewer requests"), (500, "failed"), (503, "failed")])
async def test_a_failure_that_lasts_is_raised_after_three_tries(
    embedder: ServiceEmbedder, server: OpenAIServer, code: int, message: str
) -> None:
    server.script(*[Status(code, headers=AT_ONCE)] * 3)
    with pytest.raises(EmbedderError, match=message):
        await embedder.embed(["one"])
    assert len(server.requests) == 3
    assert (await embedder.embed(["one"])).shape == (1, 8)


@pytest.mark.parametrize(
    ("code", "message"), [(400, "failed: .*scripted"), (404, "does not have litellm:openai/embed-small")]
)
async def test_a_request_that_is_refused_is_not_repeated(
    embedder: ServiceEmbedder, server: OpenAIServer, code: int, message: str
) -> None:
    server.script(Status(code))
    with pytest.raises(EmbedderError, match=message):
        await embedder.embed(["one"])
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [401, 403])
async def test_a_refused_key_is_told_without_the_key(
    embedder: ServiceEmbedder, server: OpenAIServer, code: int
) -> None:
    server.script(Status(code, message=f"Incorrect API key provided: {KEY}"))
    with pytest.raises(EmbedderError, match="refused the key") as caught:
        await embedder.embed(["one"])
    assert KEY not in str(caught.value)


async def test_a_cut_connection_is_an_embedder_error(embedder: ServiceEmbedder, server: OpenAIServer) -> None:
    server.script(Cut(), Cut(), Cut())
    with pytest.raises(EmbedderError, match="failed"):
        await embedder.embed(["one"])


async def test_a_connection_cut_once_is_not_noticed(embedder: ServiceEmbedder, server: OpenAIServer) -> None:
    server.script(Cut())
    np.testing.assert_allclose(await embedder.embed(["one"]), expected(["one"]), atol=1e-6)


async def test_a_service_that_hangs_is_given_up(server: OpenAIServer) -> None:
    embedder = load_service("openai/embed-small", timeout=0.2)
    server.script(Hang(), Hang(), Hang())
    with pytest.raises(EmbedderError, match=r"did not answer within 0\.2 seconds"):
        await embedder.embed(["one"])


def row(index: int, *values: float) -> dict[str, object]:
    return {"object": "embedding", "index": index, "embedding": list(values)}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"data": [row(0, *[float("nan")] * 8)]}, "not finite"),
        ({"data": [row(0, *[0.0] * 8)]}, "zero vector"),
        ({"data": [row(0, 1.0, 2.0)]}, "dimension 2, and before of dimension 8"),
        ({"data": []}, "."),
        ({"data": [row(0, *[1.0] * 8), row(1, *[1.0] * 8)]}, "for 1 texts"),
        ({"unexpected": True}, "."),
        ("<html>a proxy's page</html>", "."),
    ],
)
async def test_an_answer_without_the_right_vectors_is_an_embedder_error(
    embedder: ServiceEmbedder, server: OpenAIServer, body: object, message: str
) -> None:
    if isinstance(body, dict):
        body = {"object": "list", "model": "x", "usage": {"prompt_tokens": 1, "total_tokens": 1}, **body}
    server.script(*[Answer(body)] * 3)
    with pytest.raises(EmbedderError, match=message):
        await embedder.embed(["one"])


def test_a_service_that_is_not_there_is_an_embedder_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server() as gone:
        monkeypatch.setenv("OPENAI_API_BASE", gone.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(EmbedderError, match="failed"):
        load_service("openai/embed-small")


@pytest.mark.parametrize("model", ["", "  ", "nobody-knows-this-model"])
def test_a_model_of_no_provider_is_a_configuration_error(model: str) -> None:
    with pytest.raises(ConfigurationError, match=r"litellm:openai/text-embedding-3-small"):
        load_service(model)


def test_event_loops_one_after_another_use_one_embedder(embedder: ServiceEmbedder) -> None:
    for _ in range(2):
        assert asyncio.run(embedder.embed(["one"])).shape == (1, 8)


def test_the_setting_names_the_service(server: OpenAIServer, tmp_path: Path) -> None:
    embedder = load_embedder("litellm:openai/embed-small", data_dir=tmp_path, threads=1)
    assert embedder.name == "litellm:openai/embed-small"


async def test_loading_litellm_asks_no_network_and_prints_nothing(
    embedder: ServiceEmbedder, server: OpenAIServer, capfd: pytest.CaptureFixture[str]
) -> None:
    server.script(Status(400))
    with pytest.raises(EmbedderError):
        await embedder.embed(["one"])
    assert capfd.readouterr() == ("", "")
