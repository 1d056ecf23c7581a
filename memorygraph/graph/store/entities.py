"""Statements of entities: names and aliases, mentions, relations."""

from __future__ import annotations

from collections.abc import Sequence

from memorygraph.graph.session import Row, UserTransaction

__all__ = ["EntityStatements"]


class EntityStatements(UserTransaction):
    """Statements of entities: names and aliases, mentions, relations."""

    async def read_entities(self, *, ids: Sequence[str]) -> list[Row]:
        """Entities in full."""
        return await self.rows("read_entities", ids=list(ids))

    async def read_merged_into(self, *, id: str) -> Row | None:
        """The entity that another one was merged into, directly or by way of others."""
        return await self.row("read_merged_into", id=id)

    async def read_named_entities(self, *, name_keys: Sequence[str]) -> list[Row]:
        """Entities of every kind that bear one of some names."""
        return await self.rows("read_named_entities", name_keys=list(name_keys))

    async def read_aliased_entities(self, *, name_keys: Sequence[str]) -> list[Row]:
        """Entities of which one of some names is an alias, and the kind it is an alias in."""
        return await self.rows("read_aliased_entities", name_keys=list(name_keys))

    async def list_entities(
        self, *, query: str | None, kind: str | None, after_key: str, after_kind: str, page: int
    ) -> list[Row]:
        """A page of entities in the order of their names, of one kind or any, with the query in a name or alias."""
        return await self.rows(
            "list_entities", query=query, kind=kind, after_key=after_key, after_kind=after_kind, page=page
        )

    async def read_entity_names(self, *, page: int) -> list[Row]:
        """Names, aliases and kinds of entities, those used last first."""
        return await self.rows("read_entity_names", page=page)

    async def read_entity_statements(
        self,
        *,
        id: str,
        before_at: int,
        before_id: str,
        valid_at: int | None,
        now: int,
        any_status: bool,
        any_trust: bool,
        page: int,
    ) -> list[Row]:
        """A page of statements that mention an entity, newest first: those that hold, or held at an instant."""
        return await self.rows(
            "read_entity_statements",
            id=id,
            before_at=before_at,
            before_id=before_id,
            valid_at=valid_at,
            now=now,
            any_status=any_status,
            any_trust=any_trust,
            page=page,
        )

    async def read_entity_summaries(self, *, id: str, now: int, any_status: bool, page: int) -> list[Row]:
        """The newest summaries that mention an entity, those that hold or those of any status."""
        return await self.rows("read_entity_summaries", id=id, now=now, any_status=any_status, page=page)

    async def read_mentioning_before(self, *, entity_ids: Sequence[str], at: int) -> list[Row]:
        """Memories whose entities were changed after an instant, and that may have mentioned some entity until then."""
        return await self.rows("read_mentioning_before", entity_ids=list(entity_ids), at=at)

    async def read_entity_edges(self, *, ids: Sequence[str]) -> list[Row]:
        """Entities in full, with every memory that mentions them and every relation they have a part in."""
        return await self.rows("read_entity_edges", ids=list(ids))

    async def read_later_mentions(self, *, id: str, since: int) -> list[Row]:
        """Statements and summaries that mention an entity and were recorded at an instant or later."""
        return await self.rows("read_later_mentions", id=id, since=since)

    async def create_entities(self, *, rows: Sequence[Row]) -> None:
        """Creates entities."""
        await self.rows("create_entities", rows=list(rows))

    async def write_entity(self, *, id: str, properties: Row) -> None:
        """Changes properties of an entity; None takes one away."""
        await self.rows("write_entity", id=id, properties=properties)

    async def delete_entity(self, *, id: str) -> None:
        """Removes an entity with all its relationships."""
        await self.rows("delete_entity", id=id)

    async def read_aliases(self, *, entity_id: str, name_keys: Sequence[str]) -> list[Row]:
        """Keys of aliases that belong to an entity."""
        return await self.rows("read_aliases", entity_id=entity_id, name_keys=list(name_keys))

    async def write_aliases(self, *, rows: Sequence[Row]) -> None:
        """Has keys of aliases lead to an entity."""
        await self.rows("write_aliases", rows=list(rows))

    async def delete_aliases(self, *, rows: Sequence[Row]) -> None:
        """Removes keys of aliases that lead to an entity."""
        await self.rows("delete_aliases", rows=list(rows))

    async def create_mentions(self, *, entity_id: str, rows: Sequence[Row]) -> None:
        """Has statements and summaries mention an entity."""
        await self.rows("create_mentions", entity_id=entity_id, rows=list(rows))

    async def delete_mentions(self, *, entity_id: str, rows: Sequence[Row]) -> None:
        """Has statements and summaries no longer mention an entity in a role."""
        await self.rows("delete_mentions", entity_id=entity_id, rows=list(rows))

    async def relate_entities(self, *, rows: Sequence[Row]) -> list[Row]:
        """States relations between entities: evidence for the one believed, a correction of its period, or a new one.

        No row comes back where an end is missing. No two ``rows`` may be of the same ends and predicate.
        """
        return await self.rows("relate_entities", rows=list(rows))

    async def read_relation(self, *, id: str) -> Row | None:
        """One relation with its ends."""
        return await self.row("read_relation", id=id)

    async def read_relations(self, *, ids: Sequence[str]) -> list[Row]:
        """Every relation that entities have a part in, with its ends."""
        return await self.rows("read_relations", ids=list(ids))

    async def read_relations_stated(self, *, statement_ids: Sequence[str]) -> list[Row]:
        """The relations that some statements and summaries state, or did, as far as those say that they state any."""
        return await self.rows("read_relations_stated", statement_ids=list(statement_ids))

    async def read_standings(self, *, ids: Sequence[str]) -> list[Row]:
        """Status, trust and ``superseded_from`` of some statements and summaries, as far as they are there."""
        return await self.rows("read_standings", ids=list(ids))

    async def read_relations_from(self, *, statement_ids: Sequence[str]) -> list[Row]:
        """The relations that name one of some statements as their source, or as one that was."""
        return await self.rows("read_relations_from", statement_ids=list(statement_ids))

    async def create_relations(self, *, rows: Sequence[Row]) -> None:
        """Creates relations between entities."""
        await self.rows("create_relations", rows=list(rows))

    async def write_relations(self, *, rows: Sequence[Row]) -> None:
        """Changes properties of relations; None takes one away."""
        await self.rows("write_relations", rows=list(rows))

    async def delete_relations(self, *, rows: Sequence[Row]) -> None:
        """Removes relations."""
        await self.rows("delete_relations", rows=list(rows))

    async def unstate_relations(self, *, ids: Sequence[str]) -> None:
        """Has statements and summaries no longer say that they state relations."""
        await self.rows("unstate_relations", ids=list(ids))

    async def read_events_of(self, *, target_ids: Sequence[str]) -> list[Row]:
        """The events of some targets, in order."""
        return await self.rows("read_events_of", target_ids=list(target_ids))
