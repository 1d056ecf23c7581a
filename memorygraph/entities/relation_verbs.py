"""The verbs of relations between entities."""

from __future__ import annotations

from datetime import datetime

from memorygraph.entities.door import Door, checked_entity, checked_instant, checked_spec
from memorygraph.entities.names import find_entity
from memorygraph.entities.records import Relation, RelationChange
from memorygraph.entities.relations import Relating, Retirement, in_force, read_history, read_relations
from memorygraph.errors import InvalidInput
from memorygraph.graph.store import UserStore
from memorygraph.validation import (
    EntitySpec,
    check_identifier,
    check_line,
    check_optional_reason,
    check_period,
    check_unit,
)

__all__ = ["RelationVerbs"]


class RelationVerbs(Door):
    """Stating, retiring and reading relations."""

    async def relate(
        self,
        subject: EntitySpec | str | tuple[str, str],
        predicate: str,
        object: EntitySpec | str | tuple[str, str],
        *,
        weight: float | None = None,
        valid_from: datetime | str | None = None,
        valid_to: datetime | str | None = None,
        statement_id: str | None = None,
        create_missing: bool = False,
    ) -> Relation:
        """State that ``subject`` is to ``object`` what ``predicate`` says, in any words.

        Stated again it gains evidence, once for each ``statement_id``; two spellings of a predicate are
        one. Another period than the one believed corrects that: the one believed is retired, and its
        evidence goes over; a period that does not meet it stands beside it. ``weight`` is in (0, 1],
        1 when never given. Raises :class:`NotFound` for an entity that is not there, unless
        ``create_missing`` and it was named, :class:`InvalidInput`; nothing is written then.
        """
        self._need("write")
        if weight is not None and check_unit(weight, field="weight") == 0:
            raise InvalidInput("weight is 0; it has to be above 0 and at most 1.", field="weight")
        work = Relating(
            subject=checked_spec(subject, "subject"),
            predicate=check_line(predicate, field="predicate"),
            object=checked_spec(object, "object"),
            weight=None if weight is None else float(weight),
            valid_from=checked_instant(valid_from, "valid_from"),
            valid_to=checked_instant(valid_to, "valid_to"),
            statement_id=None if statement_id is None else check_identifier(statement_id, field="statement_id"),
            create_missing=create_missing,
        )
        check_period(work.valid_from, work.valid_to)
        return await self._change(work.run, self._relation_answer)

    async def unrelate(self, relation_id: str, *, reason: str | None = None) -> Relation:
        """Have a relation believed no more; it stays readable as of earlier.

        Raises :class:`NotFound`, and :class:`Conflict` when it was retired before.
        """
        self._need("write")
        work = Retirement(
            relation_id=check_identifier(relation_id, field="relation_id"), reason=check_optional_reason(reason)
        )
        return await self._change(work.run, self._relation_answer)

    async def relations(
        self,
        entity: str,
        *,
        as_of_valid: datetime | str | None = None,
        as_of_recorded: datetime | str | None = None,
        include_retired: bool = False,
    ) -> tuple[Relation, ...]:
        """The relations of an entity, newest first: those in force now, or true and believed at other instants.

        With ``as_of_recorded`` they are as they were then, rebuilt from their events; entities that are one
        now count as one then. With ``include_retired`` those that are believed no more too, whenever they
        were true unless ``as_of_valid`` says when. Raises :class:`NotFound`, :class:`InvalidInput`.
        """
        self._need("read")
        which = checked_entity(entity)
        valid_at, recorded_at = (
            checked_instant(as_of_valid, "as_of_valid"),
            checked_instant(as_of_recorded, "as_of_recorded"),
        )
        if valid_at is None and not include_retired:
            now = self._tools.clock.now_ms()
            valid_at = now if recorded_at is None else min(recorded_at, now)

        async def work(store: UserStore) -> list[Relation]:
            found = await find_entity(store, which, None, field="entity")
            return await read_relations(store, found, recorded_at=recorded_at)

        return tuple(
            relation
            for relation in await self._read(work)
            if in_force(relation, valid_at=valid_at, include_retired=include_retired)
        )

    async def relation_history(self, relation_id: str) -> tuple[RelationChange, ...]:
        """The events that made a relation what it is, oldest first. Raises :class:`NotFound`."""
        self._need("read")
        id = check_identifier(relation_id, field="relation_id")
        return await self._read(lambda store: read_history(store, id))

    async def _relation_answer(self, store: UserStore, target_id: str, seq: int) -> Relation:
        row = await store.read_relation(id=target_id)
        assert row is not None
        return Relation.from_row(row)
