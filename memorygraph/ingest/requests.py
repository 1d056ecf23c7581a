"""What a caller hands over to be ingested, checked: turns, a document, or a file's content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memorygraph.errors import InvalidInput
from memorygraph.ingest.decoding import check_legible, is_visible
from memorygraph.ingest.formats import MAX_SOURCE_BYTES, read_source
from memorygraph.ingest.sources import DocumentSource, Session, Source, Turn, TurnsSource
from memorygraph.text.local_calendar import LocalCalendar
from memorygraph.times import to_ms
from memorygraph.validation import (
    MAX_LABEL,
    MAX_LABELS,
    MAX_POSITION,
    MAX_TITLE,
    check_count,
    check_line,
    check_lines,
    shown,
)

__all__ = ["MAX_TURNS", "IngestRequest"]

MAX_TURNS = 20_000  # of one call
# Of the keys in one group a turn has one: they mean the same.
_TURN_KEYS = (("text", "content"), ("speaker", "name"), ("role",), ("occurred_at",), ("position",))


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """A checked request; times are epoch ms."""

    source: Source
    numbered: bool  # whether the positions of turns are the caller's
    session_id: str | None
    occurred_at: int | None
    zone: str
    project: str | None
    origin: str | None  # what the caller calls the source
    agent: str | None
    tags: tuple[str, ...]
    idempotency_key: str | None

    @classmethod
    def checked(
        cls,
        *,
        turns: Sequence[Mapping[str, Any] | str] | None,
        document: str | None,
        data: bytes | str | None,
        title: str | None,
        name: str | None,
        format: str | None,
        session_id: str | None,
        occurred_at: datetime | str | None,
        zone: str,
        project: str | None,
        source: str | None,
        agent: str | None,
        tags: Sequence[str],
        idempotency_key: str | None,
    ) -> IngestRequest:
        """The request, or :class:`InvalidInput` naming the first argument that cannot be taken."""
        given = [
            field for field, value in (("turns", turns), ("document", document), ("data", data)) if value is not None
        ]
        if len(given) != 1:
            raise InvalidInput(
                "Exactly one of turns, document and data is ingested at a time.",
                field=given[1] if given else "turns",
                hint="Give turns, or the text of a document, or the content of a file.",
            )
        if turns is None and (name is not None or format is not None) and data is None:
            raise InvalidInput("name and format are about data.", field="name" if name is not None else "format")
        numbered = False
        read: Source
        if turns is not None:
            read, numbered = _turns(turns)
        elif document is not None:
            if not isinstance(document, str):
                raise InvalidInput(f"document is not text but {type(document).__name__}.", field="document")
            with _about("document"):
                read = read_source(document, name=None, format="markdown")
        else:
            assert data is not None
            read = read_source(data, name=name, format=format)
            # A file tells all of a conversation that it names: places in the one are places in the other.
            numbered = isinstance(read, TurnsSource) and any(session.session_id for session in read.sessions)
        if isinstance(read, TurnsSource):
            count = sum(len(session.turns) for session in read.sessions)
            _check_turns(count, field="turns" if data is None else "data")
        if title is not None:
            check_line(title, field="title", longest=MAX_TITLE)
            if not isinstance(read, DocumentSource):
                raise InvalidInput("Turns have no title.", field="title")
            read = replace(read, title=title)
        at = None if occurred_at is None else to_ms(occurred_at, field="occurred_at")
        _check_days(zone, read, at)
        return cls(
            source=read,
            numbered=numbered,
            session_id=_line(session_id, "session_id"),
            occurred_at=at,
            zone=zone,
            project=_line(project, "project"),
            origin=_line(source, "source"),
            agent=_line(agent, "agent"),
            tags=check_lines(tags, field="tags", longest=MAX_LABEL, most=MAX_LABELS),
            idempotency_key=_line(idempotency_key, "idempotency_key"),
        )


def _line(value: str | None, field: str) -> str | None:
    return None if value is None else check_line(value, field=field)


@contextmanager
def _about(field: str) -> Iterator[None]:
    """Have what is refused within name ``field``: whoever reads texts calls them by another name."""
    try:
        yield
    except InvalidInput as error:
        raise type(error)(error.message, field=field, hint=error.hint) from None


def _check_turns(count: int, *, field: str) -> None:
    if count > MAX_TURNS:
        raise InvalidInput(
            f"{field} has {count:,} turns, at most {MAX_TURNS:,} are allowed.",
            field=field,
            hint="Send them in several calls.",
        )


def _check_days(zone: str, source: Source, at: int | None) -> None:
    """Refuse what is no time zone, and times at which its calendar knows no day, as "yesterday" then means nothing."""
    calendar = LocalCalendar(zone)
    told = {at}
    if isinstance(source, TurnsSource):
        for session in source.sessions:
            told |= {session.occurred_at, *(turn.occurred_at for turn in session.turns)}
    for instant in (instant for instant in told if instant is not None):
        try:
            calendar.local(instant)
        except OverflowError:
            raise InvalidInput(
                f"occurred_at lies outside the years 1 to 9999 of {zone}.", field="occurred_at"
            ) from None


def _turns(turns: object) -> tuple[TurnsSource, bool]:
    if isinstance(turns, str | Mapping | bytes) or not isinstance(turns, Sequence):
        raise InvalidInput("turns is not a list.", field="turns")
    if not turns:
        raise InvalidInput("turns is empty.", field="turns")
    _check_turns(len(turns), field="turns")
    read: list[tuple[Turn, bool]] = []
    size = 0
    with _about("turns"):
        for number, told in enumerate(turns):
            turn, has_position = _turn(told, f"turns[{number}]")
            read.append((turn, has_position))
            size += len(turn.text.encode())
            if size > MAX_SOURCE_BYTES:
                raise InvalidInput(
                    f"turns have more than {MAX_SOURCE_BYTES:,} bytes.", hint="Send them in several calls."
                )
    numbered = [has_position for _, has_position in read]
    if any(numbered) and not all(numbered):
        raise InvalidInput("Some turns have a position and others have none.", field="turns")
    if not any(numbered):
        said = tuple(replace(turn, position=number) for number, (turn, _) in enumerate(read))
    elif len({turn.position for turn, _ in read}) < len(read):
        raise InvalidInput("Two turns have the same position.", field="turns")
    else:
        said = tuple(sorted((turn for turn, _ in read), key=lambda turn: turn.position))
    return TurnsSource(sessions=(Session(turns=said),), left_out=0), all(numbered)


def _turn(value: object, where: str) -> tuple[Turn, bool]:
    told: Mapping[str, Any] = {"text": value} if isinstance(value, str) else value if isinstance(value, Mapping) else {}
    if not told:
        raise InvalidInput(f"{where} is neither a text nor a mapping with one.")
    known = [key for keys in _TURN_KEYS for key in keys]
    if unknown := [key for key in told if key not in known]:
        raise InvalidInput(f"{where} has the unknown key {shown(unknown[0])}.", hint=f"Known: {', '.join(known)}.")
    text, speaker, role, at, position = (_only(told, keys, where) for keys in _TURN_KEYS)
    if not isinstance(text, str):
        raise InvalidInput(f"{where} has no text.")
    if len(text) > MAX_SOURCE_BYTES:
        raise InvalidInput(f"{where} has {len(text):,} characters, which is too many.")
    check_legible(text, where=where)
    if not is_visible(text):
        raise InvalidInput(f"{where} is empty: it has no visible character.")
    return (
        Turn(
            text=text,
            position=0
            if position is None
            else check_count(position, field=f"position of {where}", least=0, most=MAX_POSITION),
            speaker=None if speaker is None else check_line(speaker, field=f"speaker of {where}"),
            role=None if role is None else check_line(role, field=f"role of {where}", longest=MAX_LABEL),
            occurred_at=None if at is None else to_ms(at, field=f"occurred_at of {where}"),
        ),
        position is not None,
    )


def _only(told: Mapping[str, Any], keys: Sequence[str], where: str) -> Any:
    """What stands under one of ``keys``, None when nothing does."""
    given = [told[key] for key in keys if told.get(key) is not None]
    if len(given) > 1:
        raise InvalidInput(f"{where} has both {keys[0]} and {keys[1]}, which mean the same.")
    return given[0] if given else None
