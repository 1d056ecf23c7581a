"""Input at the door: every limit of the data model, checked before anything is touched."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from memorygraph.errors import InvalidEndUserId, InvalidInput
from memorygraph.times import to_ms

__all__ = [
    "KINDS",
    "MAX_TEXT",
    "EntitySpec",
    "Kind",
    "RememberRequest",
    "check_choice",
    "check_choices",
    "check_count",
    "check_end_user_id",
    "check_identifier",
    "check_line",
    "check_lines",
    "check_text",
    "check_unit",
    "entity_spec",
]

Kind = Literal[
    "turn",
    "fact",
    "preference",
    "decision",
    "constraint",
    "event",
    "procedure",
    "observation",
    "identity",
    "checkpoint",
]
KINDS: tuple[str, ...] = get_args(Kind)

MAX_TEXT = 2000  # characters of a statement or a query
MAX_TITLE = 200
MAX_CONTEXT = 500
MAX_NAME = 200  # of entities, speakers, sessions, projects, sources, agents, keys
MAX_LABEL = 100  # of one tag or keyword
MAX_LABELS = 10
MAX_ENTITIES = 50
MAX_END_USER_ID = 200
MAX_POSITION = 2**53 - 1
UNKNOWN_ENTITY_KIND = "unknown"

_END_USER_ID = re.compile(r"[\w.@:+|/=~#-]+")


def check_end_user_id(end_user_id: object) -> str:
    """``end_user_id`` when it is one: 1–200 letters, digits or ``. @ : + | / = ~ # - _``; no spaces or quotes.

    Raises :class:`InvalidEndUserId`.
    """
    hint = f"Use 1 to {MAX_END_USER_ID} letters, digits or . @ : + | / = ~ # - _"
    if not isinstance(end_user_id, str) or not end_user_id:
        raise InvalidEndUserId("end_user_id is empty or not text.", field="end_user_id", hint=hint)
    if len(end_user_id) > MAX_END_USER_ID:
        raise InvalidEndUserId(f"end_user_id has {len(end_user_id)} characters.", field="end_user_id", hint=hint)
    if not _END_USER_ID.fullmatch(end_user_id):
        raise InvalidEndUserId("end_user_id has characters that are not allowed.", field="end_user_id", hint=hint)
    return end_user_id


def check_text(value: object, *, field: str, longest: int) -> str:
    """Text of 1 to ``longest`` characters, not blank, without lone surrogates or control characters.

    Line breaks and tabs are allowed. Raises :class:`InvalidInput`.
    """
    return _checked(value, field=field, longest=longest, allowed="\n\r\t")


def check_line(value: object, *, field: str, longest: int = MAX_NAME) -> str:
    """Like :func:`check_text`, on one line."""
    return _checked(value, field=field, longest=longest, allowed="")


def _checked(value: object, *, field: str, longest: int, allowed: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{field} is not text but {type(value).__name__}.", field=field)
    if not value:
        raise InvalidInput(f"{field} is empty.", field=field)
    if len(value) > longest:
        raise InvalidInput(
            f"{field} has {len(value)} characters, at most {longest} are allowed.", field=field, hint="Shorten it."
        )
    visible = False
    for character in value:
        category = unicodedata.category(character)
        visible = visible or category[0] not in "ZC"  # separators, and control and format characters
        if category == "Cs":
            raise InvalidInput(f"{field} has a lone surrogate and is no valid Unicode text.", field=field)
        if category == "Cc" and character not in allowed:
            raise InvalidInput(f"{field} has the control character U+{ord(character):04X}.", field=field)
    if not visible:
        raise InvalidInput(f"{field} is empty: it has no visible character.", field=field)
    return value


def check_lines(values: object, *, field: str, longest: int, most: int) -> tuple[str, ...]:
    """At most ``most`` different lines of at most ``longest`` characters, in the order given."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidInput(f"{field} is not a list of texts.", field=field)
    if len(values) > most:
        raise InvalidInput(f"{field} has {len(values)} items, at most {most} are allowed.", field=field)
    return tuple(dict.fromkeys(check_line(value, field=field, longest=longest) for value in values))


def check_unit(value: object, *, field: str) -> float:
    """A finite number from 0 to 1. Raises :class:`InvalidInput`."""
    # NaN compares false too; a whole number too large for a float has to be compared before it is converted.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"{field} is {_shown(value)}; it has to be a number from 0 to 1.", field=field)
    return float(value)


def check_count(value: object, *, field: str, least: int, most: int) -> int:
    """A whole number from ``least`` to ``most``. Raises :class:`InvalidInput`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(
            f"{field} is {_shown(value)}; it has to be a whole number from {least} to {most}.", field=field
        )
    return value


def check_choice(value: object, *, field: str, choices: Sequence[str]) -> str:
    """One of ``choices``. Raises :class:`InvalidInput`."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidInput(f"{field} is {_shown(value)}; it has to be one of {', '.join(choices)}.", field=field)
    return value


