"""Finding out what an erasure concerns, before anything is removed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memorygraph.erasing.words import WORDS, Words
from memorygraph.fusion.stubs import decode_payload
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.scanning import PAGE, scanned
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ledger.erasures import ErasedThing
from memorygraph.text.normalise import NORMALISATION_VERSION
from memorygraph.writing.fingerprint import Fingerprints
from memorygraph.writing.items import value_fingerprints

__all__ = ["Finder", "Plan", "said_properties"]

# Somebody's own words. Kinds, states and numbers are ours, and everything else is made of these.
_SAID = frozenset(
    {
        "text",
        "title",
        "context",
        "keywords",
        "tags",
        "project",
        "speaker",
        "session_id",
        "source",
        "agent",
        "subject",
        "predicate",
        "value",
    }
)
_Scan = Callable[..., Awaitable[list[Row]]]  # of a store, by ``after`` and ``page``


def said_properties(properties: dict[str, Any]) -> dict[str, Any]:
    """The properties of a node that hold somebody's own words."""
    return {name: value for name, value in properties.items() if name in _SAID}


@dataclass(slots=True, kw_only=True)
class Plan:
    """Ids of what is removed: statements, live or forgotten, entities, episodes; and of summaries to be made anew."""

    statements: dict[str, tuple[str, ...]] = field(default_factory=dict)  # with the fingerprints of each
    summaries: set[str] = field(default_factory=set)
    entities: set[str] = field(default_factory=set)
    episodes: set[str] = field(default_factory=set)
    blanked: set[str] = field(default_factory=set)  # episodes of which a part goes

    def __bool__(self) -> bool:
        return bool(self.statements or self.summaries or self.entities or self.episodes)

    def things(self) -> list[ErasedThing]:
        """What the log of erasures keeps of it."""
        version = NORMALISATION_VERSION
        found = [
            ErasedThing(target_type="Statement", target_id=id, fingerprint=value, normalisation_version=version)
            for id, values in self.statements.items()
            for value in values
        ]
        for kind, ids in (
            ("MemorySummary", self.summaries),
            ("Entity", self.entities),
            ("Episode", self.episodes),
        ):
            found += [ErasedThing(target_type=kind, target_id=id) for id in sorted(ids)]
        return found


