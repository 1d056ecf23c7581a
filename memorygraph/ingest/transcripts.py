"""Conversations in JSON: messages in the form of OpenAI's chat interface, and LoCoMo's format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from memorygraph.errors import InvalidInput
from memorygraph.ingest import locomo
from memorygraph.ingest.decoding import check_legible, is_visible
from memorygraph.ingest.sources import Session, Turn, TurnsSource
from memorygraph.times import from_ms, to_ms
from memorygraph.validation import MAX_CONTEXT, check_line

__all__ = ["is_locomo", "is_messages", "read_locomo", "read_messages"]

_SAID_BY = ("user", "assistant")
_NOT_SAID = ("system", "developer", "tool", "function")
_TEXT_PARTS = ("text", "input_text", "output_text")
_INSTEAD_OF_TEXT = ("tool_calls", "function_call", "refusal", "audio")
_TIMES = ("created", "created_at", "timestamp")
_NAMES = ("session_id", "conversation_id", "id")
_FIRST_MS = 10**11  # a number from here on counts milliseconds since 1970 (it is 1973), a smaller one seconds


def is_messages(content: Any) -> bool:
    """Whether decoded JSON looks like messages: a message, a conversation, or a list of either."""
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, Mapping) and ("messages" in first or {"role", "content"} <= first.keys())


def is_locomo(content: Any) -> bool:
    """Whether decoded JSON looks like LoCoMo's format."""
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, Mapping) and isinstance(first.get("conversation"), Mapping)


def read_messages(content: Any, *, lines: Sequence[int] | None = None) -> TurnsSource:
    """The turns in decoded JSON: one list of messages, or conversations with ``messages`` each, or one of either.

    What users and assistants say in text is a turn, blank text excepted. System and tool messages, tool calls, images
    and other parts are left out and counted. ``name`` is the speaker; ``created``, ``created_at`` or ``timestamp`` the
    time, as a number of seconds or milliseconds or as ISO 8601 with an offset. ``lines`` are the numbers of the lines
    that the items of ``content`` come from. Raises :class:`InvalidInput` (field ``data``), which names the place.
    """
    items = content if isinstance(content, list) else [content]
    nested = [isinstance(item, Mapping) and "messages" in item for item in items]
    places = [f"Line {line}" for line in lines] if lines is not None else None
    if any(nested):
        places = places or [f"Conversation {number}" for number in range(1, len(items) + 1)]
        sessions = [_conversation(item, place) for item, place in zip(items, places, strict=True)]
    else:
        places = places or [f"Message {number}" for number in range(1, len(items) + 1)]
        sessions = [_session(items, places, {}, "The transcript")]
    return _source([session for session, _ in sessions if session], sum(left_out for _, left_out in sessions))


def read_locomo(content: Any) -> TurnsSource:
    """The turns of the conversations in decoded JSON in LoCoMo's format; sessions bear conversation and number as name.

    Raises :class:`InvalidInput` (field ``data``), which names the place.
    """
    sessions: list[Session] = []
    items = content if isinstance(content, list) else [content]
    for number, item in enumerate(items, 1):
        try:
            conversation = locomo.parse(item, where=f"Conversation {number}")
        except InvalidInput as error:
            raise InvalidInput(error.message, field="data") from None
        # Published files name their conversations; of those that do not, the number tells which it is.
        name = conversation.name if isinstance(item, Mapping) and item.get("sample_id") else f"conversation_{number}"
        for session, turns in groupby(conversation.turns, key=lambda turn: turn.session):
            said = list(turns)
            sessions.append(
                Session(
                    session_id=f"{name}/session_{session}"[-200:],
                    occurred_at=to_ms(said[0].said_at, field="data"),
                    turns=tuple(_locomo_turn(turn) for turn in said),
                )
            )
    return _source(sessions, 0)


def _locomo_turn(turn: locomo.Turn) -> Turn:
    return Turn(
        text=turn.text,
        position=turn.position,
        speaker=turn.speaker,
        context=f"Shared a photo: {turn.photo}"[:MAX_CONTEXT] if turn.photo else None,
    )


