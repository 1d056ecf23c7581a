"""What an ingestion left behind, and what a scripted language model says of a text."""

from __future__ import annotations

import json
import re
from typing import Any

from memorygraph import MemoryEngine
from memorygraph.memory import Memory
from memorygraph.runs import Job
from tests.support.openai_server import Chat, Reply, Request
from tests.support.raw_graph import RawGraph
from tests.support.waiting import wait_until_async

__all__ = ["ended", "evidence_of", "facts_document", "finished", "quoting_facts", "stated", "statements"]

_FACT = re.compile(r"Bridge \d+ is \d+ metres long")


async def finished(engine: MemoryEngine, memory: Memory, job: Job, *, timeout: float = 60) -> Job:
    """The job, after all that is due was worked on, which may take ``timeout`` seconds."""
    await engine.background.run_until_idle(timeout=timeout)
    return await memory.jobs.get(job.id)


async def ended(engine: MemoryEngine, memory: Memory, job: Job) -> Job:
    """The job at its end, however often it had to wait for something."""

    async def has_ended() -> bool:
        return (await finished(engine, memory, job)).finished_at is not None

    await wait_until_async(has_ended, timeout=60, interval=0.1, what="the end of the job")
    return await memory.jobs.get(job.id)


async def evidence_of(raw: RawGraph, end_user_id: str) -> list[dict[str, Any]]:
    """Text, kind, model, trust and counts of every statement, with each place that it is taken from."""
    return await raw.run(
        "MATCH (s:Statement {end_user_id: $u})-[r:FROM_EPISODE]->(p:Episode {end_user_id: $u}) "
        "RETURN s.text AS text, s.kind AS kind, s.model AS model, s.trust AS trust, s.position AS position, "
        "s.assertion_count AS assertion_count, s.source_count AS source_count, "
        "r.start AS start, r.end AS end, p.text AS episode ORDER BY p.session_id, p.position, r.start, s.text, s.kind",
        u=end_user_id,
    )


def facts_document(count: int) -> str:
    """A Markdown document of ``count`` facts about bridges, about 170 characters each, in sections of ten."""
    parts = ["# Bridges of the county\n"]
    for number in range(count):
        if number % 10 == 0:
            parts.append(f"\n## District {number // 10}\n")
        parts.append(
            f"Bridge {number} is {number * 7 + 20} metres long, was painted in {1900 + number % 100}, and is looked "
            "after by those who live nearest to it, as the council of the county has wanted it since the great flood.\n"
        )
    return "\n".join(parts)


def stated(text: str, *, quote: str | None = None, **told: Any) -> dict[str, Any]:
    """A statement as the model is asked to give it."""
    return {"text": text, "quote": text if quote is None else quote, "passage": 0, "kind": "fact", **told}


def statements(*items: dict[str, Any], prompt_tokens: int = 100, completion_tokens: int = 10) -> Chat:
    """The model's answer that has these statements."""
    return Chat(
        json.dumps({"statements": list(items)}), prompt_tokens=prompt_tokens, completion_tokens=completion_tokens
    )


def quoting_facts(request: Request) -> Reply:
    """The answer of a model that finds the facts of :func:`facts_document`, and invents one for each question."""
    found = [stated(f"The length: {quote}.", quote=quote) for quote in _FACT.findall(request.said)]
    return statements(*found, stated("Bridge 0 was blown up.", quote="Bridge 0 was blown up"))
