from collections.abc import AsyncIterator

import pytest

from memorygraph.settings import Settings
from tests.support.raw_graph import RawGraph, raw_graph


@pytest.fixture
async def raw(settings: Settings) -> AsyncIterator[RawGraph]:
    """A raw session on the graph of the session's store."""
    async with raw_graph(settings) as graph:
        yield graph
