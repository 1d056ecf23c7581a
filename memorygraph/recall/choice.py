"""Which memories a caller asks about, checked: the filters of recall and of listing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memorygraph.recall.index import Filters
from memorygraph.times import to_ms
from memorygraph.validation import (
    KINDS,
    MAX_LABEL,
    MAX_LABELS,
    check_choices,
    check_line,
    check_lines,
    check_unit,
)

__all__ = ["INCLUDABLE", "Choice"]

INCLUDABLE = ("candidate", "superseded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Checked filters. ``None`` and empty leave everything in; times are epoch ms."""

    kinds: frozenset[str] | None
    tags: tuple[str, ...]
    project: str | None
    session_id: str | None
    min_confidence: float
    include: tuple[str, ...]
    as_of_valid: int | None
    as_of_recorded: int | None

    @classmethod
    def checked(
        cls,
        *,
        kinds: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        session_id: str | None = None,
        min_confidence: float = 0.0,
        include: Sequence[str] = (),
        as_of_valid: datetime | str | None = None,
        as_of_recorded: datetime | str | None = None,
    ) -> Choice:
        """The choice, or :class:`InvalidInput` naming the first argument that cannot be taken."""
        return cls(
            kinds=None if kinds is None else frozenset(check_choices(kinds, field="kinds", choices=KINDS)),
            tags=() if tags is None else check_lines(tags, field="tags", longest=MAX_LABEL, most=MAX_LABELS),
            project=None if project is None else check_line(project, field="project"),
            session_id=None if session_id is None else check_line(session_id, field="session_id"),
            min_confidence=check_unit(min_confidence, field="min_confidence"),
            include=check_choices(include, field="include", choices=INCLUDABLE),
            as_of_valid=None if as_of_valid is None else to_ms(as_of_valid, field="as_of_valid"),
            as_of_recorded=None if as_of_recorded is None else to_ms(as_of_recorded, field="as_of_recorded"),
        )

    def filters(self, *, now: int) -> Filters:
        """The filters of the recall index at ``now`` (epoch ms)."""
        return Filters(
            now=now,
            kinds=self.kinds,
            tags=self.tags,
            project=self.project,
            session_id=self.session_id,
            statuses=("active", "superseded") if "superseded" in self.include else ("active",),
            trusts=("accepted", "candidate") if "candidate" in self.include else ("accepted",),
            as_of_valid=self.as_of_valid,
            as_of_recorded=self.as_of_recorded,
            min_confidence=self.min_confidence,
        )
