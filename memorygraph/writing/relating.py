"""The relations that a statement tells, stated in its transaction."""

from __future__ import annotations

from functools import partial

from memorygraph.entities.relations import relation_rows, state_relations
from memorygraph.entities.standing import is_withdrawn
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.writing.entities import EntityNames
from memorygraph.writing.events import relation_event
from memorygraph.writing.items import Item
from memorygraph.writing.mutation import Head

__all__ = ["relate"]


async def relate(
    store: UserStore, head: Head, names: EntityNames, item: Item, statement_id: str, *, now: int
) -> tuple[str, ...]:
    """State the relations of ``item``, with the statement as their evidence and an event each; their ids.

    The statement is written already; entities that it does not mention are made here. ``now`` is epoch ms.
    """
    request = item.request
    ends = [end for relation in request.relations for end in (relation.subject, relation.object)]
    await names.make_missing(store, ends, seq=head.next_seq)
    (statement,) = await store.read_standings(ids=[statement_id])
    rows = relation_rows(
        request.relations,
        key_of=partial(names.key_of, seq=head.next_seq),
        now=now,
        statement_id=statement_id,
        withheld=is_withdrawn(statement),
        valid_from=request.valid_from,
        valid_to=request.valid_to,
    )

    async def note(action: str, id: str, before: Row | None, after: Row) -> None:
        event = relation_event(action, id, at=now, actor=item.actor, before=before, after=after)
        await store.append_event(event=head.link(event))

    superseded = statement["status"] == "superseded"
    return tuple(await state_relations(store, rows, superseded=superseded, now=now, note=note))
