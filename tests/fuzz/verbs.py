"""The verbs that write, one entry each: what is called, and what its arguments are drawn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.entities.entities import Entities
from tests.fuzz import strategies as of
from tests.fuzz.strategies import Argument, calls

__all__ = ["REST", "VERBS", "Verb", "World"]


@dataclass(kw_only=True)
class World:
    """What the verbs are called on, and the ids that are known in it."""

    engine: MemoryEngine
    clock: SimulatedClock
    end_user_id: str
    known: dict[str, list[str]] = field(default_factory=dict)  # ids by what they are of
    answered: Counter[str] = field(default_factory=Counter)  # calls by the name of the verb
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def memory(self) -> Memory:
        """The user's memory."""
        return self.engine.memory(self.end_user_id)

    @property
    def entities(self) -> Entities:
        """The user's entities."""
        return self.memory.entities


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One verb: what is called with the arguments drawn."""

    call: Callable[[World], Callable[..., Awaitable[Any]]]
    arguments: Mapping[str, Argument]
    also: st.SearchStrategy[dict[str, Any]] | None = None  # inputs that hang together
    together: tuple[str, ...] = ()  # arguments that it takes all of or none
    wild: bool = True  # whether it is sent what nobody should send

    @property
    def calls(self) -> st.SearchStrategy[dict[str, Any]]:
        """Its inputs."""
        drawn = calls(self.arguments, together=self.together, wild=self.wild)
        return drawn if self.also is None else drawn | self.also


def _optional(**strategies: st.SearchStrategy[Any]) -> dict[str, Argument]:
    return {name: Argument(strategy) for name, strategy in strategies.items()}


def _needed(**strategies: st.SearchStrategy[Any]) -> dict[str, Argument]:
    return {name: Argument(strategy, needed=True) for name, strategy in strategies.items()}


_CLAIM = ("subject", "predicate", "value")
_SAID = _optional(
    title=of.LINE,
    context=of.TEXT,
    keywords=of.LINES,
    tags=of.LINES,
    importance=of.UNIT,
    confidence=of.UNIT,
    project=of.LINE,
    speaker=of.NAME,
    subject=of.NAME,
    predicate=st.sampled_from(["lives in", "Lives_In", "likes"]) | of.LINE,
    value=of.LINE,
    entities=of.MENTIONS,
    valid_from=of.TIME,
    valid_to=of.TIME,
    expires_at=of.TIME,
    occurred_at=of.TIME,
)
_REMEMBERED = {
    **_needed(text=of.TEXT),
    **_SAID,
    **_optional(
        kind=of.KIND | st.just("turn"),
        session_id=st.sampled_from(["s1", "s2"]) | of.LINE,
        position=of.POSITION,
        functional=of.FLAGS,
        relations=of.RELATIONS,
        source=of.LINE,
        agent=of.LINE,
        derived=of.FLAGS,
        supersedes=of.IDS,
        idempotency_key=st.sampled_from(["k1", "k2"]) | of.LINE,
    ),
}
_ITEMS = st.lists(calls(_REMEMBERED, together=_CLAIM) | of.WILD, max_size=4)
_INGESTED = _optional(
    title=of.LINE,
    session_id=st.sampled_from(["s1", "s2"]) | of.LINE,
    occurred_at=of.TIME,
    zone=of.ZONE,
    project=of.LINE,
    source=of.LINE,
    agent=of.LINE,
    tags=of.LINES,
    idempotency_key=of.LINE,
)
_REASON = _optional(reason=of.REASON)

VERBS: Mapping[str, Verb] = {
    "remember": Verb(call=lambda world: world.memory.remember, arguments=_REMEMBERED, together=_CLAIM),
    "remember_many": Verb(call=lambda world: world.memory.remember_many, arguments=_needed(items=_ITEMS)),
    "revise": Verb(
        call=lambda world: world.memory.revise,
        arguments={
            **_needed(id=of.ID),
            **_SAID,
            **_optional(text=of.TEXT, kind=of.KIND, if_revision=st.integers(1, 3)),
        },
        together=_CLAIM,
    ),
    "supersede": Verb(
        call=lambda world: world.memory.supersede, arguments={**_needed(old_id=of.ID, new_id=of.OTHER_ID), **_REASON}
    ),
    "retract": Verb(call=lambda world: world.memory.retract, arguments=_needed(id=of.ID, reason=of.REASON)),
    "reinstate": Verb(call=lambda world: world.memory.reinstate, arguments={**_needed(id=of.ID), **_REASON}),
    "pin": Verb(call=lambda world: world.memory.pin, arguments=_needed(id=of.ID)),
    "unpin": Verb(call=lambda world: world.memory.unpin, arguments=_needed(id=of.ID)),
    "link": Verb(call=lambda world: world.memory.link, arguments=_needed(id=of.ID, other_id=of.OTHER_ID)),
    "unlink": Verb(call=lambda world: world.memory.unlink, arguments=_needed(id=of.ID, other_id=of.OTHER_ID)),
    "revert": Verb(call=lambda world: world.memory.revert, arguments={**_needed(seq=of.SEQ), **_REASON}),
    "erase": Verb(
        call=lambda world: world.memory.erase,
        arguments=_optional(id=of.ID, match=of.LINE, dry_run=of.FLAGS),
        also=of.ERASED,
    ),
    "approve": Verb(call=lambda world: world.memory.review.approve, arguments={**_needed(id=of.CANDIDATE), **_REASON}),
    "reject": Verb(call=lambda world: world.memory.review.reject, arguments=_needed(id=of.CANDIDATE, reason=of.REASON)),
    "answer": Verb(
        call=lambda world: world.memory.review.answer,
        arguments={**_needed(id=of.ID, other_id=of.OTHER_ID, decision=of.DECISION), **_optional(keep=of.ID), **_REASON},
        also=of.QUESTION,
    ),
    "lift": Verb(
        call=lambda world: world.memory.review.lift, arguments={**_needed(fingerprint=of.TOMBSTONE), **_REASON}
    ),
    "ingest": Verb(call=lambda world: world.memory.ingest, arguments={**_needed(turns=of.TURNS), **_INGESTED}),
    "ingest_document": Verb(
        call=lambda world: world.memory.ingest, arguments={**_needed(document=of.DOCUMENT), **_INGESTED}
    ),
    "ingest_file": Verb(
        call=lambda world: world.memory.ingest,
        arguments={**_needed(data=of.FILE), **_optional(name=of.FILE_NAME, format=of.FORMAT), **_INGESTED},
    ),
    "cancel_job": Verb(call=lambda world: world.memory.jobs.cancel, arguments=_needed(job_id=of.JOB)),
    "requeue_job": Verb(call=lambda world: world.memory.jobs.requeue, arguments=_needed(job_id=of.JOB)),
    "reinforce": Verb(call=lambda world: world.memory.reinforce, arguments=_needed(ids=of.IDS)),
    "add_alias": Verb(
        call=lambda world: world.entities.add_alias,
        arguments={**_needed(entity=of.ENTITY, name=of.NAME), **_optional(kind=of.LINE)},
    ),
    "remove_alias": Verb(
        call=lambda world: world.entities.remove_alias,
        arguments={**_needed(entity=of.ENTITY, name=of.NAME), **_optional(kind=of.LINE)},
    ),
    "revise_entity": Verb(
        call=lambda world: world.entities.revise,
        arguments={
            **_needed(entity=of.ENTITY),
            **_optional(name=of.NAME, kind=of.LINE, description=of.TEXT, importance=of.UNIT, pinned=of.FLAGS),
        },
    ),
    "merge_entities": Verb(
        call=lambda world: world.entities.merge,
        arguments={**_needed(keep_id=of.ENTITY, other_id=of.OTHER_ENTITY), **_REASON},
    ),
    "split_entity": Verb(call=lambda world: world.entities.split, arguments=_needed(entity=of.ENTITY, merge=of.MERGE)),
    "relate": Verb(
        call=lambda world: world.entities.relate,
        arguments={
            **_needed(subject=of.SPEC, predicate=of.LINE, object=of.SPEC),
            **_optional(
                weight=of.UNIT, valid_from=of.TIME, valid_to=of.TIME, statement_id=of.ID, create_missing=of.FLAGS
            ),
        },
    ),
    "unrelate": Verb(
        call=lambda world: world.entities.unrelate, arguments={**_needed(relation_id=of.RELATION), **_REASON}
    ),
}


async def _time_passes(world: World, days: int) -> None:
    world.clock.advance(timedelta(days=days))
    await world.memory.expire_due()


# What happens to a memory beside the verbs, so that what they leave behind is used, expires and is fused.
REST: Mapping[str, Verb] = {
    "time passes": Verb(
        call=lambda world: lambda days: _time_passes(world, days),
        arguments=_needed(days=st.integers(0, 20)),
        wild=False,
    ),
    "recall": Verb(
        call=lambda world: world.memory.recall,
        arguments={**_needed(query=of.TEXT), **_optional(as_of_valid=of.TIME, as_of_recorded=of.TIME)},
    ),
    "forget": Verb(call=lambda world: lambda: world.engine.forgetting.run(world.end_user_id), arguments={}, wild=False),
}
