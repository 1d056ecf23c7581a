"""The entities of one user: whom and what memories mention, and how they are related."""

from __future__ import annotations

import asyncio
from datetime import datetime

from memorygraph.entities.door import checked_entity, checked_instant, checked_kind
from memorygraph.entities.merging import MERGED, Merge
from memorygraph.entities.names import find_entity
from memorygraph.entities.naming import AliasAddition, AliasRemoval, Revision
from memorygraph.entities.records import (
    EntityCard,
    EntityChange,
    EntityPage,
    EntityRecord,
    Merged,
    MergeSuggestion,
    Relation,
    Split,
)
from memorygraph.entities.relation_verbs import RelationVerbs
from memorygraph.entities.relations import in_force, read_relations
from memorygraph.entities.splitting import SPLIT, SplitUp
from memorygraph.errors import InvalidInput
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.paging import decode_cursor, encode_cursor
from memorygraph.past.cards import entity_as_of, statements_as_of, summaries_as_of
from memorygraph.records import EntityRef, MemoryRecord
from memorygraph.text.normalise import normalise_name
from memorygraph.times import from_ms
from memorygraph.validation import (
    MAX_CONTEXT,
    check_count,
    check_identifier,
    check_line,
    check_optional_reason,
    check_text,
    check_unit,
)
from memorygraph.writing.events import payload_of

__all__ = ["Entities"]

_MOST_SUMMARIES = 50
_MOST_COMPARED = 2_000  # entities among which merges are suggested, those used last
_MOST_EMBEDDED = 300  # of them, those whose names are compared by meaning too
_LATEST = 2**62  # after every instant
_LAST_SEQ = 2**53 - 1


