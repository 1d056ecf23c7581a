"""What a cycle's record says of the whole memory: live nodes, cold ones, average activation."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from memorygraph.access.state import ParametersInForce, history_of
from memorygraph.graph.store import UserStore
from memorygraph_forgetting import retention

__all__ = ["Figures", "measure"]

_SAMPLE = 1000  # nodes at most
_PARTS = 4  # of the range of ids, from each of which a run is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    live: int  # statements, summaries and entities
    cold: int  # of them, those whose retention is at or below the threshold
    average_activation: float | None  # mean retention of the sample, [0, 1]; None when there is nothing
    sample_size: int


async def measure(store: UserStore, *, now: int, parameters: ParametersInForce, seed: str) -> Figures:
    """Count and sample the user's live nodes at ``now`` (epoch ms).

    Up to 1,000 nodes are all taken. Of more, four runs of consecutive ids of each kind are, in
    proportion to its number, one at a place drawn with ``seed`` in each quarter: ids sort by time,
    so the draws are spread over the memory's life, however unevenly it was filled.
    """
    kinds: list[tuple[dict[str, Any], Callable[..., Awaitable[list[dict[str, Any]]]]]] = [
        (await store.count_live_statements(now=now), store.sample_statements),
        (await store.count_live_summaries(now=now), store.sample_summaries),
        (await store.count_live_entities(now=now), store.sample_entities),
    ]
    live = sum(counts["live"] for counts, _ in kinds)
    rows: list[dict[str, Any]] = []
    draw = random.Random(seed)
    for counts, sample in kinds:
        if counts["live"] == 0:
            continue
        share = counts["live"] if live <= _SAMPLE else max(1, _SAMPLE * counts["live"] // live)
        parts = 1 if share == counts["live"] else min(_PARTS, share)
        for part in range(parts):
            first, end = (counts["live"] * place // parts for place in (part, part + 1))
            size = share // parts
            rows += await sample(skip=draw.randint(first, max(first, end - size)), size=size)
    retentions = [
        retention(history_of(row), now, parameters.values, importance=row["importance"]) for row in rows[:_SAMPLE]
    ]
    return Figures(
        live=live,
        cold=sum(counts["cold"] or 0 for counts, _ in kinds),
        average_activation=sum(retentions) / len(retentions) if retentions else None,
        sample_size=len(retentions),
    )
