"""How long one ``remember`` takes beyond embedding, and whether that stays so; batches, writers at once, ingestion."""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Sequence
from typing import Any

from memorygraph import MemoryEngine
from tests.benchmarks.corpus import markdown, statements
from tests.benchmarks.harness import Benchmark, Figures, latency, open_engine, resident_mb

__all__ = ["BENCHMARK", "EmbeddingWatch", "server_resident_mb"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=10_000, help="memories of one user, written one after another")
    parser.add_argument("--batch", type=int, default=1000, help="items of the remember_many that comes after them")
    parser.add_argument("--each", type=int, default=60, help="memories that each of ten writers at once writes")
    parser.add_argument("--ingest-kb", type=int, default=200, help="size of the Markdown document that is ingested")
    parser.add_argument("--graph", default="embedded", help="embedded, neo4j5 or neo4j2026")


class EmbeddingWatch:
    """Counts the seconds an engine spends embedding."""

    def __init__(self, engine: MemoryEngine) -> None:
        self.seconds = 0.0
        embed = engine.embedder.embed

        async def timed(texts: Sequence[str]) -> Any:
            begun = time.perf_counter()
            try:
                return await embed(texts)
            finally:
                self.seconds += time.perf_counter() - begun

        engine.embedder.embed = timed  # type: ignore[method-assign]

    def take(self) -> float:
        """The seconds since the last call."""
        seconds, self.seconds = self.seconds, 0.0
        return seconds


def server_resident_mb(engine: MemoryEngine) -> float | None:
    """Memory of the embedded graph server that is in RAM, in MiB; ``None`` for a Neo4j."""
    server = engine.store.graph.server
    return None if server is None else resident_mb(server.pid)


async def run(arguments: argparse.Namespace) -> Figures:
    async with open_engine(arguments.graph) as engine:
        watch = EmbeddingWatch(engine)
        one = await _one_by_one(engine, watch, arguments.count)
        return {
            "count": arguments.count,
            "graph": arguments.graph,
            **one,
            "process_resident_mb": resident_mb(),
            "server_resident_mb": server_resident_mb(engine),
            **await _in_a_batch(engine, arguments.batch, one["beyond_embedding_p50_ms"]),
            **await _at_once(engine, arguments.each),
            **await _ingested(engine, arguments.ingest_kb * 1000),
        }


async def _one_by_one(engine: MemoryEngine, watch: EmbeddingWatch, count: int) -> dict[str, float]:
    memory = engine.memory("bench")
    beyond: list[float] = []
    embedding: list[float] = []
    links = questions = 0
    for number, said in enumerate(statements(count), start=1):
        begun = time.perf_counter()
        written = await memory.remember(said.text, entities=said.entities)
        total = time.perf_counter() - begun
        embedding.append(watch.take())
        beyond.append(total - embedding[-1])
        links += sum(similar.linked for similar in written.similar)
        questions += len(written.contradictions)
        if number % 1000 == 0:
            print(f"{number}: {statistics.median(beyond[-1000:]) * 1000:.2f} ms beyond embedding", flush=True)
    block = min(1000, count // 2)
    return {
        **latency(beyond, prefix="beyond_embedding_"),
        "first_p50_ms": latency(beyond[:block])["p50_ms"],
        "last_p50_ms": latency(beyond[-block:])["p50_ms"],
        "flatness": round(statistics.median(beyond[-block:]) / statistics.median(beyond[:block]), 3),
        "embedding_p50_ms": latency(embedding)["p50_ms"],
        "links": links,
        "questions": questions,
    }


async def _in_a_batch(engine: MemoryEngine, count: int, single_p50_ms: float) -> dict[str, float]:
    """Milliseconds an item of a batch takes, and how much of it is left beyond embedding the same texts by themselves.

    They are subtracted as measured apart, because in a batch one part is embedded while another is written.
    """
    corpus = list(statements(count, seed=3))
    begun = time.perf_counter()
    await engine.embedder.embed([said.text for said in corpus])
    embedding_ms = (time.perf_counter() - begun) / count * 1000
    begun = time.perf_counter()
    answers = await engine.memory("bench").remember_many(
        [{"text": said.text, "entities": said.entities} for said in corpus]
    )
    each_ms = (time.perf_counter() - begun) / count * 1000
    assert all(answer.outcome != "failed" for answer in answers)
    beyond_ms = max(each_ms - embedding_ms, 0.001)
    return {
        "many_each_ms": round(each_ms, 3),
        "many_embedding_alone_ms": round(embedding_ms, 3),
        "many_beyond_each_ms": round(beyond_ms, 3),
        "many_speedup": round(single_p50_ms / beyond_ms, 2),
    }


async def _at_once(engine: MemoryEngine, each: int) -> dict[str, float]:
    """Writes a second, embedding included, of one writer and of ten that write for ten users."""

    async def write(user: str, seed: int, count: int) -> None:
        memory = engine.memory(user)
        for said in statements(count, seed=seed):
            await memory.remember(said.text, entities=said.entities)

    begun = time.perf_counter()
    await write("alone", 10, 3 * each)
    alone = 3 * each / (time.perf_counter() - begun)
    begun = time.perf_counter()
    await asyncio.gather(*(write(f"writer-{number}", 11 + number, each) for number in range(10)))
    together = 10 * each / (time.perf_counter() - begun)
    for number in range(10):
        report = await engine.memory(f"writer-{number}").verify_events()
        assert report.ok
        assert report.checked >= each
    return {
        "one_writer_per_s": round(alone, 1),
        "ten_writers_per_s": round(together, 1),
        "ten_writers_ratio": round(together / alone, 2),
    }


async def _ingested(engine: MemoryEngine, size: int) -> dict[str, float]:
    """Seconds to ingest a Markdown document of ``size`` characters without a language model, and the peak of memory."""
    memory = engine.memory("reader")
    document = markdown(size)
    before = peak = resident_mb()
    begun = time.perf_counter()
    job = await memory.ingest(document=document, title="Log")
    working = asyncio.create_task(memory.jobs.wait(job.id))
    while not working.done():
        peak = max(peak, resident_mb())
        await asyncio.wait({working}, timeout=0.1)
    job = working.result()
    seconds = time.perf_counter() - begun
    assert job.state == "succeeded", job
    result = job.result or {}
    return {
        "ingest_s": round(seconds, 1),
        "ingest_statements": result.get("created", 0) + result.get("confirmed", 0),
        "ingest_peak_growth_mb": round(peak - before, 1),
    }


BENCHMARK = Benchmark(about=__doc__, run=run, add_arguments=add_arguments)