class Finder:
    """Looks through one user's memory."""

    def __init__(self, driver: GraphDriver, fingerprints: Fingerprints, end_user_id: str) -> None:
        self._driver = driver
        self._fingerprints = fingerprints
        self._end_user_id = end_user_id

    async def by_id(self, id: str) -> Plan:
        """What erasing ``id`` concerns; empty when nothing bears it.

        With a statement go those of the same value. With a summary goes all that it was made of, with an episode
        what nobody else has said.
        """
        return await self._driver.read(self._end_user_id, lambda store: self._by_id(store, id))

    async def by_words(self, words: Words) -> Plan:
        """What erasing ``words`` concerns: all statements and entities that say them, and what those bring along."""
        plan = Plan()

        async for node in self.pages(UserStore.scan_statements):
            if words.said_in(said_properties(node)):
                plan.statements[node["id"]] = ()
        async for node in self.pages(UserStore.scan_summaries):
            if words.said_in(said_properties(node)):
                plan.summaries.add(node["id"])
        async for node in self.pages(UserStore.scan_stubs):
            if node.get("payload") is not None and words.said_in(said_properties(decode_payload(node["payload"])[0])):
                if node["original_type"] == "Statement":
                    plan.statements[node["id"]] = ()
                else:
                    plan.summaries.add(node["id"])
        async for node in self.pages(UserStore.scan_entities):
            if words.said_in(node["name"]):
                plan.entities.add(node["id"])
        async for node in self.pages(UserStore.scan_episodes):
            if words.said_in(node.get("session_id")):
                plan.episodes.add(node["id"])
            elif words.said_in(node["text"]):
                plan.blanked.add(node["id"])
        return await self._closed(plan)

    async def again(
        self, things: Sequence[ErasedThing], words: Words, values: Collection[str], *, resumed: bool
    ) -> Plan:
        """What is there of an erasure that was planned before, and what has come to it since.

        ``values`` are fingerprints of what went, which are looked for in what was written meanwhile.
        A summary that was only to be made anew shows no sign of it: with ``resumed`` all of them are looked at again.
        """
        ids: dict[str, set[str]] = {}
        for thing in things:
            if thing.target_id is not None and thing.target_type != WORDS:
                ids.setdefault(thing.target_type, set()).add(thing.target_id)

        async def work(store: UserStore) -> Plan:
            there = await store.read_erasable(ids=sorted(set().union(*ids.values())))
            plan = Plan()
            for row in there:
                if _is_summary(row):
                    plan.summaries |= {row["id"]} if resumed else set()
                elif row["type"] in ("Statement", "Forgotten"):
                    plan.statements[row["id"]] = ()
                elif row["type"] == "Entity":
                    plan.entities.add(row["id"])
                else:
                    plan.episodes.add(row["id"])
            return plan

        plan = await self._driver.read(self._end_user_id, work)
        if not words:
            return await self._closed(plan, values)
        found = await self.by_words(words)
        found.statements = plan.statements | found.statements
        found.summaries |= plan.summaries
        found.entities |= plan.entities
        found.episodes |= plan.episodes
        return await self._closed(found, values)

    async def erased_values(self) -> set[str]:
        """The fingerprints under a tombstone of an erasure."""
        return {
            node["fingerprint"]
            async for node in self.pages(UserStore.scan_tombstones)
            if node["kind"] == "erased" and node.get("lifted_at") is None
        }

    def fingerprints_of(self, claim: Mapping[str, Any]) -> frozenset[str]:
        """What the value of ``claim``, properties of a statement, is known by."""
        return frozenset(value_fingerprints(self._fingerprints, self._end_user_id, claim))

    def pages(self, scan: _Scan) -> AsyncIterator[Row]:
        """The properties of every node that ``scan`` pages through, each page in a transaction of its own."""

        async def read(after: str) -> list[Row]:
            return await self._driver.read(self._end_user_id, lambda store: scan(store, after=after, page=PAGE))

        return scanned(read)

    async def _by_id(self, store: UserStore, id: str) -> Plan:
        plan = Plan()
        for row in await store.read_erasable(ids=[id]):
            if _is_summary(row):
                plan.summaries.add(id)
                tops = [id] if row["type"] == "MemorySummary" else await store.read_standing_for(ids=[id])
                below = decode_payload(row["properties"]["payload"])[1] if row["type"] == "Forgotten" else None
                mine = None if below is None else {tie["id"] for tie in below if tie["type"] == "DERIVED_FROM"}
                for top in tops:
                    for stub in await store.read_lineage(summary_id=top):
                        original = stub["properties"]["id"]
                        if stub["original_type"] == "Statement" and (mine is None or original in mine):
                            plan.statements[original] = ()
            elif row["type"] in ("Statement", "Forgotten"):
                plan.statements[id] = ()
            elif row["type"] == "Entity":
                plan.entities.add(id)
            else:
                plan.episodes.add(id)
                await self._only_from(store, id, plan)
        return await self._close(store, plan)

    async def _only_from(self, store: UserStore, episode_id: str, plan: Plan) -> None:
        """Add the statements that have no other source than an episode."""
        for episode in await store.read_episodes(ids=[episode_id]):
            ids = [row["id"] for row in episode["statements"]]
            for member in await store.read_members(ids=ids):
                properties, ties = member["properties"], member["relationships"]
                if _stands_on(properties, ties, episode_id):
                    plan.statements[properties["id"]] = ()
        for stub in await store.read_telling_stubs(ids=[episode_id]):
            if stub["original_type"] == "Statement":
                properties, ties = decode_payload(stub["payload"])
                if _stands_on(properties, ties, episode_id):
                    plan.statements[stub["id"]] = ()

    async def _closed(self, plan: Plan, values: Collection[str] = ()) -> Plan:
        return await self._driver.read(self._end_user_id, lambda store: self._close(store, plan, values))

    async def _close(self, store: UserStore, plan: Plan, values: Collection[str] = ()) -> Plan:
        """Add what goes with it: the same value said elsewhere, the turns that said it, summaries of it.

        And what has one of ``values``.
        """
        claims = await self._claims(store) if plan.statements or values else {}
        plan.statements |= dict.fromkeys(await self._sharers(store, values, claims) - plan.statements.keys(), ())
        todo = sorted(plan.statements)
        while todo:
            known: dict[str, tuple[Row, list[Row]]] = {}
            forgotten = []
            for member in await store.read_members(ids=todo):
                known[member["properties"]["id"]] = (member["properties"], member["relationships"])
            for row in await store.read_erasable(ids=[id for id in todo if id not in known]):
                if row["type"] == "Forgotten" and row["properties"].get("payload") is not None:
                    forgotten.append(row["id"])
                    known[row["id"]] = decode_payload(row["properties"]["payload"])
                else:
                    del plan.statements[row["id"]]
            for id in todo:
                if id not in known:
                    plan.statements.pop(id, None)
            for id, (properties, _) in known.items():
                plan.statements[id] = value_fingerprints(self._fingerprints, self._end_user_id, properties)
            found = await self._sharers(store, {value for id in known for value in plan.statements[id]}, claims)
            found |= await self._turns(store, known, plan)
            if known:
                plan.summaries |= set(await store.read_standing_for(ids=forgotten))
                plan.summaries |= set(await store.read_fusions(ids=list(known)))
            todo = sorted(found - plan.statements.keys())
            plan.statements |= dict.fromkeys(todo, ())
        return plan

    @staticmethod
    async def _sharers(store: UserStore, values: Collection[str], claims: Mapping[str, set[str]]) -> set[str]:
        """The statements that are known by one of ``values``: by their claim, or by words told with any claim."""
        found = set(await store.read_sharers(fingerprints=sorted(values)))
        return found.union(*(claims.get(value, ()) for value in values))

    async def _claims(self, store: UserStore) -> dict[str, set[str]]:
        """Statements that make a claim, live or forgotten, by the fingerprint of their words, which has no index."""
        found: dict[str, set[str]] = {}

        def learn(properties: Row) -> None:
            known_by = value_fingerprints(self._fingerprints, self._end_user_id, properties)
            found.setdefault(known_by[-1], set()).add(properties["id"])

        async for properties in scanned(lambda after: store.scan_claims(after=after, page=PAGE)):
            learn(properties)
        async for stub in scanned(lambda after: store.scan_stubs(after=after, page=PAGE)):
            if stub["original_type"] == "Statement" and stub.get("payload") is not None:
                properties, _ = decode_payload(stub["payload"])
                if properties.get("predicate") is not None:
                    learn(properties)
        return found

    async def _turns(self, store: UserStore, known: dict[str, tuple[Row, list[Row]]], plan: Plan) -> set[str]:
        """The verbatim turns that the statements were taken from; their episodes go, of others a part does."""
        sources: dict[str, bool] = {}  # episode → whether one of these is its turn
        for properties, ties in known.values():
            for tie in ties:
                if tie["type"] == "FROM_EPISODE":
                    sources[tie["id"]] = sources.get(tie["id"], False) or properties["kind"] == "turn"
        turns: set[str] = set()
        for episode in await store.read_episodes(ids=sorted(sources.keys() - plan.episodes)):
            id = episode["properties"]["id"]
            said = {row["id"] for row in episode["statements"] if row["kind"] == "turn"}
            for stub in await store.read_telling_stubs(ids=[id]):
                if stub["original_type"] == "Statement" and _is_turn_of(stub, id):
                    said.add(stub["id"])
            turns |= said
            (plan.episodes if said or sources[id] else plan.blanked).add(id)
        return turns


def _is_summary(row: Row) -> bool:
    return "MemorySummary" in (row["type"], row["properties"].get("original_type"))


def _stands_on(properties: Row, ties: Sequence[Row], episode_id: str) -> bool:
    """Whether nothing but the episode is evidence of a statement."""
    if properties["kind"] == "turn":
        return True
    others = {tie["id"] for tie in ties if tie["type"] == "FROM_EPISODE"} - {episode_id}
    return not others and int(properties.get("source_count") or 1) < 2


def _is_turn_of(stub: Row, episode_id: str) -> bool:
    properties, ties = decode_payload(stub["payload"])
    taken = any(tie["type"] == "FROM_EPISODE" and tie["id"] == episode_id for tie in ties)
    return taken and bool(properties["kind"] == "turn")
