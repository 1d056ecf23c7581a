"""Input at the door: every limit of the data model, checked before anything is touched."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from memorygraph.errors import InvalidEndUserId, InvalidInput
from memorygraph.text.normalise import is_invisible
from memorygraph.times import to_ms

__all__ = [
    "KINDS",
    "MAX_TEXT",
    "EntitySpec",
    "Kind",
    "RelationSpec",
    "RememberRequest",
    "check_choice",
    "check_choices",
    "check_count",
    "check_end_user_id",
    "check_entities",
    "check_flag",
    "check_identifier",
    "check_line",
    "check_lines",
    "check_optional_reason",
    "check_period",
    "check_reason",
    "check_relations",
    "check_text",
    "check_unit",
    "entity_spec",
    "shown",
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
MAX_RELATIONS = 50
MAX_VALUE = 500
MAX_REASON = 500
MAX_SUPERSEDED = 50
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
        visible = visible or not is_invisible(character)
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
        raise InvalidInput(f"{field} is {shown(value)}; it has to be a number from 0 to 1.", field=field)
    return float(value)


def check_flag(value: object, *, field: str) -> bool:
    """True or false, and nothing that merely counts as one. Raises :class:`InvalidInput`."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{field} is {shown(value)}; it has to be true or false.", field=field)
    return value


def check_count(value: object, *, field: str, least: int, most: int) -> int:
    """A whole number from ``least`` to ``most``. Raises :class:`InvalidInput`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(
            f"{field} is {shown(value)}; it has to be a whole number from {least} to {most}.", field=field
        )
    return value


def check_choice(value: object, *, field: str, choices: Sequence[str]) -> str:
    """One of ``choices``. Raises :class:`InvalidInput`."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidInput(f"{field} is {shown(value)}; it has to be one of {', '.join(choices)}.", field=field)
    return value


def check_choices(values: object, *, field: str, choices: Sequence[str]) -> tuple[str, ...]:
    """A list of some of ``choices``. Raises :class:`InvalidInput`."""
    if isinstance(values, str) or not isinstance(values, Collection):
        raise InvalidInput(f"{field} is not a list.", field=field, hint=f"Choose from {', '.join(choices)}.")
    return tuple(check_choice(value, field=field, choices=choices) for value in values)


def shown(value: object) -> str:
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


def check_reason(value: object) -> str:
    """Why something is done, in 1 to 500 characters. Raises :class:`InvalidInput`."""
    return check_text(value, field="reason", longest=MAX_REASON)


