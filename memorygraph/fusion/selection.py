"""Selecting what may be fused now, and grouping it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph_forgetting import DecayParameters, FusablePair, Group, group_pairs

__all__ = ["Selection", "select"]

_PAGE = 2000  # rows: few large pages, because a server without a range index filters all of a user's for each


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What one look at the cold index brought."""

    groups: tuple[Group, ...]  # in the order of work
    alone: tuple[str, ...]  # statements and summaries that found no group among what was looked at
    complete: bool  # whether that was everything fusable
    pairs: dict[str, int]  # how many (statement, entity) pairs each of them is

    def pair_count(self, ids: Collection[str]) -> int:
        """How many pairs ``ids`` are together."""
        return sum(self.pairs[id] for id in ids)


async def select(
    store: UserStore,
    *,
    now: int,
    parameters: DecayParameters,
    at_most: int,
    most_groups: int,
    without: Collection[str],
) -> Selection:
    """Look up to ``at_most`` fusable statements and summaries, coldest first, leaving out ``without``.

    The first ``most_groups`` groups of them are chosen. A statement without entities counts as one pair.
    """
    rows: list[Row] = []
    summaries: set[str] = set()
    complete = True
    for page in (store.select_fusable_statements, store.select_fusable_summaries):
        after_at, after_id = -(2**62), ""
        while True:
            size = min(_PAGE, at_most - len(rows))
            if size == 0:
                complete = False
                break
            found = await page(now=now, after_at=after_at, after_id=after_id, page=size)
            rows += [row for row in found if row["id"] not in without]
            if page == store.select_fusable_summaries:
                summaries.update(row["id"] for row in found)
            if len(found) < size:
                break
            after_at, after_id = found[-1]["fusable_at"], found[-1]["id"]
    pairs: list[FusablePair] = []
    counts: dict[str, int] = {}
    for row in rows:
        entities = {entity["id"]: entity["name"] for entity in row["entities"]} or {None: None}
        counts[row["id"]] = len(entities)
        pairs += [
            FusablePair(
                statement_id=row["id"],
                entity_id=entity_id,
                entity_name=name,
                cold_at=row["cold_at"],
                fusable_at=row["fusable_at"],
                project=row["project"],
                is_summary=row["id"] in summaries,
            )
            for entity_id, name in entities.items()
        ]
    grouping = group_pairs(
        pairs, min_group=parameters.min_group, group_limit=parameters.group_limit, most_groups=most_groups
    )
    return Selection(groups=grouping.groups, alone=grouping.alone, complete=complete, pairs=counts)
