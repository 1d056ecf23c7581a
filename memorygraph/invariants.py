"""Looking through a store for what must not be, node by node: slow, and sure.

The rules about single nodes are :mod:`memorygraph.invariant_rules`; here the nodes are read, and what can only be told
from several of them is told. Nothing is changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Protocol, TypeVar

from memorygraph.access.state import ParametersInForce
from memorygraph.graph.scanning import PAGE, scanned
from memorygraph.graph.session import AdminTransaction, Row
from memorygraph.graph.store import UserStore
from memorygraph.invariant_relations import relation_findings, stating_findings
from memorygraph.invariant_rules import (
    LEGAL_RELATIONSHIPS,
    FaultKind,
    Finding,
    Surroundings,
    entity_findings,
    statement_findings,
    stub_findings,
    summary_findings,
)
from memorygraph.memory import Memory, MemoryTools
from memorygraph.recall.reading import GraphReader
from memorygraph.records import Fault
from memorygraph.scopes import ALL_SCOPES
from memorygraph.text.tokens import scope_token, search_text
from memorygraph.writing.items import value_fingerprints
from memorygraph.writing.slots import has_expired
from memorygraph.writing.timeline import BEGINNING, Period, period_of

__all__ = ["check_store", "check_user", "users_of"]

_EVENT_PAGE = 1000
_MOST_STRAYS = 1000  # of nodes and of relationships that are told one by one
_MOST_WORDS = 8  # by which a memory is looked for in the server's index
_TRIES = 3  # of a user who is written to meanwhile, whose pages do not fit together then

_RESTORE = "Restore graph and ledger from one backup; what was written since is lost."
_ADVICE: dict[FaultKind, str] = {
    "events": "Somebody changed the store past memorygraph, or it was damaged. " + _RESTORE,
    "ownership": "Remove the node: nobody can reach it through memorygraph.",
    "relationship": "Remove the relationship or the status that does not fit it; memorygraph writes no such pair.",
    "shape": "Somebody changed the node past memorygraph. " + _RESTORE,
    "counts": "Somebody changed the node past memorygraph. " + _RESTORE,
    "access": "The instants follow from the history: use the memory once, and they are computed anew.",
    "question": "Answer what is open of it in the review queue.",
    "index": "Make the server's full-text index anew; where the node itself is at fault, revise the memory's text.",
    "forgotten": _RESTORE,
}

# What of a node is needed after it was held to its rule.
_KEPT = (
    "id",
    "kind",
    "status",
    "trust",
    "superseded_from",
    "states_relations",
    "project",
    "fingerprint",
    "text",
    "expires_at",
    "valid_from",
    "valid_to",
    "occurred_at",
    "recorded_at",
)

# By what a superseded memory that nothing supersedes ceases to be one: it has a new holder, or holds again.
_MOVES = frozenset({"erase", "supersede", "reinstate", "reject"})

T = TypeVar("T")


class Pages(Protocol):
    """A statement that reads a page of nodes after an id."""

    def __call__(self, store: UserStore, /, *, after: str, page: int) -> Awaitable[list[Row]]: ...


class Finds(Protocol):
    """A statement that tells which of some memories the server's index finds."""

    def __call__(self, store: UserStore, /, *, rows: Sequence[Row]) -> Awaitable[list[str]]: ...


class Holds(Protocol):
    """A statement that tells what the server's index holds."""

    def __call__(self, store: UserStore, /, *, query: str) -> Awaitable[list[Row]]: ...


async def users_of(tools: MemoryTools) -> AsyncIterator[str]:
    """Every user of the store, in the order of their ids."""

    async def page(transaction: AdminTransaction, *, after: str) -> list[Row]:
        return await transaction.rows("list_users", after=after, page=PAGE)

    after = ""
    while rows := await tools.driver.admin(partial(page, after=after)):
        for row in rows:
            yield row["end_user_id"]
        after = rows[-1]["end_user_id"]


async def check_store(tools: MemoryTools) -> AsyncIterator[Fault]:
    """Every fault of the store: of each user as :func:`check_user`, and what belongs to no user."""

    async def strays(transaction: AdminTransaction) -> list[Row]:
        return await transaction.rows("check_strays", most=_MOST_STRAYS)

    for row in await tools.driver.admin(strays):
        whose = "names no user" if row["end_user_id"] is None else "names a user who is not there"
        yield _fault(row["end_user_id"], ("ownership", f"a node {row['label']} {whose}"), [row["id"]])
    for fault in await _relationship_faults(tools, only=None):
        yield fault
    async for end_user_id in users_of(tools):
        for fault in await _settled(tools, end_user_id):
            yield fault


async def check_user(tools: MemoryTools, end_user_id: str) -> list[Fault]:
    """Every fault in the memory of one user, relationships into those of others included.

    Whoever writes meanwhile may have the user looked through up to three times.
    """
    return [*await _relationship_faults(tools, only=end_user_id), *await _settled(tools, end_user_id)]


