"""The examples in the pages of the documentation that need an engine, run as they stand there on a real store."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorygraph import MemoryEngine
from tests.support.checkout import CHECKOUT, tracked_files
from tests.support.examples import awaits, failed_examples

pytestmark = pytest.mark.only_on("embedded")

PAGES = [path for path in tracked_files() if path.suffix == ".md" and awaits((CHECKOUT / path).read_text("utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=str)
async def test_every_example_that_needs_an_engine_answers_what_is_shown(
    engine: MemoryEngine, user: str, page: Path
) -> None:
    text = (CHECKOUT / page).read_text("utf-8")
    assert await failed_examples(text, engine=engine, memory=engine.memory(user)) == []


async def test_an_example_that_answers_something_else_is_found(engine: MemoryEngine, user: str) -> None:
    shown = "```python\n>>> (await memory.remember('Ana swims.')).outcome\n'{}'\n```"
    for outcome, failures in (("created", 0), ("created", 1), ("confirmed", 0)):
        failed = await failed_examples(shown.format(outcome), memory=engine.memory(user))
        assert len(failed) == failures, outcome
