"""How long one ``recall`` takes against embedding the question plus one full-text query of the graph server."""

from __future__ import annotations

import argparse
import statistics
import time

from memorygraph.text.tokens import query_tokens, scope_token
from tests.benchmarks.corpus import questions, statements
from tests.benchmarks.harness import Benchmark, Figures, latency, open_engine, resident_mb
from tests.benchmarks.write import EmbeddingWatch, server_resident_mb
from tests.support.raw_graph import raw_graph

__all__ = ["BENCHMARK"]

_FULL_TEXT = (
    "CALL db.index.fulltext.queryNodes('statement_search', $query) YIELD node, score RETURN node.id, score LIMIT 10"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=10_000, help="memories of the user")
    parser.add_argument("--questions", type=int, default=300, help="recalls, each beside one full-text query")
    parser.add_argument("--graph", default="embedded", help="embedded, neo4j5 or neo4j2026")


async def run(arguments: argparse.Namespace) -> Figures:
    recall: list[float] = []
    embedding: list[float] = []
    full_text: list[float] = []
    async with open_engine(arguments.graph) as engine, raw_graph(engine.settings) as raw:
        memory = engine.memory("bench")
        for said in statements(arguments.count):
            await memory.remember(said.text, entities=said.entities)
        watch = EmbeddingWatch(engine)
        begun = time.perf_counter()
        first = await memory.recall("What did Ana pay for the violin near Hull?", reinforce=False)
        cold = time.perf_counter() - begun - watch.take()
        assert first.searched == arguments.count
        for question in questions(arguments.questions):
            tokens = " ".join(query_tokens(question))
            begun = time.perf_counter()
            await raw.run(_FULL_TEXT, query=f"+{scope_token('bench')} +({tokens})")
            full_text.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            answer = await memory.recall(question)
            recall.append(time.perf_counter() - begun)
            embedding.append(watch.take())
            assert answer.hits
        parts = sum(map(statistics.median, (embedding, full_text)))
        return {
            "count": arguments.count,
            "graph": arguments.graph,
            **latency(recall),
            "embedding_p50_ms": latency(embedding)["p50_ms"],
            "full_text_p50_ms": latency(full_text)["p50_ms"],
            "ratio": round(statistics.median(recall) / parts, 3),
            "embedding_share": round(statistics.median(embedding) / statistics.median(recall), 3),
            "first_recall_ms": round(cold * 1000, 1),
            "process_resident_mb": resident_mb(),
            "server_resident_mb": server_resident_mb(engine),
        }


BENCHMARK = Benchmark(about=__doc__, run=run, add_arguments=add_arguments)