async def _settled(tools: MemoryTools, end_user_id: str) -> list[Fault]:
    reader = GraphReader(tools.driver, end_user_id)
    tries = _TRIES
    while True:
        before = await reader.head()
        faults = await _Walk(tools, end_user_id).faults()
        tries -= 1
        if not faults or not tries or await reader.head() == before:
            return faults


async def _relationship_faults(tools: MemoryTools, *, only: str | None) -> list[Fault]:
    async def read(transaction: AdminTransaction) -> list[Row]:
        return await transaction.rows(
            "check_relationships", only=only, legal=list(LEGAL_RELATIONSHIPS), most=_MOST_STRAYS
        )

    return [
        _fault(row["source_user"] or row["owner"], _relationship_finding(row), [row["source_id"], row["target_id"]])
        for row in await tools.driver.admin(read)
    ]


def _relationship_finding(row: Row) -> Finding:
    if not row["legal"]:
        return "relationship", f"{row['type']} leads from a {row['source_label']} to a {row['target_label']}"
    users = f"from {row['source_user']!r} to {row['target_user']!r}"
    return "relationship", f"{row['type']} leads {users} and is of {row['owner']!r}"


class _Walk:
    """One look through the memory of one user."""

    def __init__(self, tools: MemoryTools, end_user_id: str) -> None:
        self._tools = tools
        self._end_user_id = end_user_id
        self._versions: dict[int, ParametersInForce | None] = {}
        self._found: list[Fault] = []

    async def faults(self) -> list[Fault]:
        report = await Memory(self._tools, self._end_user_id, actor="doctor", scopes=ALL_SCOPES).verify_events()
        if not report.ok:
            self._note(("events", f"the chain breaks at event {report.broken_seq}: {report.reason}"))
        told, uncovered = await self._told()
        around = Surroundings(
            end_user_id=self._end_user_id,
            told=told,
            parameters=self._versions,
            embedding_bytes=4 * self._tools.embedder.dimension,
            known_by=partial(value_fingerprints, self._tools.fingerprints, self._end_user_id),
            kept_out=await self._kept_out(),
            uncovered=uncovered,
        )
        statements = await self._nodes(UserStore.check_statements, partial(_each, statement_findings, around))
        summaries = await self._nodes(UserStore.check_summaries, partial(_each, summary_findings, around))
        await self._nodes(UserStore.check_entities, partial(_each, entity_findings, around))
        stubs = await self._nodes(UserStore.check_stubs, stub_findings)
        await self._relations(statements + summaries, stubs)
        for ids in _doubled(statements, now=self._tools.clock.now_ms()):
            self._note(("counts", "these are live with the same value of the same time in the same project"), *ids)
        await self._lookups()
        await self._recall_rows(statements + summaries, stubs)
        await self._server_index(
            "statements", UserStore.check_statement_words, UserStore.check_statement_index, statements
        )
        await self._server_index("summaries", UserStore.check_summary_words, UserStore.check_summary_index, summaries)
        return self._found

    def _note(self, finding: Finding, *ids: str | None) -> None:
        self._found.append(_fault(self._end_user_id, finding, ids))

    async def _read(self, work: Callable[[UserStore], Awaitable[T]]) -> T:
        return await self._tools.driver.read(self._end_user_id, work)

    async def _told(self) -> tuple[set[tuple[str, int]], set[str]]:
        """The ids that events name with the numbers of these, and the ids that an erasure was the last to uncover."""
        head = await GraphReader(self._tools.driver, self._end_user_id).head() or 0
        told: set[tuple[str, int]] = set()
        uncovered: set[str] = set()
        for after in range(0, head, _EVENT_PAGE):

            async def page(store: UserStore, after: int = after) -> list[Row]:
                return [
                    row["event"] for row in await store.read_events(after=after, upto=min(after + _EVENT_PAGE, head))
                ]

            for event in await self._read(page):
                changed = event.get("changed_ids") or []
                told.update((id, event["seq"]) for id in changed)
                if event["action"] == "erase" and changed == [event["target_id"]]:
                    uncovered.add(event["target_id"])
                elif event["action"].partition(":")[0] in _MOVES:
                    uncovered.discard(event["target_id"])
        return told, uncovered

    async def _kept_out(self) -> dict[str, str]:
        """The kinds of the tombstones in force, by fingerprint."""
        return {node["fingerprint"]: node["kind"] async for node in self._scanned(UserStore.check_tombstones)}

    def _scanned(self, statement: Pages) -> AsyncIterator[Row]:
        return scanned(lambda after: self._read(partial(statement, after=after, page=PAGE)))

    async def _nodes(self, statement: Pages, rule: Callable[[Row], Iterator[Finding]]) -> list[Row]:
        """Page through the nodes that ``statement`` reads, hold each to ``rule``, and keep what is needed of it."""
        kept: list[Row] = []
        while True:
            after = kept[-1]["id"] if kept else ""
            rows = await self._read(partial(statement, after=after, page=PAGE))
            await self._learn_versions(rows)
            for row in rows:
                for finding in rule(row):
                    self._note(finding, row["properties"]["id"])
                kept.append({name: row["properties"].get(name) for name in _KEPT})
            if len(rows) < PAGE:
                return kept

    async def _learn_versions(self, rows: Sequence[Row]) -> None:
        for version in {row["properties"].get("parameters_version") for row in rows} - self._versions.keys():
            if isinstance(version, int):
                self._versions[version] = await self._tools.parameters.of_version(self._end_user_id, version)

    async def _relations(self, memories: Sequence[Row], stubs: Sequence[Row]) -> None:
        """Every relation against the statements that state it."""
        known: dict[str, Row | None] = {
            **dict.fromkeys(stub["id"] for stub in stubs),
            **{of["id"]: of for of in memories},
        }
        relations = [relation async for relation in self._scanned(UserStore.check_relations)]
        for relation in relations:
            for finding in relation_findings(relation, known):
                self._note(finding, relation["id"])
        for id, finding in stating_findings(known, relations):
            self._note(finding, id)

    async def _lookups(self) -> None:
        for row in await self._read(UserStore.check_aliases):
            is_lost = row["is_lost"]
            said = "is of an entity that is not there" if is_lost else "leads to it, which does not bear that name"
            self._note(("ownership", f"the alias {row['name_key']!r} {said}"), row["entity_id"])
        for row in await self._read(UserStore.check_alias_names):
            self._note(("ownership", f"its alias {row['name_key']!r} does not lead to it"), row["entity_id"])

    async def _recall_rows(self, memories: Sequence[Row], stubs: Sequence[Row]) -> None:
        """What recall would search, against the nodes that are there."""
        rows = {row.id: row async for page in GraphReader(self._tools.driver, self._end_user_id).rows() for row in page}
        for memory in memories:
            row = rows.pop(memory["id"], None)
            if row is None:
                self._note(("index", "recall does not search it"), memory["id"])
            elif (row.status, row.trust) != (memory["status"], memory["trust"]):
                self._note(("index", f"recall takes it for {row.status} and {row.trust}"), memory["id"])
        for stub in stubs:
            if stub["id"] in rows:
                self._note(("index", "it is forgotten, and recall searches it"), stub["id"])

    async def _server_index(self, what: str, find: Finds, held: Holds, memories: Sequence[Row]) -> None:
        """The server's full-text index: each live memory by its own words, and nothing of anybody else."""
        live = [memory for memory in memories if memory["status"] == "active" and memory["text"]]
        scope = scope_token(self._end_user_id)
        for start in range(0, len(live), PAGE):
            rows = [{"id": memory["id"], "query": self._query(memory["text"])} for memory in live[start : start + PAGE]]
            found = set(await self._read(partial(find, rows=rows)))
            for row in rows:
                if row["id"] not in found:
                    self._note(("index", "the graph server does not find it by its own words"), row["id"])
        for row in await self._read(partial(held, query=f'+"{scope}"')):
            if not row["own"]:
                self._note(
                    ("index", f"it is among the {what} that the graph server finds for this user, and is none"),
                    row["id"],
                )

    def _query(self, text: str) -> str:
        """A query of the server's index that finds what has this text: the user's token and its longest words."""
        scope, *words = search_text(self._end_user_id, text).split(" ")
        chosen = sorted(set(words), key=lambda word: (-len(word), word))[:_MOST_WORDS]
        return " ".join(f'+"{word}"' for word in (scope, *chosen))


