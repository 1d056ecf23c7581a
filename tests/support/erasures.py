"""A talk with a word that is to be erased, and where it can still be found."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.settings import Settings
from tests.support.canary import words_in_graph, words_in_ledger
from tests.support.raw_graph import RawGraph

WORD = "Zuckerrohr"
TALK = [
    f"Our {WORD} order goes to the port of Leixões.",
    "The port is closed on 1 May.",
    "Tomasz drives the van to the port.",
    "The van has a new battery since Monday.",
]


async def corners(settings: Settings, raw: RawGraph, user: str, *words: str) -> set[str]:
    """Where the words are: in the graph, in the ledger."""
    url = settings.ledger_url
    assert url is not None
    found = {"graph"} if await words_in_graph(raw, user, words) else set()
    return found | ({"ledger"} if await words_in_ledger(url.get_secret_value(), user, words) else set())


async def said(memory: Memory, *texts: str, **more: Any) -> list[str]:
    return [
        (
            await memory.remember(
                text, kind="turn", session_id="s", position=position, speaker="Ana", entities=["port"], **more
            )
        ).id
        for position, text in enumerate(texts)
    ]


async def fused(engine: MemoryEngine, clock: SimulatedClock, user: str) -> str:
    clock.advance(timedelta(days=400))
    cycle = await engine.forgetting.run(user)
    assert cycle.summary_count == 1, cycle
    return cycle.summaries[0]


async def recalled(memory: Memory, query: str) -> set[str]:
    return {hit.memory.text for hit in (await memory.recall(query, limit=50, reinforce=False)).hits}


async def check_chain(memory: Memory) -> None:
    report = await memory.verify_events()
    assert report.ok, report
