"""How long one ``remember`` takes beyond embedding its text, and whether that stays so as the memory grows."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from typing import Any

from memorygraph import MemoryEngine
from tests.benchmarks.corpus import statements
from tests.benchmarks.harness import Benchmark, Figures, latency, open_engine, resident_mb

__all__ = ["BENCHMARK", "EmbeddingWatch", "server_resident_mb"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=10_000, help="memories of one user, written one after another")
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
    beyond: list[float] = []
    embedding: list[float] = []
    async with open_engine(arguments.graph) as engine:
        memory = engine.memory("bench")
        watch = EmbeddingWatch(engine)
        for number, said in enumerate(statements(arguments.count), start=1):
            begun = time.perf_counter()
            await memory.remember(said.text, entities=said.entities)
            total = time.perf_counter() - begun
            embedding.append(watch.take())
            beyond.append(total - embedding[-1])
            if number % 1000 == 0:
                print(f"{number}: {statistics.median(beyond[-1000:]) * 1000:.2f} ms beyond embedding", flush=True)
        block = min(1000, arguments.count // 2)
        return {
            "count": arguments.count,
            "graph": arguments.graph,
            **latency(beyond, prefix="beyond_embedding_"),
            "first_p50_ms": latency(beyond[:block])["p50_ms"],
            "last_p50_ms": latency(beyond[-block:])["p50_ms"],
            "flatness": round(statistics.median(beyond[-block:]) / statistics.median(beyond[:block]), 3),
            "embedding_p50_ms": latency(embedding)["p50_ms"],
            "process_resident_mb": resident_mb(),
            "server_resident_mb": server_resident_mb(engine),
        }


BENCHMARK = Benchmark(about=__doc__, run=run, add_arguments=add_arguments)
