"""Fusing one group: the summary made outside any transaction, the exchange in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from memorygraph.access.state import ParametersInForce, access_properties, history_of, standing_of
from memorygraph.embedding import Embedder
from memorygraph.errors import LeaseLost
from memorygraph.formats import INDEX_FORMAT
from memorygraph.fusion.extractive import MAX_LIMIT, SourceText, summarise, ungrounded
from memorygraph.fusion.stubs import stub_properties
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ids import new_id
from memorygraph.text.tokens import search_text
from memorygraph.validation import MAX_LABELS
from memorygraph.writing.events import Event, canonical_json
from memorygraph.writing.mutation import Head
from memorygraph_forgetting import Standing, inherited_history, inherited_importance, why_not_fusable

__all__ = ["Draft", "Fusion", "FusionSkipped", "draft_summary"]

_SHORTEST_BUDGET = 600  # characters of a summary of few words; of many it may have half of them
# What a summary is called when what it stands for was verbatim talk.
_KIND_OF_TURNS = "observation"


class FusionSkipped(Exception):
    """The group is not what it was when it was selected; nothing was changed. The message is the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A summary that is written but not yet stored."""

    id: str
    text: str
    embedding: bytes  # float32, little-endian


async def draft_summary(members: Sequence[Row], *, embedder: Embedder, now: int) -> Draft:
    """Summarise rows of ``read_members``. Raises :class:`FusionSkipped` when the text would say what no source says."""
    sources = [
        SourceText(
            text=member["properties"]["text"],
            speaker=member["properties"].get("speaker"),
            occurred_at_ms=_first(member["properties"]),
            embedding=np.frombuffer(member["properties"]["embedding"], dtype="<f4"),
        )
        for member in sorted(members, key=_when)
    ]
    budget = min(MAX_LIMIT, max(_SHORTEST_BUDGET, sum(len(source.text) for source in sources) // 2))
    text = summarise(sources, limit=budget).text
    if invented := ungrounded(text, sources):
        raise FusionSkipped(f"ungrounded: {len(invented)} names or numbers occur in no source")
    vectors = await embedder.embed([text])
    return Draft(
        id=new_id(now),
        text=text,
        embedding=vectors[0].astype("<f4").tobytes(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """One group about to be exchanged for its summary. ``now`` is epoch ms."""

    end_user_id: str
    members: Sequence[Row]  # as read when the summary was drafted
    draft: Draft
    cycle_id: str
    fencing_token: int
    parameters: ParametersInForce
    actor: str
    now: int

    async def run(self, store: UserStore, head: Head) -> str:
        """Exchange the group and return the summary's id. The number of statements sent does not depend on the group.

        Raises :class:`LeaseLost` when a newer worker has committed, and :class:`FusionSkipped` when a
        member is gone, changed, or not fusable any more; nothing is written then.
        """
        if head.fence > self.fencing_token:
            raise LeaseLost(f"A worker with fencing token {head.fence} took over from {self.fencing_token}.")
        ids = [member["properties"]["id"] for member in self.members]
        current = await store.read_members(ids=ids)
        if not current:
            done = await store.read_memories(ids=[self.draft.id])
            if done and done[0]["properties"] is not None:
                return self.draft.id  # committed before, and only the answer was lost
        self._recheck(current)
        await store.create_summary(properties=self._summary(current, head.next_seq))
        await self._carry(store, current)
        stubs: dict[str, list[Row]] = {"Statement": [], "MemorySummary": []}
        for member in current:
            properties = stub_properties(
                member,
                cycle_id=self.cycle_id,
                now=self.now,
                undo_days=self.parameters.values.undo_days,
            )
            stubs[member["type"]].append({"id": member["properties"]["id"], "properties": properties})
        await store.forget_statements(rows=stubs["Statement"])
        await store.forget_summaries(rows=stubs["MemorySummary"])
        await store.derive_summary(summary_id=self.draft.id, rows=self._derivations(current))
        await store.raise_fence(fence=self.fencing_token)
        event = Event(
            at=self.now,
            actor=self.actor,
            action="fuse",
            target_id=self.draft.id,
            target_type="MemorySummary",
            cycle_id=self.cycle_id,
            changed_ids=[self.draft.id, *ids],
            payload={"after": {"text": self.draft.text, "originals": ids}},
        )
        await store.append_event(event=head.link(event))
        return self.draft.id

    def _recheck(self, current: Sequence[Row]) -> None:
        revisions = {member["properties"]["id"]: member["properties"]["revision"] for member in self.members}
        for member in current:
            properties = member["properties"]
            if properties["revision"] != revisions[properties["id"]]:
                raise FusionSkipped("a member was changed meanwhile")
            # The stored instant decides, as it did when the member was selected: parameters that changed since then
            # reach both at once, when it is computed anew.
            due = properties.get("fusable_at")
            if due is None or due > self.now:
                raise FusionSkipped(f"a member may not be fused any more: {self._why_not(properties)}")
        if len(current) != len(self.members):
            raise FusionSkipped("a member is gone")

    def _why_not(self, properties: Mapping[str, Any]) -> str:
        reason = why_not_fusable(
            history_of(properties),
            properties.get("cold_at"),
            self.now,
            self.parameters.values,
            standing=standing_of(properties),
        )
        return "put_off" if reason is None else reason

    def _summary(self, current: Sequence[Row], seq: int) -> dict[str, Any]:
        originals = [member["properties"] for member in current]
        importance = inherited_importance([original["importance"] for original in originals])
        history = inherited_history(
            [(history_of(original), original["importance"]) for original in originals],
            self.now,
            self.parameters.values,
        )
        projects = {original.get("project") for original in originals}
        kinds = Counter(original["kind"] for original in originals)
        most_common = kinds.most_common(1)[0][0]
        kind = _KIND_OF_TURNS if most_common == "turn" else most_common
        names = [r["name"] for member in current for r in member["relationships"] if r["type"] == "MENTIONS"]
        return {
            "id": self.draft.id,
            "text": self.draft.text,
            "kind": kind,
            "importance": importance,
            "tags": _most_common(original.get("tags") or [] for original in originals),
            "keywords": _most_common(original.get("keywords") or [] for original in originals),
            "project": projects.pop() if len(projects) == 1 else None,
            "trust": "accepted",
            "status": "active",
            "pinned": False,
            "created_at": self.now,
            "updated_at": self.now,
            "recorded_at": self.now,
            "revision": 1,
            "changed_seq": seq,
            "search_text": search_text(self.end_user_id, self.draft.text, names=names),
            "embedding": self.draft.embedding,
            "index_format": INDEX_FORMAT,
            "generation": 1 + max(original.get("generation") or 0 for original in originals),
            "fused_count": sum(original.get("fused_count") or 1 for original in originals),
            "cycle_id": self.cycle_id,
            "summarizer": "extractive",
            "covers_from": min(_first(original) for original in originals),
            "covers_to": max(_last(original) for original in originals),
            **access_properties(history, self.parameters, importance=importance, standing=Standing(kind=kind)),
        }

    async def _carry(self, store: UserStore, current: Sequence[Row]) -> None:
        outgoing = [
            relationship
            for member in current
            for relationship in member["relationships"]
            if relationship["direction"] == "out"
        ]
        await store.carry_mentions(summary_id=self.draft.id, rows=_rows(outgoing, "MENTIONS"))
        await store.carry_episodes(summary_id=self.draft.id, rows=_rows(outgoing, "FROM_EPISODE"))
        # What a member took the place of, the summary does: it stays superseded by something.
        superseded = {
            old["id"]: {"id": self.draft.id, "superseded_id": old["id"], "at": None, "reason": None} | old["properties"]
            for old in _rows(outgoing, "SUPERSEDES")
        }
        await store.supersede_memories(rows=list(superseded.values()))

    def _derivations(self, current: Sequence[Row]) -> list[Row]:
        own = [
            {
                "id": member["properties"]["id"],
                "properties": {"cycle_id": self.cycle_id, "original_type": member["type"], "at": self.now},
            }
            for member in current
        ]
        # What an earlier summary was derived from, this one is derived from as well.
        inherited = chain.from_iterable(member["relationships"] for member in current)
        return own + _rows([r for r in inherited if r["direction"] == "out"], "DERIVED_FROM")


def _rows(relationships: Sequence[Mapping[str, Any]], type: str) -> list[Row]:
    """The ends and properties of the relationships of one type; those that are equal in all become one."""
    found: dict[str, Row] = {}
    for relationship in relationships:
        if relationship["type"] == type:
            properties = {name: value for name, value in relationship["properties"].items() if name != "end_user_id"}
            row = {"id": relationship["id"], "properties": properties}
            found.setdefault(canonical_json(row), row)
    return list(found.values())


def _most_common(lists: Any) -> list[str]:
    return [label for label, _ in Counter(chain.from_iterable(lists)).most_common(MAX_LABELS)]


def _when(member: Row) -> tuple[int, int, int]:
    properties = member["properties"]
    return _first(properties), properties.get("position") or 0, properties["changed_seq"]


def _first(original: Mapping[str, Any]) -> int:
    return _known(original, "covers_from", "occurred_at", "recorded_at")


def _last(original: Mapping[str, Any]) -> int:
    return _known(original, "covers_to", "occurred_at", "recorded_at")


def _known(original: Mapping[str, Any], *names: str) -> int:
    # Not by truth: 1 January 1970 is 0.
    return next(int(original[name]) for name in names if original.get(name) is not None)
