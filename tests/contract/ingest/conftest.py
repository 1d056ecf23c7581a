from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.settings import Settings
from tests.support.openai_server import OpenAIServer, openai_server

TIMEOUT = 0.5
"""Seconds that ``thinking`` waits for an answer of its model."""


@pytest.fixture
def llm() -> Iterator[OpenAIServer]:
    """The provider of a language model, which answers what the test has it answer."""
    with openai_server() as server:
        yield server


@pytest.fixture
async def thinking(settings: Settings, clock: SimulatedClock, llm: OpenAIServer) -> AsyncIterator[MemoryEngine]:
    """An engine on the session's store whose language model is ``llm``."""
    with_model = settings.model_copy(
        update={"llm_model": "openai/scripted", "llm_api_base": llm.base_url, "llm_timeout_seconds": TIMEOUT}
    )
    async with await MemoryEngine.open(with_model, clock=clock) as engine:
        yield engine
