"""Which cold statements are fused together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["FusablePair", "Group", "Grouping", "group_pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FusablePair:
    """A fusable statement and one entity it mentions, or None where it mentions none. Times are epoch milliseconds.

    A summary of an earlier fusion is a statement here.
    """

    statement_id: str
    entity_id: str | None
    entity_name: str | None
    cold_at: int
    fusable_at: int
    project: str | None = None
    is_summary: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Statements of one project to be fused into one summary, coldest first, all mentioning the entity."""

    entity_id: str
    entity_name: str
    statement_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups in the order in which to fuse them, and the statements that found no group, coldest first.

    What is in neither belongs to a group beyond the most that were asked for.
    """

    groups: tuple[Group, ...]
    alone: tuple[str, ...]


def group_pairs(
    pairs: Iterable[FusablePair], *, min_group: int, group_limit: int, most_groups: int | None = None
) -> Grouping:
    """Groups of ``min_group`` to ``group_limit`` statements about one entity; each statement is in one group at most.

    Only statements of one project are grouped, so that no summary carries words from one into another. A statement
    with several entities goes to the most specific one — the one fewest of the statements mention — that can still
    fill a group: what two people say about Leeds becomes a summary about Leeds, and the rest of what one of them said
    becomes summaries about that person. A statement left over by that joins the smallest group all of whose members
    mention an entity of its own, or is given companions that larger groups can spare; what that does not place is
    alone, as are one without entities and a summary that would be a group by itself. More statements than
    ``group_limit`` are split into parts of nearly equal size, from the coldest on.

    The groups come in rounds: the coldest part of every entity, the coldest entity first, then every second part, and
    so on; so the first ``most_groups`` of them (None: all), which are returned, are not all spent on one entity. The
    result does not depend on the order of ``pairs``. Colder is the earlier ``cold_at``, then the smaller id. Raises
    :class:`ValueError` unless 1 ≤ min_group ≤ group_limit, and when ``most_groups`` is below 0.
    """
    if not 1 <= min_group <= group_limit:
        raise ValueError(f"a group has from 1 to group_limit statements: min_group {min_group}, limit {group_limit}")
    if most_groups is not None and most_groups < 0:
        raise ValueError(f"most_groups is a number of groups, not {most_groups}")
    by_project: defaultdict[str | None, list[FusablePair]] = defaultdict(list)
    for pair in pairs:
        by_project[pair.project].append(pair)
    parts: list[tuple[int, tuple[int, str], Group]] = []
    alone: list[tuple[int, str]] = []
    for of_project in by_project.values():
        table = _Table(of_project)
        clusters = _claim_by_specificity(table, min_group)
        left = _place_leftovers(table, clusters, min_group)
        for entity, members in clusters.items():
            split, unfit = _split(sorted(members, key=table.coldness), min_group, group_limit)
            left.update(unfit)
            for turn, part in enumerate(split):
                if len(part) == 1 and part[0] in table.summaries:
                    left.add(part[0])  # fused again by itself it would be the same summary for ever
                    continue
                parts.append((turn, table.coldness(part[0]), Group(entity, table.names[entity], tuple(part))))
        alone += map(table.coldness, left)
    parts.sort(key=lambda part: (part[0], part[1]))
    groups = tuple(group for _, _, group in parts[:most_groups])
    return Grouping(groups, tuple(statement for _, statement in sorted(alone)))


class _Table:
    """The pairs by statement and by entity."""

    def __init__(self, pairs: Iterable[FusablePair]) -> None:
        self.cold: dict[str, int] = {}
        self.names: dict[str, str] = {}
        self.summaries: set[str] = set()
        self.entities: defaultdict[str, set[str]] = defaultdict(set)
        self.members: defaultdict[str, set[str]] = defaultdict(set)
        for pair in pairs:
            statement, entity, name = pair.statement_id, pair.entity_id, pair.entity_name or ""
            self.cold[statement] = min(pair.cold_at, self.cold.get(statement, pair.cold_at))
            if pair.is_summary:
                self.summaries.add(statement)
            if entity is None:
                continue
            self.names[entity] = min(name, self.names.get(entity, name))
            self.entities[statement].add(entity)
            self.members[entity].add(statement)

    def coldness(self, statement: str) -> tuple[int, str]:
        return self.cold[statement], statement

    def specificity(self, entity: str) -> tuple[int, tuple[int, str], str]:
        members = self.members[entity]
        return len(members), min(map(self.coldness, members)), entity


def _claim_by_specificity(table: _Table, min_group: int) -> dict[str, set[str]]:
    clusters: dict[str, set[str]] = {}
    claimed: set[str] = set()
    for entity in sorted(table.members, key=table.specificity):
        free = table.members[entity] - claimed
        if len(free) >= min_group:
            clusters[entity] = free
            claimed |= free
    return clusters


def _place_leftovers(table: _Table, clusters: dict[str, set[str]], min_group: int) -> set[str]:
    """Puts statements that no cluster claimed into one, changing ``clusters``; returns those that remain."""
    owner = {statement: entity for entity, members in clusters.items() for statement in members}
    left = {statement for statement in table.cold if statement not in owner}
    shared = {entity for statement in left for entity in table.entities[statement]}

    # The entity that gathers most of the leftovers first.
    def order(entity: str) -> tuple[int, tuple[int, tuple[int, str], str]]:
        return -len(table.members[entity] & left), table.specificity(entity)

    for entity in sorted(shared, key=order):
        waiting = table.members[entity] & left
        if not waiting:
            continue
        grown = _widened(table, clusters, owner, entity, waiting) or _borrowed(
            table, clusters, owner, entity, waiting, min_group
        )
        if grown is None:
            continue
        clusters[entity] = grown
        owner.update(dict.fromkeys(grown, entity))
        left -= waiting
    return left


def _widened(
    table: _Table, clusters: dict[str, set[str]], owner: dict[str, str], entity: str, waiting: set[str]
) -> set[str] | None:
    """The smallest cluster whose members all mention ``entity`` as well, taken out of ``clusters``, and ``waiting``."""
    members = table.members[entity]
    near = {owner[statement] for statement in members - waiting if statement in owner}
    whole = [other for other in near if clusters[other] <= members]
    if not whole:
        return None
    smallest = min(whole, key=lambda other: (len(clusters[other]), table.specificity(other)))
    return clusters.pop(smallest) | waiting


def _borrowed(
    table: _Table,
    clusters: dict[str, set[str]],
    owner: dict[str, str],
    entity: str,
    waiting: set[str],
    min_group: int,
) -> set[str] | None:
    """``waiting`` and the coldest statements about ``entity`` that larger clusters can spare, ``min_group`` in all."""
    spare: dict[str, int] = {}  # of the lenders met: all clusters are far more
    borrowed: list[str] = []
    for statement in sorted(table.members[entity] - waiting, key=table.coldness):
        if len(waiting) + len(borrowed) == min_group:
            break
        lender = owner.get(statement)
        if lender is None:
            continue
        left = spare.setdefault(lender, len(clusters[lender]) - min_group)
        if left > 0:
            spare[lender] = left - 1
            borrowed.append(statement)
    if len(waiting) + len(borrowed) < min_group:
        return None
    for statement in borrowed:
        clusters[owner[statement]].discard(statement)
    return waiting | set(borrowed)


def _split(members: Sequence[str], min_group: int, group_limit: int) -> tuple[list[list[str]], list[str]]:
    """``members`` in parts within the limits, and the last ones when no division leaves none over."""
    needed = -(-len(members) // group_limit)
    possible = len(members) // min_group
    count = min(needed, possible)
    fitting = min(len(members), count * group_limit)
    size, larger = divmod(fitting, count)
    parts: list[list[str]] = []
    start = 0
    for i in range(count):
        end = start + size + (1 if i < larger else 0)
        parts.append(list(members[start:end]))
        start = end
    return parts, list(members[fitting:])
