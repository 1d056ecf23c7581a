"""Going through everything that is kept, for words that are said in it by the way."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from typing import Any, TypeVar

from memorygraph.erasing.kinds import is_erased_kind, rekind
from memorygraph.erasing.plan import Finder
from memorygraph.erasing.searched import find_lost_names, names_of, without_lost_names
from memorygraph.erasing.told import claims_told, tells_all, tells_claim
from memorygraph.erasing.words import Words, blanked
from memorygraph.fusion.stubs import decode_payload, encode_payload
from memorygraph.graph.driver import GraphDriver
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.ledger.erasures import Erasure
from memorygraph.text.normalise import normalise_name
from memorygraph.validation import UNKNOWN_ENTITY_KIND
from memorygraph.writing.changes import Changes
from memorygraph.writing.events import Event, canonical_json, payload_of
from memorygraph.writing.mutation import Head, Mutations

__all__ = ["Sweep"]

T = TypeVar("T")
_PAGE = 500
# What somebody may have put in words on an episode or a tombstone, beside the text.
_ASIDE = ("speaker", "role", "source", "zone")
_Chooses = Callable[[UserStore, Sequence[Row]], Awaitable[Collection[int]]]
_REASONS = ("reason", "resolution", "role")


class Sweep:
    """Takes words out of what is kept: aliases, descriptions, reasons, episodes, payloads of stubs and events.

    Every write is one transaction under the user's lock, of a page at most. Only where the words are taken from which
    memories are found by, of which recall has to know, is there an event.
    """

    def __init__(
        self, driver: GraphDriver, mutations: Mutations, finder: Finder, *, erasure: Erasure, words: Words, now: int
    ) -> None:
        self._driver = driver
        self._mutations = mutations
        self._finder = finder
        self._erasure = erasure
        self._end_user_id = erasure.end_user_id
        self._words = words
        self._now = now  # epoch ms

    async def run(self, values: Collection[str]) -> None:
        """Do it, and take the payloads of events that tell of one of ``values``, fingerprints of what was erased."""
        if values:
            await self._write(self._events(lambda store, page: self._telling(store, page, values)), self._write_events)
        if not self._words:
            return
        await self._write(self._entities(), self._write_entities)
        await self._write(self._kinds(), self._write_kinds)
        await self._lost_names(UserStore.scan_statements)
        await self._lost_names(UserStore.scan_summaries)
        await self._write(self._episodes(), UserStore.write_episodes)
        await self._write(self._tombstones(), UserStore.erase_excuses)
        await self._write(self._stubs(), UserStore.write_payloads)
        await self._write(self._reasons(), UserStore.erase_reasons)
        await self._write(self._events(self._saying), self._write_events)

    async def _write(self, rows: AsyncIterator[Row], write: Callable[..., Awaitable[None]]) -> None:
        page: list[Row] = []

        async def send() -> None:
            async def work(store: UserStore, head: Head) -> None:
                await write(store, rows=page)

            if page:
                await self._mutations.run_for_known(self._end_user_id, work)
                page.clear()

        async for row in rows:
            page.append(row)
            if len(page) == _PAGE:
                await send()
        await send()

    async def _entities(self) -> AsyncIterator[Row]:
        async for node in self._finder.pages(UserStore.scan_entities):
            aliases = node.get("aliases") or []
            said = [alias for alias in aliases if self._words.said_in(alias)]
            if said or self._words.said_in(node.get("description")):
                keys = {normalise_name(alias) for alias in said}
                changed: Row = {
                    "aliases": [alias for alias in aliases if alias not in said],
                    "alias_keys": [key for key in node.get("alias_keys") or [] if key not in keys],
                }
                if self._words.said_in(node.get("description")):
                    changed["description"] = None
                yield {"id": node["id"], "properties": changed, "keys": sorted(keys)}

    @staticmethod
    async def _write_entities(store: UserStore, *, rows: list[Row]) -> None:
        for row in rows:
            await store.write_entity(id=row["id"], properties=row["properties"])
        await store.erase_aliases(
            rows=[{"entity_id": row["id"], "name_key": key} for row in rows for key in row["keys"]]
        )

    async def _kinds(self) -> AsyncIterator[Row]:
        """Rows of ``id`` for the entities whose kind says the words, or that an alias of such a kind leads to."""
        async for node in self._finder.pages(UserStore.scan_entities):
            if is_erased_kind(node["kind"], self._words):
                yield {"id": node["id"]}

        async def aliases(store: UserStore) -> list[Row]:
            return await store.scan_aliases()

        for row in await self._driver.read(self._end_user_id, aliases):
            if is_erased_kind(row["kind"], self._words):
                yield {"id": row["entity_id"]}

    async def _write_kinds(self, store: UserStore, *, rows: list[Row]) -> None:
        for id in sorted({row["id"] for row in rows}):
            await rekind(store, id, self._words)

    async def _lost_names(self, scan: Callable[..., Awaitable[list[Row]]]) -> None:
        """Take from what memories are found by the names that went, which they may have told since a merge."""
        page: list[str] = []
        async for node in self._finder.pages(scan):
            if without_lost_names(self._end_user_id, node, ()):  # it is found by some name
                page.append(node["id"])
            if len(page) == _PAGE:
                await self._forget_names(page)
                page = []
        await self._forget_names(page)

    async def _forget_names(self, ids: Sequence[str]) -> None:
        if not await self._driver.read(self._end_user_id, lambda store: find_lost_names(store, ids)):
            return

        async def work(store: UserStore, head: Head) -> None:
            if not (found := await find_lost_names(store, ids)):
                return
            changes = Changes(head=head, now=self._now, actor=self._erasure.actor)
            event = Event(
                at=self._now,
                actor=self._erasure.actor,
                action="erase",
                target_id=self._erasure.id,
                target_type="Erasure",
                changed_ids=sorted(found),
                payload={},
            )
            seq = changes.note(event)
            for id, properties in found.items():
                changes.update(id, **properties, changed_seq=seq)
            await changes.write(store)

        await self._mutations.run_for_known(self._end_user_id, work)

    async def _episodes(self) -> AsyncIterator[Row]:
        async for node in self._finder.pages(UserStore.scan_episodes):
            changed = self._aside(node)
            if spans := self._words.spans(node["text"]):
                changed["text"] = blanked(node["text"], spans)
            if changed:
                yield {"id": node["id"], "properties": changed}

    async def _tombstones(self) -> AsyncIterator[Row]:
        async for node in self._finder.pages(UserStore.scan_tombstones):
            if self._words.said_in(node.get("reason")):
                yield {"fingerprint": node["fingerprint"]}

    async def _stubs(self) -> AsyncIterator[Row]:
        names = {node["id"]: names_of(node) async for node in self._finder.pages(UserStore.scan_entities)}
        async for node in self._finder.pages(UserStore.scan_stubs):
            if node.get("payload") is None:
                continue
            properties, ties = decode_payload(node["payload"])
            kept = [self._tie(tie) for tie in ties if not self._words.said_in(tie.get("name"))]
            mentioned = [tie for tie in kept if tie["type"] == "MENTIONS"]
            known = [name for tie in mentioned for name in (tie["name"], *names.get(tie["id"], ()))]
            lost = without_lost_names(self._end_user_id, properties, known)
            if lost or kept != ties:
                yield {"id": node["id"], "payload": encode_payload({**properties, **lost}, kept)}

    def _tie(self, tie: Row) -> Row:
        told = {name: value for name, value in tie["properties"].items() if not self._words.said_in(value)}
        rekinded = tie.get("label") == "Entity" and is_erased_kind(tie["kind"], self._words)
        return {**tie, "properties": told, **({"kind": UNKNOWN_ENTITY_KIND} if rekinded else {})}

    async def _reasons(self) -> AsyncIterator[Row]:
        async def read(store: UserStore) -> list[Row]:
            return await store.scan_reasons()

        for row in await self._driver.read(self._end_user_id, read):
            properties = row["properties"]
            said = [name for name in _REASONS if self._words.said_in(properties.get(name))]
            changed: Row = dict.fromkeys(said)
            if self._words.said_in(properties.get("predicate")):
                changed |= {"predicate": _RELATED, "predicate_key": _RELATED}
            if changed:
                yield {**row, "properties": changed}

    async def _events(self, chosen: _Chooses) -> AsyncIterator[Row]:
        """Rows of ``seq`` for the events that ``chosen`` says the numbers of, of a page that is not erased."""
        after = 0

        async def head(store: UserStore) -> Row | None:
            return await store.read_user()

        user = await self._driver.read(self._end_user_id, head)
        last = 0 if user is None else user["seq"]
        while after < last:
            upto = min(after + _PAGE, last)

            async def page(store: UserStore, after: int = after, upto: int = upto) -> Collection[int]:
                events = [row["event"] for row in await store.read_events(after=after, upto=upto)]
                return await chosen(store, [event for event in events if event.get("payload") is not None])

            for seq in sorted(await self._driver.read(self._end_user_id, page)):
                yield {"seq": seq}
            after = upto

    async def _saying(self, store: UserStore, events: Sequence[Row]) -> Collection[int]:
        """Those that say the words."""
        return [event["seq"] for event in events if self._words.said_in(payload_of(event))]

    async def _telling(self, store: UserStore, events: Sequence[Row], values: Collection[str]) -> Collection[int]:
        """Those by which a memory had one of ``values``, which it may have been revised away from since."""
        told = {event["seq"]: payload_of(event) for event in events}
        alone = [event for event in events if tells_all(told[event["seq"]])]
        changed = [event for event in events if tells_claim(told[event["seq"]]) and not tells_all(told[event["seq"]])]
        targets = sorted({event["target_id"] for event in changed})
        memories = {row["id"]: _properties(row) for row in await store.read_erasable(ids=targets)}
        histories: dict[str, list[Row]] = {}
        for row in await store.read_events_of(target_ids=targets):
            histories.setdefault(row["event"]["target_id"], []).append(row["event"])
        claims = [
            *(claim for event in alone for claim in claims_told([event], None)),
            *(claim for id, history in histories.items() for claim in claims_told(history, memories.get(id))),
        ]
        known_by = self._finder.fingerprints_of
        return {seq for seq, claim in claims if seq in told and not known_by(claim).isdisjoint(values)}

    @staticmethod
    async def _write_events(store: UserStore, *, rows: list[Row]) -> None:
        await store.erase_payloads_of(seqs=[row["seq"] for row in rows])

    def _aside(self, node: dict[str, Any]) -> Row:
        changed: Row = dict.fromkeys(name for name in _ASIDE if self._words.said_in(node.get(name)))
        # The rest of it tells how the episode is read.
        metadata = json.loads(node.get("metadata") or "{}")
        kept = {name: value for name, value in metadata.items() if not self._words.said_in(value)}
        if kept != metadata:
            changed["metadata"] = canonical_json(kept)
        return changed


def _properties(row: Row) -> Row:
    """Of a row of ``read_erasable`` what the memory is, or was before it was forgotten."""
    properties: Row = row["properties"]
    if row["type"] == "Forgotten" and properties.get("payload") is not None:
        return decode_payload(properties["payload"])[0]
    return properties


_RELATED = "related to"
"""The predicate of a relation whose own was erased: that the two are related stays."""
