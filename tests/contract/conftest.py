from collections.abc import AsyncIterator

import pytest

from memorygraph import Memory, MemoryEngine
from memorygraph.erasing import Erasing
from memorygraph.settings import Settings
from tests.support.raw_graph import RawGraph, raw_graph


@pytest.fixture
async def raw(settings: Settings) -> AsyncIterator[RawGraph]:
    """A raw session on the graph of the session's store."""
    async with raw_graph(settings) as graph:
        yield graph


@pytest.fixture
def memory(engine: MemoryEngine, user: str) -> Memory:
    return engine.memory(user)


@pytest.fixture
def erasing(engine: MemoryEngine) -> Erasing:
    return engine.tools.erasing
