"""Which memories a caller asks about, checked: the filters of recall and of listing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memorygraph.confidence import effective_confidence_of
from memorygraph.past.truth import is_true
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

_BEFORE_ALL = -(2**62)  # nothing has expired by then


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

    @property
    def statuses(self) -> tuple[str, ...]:
        return ("active", "superseded") if "superseded" in self.include else ("active",)

    @property
    def trusts(self) -> tuple[str, ...]:
        return ("accepted", "candidate") if "candidate" in self.include else ("accepted",)

    @property
    def may_be_retired(self) -> bool:
        """Whether what is asked for may have been retired by then: it was true before something took its place."""
        return self.as_of_valid is not None or "superseded" in self.include

    def filters(self, *, now: int) -> Filters:
        """The filters of the recall index at ``now`` (epoch ms).

        As of a recorded time they leave in all that may be chosen: a memory may have been of another
        kind, project or trust then, which :meth:`held` decides once it is known how it was.
        """
        if self.as_of_recorded is not None:
            return Filters(
                now=_BEFORE_ALL,
                statuses=("active", "superseded") if self.may_be_retired else ("active",),
                trusts=("accepted", "candidate", "rejected"),
                session_id=self.session_id,
                as_of_recorded=self.as_of_recorded,
            )
        return Filters(
            now=now,
            kinds=self.kinds,
            tags=self.tags,
            project=self.project,
            session_id=self.session_id,
            statuses=self.statuses,
            trusts=self.trusts,
            as_of_valid=self.as_of_valid,
            min_confidence=self.min_confidence,
        )

    def held(self, memory: Mapping[str, Any], *, now: int) -> bool:
        """Whether ``memory``, properties as they were at ``as_of_recorded``, is chosen; asked at ``now`` (epoch ms).

        Its effective confidence is that of now, of the sources known then.
        """
        known_at = now if self.as_of_recorded is None else min(self.as_of_recorded, now)
        statuses = self.statuses if self.as_of_valid is None else ("active", "superseded")
        return (
            memory["status"] in statuses
            and memory["trust"] in self.trusts
            and (memory.get("expires_at") is None or memory["expires_at"] > known_at)
            and (self.as_of_valid is None or is_true(memory, self.as_of_valid))
            and (self.kinds is None or memory["kind"] in self.kinds)
            and (self.project is None or memory.get("project") == self.project)
            and (self.session_id is None or memory.get("session_id") == self.session_id)
            and set(self.tags) <= set(memory.get("tags") or ())
            and self._confident(memory, now)
        )

    def _confident(self, memory: Mapping[str, Any], now: int) -> bool:
        effective = effective_confidence_of(memory, now)
        return effective is None or effective >= self.min_confidence