class Entities(RelationVerbs):
    """The entities of one user, reached as ``memory.entities``.

    Where a verb takes an entity, an id is taken, or a name or alias that only one entity has. The id
    of an entity that was merged stands for the one it was merged into. Reading needs the scope ``read``,
    all else ``write``; without it :class:`Forbidden` is raised and nothing is changed.
    """

    async def get(
        self,
        entity: str,
        kind: str | None = None,
        *,
        limit: int = 20,
        cursor: str | None = None,
        include_retired: bool = False,
        include_candidates: bool = False,
        as_of_valid: datetime | str | None = None,
        as_of_recorded: datetime | str | None = None,
    ) -> EntityCard:
        """What is known of an entity: by its id, or by a name or alias, of ``kind`` if given.

        Of the statements that mention it the newest ``limit`` (1–1,000), or those after ``cursor``: live
        and accepted ones, unless asked otherwise. With ``as_of_valid`` what was true then, with
        ``as_of_recorded`` what was believed then, and as it was then, rebuilt from the events. It is found
        by the names of now, its uses and ``revision`` are those of now, and statements that were fused
        since, or whose events were erased, are left out. Raises :class:`NotFound`, and
        :class:`InvalidInput` when the name is that of several.
        """
        self._need("read")
        which, of_kind = checked_entity(entity), checked_kind(kind)
        page = check_count(limit, field="limit", least=1, most=1000)
        before_at, before_id = (_LATEST, "") if cursor is None else decode_cursor(cursor, int, str, field="cursor")
        valid_at, recorded_at = (
            checked_instant(as_of_valid, "as_of_valid"),
            checked_instant(as_of_recorded, "as_of_recorded"),
        )
        now = self._tools.clock.now_ms()

        async def work(store: UserStore) -> tuple[Row, list[Row], list[Row], list[Relation], list[Row]]:
            found = await find_entity(store, which, of_kind, field="entity")
            if recorded_at is None:
                statements = await store.read_entity_statements(
                    id=found["id"],
                    before_at=before_at,
                    before_id=before_id,
                    valid_at=valid_at,
                    now=now,
                    any_status=include_retired,
                    any_trust=include_candidates,
                    page=page + 1,
                )
                summaries = await store.read_entity_summaries(
                    id=found["id"], now=now, any_status=False, page=_MOST_SUMMARIES
                )
            else:
                statements = await statements_as_of(
                    store,
                    found,
                    recorded_at,
                    before=(before_at, before_id),
                    valid_at=valid_at,
                    any_status=include_retired,
                    any_trust=include_candidates,
                    count=page + 1,
                    now=now,
                )
                summaries = await summaries_as_of(store, found["id"], recorded_at, count=_MOST_SUMMARIES)
            relations = await read_relations(store, found, recorded_at=recorded_at)
            events = [row["event"] for row in await store.read_events_of(target_ids=[found["id"]])]
            if recorded_at is not None:
                found = entity_as_of(found, events, recorded_at)
                events = [event for event in events if event["at"] <= recorded_at]
            return found, statements, summaries, relations, events

        found, statements, summaries, relations, events = await self._read(work)
        parameters = await self._parameters()

        def memory(row: Row) -> MemoryRecord:
            return MemoryRecord.from_properties(
                row["type"], row["properties"], entities=row["entities"], parameters=parameters, now=now
            )

        last = statements[page - 1]["properties"] if len(statements) > page else None
        known_at = now if recorded_at is None else min(recorded_at, now)
        at = known_at if valid_at is None else valid_at
        return EntityCard(
            entity=EntityRecord.from_properties(found, parameters=parameters, now=now),
            statements=tuple(memory(row) for row in statements[:page]),
            next_cursor=None if last is None else encode_cursor(last["recorded_at"], last["id"]),
            summaries=tuple(memory(row) for row in summaries),
            relations=tuple(
                relation for relation in relations if in_force(relation, valid_at=at, include_retired=False)
            ),
            merges=tuple(_merge_told(event) for event in events if event["action"] in (MERGED, SPLIT)),
        )

    async def list(
        self, query: str | None = None, *, kind: str | None = None, limit: int = 100, cursor: str | None = None
    ) -> EntityPage:
        """Entities in the order of their names, ``limit`` (1–1,000) of them, or those after ``cursor``.

        Only those of ``kind``, and those of whose name or an alias ``query`` is part, if given. Raises
        :class:`InvalidInput`.
        """
        self._need("read")
        page = check_count(limit, field="limit", least=1, most=1000)
        after_key, after_kind = ("", "") if cursor is None else decode_cursor(cursor, str, str, field="cursor")
        part = None if query is None else normalise_name(check_line(query, field="query"))
        of_kind = checked_kind(kind)

        async def work(store: UserStore) -> list[Row]:
            return await store.list_entities(
                query=part, kind=of_kind, after_key=after_key, after_kind=after_kind, page=page + 1
            )

        rows = [row["properties"] for row in await self._read(work)]
        parameters, now = await self._parameters(), self._tools.clock.now_ms()
        last = rows[page - 1] if len(rows) > page else None
        return EntityPage(
            entities=tuple(EntityRecord.from_properties(row, parameters=parameters, now=now) for row in rows[:page]),
            next_cursor=None if last is None else encode_cursor(last["name_key"], last["kind"]),
        )

    async def add_alias(self, entity: str, name: str, *, kind: str | None = None) -> EntityRecord:
        """Have ``name`` lead to an entity too; nothing happens when it does already.

        Raises :class:`NotFound`, and :class:`Conflict` when ``name`` is a name or an alias of another
        entity of that kind.
        """
        self._need("write")
        work = AliasAddition(
            entity=checked_entity(entity), kind=checked_kind(kind), alias=check_line(name, field="name")
        )
        return await self._change(work.run, self._entity_answer)

    async def remove_alias(self, entity: str, name: str, *, kind: str | None = None) -> EntityRecord:
        """Have ``name`` no longer lead to an entity. Raises :class:`NotFound`, also when it is no alias of it."""
        self._need("write")
        work = AliasRemoval(
            entity=checked_entity(entity), kind=checked_kind(kind), alias=check_line(name, field="name")
        )
        return await self._change(work.run, self._entity_answer)

    async def revise(
        self,
        entity: str,
        *,
        name: str | None = None,
        kind: str | None = None,
        description: str | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
    ) -> EntityRecord:
        """Change what is given; a new name leaves the old one as an alias, an empty description takes it away.

        ``importance`` is in [0, 1]. Raises :class:`NotFound`, :class:`InvalidInput`, and :class:`Conflict`
        when another entity has the name in that kind; nothing is changed then.
        """
        self._need("write")
        if pinned is not None and not isinstance(pinned, bool):
            raise InvalidInput("pinned is neither true nor false.", field="pinned")
        work = Revision(
            entity=checked_entity(entity),
            name=None if name is None else check_line(name, field="name"),
            kind=checked_kind(kind),
            description=check_text(description, field="description", longest=MAX_CONTEXT)
            if description
            else description,
            importance=None if importance is None else check_unit(importance, field="importance"),
            pinned=pinned,
        )
        return await self._change(work.run, self._entity_answer)

    async def suggestions(
        self, entity: str | None = None, *, least: float = 0.6, limit: int = 50
    ) -> tuple[MergeSuggestion, ...]:
        """Entities that may be one, best first: of all, or those that may be the one given. Nothing is merged.

        Told by how the names are spelled, of the 2,000 entities used last, and by what they mean, of the
        300 used last. Names that are numbered differently, and two of different known kinds, score low.
        ``least`` is in [0, 1], ``limit`` is 1–1,000. Raises :class:`NotFound`, :class:`EmbedderError`.
        """
        self._need("read")
        # Not needed by anything else, and rapidfuzz takes its time to load.
        from memorygraph.entities.suggestions import Candidate, suggest

        most = check_count(limit, field="limit", least=1, most=1000)
        lowest = check_unit(least, field="least")
        which = None if entity is None else checked_entity(entity)

        async def work(store: UserStore) -> tuple[Row | None, list[Row]]:
            found = None if which is None else await find_entity(store, which, None, field="entity")
            return found, await store.read_entity_names(page=_MOST_COMPARED)

        about, rows = await self._read(work)
        if about is not None:  # first, so that its name is embedded whenever it was used last
            rows = [about, *(row for row in rows if row["id"] != about["id"])]
        candidates = [
            Candidate(
                ref=EntityRef(id=row["id"], name=row["name"], kind=row["kind"]),
                names=(row["name"], *(row.get("aliases") or ())),
            )
            for row in rows
        ]
        vectors = await self._tools.embedder.embed([candidate.ref.name for candidate in candidates[:_MOST_EMBEDDED]])
        id = None if about is None else about["id"]
        found = await asyncio.to_thread(suggest, candidates, vectors, about=id, least=lowest)
        return tuple(found[:most])

    async def merge(self, keep_id: str, other_id: str, *, reason: str | None = None) -> Merged:
        """Make ``other_id`` part of ``keep_id``: its mentions, relations, names and uses; :meth:`split` undoes it.

        Relations that say the same become one, with the evidence of both. Raises :class:`NotFound`, and
        :class:`Conflict` when the two are one already.
        """
        self._need("write")
        work = Merge(
            keep=checked_entity(keep_id, "keep_id"),
            other=checked_entity(other_id, "other_id"),
            reason=check_optional_reason(reason),
        )

        async def answer(store: UserStore, target_id: str, seq: int) -> Merged:
            entity = await self._entity_answer(store, target_id, seq)
            return Merged(entity=entity, merged_id=entity.merged_ids[-1], seq=seq)

        return await self._change(work.run, answer)

    async def split(self, entity: str, merge: int | str) -> Split:
        """Undo a merge into ``entity``, named by its event's number or by the id of the entity that was merged.

        That entity is back with its id, names, mentions, relations and uses of the time. What came later
        stays with ``entity``, but for statements whose text says a name of the restored one. Raises
        :class:`NotFound`, and :class:`Conflict` with the reason when it cannot be undone: another merge
        has to be undone first, a name was taken meanwhile, what the event said was erased.
        """
        self._need("write")
        named: int | str
        if isinstance(merge, int):
            named = check_count(merge, field="merge", least=1, most=_LAST_SEQ)
        else:
            named = check_identifier(merge, field="merge")
        work = SplitUp(entity=checked_entity(entity, "entity"), merge=named)

        async def answer(store: UserStore, target_id: str, seq: int) -> Split:
            (row,) = await store.read_events(after=seq - 1, upto=seq)
            restored_id = payload_of(row["event"])["after"]["merged_id"]
            return Split(
                entity=await self._entity_answer(store, target_id, seq),
                restored=await self._entity_answer(store, restored_id, seq),
                seq=seq,
            )

        return await self._change(work.run, answer)

    async def _entity_answer(self, store: UserStore, target_id: str, seq: int) -> EntityRecord:
        (row,) = await store.read_entities(ids=[target_id])
        now = self._tools.clock.now_ms()
        return EntityRecord.from_properties(row["properties"], parameters=await self._parameters(), now=now)


def _merge_told(event: Row) -> EntityChange:
    payload = payload_of(event)
    # A merge tells all of the other entity as it was before, a split in short what came back.
    other = {**payload.get("before", {}), **payload.get("after", {})}.get("other")
    return EntityChange(
        seq=event["seq"],
        at=from_ms(event["at"]),
        actor=event["actor"],
        action=event["action"],
        other=None if other is None else EntityRef(id=other["id"], name=other["name"], kind=other["kind"]),
        reason=payload.get("reason"),
    )