def check_choices(values: object, *, field: str, choices: Sequence[str]) -> tuple[str, ...]:
    """A list of some of ``choices``. Raises :class:`InvalidInput`."""
    if isinstance(values, str) or not isinstance(values, Collection):
        raise InvalidInput(f"{field} is not a list.", field=field, hint=f"Choose from {', '.join(choices)}.")
    return tuple(check_choice(value, field=field, choices=choices) for value in values)


def _shown(value: object) -> str:
    """``value`` as a message quotes it: a number or the beginning of a text, of anything else its type."""
    if isinstance(value, str):
        return repr(value[:60])
    if value is None or isinstance(value, bool | float):
        return repr(value)
    # Python refuses to write out a whole number of thousands of digits.
    return str(value) if isinstance(value, int) and abs(value) < 10**30 else f"of type {type(value).__name__}"


def check_identifier(value: object, *, field: str = "id") -> str:
    """An id as handed out by memorygraph: one line of at most 200 characters."""
    return check_line(value, field=field)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitySpec:
    """An entity as the caller names it; without a kind it is whichever entity bears the name."""

    name: str
    kind: str | None = None


def entity_spec(value: object) -> EntitySpec:
    """An :class:`EntitySpec` from itself, a name, or a ``(name, kind)`` pair."""
    if isinstance(value, tuple) and len(value) == 2:
        value = EntitySpec(name=value[0], kind=value[1])
    spec = value if isinstance(value, EntitySpec) else EntitySpec(name=check_line(value, field="entities"))
    check_line(spec.name, field="entities")
    if spec.kind is not None:
        check_line(spec.kind, field="entities", longest=MAX_LABEL)
    return spec


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest:
    """A checked request to remember; times are epoch milliseconds."""

    text: str
    speaker: str | None
    session_id: str | None
    position: int | None
    kind: str
    importance: float
    entities: tuple[EntitySpec, ...]
    title: str | None
    context: str | None
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    project: str | None
    occurred_at: int | None
    confidence: float
    source: str | None
    agent: str | None
    idempotency_key: str | None

    @classmethod
    def checked(
        cls,
        *,
        text: str,
        speaker: str | None,
        session_id: str | None,
        position: int | None,
        kind: str,
        importance: float,
        entities: Sequence[EntitySpec | str | tuple[str, str]],
        title: str | None,
        context: str | None,
        keywords: Sequence[str],
        tags: Sequence[str],
        project: str | None,
        occurred_at: datetime | str | None,
        confidence: float | None,
        source: str | None,
        agent: str | None,
        idempotency_key: str | None,
    ) -> RememberRequest:
        """The request, or :class:`InvalidInput` naming the first argument that cannot be taken."""

        def line(value: str | None, field: str, longest: int = MAX_NAME) -> str | None:
            return None if value is None else check_line(value, field=field, longest=longest)

        check_choice(kind, field="kind", choices=KINDS)
        if kind == "turn" and session_id is None:
            raise InvalidInput(
                "A turn belongs to a session, and session_id is missing.",
                field="session_id",
                hint="Name the session, or use another kind for a statement that stands alone.",
            )
        if position is not None and session_id is None:
            raise InvalidInput("position is a place within a session, and session_id is missing.", field="position")
        if isinstance(entities, str) or not isinstance(entities, Sequence):
            raise InvalidInput("entities is not a list.", field="entities")
        if len(entities) > MAX_ENTITIES:
            raise InvalidInput(
                f"entities has {len(entities)} items, at most {MAX_ENTITIES} are allowed.", field="entities"
            )
        return cls(
            text=check_text(text, field="text", longest=MAX_TEXT),
            speaker=line(speaker, "speaker"),
            session_id=line(session_id, "session_id"),
            position=None if position is None else check_count(position, field="position", least=0, most=MAX_POSITION),
            kind=kind,
            importance=check_unit(importance, field="importance"),
            entities=tuple(entity_spec(entity) for entity in entities),
            title=line(title, "title", MAX_TITLE),
            context=None if context is None else check_text(context, field="context", longest=MAX_CONTEXT),
            keywords=check_lines(keywords, field="keywords", longest=MAX_LABEL, most=MAX_LABELS),
            tags=check_lines(tags, field="tags", longest=MAX_LABEL, most=MAX_LABELS),
            project=line(project, "project"),
            occurred_at=None if occurred_at is None else to_ms(occurred_at, field="occurred_at"),
            confidence=1.0 if confidence is None else check_unit(confidence, field="confidence"),
            source=line(source, "source"),
            agent=line(agent, "agent"),
            idempotency_key=line(idempotency_key, "idempotency_key"),
        )
