"""A value said again: what it changes of the statement that says it already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memorygraph.access.state import ParametersInForce, access_properties, history_of, standing_of
from memorygraph.writing.items import Item

__all__ = ["Confirmation", "confirmation"]

_MOST_SOURCE_KEYS = 64  # said by more sources than this, the newest are told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """Properties of the statement."""

    before: dict[str, Any]  # for the event
    after: dict[str, Any]
    changed: dict[str, Any]  # all that is stored anew


def confirmation(
    item: Item, live: dict[str, Any], *, parameters: ParametersInForce, review_sources: int, now: int
) -> Confirmation:
    """What ``item`` changes of ``live``, the properties of the statement that has its value; ``now`` is epoch ms.

    It counts as said once more, by one more source only when source, agent or session is new, and as
    used. A candidate becomes accepted when somebody says it by himself, or when ``review_sources``
    independent sources (0: never) derived it.
    """
    values = parameters.values
    history = history_of(live).record(now, limit=values.history_limit, debounce=values.debounce_seconds)
    new_source = item.source_key not in live["source_keys"]
    after: dict[str, Any] = {
        "assertion_count": live["assertion_count"] + 1,
        "source_count": live["source_count"] + new_source,
    }
    before = {name: live[name] for name in after}
    enough = 0 < review_sources <= after["source_count"]
    if live["trust"] == "candidate" and (item.trust == "accepted" or enough):
        before |= {"trust": "candidate"}
        after |= {"trust": "accepted", "review_since": live["review_since"] if live.get("open_questions") else None}
        if item.trust != "accepted":
            after |= {"reviewed_by": "rule:review_sources", "reviewed_at": now}
    source_keys = (live["source_keys"] + [item.source_key] * new_source)[-_MOST_SOURCE_KEYS:]
    standing = standing_of(live | after)
    access = access_properties(history, parameters, importance=live["importance"], standing=standing)
    changed = after | {"source_keys": source_keys, "last_confirmed_at": now} | access
    return Confirmation(before=before, after=after, changed=changed)