def _each(rule: Callable[[Row, Surroundings], Iterator[Finding]], around: Surroundings, row: Row) -> Iterator[Finding]:
    return rule(row, around)


def _doubled(statements: Sequence[Row], *, now: int) -> list[list[str]]:
    """Ids of live statements that have one value, of one time, in one project; turns are known by their place instead.

    One whose time is over at ``now`` (epoch ms) does not count, though the next cycle is yet to mark it.
    """
    same: dict[tuple[str, str | None], list[Row]] = defaultdict(list)
    for node in statements:
        is_live = node["status"] == "active" and not has_expired(node, now=now)
        if is_live and node["kind"] != "turn" and node["fingerprint"]:
            same[node["fingerprint"], node["project"]].append(node)
    return [pair for rows in same.values() if len(rows) > 1 for pair in _at_once(rows)]


def _at_once(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Ids of each of ``rows`` that begins before another is over, and of that one."""
    last, before = "", Period(None, None)
    periods = [(row["id"], period_of(row)) for row in rows]
    for id, period in sorted(periods, key=lambda of: BEGINNING if of[1].since is None else of[1].since):
        if last and period.meets(before):
            yield [last, id]
        if not last or (before.until is not None and (period.until is None or period.until > before.until)):
            last, before = id, period


def _fault(end_user_id: str | None, finding: Finding, ids: Sequence[str | None]) -> Fault:
    kind, detail = finding
    return Fault(
        kind=kind,
        end_user_id=end_user_id,
        ids=tuple(id for id in ids if id is not None),
        detail=detail,
        advice=_ADVICE[kind],
    )
