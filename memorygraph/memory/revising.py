"""Changing what a memory says, with everything that follows from its words."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from memorygraph.errors import Conflict, InvalidInput
from memorygraph.memory.bound import Change
from memorygraph.memory.contesting import contest, declared_many, settled
from memorygraph.memory.keeping import Keeping
from memorygraph.records import MemoryRecord
from memorygraph.validation import EntitySpec, RememberRequest, check_count, check_identifier
from memorygraph.writing.entities import EntityNames
from memorygraph.writing.items import Item, embedded_text
from memorygraph.writing.surroundings import Surroundings

__all__ = ["UNCHANGED", "Revising"]


class _Unchanged:
    """The value of an argument that was not given; ``None`` takes a property away."""

    def __repr__(self) -> str:
        return "unchanged"


UNCHANGED: Any = _Unchanged()

_CLAIM = ("speaker", "subject", "predicate", "value")
_PERIOD = ("valid_from", "valid_to", "occurred_at")
# Of a summary, what does not change what it says: its words are those of its originals.
_OF_SUMMARIES = {"importance", "keywords", "tags", "project", "expires_at", "kind"}
_NEEDED = {"text", "kind", "importance", "confidence", "keywords", "tags", "occurred_at"}
_MOST_REVISION = 2**53 - 1
_ROUNDS = 5


class Revising(Keeping):
    """The one verb that changes properties."""

    async def revise(
        self,
        id: str,
        *,
        text: str = UNCHANGED,
        title: str | None = UNCHANGED,
        context: str | None = UNCHANGED,
        keywords: Sequence[str] = UNCHANGED,
        tags: Sequence[str] = UNCHANGED,
        kind: str = UNCHANGED,
        importance: float = UNCHANGED,
        confidence: float = UNCHANGED,
        project: str | None = UNCHANGED,
        speaker: str | None = UNCHANGED,
        subject: str | None = UNCHANGED,
        predicate: str | None = UNCHANGED,
        value: str | None = UNCHANGED,
        valid_from: datetime | str | None = UNCHANGED,
        valid_to: datetime | str | None = UNCHANGED,
        expires_at: datetime | str | None = UNCHANGED,
        occurred_at: datetime | str = UNCHANGED,
        entities: Sequence[EntitySpec | str | tuple[str, str]] = UNCHANGED,
        if_revision: int | None = None,
    ) -> MemoryRecord:
        """Change what is given of an active statement or summary; ``None`` takes away what need not be there.

        Ranges are those of :meth:`remember`. When the words change, the vector and the search text do
        too, and the automatic links are made anew; links made by hand stay. With ``if_revision`` nothing
        is changed unless that is the memory's revision. Of a summary only what does not change its
        words can be changed, and the words of a verbatim turn neither.

        Raises :class:`NotFound`, :class:`Conflict` (retired; moved meanwhile; the value is held by another),
        :class:`Tombstoned`, :class:`InvalidInput`, :class:`EmbedderError`, :class:`Forbidden`.
        """
        self._need("write")
        check_identifier(id)
        if if_revision is not None:
            check_count(if_revision, field="if_revision", least=1, most=_MOST_REVISION)
        given = {
            name: value
            for name, value in {
                "text": text,
                "title": title,
                "context": context,
                "keywords": keywords,
                "tags": tags,
                "kind": kind,
                "importance": importance,
                "confidence": confidence,
                "project": project,
                "speaker": speaker,
                "subject": subject,
                "predicate": predicate,
                "value": value,
                "valid_from": valid_from,
                "valid_to": valid_to,
                "expires_at": expires_at,
                "occurred_at": occurred_at,
                "entities": entities,
            }.items()
            if value is not UNCHANGED
        }
        if not given:
            raise InvalidInput("Nothing to change was given.", field="text")
        for name in _NEEDED & given.keys():
            if given[name] is None:
                raise InvalidInput(f"{name} cannot be taken away.", field=name)
        for _ in range(_ROUNDS):
            if await self._revised(id, given, if_revision):
                return await self._record(id)
        raise Conflict(f"{id} was changed by others again and again meanwhile.", hint="Try again.")

    async def _revised(self, id: str, given: dict[str, Any], if_revision: int | None) -> bool:
        """Whether it was done; not when somebody else changed the memory while its vector was computed."""
        seen = await self._record(id)
        if if_revision is not None and seen.revision != if_revision:
            raise Conflict(f"{id} has revision {seen.revision}, not {if_revision}.", hint="Read it again.")
        request = _request(seen, given)
        vectors = await self._tools.embedder.embed([embedded_text(request.text, request.speaker)])
        moved = False

        async def work(change: Change) -> None:
            nonlocal moved
            old = change.memories[id]["properties"]
            moved = old["revision"] != seen.revision
            if moved:
                return
            change.check_active(id)
            # Whether the predicate has one value at a time was said of that predicate.
            functional = old.get("functional") if request.predicate == old.get("predicate") else None
            item = Item(
                end_user_id=self._end_user_id,
                request=replace(request, functional=functional),
                fingerprints=self._tools.fingerprints,
                actor=self._actor,
            )
            await self._apply(change, id, item, vectors, given)

        await self._change([id], work)
        return not moved

    async def _apply(
        self, change: Change, id: str, item: Item, vectors: npt.NDArray[np.float32], given: dict[str, Any]
    ) -> None:
        row = change.memories[id]
        old, is_summary = row["properties"], row["type"] == "MemorySummary"
        told = item.properties(now=change.now, position=None)
        after = {name: told[name] for name in given if name != "entities" and told[name] != _stored(old, name)}
        new_names = "entities" in given and not is_summary
        if not after and not new_names:
            return
        reworded = bool({"text", "title", "context", "keywords", *_CLAIM} & after.keys()) or new_names
        changed: dict[str, Any] = dict(after)
        if not is_summary and ({"text", "project", *_CLAIM, *_PERIOD} & after.keys()):
            await self._check_value(change, old | told, own_id=id)
            changed |= {"fingerprint": item.known_by[0], "slot_key": item.slot_key, "functional": told["functional"]}
        if new_names:
            names = EntityNames(now=change.now, parameters=change.parameters)
            await names.look_up(change.store, item.entities)
            mentions, _ = names.mentions(item.entities, seq=change.changes.next_seq)
            await change.store.mention_entities(id=id, mentions=mentions)
        if reworded:
            # The summary's kept entities are part of its words too: item has them all.
            changed |= {"search_text": item.search_text}
        if {"text", "speaker"} & after.keys():
            changed |= {"embedding": vectors[0].astype("<f4").tobytes()}
        before = {name: _stored(old, name) for name in after}
        if new_names:
            before |= {"entities": row["entities"]}
            after |= {"entities": [{"name": of.name, "kind": of.kind} for of in item.entities]}
        seq = change.note("revise", id, before=before, after=after)
        changed |= {"revision": old["revision"] + 1, "updated_at": change.now, "changed_seq": seq}
        change.changes.update(id, **change.standing(id, **changed))
        asked: set[str] = set()
        if not is_summary and ({"project", *_CLAIM, *_PERIOD} & after.keys()):
            asked = await contest(change, id, told | changed)
        if {"text", "speaker", "project"} & after.keys():
            await self._link_anew(change, id, item, vectors, compare=not is_summary, asked=asked)

    async def _link_anew(
        self,
        change: Change,
        id: str,
        item: Item,
        vectors: npt.NDArray[np.float32],
        *,
        compare: bool,
        asked: AbstractSet[str],
    ) -> None:
        floor = self._tools.settings.link_floor
        around = Surroundings([item], vectors, link_floor=floor, now=change.now)
        head = change.changes.head.seq - len(change.changes.events)
        _, near = await self._tools.neighbours.near(
            self._end_user_id,
            vectors,
            [item.request.project],
            floor=Surroundings.floor(floor),
            now=change.now,
            head=head,
        )
        cosines = {of.id: of.cosine for of in near[0] if of.id != id}
        rows = await change.store.read_near(ids=list(cosines))
        relatives = await change.store.read_relatives(id=id)
        by_hand = {link["id"] for link in relatives["links"] if link["origin"] == "manual"} if relatives else set()
        known = settled(relatives["questions"] if relatives else ()) | declared_many(item.claim, rows)
        around.learn(0, [(row, cosines[row["id"]]) for row in rows])
        linked, _ = around.link(0, id, retired=by_hand)
        await change.store.unlink_automatic(ids=[id])
        change.changes.links += [{"id": id, "other_id": of.id, "score": of.cosine, "origin": "auto"} for of in linked]
        if compare:
            around.question(0, (), retired=(), known=known | asked)
            await around.settle(change.store, change.changes, change.parameters)


def _stored(properties: dict[str, Any], name: str) -> Any:
    value = properties.get(name)
    return list(value or ()) if name in ("keywords", "tags") else value


def _request(seen: MemoryRecord, given: dict[str, Any]) -> RememberRequest:
    """The memory as a request, with what is given in place of what is there. Raises :class:`InvalidInput`."""
    if seen.type == "MemorySummary" and (refused := sorted(given.keys() - _OF_SUMMARIES)):
        raise InvalidInput(
            f"{refused[0]} of a summary cannot be changed: it says what its originals said.", field=refused[0]
        )
    if seen.kind == "turn" and (refused := sorted(given.keys() & {"text", "kind", *_CLAIM, "occurred_at"})):
        raise InvalidInput(
            f"{refused[0]} of a verbatim turn cannot be changed: it was said so.",
            field=refused[0],
            hint="Remember what holds instead, with supersedes.",
        )
    if given.get("kind") == "turn" and seen.kind != "turn":
        raise InvalidInput("Only what was said word for word is a turn.", field="kind")
    told: dict[str, Any] = {
        "text": seen.text,
        "speaker": seen.speaker,
        "session_id": seen.session_id,
        "position": seen.position if seen.session_id is not None else None,
        "kind": seen.kind,
        "importance": seen.importance,
        "entities": (),
        "title": seen.title,
        "context": seen.context,
        "keywords": list(seen.keywords),
        "tags": list(seen.tags),
        "project": seen.project,
        "occurred_at": seen.occurred_at,
        "confidence": seen.confidence,
        "source": seen.source,
        "agent": seen.agent,
        "idempotency_key": None,
        "subject": seen.subject,
        "predicate": seen.predicate,
        "value": seen.value,
        "valid_from": seen.valid_from,
        "valid_to": seen.valid_to,
        "expires_at": seen.expires_at,
    }
    request = RememberRequest.checked(**told | given)
    if "entities" in given:
        return request
    # A summary mentions all that its originals did, which is more than may be given at once.
    named = tuple(EntitySpec(name=entity.name, kind=entity.kind) for entity in seen.entities)
    return replace(request, entities=named)
