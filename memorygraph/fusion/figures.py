"""What a cycle's record says of the whole memory: live nodes, cold ones, average activation."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from memorygraph.access.state import ParametersInForce, history_of
from memorygraph.graph.store import UserStore
from memorygraph.ids import new_id
from memorygraph_forgetting import retention

__all__ = ["Figures", "measure"]

_SAMPLE = 1000  # nodes at most
_CUTS = 4  # places in the range of ids at which a part of the sample begins


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    live: int  # statements, summaries and entities
    cold: int  # of them, those whose retention is at or below the threshold
    average_activation: float | None  # mean retention of the sample, [0, 1]; None when there is nothing
    sample_size: int


async def measure(store: UserStore, *, now: int, parameters: ParametersInForce, since: int, seed: str) -> Figures:
    """Count and sample the user's live nodes at ``now``; ids begin at ``since`` (both epoch ms).

    Up to 1,000 nodes are all taken. Of more, runs of consecutive ids are, each beginning at an
    instant drawn with ``seed``: ids sort by time, so the draws are spread over the memory's life.
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
        if share == counts["live"]:
            rows += await sample(from_id="", size=share)
            continue
        by_place: dict[str, dict[str, Any]] = {}
        for _ in range(_CUTS):
            start = new_id(draw.randint(since, now))
            for row in await sample(from_id=start, size=max(1, share // _CUTS)):
                by_place[row["id"]] = row
        rows += by_place.values()
    retentions = [
        retention(history_of(row), now, parameters.values, importance=row["importance"]) for row in rows[:_SAMPLE]
    ]
    return Figures(
        live=live,
        cold=sum(counts["cold"] or 0 for counts, _ in kinds),
        average_activation=sum(retentions) / len(retentions) if retentions else None,
        sample_size=len(retentions),
    )
