from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.tiny_model import TinyModel, tiny_model


@pytest.fixture(scope="session")
def tiny() -> Iterator[TinyModel]:
    """A real language model, started with the first test that asks for it."""
    with tiny_model() as running:
        yield running
