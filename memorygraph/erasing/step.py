"""One transaction of an erasure: some statements with everything that hangs on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memorygraph.access.state import ParametersInForce
from memorygraph.entities.relations import drop_evidence, drop_relations
from memorygraph.erasing.plan import Plan
from memorygraph.erasing.searched import searched_property, words_left
from memorygraph.erasing.succession import find_uncovered
from memorygraph.erasing.summaries import Drafts, Remaking, look_at_summary
from memorygraph.erasing.words import Words, blanked
from memorygraph.fusion.stubs import decode_payload, encode_payload
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.text.matching import aligned, windows
from memorygraph.text.normalise import NORMALISATION_VERSION
from memorygraph.writing.changes import Changes
from memorygraph.writing.events import Event
from memorygraph.writing.mutation import Head
from memorygraph.writing.questions import answer_questions

__all__ = ["Step"]


@dataclass(kw_only=True)
class Step:
    """Removes ``statements`` and ``entities`` (ids), and makes ``summaries`` anew. ``now`` is epoch ms."""

    end_user_id: str
    erasure_id: str
    plan: Plan
    statements: Sequence[str]
    summaries: Sequence[str]
    entities: Sequence[str]
    episodes: Sequence[str]
    words: Words
    drafts: Drafts
    parameters: ParametersInForce
    actor: str
    now: int
    _gone: set[str] = field(default_factory=set)
    _episodes: set[str] = field(default_factory=set)  # that go
    _texts: list[str] = field(default_factory=list)  # that went
    _named: set[str] = field(default_factory=set)  # entities that were mentioned

    async def look(self, store: UserStore) -> list[Remaking]:
        """The summaries that this step makes anew or removes."""
        standing = await store.read_standing_for(ids=[*self.statements, *self.summaries])
        wanted = sorted({*standing, *self.summaries})
        found = [await look_at_summary(store, id, set(self.statements)) for id in wanted]
        return [remaking for remaking in found if remaking is not None]

    async def run(self, store: UserStore, head: Head) -> None:
        """Do it. Raises :class:`~memorygraph.erasing.summaries.DraftMissing` when a summary has changed meanwhile."""
        changes = Changes(head=head, now=self.now, actor=self.actor)
        live = await store.read_members(ids=self.statements)
        stubs = [
            row["properties"] for row in await store.read_erasable(ids=self.statements) if row["type"] == "Forgotten"
        ]
        remakings = await self.look(store)
        live_ids = [row["properties"]["id"] for row in live]
        stub_ids = [stub["id"] for stub in stubs] + [id for remaking in remakings for id in remaking.removed]
        self._gone = {*live_ids, *stub_ids, *self.entities}
        self._episodes = set(self.episodes)
        parts: dict[str, list[tuple[int, int]]] = {}
        for properties, ties in (
            *((row["properties"], row["relationships"]) for row in live),
            *(decode_payload(stub["payload"]) for stub in stubs if stub.get("payload") is not None),
        ):
            self._learn(properties, ties, parts)

        questions = await store.read_open_questions(ids=live_ids)
        await answer_questions(store, changes, questions, self.parameters, resolution="erased")
        left = await self._other_sources(store, changes)
        mentioning = [id for id in await store.read_mentioning(ids=self.entities) if id not in self._gone]
        remade = [remaking for remaking in remakings if remaking.leaves]
        emptied = [remaking.summary_id for remaking in remakings if not remaking.leaves]
        gone = {*self.plan.statements, *emptied}
        uncovered = await find_uncovered(store, [*live_ids, *emptied], gone=gone)
        self._gone |= set(emptied)
        changed = {
            *self._gone - set(self.entities),
            *left,
            *mentioning,
            *(remaking.summary_id for remaking in remade),
        }
        if not (changed or self.entities or self._episodes):
            return
        event = Event(
            at=self.now,
            actor=self.actor,
            action="erase",
            target_id=self.erasure_id,
            target_type="Erasure",
            changed_ids=sorted(changed),
            payload={},
        )
        seq = changes.note(event)
        for memory in uncovered:
            memory.settle(changes, event)
        for id in left:
            changes.update(id, changed_seq=seq)
        for remaking in remade:
            changes.update(remaking.summary_id, **remaking.new_properties(self.drafts, now=self.now, seq=seq))
        await self._unname(store, changes, mentioning, seq)
        payloads = await self._payloads(store, remade)
        await changes.write(store)

        for remaking in remade:
            await store.keep_ties(
                summary_id=remaking.summary_id, entity_ids=list(remaking.names()), evidence=remaking.evidence()
            )
        await drop_evidence(store, sorted(self._gone), now=self.now, remove=True)
        await drop_relations(store, self.entities)
        await store.erase_statements(ids=live_ids)
        await store.erase_summaries(ids=emptied)
        await store.erase_stubs(ids=stub_ids)
        await store.write_payloads(rows=payloads)
        await self._episode_texts(store, parts)
        await store.erase_episodes(ids=sorted(self._episodes))
        await store.erase_entities(ids=self.entities)
        await self._left_entities(store)
        # What was written when an entity was named tells its name, not its id.
        targets = {*mentioning, *(id for remaking in remade for id in (remaking.summary_id, *remaking.inner))}
        await store.erase_payloads(targets=sorted(targets | self._gone), gone=sorted(self._gone))
        await self._tombstones(store)

    def _learn(self, properties: Row, ties: Sequence[Row], parts: dict[str, list[tuple[int, int]]]) -> None:
        self._texts.append(properties["text"])
        for tie in ties:
            if tie["type"] == "MENTIONS":
                self._named.add(tie["id"])
            elif tie["type"] == "FROM_EPISODE" and tie["id"] in self.plan.episodes:
                self._episodes.add(tie["id"])
            elif tie["type"] == "FROM_EPISODE":
                start, end = tie["properties"].get("start"), tie["properties"].get("end")
                if start is not None and end is not None:
                    parts.setdefault(tie["id"], []).append((start, end))

    async def _other_sources(self, store: UserStore, changes: Changes) -> list[str]:
        """Take the episodes that go from the sources of the statements that stay; their ids."""
        left = []
        for episode in await store.read_episodes(ids=sorted(self._episodes)):
            for row in episode["statements"]:
                if row["id"] not in self._gone:
                    sources = max(1, (row["source_count"] or 1) - 1)
                    changes.update(row["id"], source_count=sources)
                    left.append(row["id"])
        return sorted(set(left))

    async def _unname(self, store: UserStore, changes: Changes, ids: Sequence[str], seq: int) -> None:
        """Take the names of entities that go from the words by which memories are found."""
        for member in await store.read_members(ids=ids):
            properties = member["properties"]
            if properties["id"] in changes.updated and "text" in changes.updated[properties["id"]]:
                continue  # made anew already
            names = [
                tie["name"]
                for tie in member["relationships"]
                if tie["type"] == "MENTIONS" and tie["id"] not in self._gone
            ]
            words = words_left(self.end_user_id, properties, names)
            changes.update(properties["id"], changed_seq=seq, **{searched_property(properties): words})

    async def _payloads(self, store: UserStore, remade: Sequence[Remaking]) -> list[Row]:
        """The payloads of stubs that tell of what goes, without it."""
        found: dict[str, str] = {}
        for stub in await store.read_telling_stubs(ids=sorted(self._gone | self._episodes)):
            if stub["id"] not in self._gone:
                found[stub["id"]] = self._without(stub)
        for remaking in remade:
            for id in remaking.inner:
                found[id] = remaking.payload(id, self.drafts, self._gone | self._episodes)
        return [{"id": id, "payload": payload} for id, payload in found.items()]

    def _without(self, stub: Row) -> str:
        properties, ties = decode_payload(stub["payload"])
        gone = self._gone | self._episodes
        kept = [tie for tie in ties if tie["id"] not in gone]
        if any(tie["type"] == "MENTIONS" and tie["id"] in gone for tie in ties):
            names = [tie["name"] for tie in kept if tie["type"] == "MENTIONS"]
            properties[searched_property(properties)] = words_left(self.end_user_id, properties, names)
        return encode_payload(properties, kept)

    async def _episode_texts(self, store: UserStore, parts: dict[str, list[tuple[int, int]]]) -> None:
        """Blank the parts of longer episodes that were evidence."""
        rows = []
        for episode in await store.read_episodes(ids=sorted(parts)):
            properties = episode["properties"]
            text = blanked(properties["text"], parts[properties["id"]])
            rows.append({"id": properties["id"], "properties": {"text": text}})
        await store.write_episodes(rows=rows)

    async def _left_entities(self, store: UserStore) -> None:
        """Remove the entities that nothing mentions any more, if what went said their name."""
        left = await store.read_left_entities(ids=sorted(self._named - set(self.entities)))
        said = [row["id"] for row in left if self.words.said_in(row["name"]) or self._said(row["name"])]
        if not said:
            return
        told = "".join(stub["payload"] for stub in await store.read_telling_stubs(ids=said))
        alone = [id for id in said if id not in told]
        await store.erase_entities(ids=alone)
        self._gone |= set(alone)

    def _said(self, name: str) -> bool:
        normal = aligned(name).normal
        return bool(normal) and any(
            True for text in self._texts for _ in windows(aligned(text), len(normal), normal.__eq__)
        )

    async def _tombstones(self, store: UserStore) -> None:
        properties: dict[str, Any] = {
            "kind": "erased",
            "normalisation_version": NORMALISATION_VERSION,
            "actor": self.actor,
            "created_at": self.now,
        }
        fingerprints = {value for id in self.statements for value in self.plan.statements.get(id, ())}
        rows = [{"fingerprint": fingerprint, "properties": properties} for fingerprint in sorted(fingerprints)]
        await store.write_erasure(rows=rows)
