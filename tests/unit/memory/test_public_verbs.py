"""Nothing of a memory is within a caller's reach but what is meant to be, and is tried with any input."""

from __future__ import annotations

import pytest

from memorygraph import Memory
from memorygraph.entities.entities import Entities
from memorygraph.memory.jobs import Jobs
from memorygraph.memory.reviewing import Review
from memorygraph.sync import SyncEntities, SyncJobs, SyncMemory, SyncReview
from tests.fuzz.verbs import REST, VERBS
from tests.support.public_verbs import public

# What reads, and what takes no argument.
NOT_FUZZED: dict[type, set[str]] = {
    Memory: {"curve", "events", "expire_due", "get", "history", "lineage", "list", "relatives", "verify_events"},
    Entities: {"get", "list", "relation_history", "relations", "suggestions"},
    Review: {"queue", "tombstones"},
    Jobs: {"get", "list", "wait"},
}


@pytest.mark.parametrize(
    ("cls", "waiting"), [(Memory, SyncMemory), (Entities, SyncEntities), (Review, SyncReview), (Jobs, SyncJobs)]
)
def test_every_public_verb_is_there_with_and_without_an_event_loop_and_those_that_write_are_fuzzed(
    cls: type, waiting: type
) -> None:
    assert public(cls) == public(waiting)
    assert NOT_FUZZED[cls] <= public(cls)
    assert public(cls) - NOT_FUZZED[cls] <= tried()


def tried() -> set[str]:
    """The names of the verbs that the fuzz calls."""
    return {
        verb.call.__code__.co_names[-1] for verb in (*VERBS.values(), *REST.values()) if verb.call.__code__.co_names
    }