def check_optional_reason(value: object) -> str | None:
    """As :func:`check_reason`, of what may be done without one."""
    return None if value is None else check_reason(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitySpec:
    """An entity as the caller names it; without a kind it is whichever entity bears the name."""

    name: str
    kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationSpec:
    """A relation as the caller names it: both entities by name, and the predicate in any words."""

    subject: EntitySpec
    predicate: str
    object: EntitySpec


def entity_spec(value: object, *, field: str = "entities") -> EntitySpec:
    """An :class:`EntitySpec` from itself, a name, or a ``(name, kind)`` pair."""
    if isinstance(value, tuple) and len(value) == 2:
        value = EntitySpec(name=value[0], kind=value[1])
    spec = value if isinstance(value, EntitySpec) else EntitySpec(name=check_line(value, field=field))
    check_line(spec.name, field=field)
    if spec.kind is not None:
        check_line(spec.kind, field=field, longest=MAX_LABEL)
    return spec


def check_entities(values: object) -> tuple[EntitySpec, ...]:
    """At most 50 mentions, each as :func:`entity_spec` takes it. Raises :class:`InvalidInput`."""
    return tuple(entity_spec(value) for value in _items(values, field="entities", most=MAX_ENTITIES))


def check_relations(values: object) -> tuple[RelationSpec, ...]:
    """At most 50 relations: :class:`RelationSpec` or ``(subject, predicate, object)``. Raises :class:`InvalidInput`."""
    return tuple(_relation(value) for value in _items(values, field="relations", most=MAX_RELATIONS))


def _relation(value: object) -> RelationSpec:
    if isinstance(value, RelationSpec):
        value = (value.subject, value.predicate, value.object)
    if not isinstance(value, tuple | list) or len(value) != 3:
        raise InvalidInput(
            "relations has an item that is not (subject, predicate, object).",
            field="relations",
            hint='Write ("Ana", "works at", "Acme").',
        )
    subject, predicate, target = value
    return RelationSpec(
        subject=entity_spec(subject, field="relations"),
        predicate=check_line(predicate, field="relations"),
        object=entity_spec(target, field="relations"),
    )


def _items(values: object, *, field: str, most: int) -> Sequence[object]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidInput(f"{field} is not a list.", field=field)
    if len(values) > most:
        raise InvalidInput(f"{field} has {len(values)} items, at most {most} are allowed.", field=field)
    return values


def check_period(valid_from: int | None, valid_to: int | None) -> None:
    """Raise :class:`InvalidInput` when a period (epoch ms) ends before it has begun."""
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        raise InvalidInput("valid_to is not after valid_from.", field="valid_to")


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
    subject: str | None = None
    predicate: str | None = None
    value: str | None = None
    functional: bool | None = None
    relations: tuple[RelationSpec, ...] = ()
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    derived: bool = False
    supersedes: tuple[str, ...] = ()

    @property
    def about(self) -> str | None:
        """Who it is about: the subject, else who said it."""
        return self.subject if self.subject is not None else self.speaker

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
        subject: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        functional: bool | None = None,
        relations: Sequence[RelationSpec | tuple[Any, str, Any]] = (),
        valid_from: datetime | str | None = None,
        valid_to: datetime | str | None = None,
        expires_at: datetime | str | None = None,
        derived: bool = False,
        supersedes: Sequence[str] = (),
    ) -> RememberRequest:
        """The request, or :class:`InvalidInput` naming the first argument that cannot be taken."""

        def line(value: str | None, field: str, longest: int = MAX_NAME) -> str | None:
            return None if value is None else check_line(value, field=field, longest=longest)

        def instant(value: datetime | str | None, field: str) -> int | None:
            return None if value is None else to_ms(value, field=field)

        check_choice(kind, field="kind", choices=KINDS)
        if kind == "turn" and session_id is None:
            raise InvalidInput(
                "A turn belongs to a session, and session_id is missing.",
                field="session_id",
                hint="Name the session, or use another kind for a statement that stands alone.",
            )
        if position is not None and session_id is None:
            raise InvalidInput("position is a place within a session, and session_id is missing.", field="position")
        request = cls(
            text=check_text(text, field="text", longest=MAX_TEXT),
            speaker=line(speaker, "speaker"),
            session_id=line(session_id, "session_id"),
            position=None if position is None else check_count(position, field="position", least=0, most=MAX_POSITION),
            kind=kind,
            importance=check_unit(importance, field="importance"),
            entities=check_entities(entities),
            title=line(title, "title", MAX_TITLE),
            context=None if context is None else check_text(context, field="context", longest=MAX_CONTEXT),
            keywords=check_lines(keywords, field="keywords", longest=MAX_LABEL, most=MAX_LABELS),
            tags=check_lines(tags, field="tags", longest=MAX_LABEL, most=MAX_LABELS),
            project=line(project, "project"),
            occurred_at=instant(occurred_at, "occurred_at"),
            confidence=1.0 if confidence is None else check_unit(confidence, field="confidence"),
            source=line(source, "source"),
            agent=line(agent, "agent"),
            idempotency_key=line(idempotency_key, "idempotency_key"),
            subject=line(subject, "subject"),
            predicate=line(predicate, "predicate"),
            value=line(value, "value", MAX_VALUE),
            functional=None if functional is None else check_flag(functional, field="functional"),
            relations=check_relations(relations),
            valid_from=instant(valid_from, "valid_from"),
            valid_to=instant(valid_to, "valid_to"),
            expires_at=instant(expires_at, "expires_at"),
            derived=check_flag(derived, field="derived"),
            supersedes=check_lines(supersedes, field="supersedes", longest=MAX_NAME, most=MAX_SUPERSEDED),
        )
        request.check_claim()
        return request

    def check_claim(self) -> None:
        """Raise :class:`InvalidInput` when the parts of the claim, or its times, do not go together."""
        if (self.predicate is None) != (self.value is None):
            missing = "value" if self.value is None else "predicate"
            raise InvalidInput(
                f"A claim has both a predicate and a value, and {missing} is missing.",
                field=missing,
                hint="Give both, or neither.",
            )
        if self.predicate is not None and self.about is None:
            raise InvalidInput("A claim is about somebody or something, and subject is missing.", field="subject")
        if self.functional is not None and self.predicate is None:
            raise InvalidInput("functional is about a predicate, and predicate is missing.", field="functional")
        check_period(self.valid_from, self.valid_to)
