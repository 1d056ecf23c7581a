"""Making summaries anew from what is left of their originals, at every generation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from memorygraph.embedding import Embedder
from memorygraph.erasing.searched import searched_property
from memorygraph.formats import INDEX_FORMAT
from memorygraph.fusion.fuse import Draft, FusionSkipped, draft_summary
from memorygraph.fusion.stubs import decode_payload, encode_payload
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.text.tokens import search_text
from memorygraph.validation import MAX_LABELS

__all__ = ["DraftMissing", "Drafts", "Remaking", "look_at_summary"]

_Key = tuple[str, tuple[str, ...]]


class DraftMissing(Exception):
    """A summary has other originals than when its new text was written; it has to be written again."""


@dataclass(slots=True)
class Drafts:
    """New texts by summary and originals: written outside any transaction, used within one."""

    end_user_id: str
    embedder: Embedder
    now: int
    _written: dict[_Key, Draft] = field(default_factory=dict)

    async def write(self, remakings: Sequence[Remaking]) -> None:
        """Write what is missing for ``remakings``."""
        for remaking in remakings:
            for id, leaves in remaking.texts():
                key = (id, tuple(leaves))
                if key not in self._written:
                    members = [{"properties": remaking.leaves[leaf][0]} for leaf in leaves]
                    self._written[key] = await self._draft(members)

    def get(self, id: str, leaves: Sequence[str]) -> Draft:
        """The text for a summary of ``leaves``. Raises :class:`DraftMissing`."""
        try:
            return self._written[id, tuple(leaves)]
        except KeyError:
            raise DraftMissing from None

    async def _draft(self, members: Sequence[Row]) -> Draft:
        try:
            return await draft_summary(members, embedder=self.embedder, now=self.now)
        except FusionSkipped:
            # Nothing shorter can be said of them without inventing: the shortest of them says itself.
            shortest = min(members, key=lambda member: len(member["properties"]["text"]))
            return await draft_summary([shortest], embedder=self.embedder, now=self.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaking:
    """A live summary some of whose originals go, and what becomes of it and of the earlier summaries below it."""

    summary_id: str
    properties: Row
    leaves: dict[str, tuple[Row, list[Row]]]  # properties and ties of the statements that are left, by id
    inner: dict[str, list[str]]  # earlier summaries that are made anew: what is left below each
    removed: tuple[str, ...]  # earlier summaries of which nothing is left
    stubs: dict[str, Row]  # properties of all stubs by id

    def texts(self) -> list[tuple[str, list[str]]]:
        """The summaries that need a new text, with the originals it is made of."""
        own = [(self.summary_id, sorted(self.leaves))] if self.leaves else []
        return own + [(id, leaves) for id, leaves in self.inner.items()]

    def new_properties(self, drafts: Drafts, *, now: int, seq: int) -> dict[str, Any]:
        """What changes of the summary's own properties. Raises :class:`DraftMissing`."""
        changed = self._remade(self.summary_id, sorted(self.leaves), self.properties, drafts, self.names())
        changed[searched_property(self.properties)] = changed.pop("search_text")
        return changed | {"updated_at": now, "changed_seq": seq, "revision": self.properties["revision"] + 1}

    def names(self) -> dict[str, str]:
        """Names by id of the entities that the originals which are left mention."""
        ties = chain.from_iterable(ties for _, ties in self.leaves.values())
        return {tie["id"]: tie["name"] for tie in ties if tie["type"] == "MENTIONS"}

    def evidence(self) -> list[str]:
        """The parts of episodes that they were taken from, as ``keep_ties`` knows them."""
        ties = chain.from_iterable(ties for _, ties in self.leaves.values())
        found = (tie for tie in ties if tie["type"] == "FROM_EPISODE")
        return [f"{tie['id']} {tie['properties'].get('start')} {tie['properties'].get('end')}" for tie in found]

    def payload(self, stub_id: str, drafts: Drafts, gone: Collection[str]) -> str:
        """The new payload of an earlier summary. Raises :class:`DraftMissing`."""
        properties, ties = decode_payload(self.stubs[stub_id]["payload"])
        kept = [tie for tie in ties if tie["id"] not in gone]
        names = {tie["id"]: tie["name"] for tie in kept if tie["type"] == "MENTIONS"}
        remade = self._remade(stub_id, self.inner[stub_id], properties, drafts, names)
        return encode_payload({**properties, **remade}, kept)

    def _remade(self, id: str, leaves: Sequence[str], was: Row, drafts: Drafts, names: dict[str, str]) -> Row:
        draft = drafts.get(id, leaves)
        originals = [self.leaves[leaf][0] for leaf in leaves]
        first = [original.get("occurred_at") or original["recorded_at"] for original in originals]
        return {
            "text": draft.text,
            "title": None,
            "context": None,
            "embedding": draft.embedding,
            "index_format": INDEX_FORMAT,
            "search_text": search_text(drafts.end_user_id, draft.text, names=names.values()),
            "tags": _most_common([original.get("tags") or [] for original in originals]),
            "keywords": _most_common([original.get("keywords") or [] for original in originals]),
            "project": was.get("project") if any(original.get("project") for original in originals) else None,
            "fused_count": len(leaves),
            "covers_from": min(first),
            "covers_to": max(first),
            "summarizer": "extractive",
        }


async def look_at_summary(store: UserStore, summary_id: str, gone: Collection[str]) -> Remaking | None:
    """What becomes of a summary when the originals of ids ``gone`` go; ``None`` when it is not live."""
    members = await store.read_members(ids=[summary_id])
    if not members or members[0]["type"] != "MemorySummary":
        return None
    stubs: dict[str, Row] = {}
    leaves: dict[str, tuple[Row, list[Row]]] = {}
    below: dict[str, set[str]] = {}
    for row in await store.read_lineage(summary_id=summary_id):
        stub = row["properties"]
        if stub.get("payload") is None:
            continue
        stubs[stub["id"]] = stub
        properties, ties = decode_payload(stub["payload"])
        if row["original_type"] == "Statement":
            if stub["id"] not in gone:
                leaves[stub["id"]] = properties, ties
        else:
            below[stub["id"]] = {tie["id"] for tie in ties if tie["type"] == "DERIVED_FROM"}
    inner = {id: sorted(ids & leaves.keys()) for id, ids in below.items()}
    return Remaking(
        summary_id=summary_id,
        properties=members[0]["properties"],
        leaves=leaves,
        inner={id: left for id, left in inner.items() if left},
        removed=tuple(id for id, left in inner.items() if not left),
        stubs=stubs,
    )


def _most_common(lists: Sequence[Sequence[str]]) -> list[str]:
    return [label for label, _ in Counter(chain.from_iterable(lists)).most_common(MAX_LABELS)]
