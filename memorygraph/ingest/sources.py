"""What was read: turns of sessions, or a document."""

from __future__ import annotations

from dataclasses import dataclass

from memorygraph.ingest.markdown import Section

__all__ = ["DocumentSource", "Session", "Source", "Turn", "TurnsSource"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said, word for word."""

    text: str  # has a visible character, and no control characters but tabs and line breaks
    position: int  # in its session, from 0 and without gaps
    role: str | None = None  # user or assistant, where the format tells
    speaker: str | None = None  # by name
    occurred_at: int | None = None  # epoch ms; None: not told, other than by the session
    context: str | None = None  # what goes with it, e.g. a description of a photo


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Turns that belong together, in order; at least one."""

    turns: tuple[Turn, ...]
    session_id: str | None = None  # None: not named; different sessions of one source have different names
    occurred_at: int | None = None  # epoch ms


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsSource:
    """A conversation, in at least one session."""

    sessions: tuple[Session, ...]
    left_out: int  # messages and parts of messages that nobody said: system messages, tool calls, images


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSource:
    """A text with its sections, which leave no gap."""

    title: str | None
    text: str  # as it came, without a byte-order mark
    sections: tuple[Section, ...]


Source = TurnsSource | DocumentSource
