from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.settings import Settings
from tests.support.openai_server import OpenAIServer, openai_server


@pytest.fixture
def llm() -> Iterator[OpenAIServer]:
    """The provider of a language model, which answers what the test has it answer."""
    with openai_server() as server:
        yield server


@pytest.fixture
async def thinking(settings: Settings, clock: SimulatedClock, llm: OpenAIServer) -> AsyncIterator[MemoryEngine]:
    """An engine on the session's store whose language model is ``llm``, which it waits for patiently."""
    async with await _thinking(settings, clock, llm, timeout=60) as engine:
        yield engine


@pytest.fixture
async def impatient(settings: Settings, clock: SimulatedClock, llm: OpenAIServer) -> AsyncIterator[MemoryEngine]:
    """The same, for a model that does not answer: it waits five seconds, in which a busy machine does answer."""
    async with await _thinking(settings, clock, llm, timeout=5) as engine:
        yield engine


async def _thinking(settings: Settings, clock: SimulatedClock, llm: OpenAIServer, *, timeout: float) -> MemoryEngine:
    model = {"llm_model": "openai/scripted", "llm_api_base": llm.base_url, "llm_timeout_seconds": timeout}
    return await MemoryEngine.open(settings.model_copy(update=model), clock=clock)