def _source(sessions: Sequence[Session], left_out: int) -> TurnsSource:
    if not sessions:
        raise _refused("The transcript", "has nothing that a user or an assistant said")
    named = [session.session_id for session in sessions if session.session_id is not None]
    if len(set(named)) < len(named):
        twice = next(name for number, name in enumerate(named) if name in named[:number])
        raise _refused("The transcript", f"has two conversations with the name {twice[:60]!r}")
    return TurnsSource(sessions=tuple(sessions), left_out=left_out)


def _conversation(item: Any, where: str) -> tuple[Session | None, int]:
    if not isinstance(item, Mapping) or not isinstance(item.get("messages"), list):
        raise _refused(where, 'has no list "messages", as others have')
    messages = item["messages"]
    return _session(messages, [f"{where}, message {n}" for n in range(1, len(messages) + 1)], item, where)


def _session(
    messages: Sequence[Any], places: Sequence[str], about: Mapping[str, Any], where: str
) -> tuple[Session | None, int]:
    """The session of ``messages``, None when nothing was said in it, and how much was left out."""
    turns: list[Turn] = []
    left_out = 0
    for message, place in zip(messages, places, strict=True):
        turn, others = _turn(message, place)
        left_out += others
        if turn is not None:
            turns.append(replace(turn, position=len(turns)))
    if not turns:
        return None, left_out
    name = next((about[key] for key in _NAMES if about.get(key)), None)
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)[:200]
    at = _time(about, where)
    session = Session(
        session_id=None if name is None else _line(name, f"{where}, the conversation's name"),
        occurred_at=at if at is not None else turns[0].occurred_at,
        turns=tuple(turns),
    )
    return session, left_out


def _turn(message: Any, where: str) -> tuple[Turn | None, int]:
    if not isinstance(message, Mapping):
        raise _refused(where, "is not an object")
    role = message.get("role")
    if role in _NOT_SAID:
        return None, 1
    if role not in _SAID_BY:
        known = ", ".join((*_SAID_BY, *_NOT_SAID))
        raise _refused(where, f'has no "role" that is known: it has to be one of {known}')
    text, left_out = _content(message, where)
    if text is None or not is_visible(check_legible(text, where=f"{where}, content")):
        return None, max(left_out, 1)
    name = message.get("name")
    return (
        Turn(
            text=text,
            position=0,
            role=role,
            speaker=None if name in (None, "") else _line(name, f"{where}, name"),
            occurred_at=_time(message, where),
        ),
        left_out,
    )


def _content(message: Mapping[str, Any], where: str) -> tuple[str | None, int]:
    """The text of a message, None without any, and how many parts of it are something else."""
    others = sum(1 for key in _INSTEAD_OF_TEXT if message.get(key))
    content = message.get("content")
    if isinstance(content, str):
        return content, others
    if content is None and others:
        return None, others
    if not isinstance(content, list):
        raise _refused(where, 'has no "content" that is a text or a list of parts')
    texts: list[str] = []
    for number, part in enumerate(content, 1):
        if isinstance(part, Mapping) and part.get("type") not in _TEXT_PARTS:
            others += 1
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            raise _refused(where, f'has in part {number} of "content" no text')
    return "\n".join(texts) if texts else None, others


def _time(of: Mapping[str, Any], where: str) -> int | None:
    key = next((key for key in _TIMES if of.get(key) is not None), None)
    if key is None:
        return None
    value = of[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            at = round(value if abs(value) >= _FIRST_MS else value * 1000)
            from_ms(at)
        except (OverflowError, ValueError):  # 1e999 is infinite
            raise _refused(where, f'has a "{key}" outside the years 1 to 9999') from None
        return at
    if not isinstance(value, str):
        raise _refused(where, f'has a "{key}" that is no time')
    try:
        return to_ms(value, field=f"{where}, {key}")
    except InvalidInput as error:
        raise type(error)(error.message, field="data", hint=error.hint) from None


def _line(value: Any, what: str) -> str:
    try:
        return check_line(value, field=what)
    except InvalidInput as error:
        raise InvalidInput(error.message, field="data", hint=error.hint) from None


def _refused(where: str, why: str) -> InvalidInput:
    return InvalidInput(f"{where} {why}.", field="data")
