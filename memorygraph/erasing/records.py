"""What an erasure answers."""

from __future__ import annotations

from dataclasses import dataclass

from memorygraph.records import Record

__all__ = ["Erased"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased(Record):
    """What an erasure removed, or would remove: ids, sorted."""

    id: str | None  # of the erasure in the log; None for a dry run
    statements: tuple[str, ...]  # live and forgotten ones
    summaries: tuple[str, ...]  # made anew from what was left, or removed where nothing was
    entities: tuple[str, ...]
    episodes: tuple[str, ...]  # removed
    blanked: tuple[str, ...]  # episodes of which a part was
