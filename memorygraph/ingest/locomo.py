"""Conversations in the format of LoCoMo, read strictly.

The format (Maharana et al. 2024): ``conversation`` holds ``session_1``, ``session_2``, … as lists of
turns with ``speaker``, ``dia_id`` and ``text``, each with its ``session_N_date_time`` such as
"1:56 pm on 8 May, 2023"; ``qa`` lists questions with ``answer`` and ``evidence``, which names turns.
A file holds one conversation or a list of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memorygraph.errors import InvalidInput
from memorygraph.validation import MAX_TEXT, check_line, check_text

__all__ = ["Conversation", "Question", "Turn", "parse", "parse_date_time"]

_SESSION = re.compile(r"session_([1-9][0-9]{0,5})")
# Published files also write "D8:6; D9:17" in one string and "D:11:26".
_EVIDENCE = re.compile(r"D:?([0-9]{1,6}):([0-9]{1,6})")
_DATE_TIME = re.compile(
    r"([0-9]{1,2}):([0-9]{2}) *([ap])m on ([0-9]{1,2}) ([a-z]+),? ([0-9]{4})", re.IGNORECASE | re.ASCII
)
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said."""

    id: str
    """Name of the turn in the file, for example ``D3:11``."""
    session: int
    position: int
    """Place in its session, from 0."""
    speaker: str
    text: str
    photo: str | None
    """What is on the photo that was shared with it."""
    said_at: datetime
    """Start of its session, UTC: the format gives no finer time and no zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about the conversation. ``evidence`` are ids of turns, all of them present."""

    text: str
    answer: str | None
    """None where the conversation does not answer it."""
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What was said, in order, and what can be asked about it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    @property
    def speakers(self) -> tuple[str, ...]:
        """Everybody who speaks, in order of appearance."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns))


def parse(content: Any, *, where: str) -> Conversation:
    """The conversation in decoded JSON; ``where`` names the place in messages.

    Raises :class:`InvalidInput` when ``content`` is not in the format.
    """
    if not isinstance(content, Mapping) or not isinstance(content.get("conversation"), Mapping):
        raise _malformed(where, 'there is no object "conversation"')
    sessions = content["conversation"]
    turns: dict[str, Turn] = {}
    for number, key in sorted((int(m[1]), key) for key in sessions if (m := _SESSION.fullmatch(key))):
        for turn in _session(sessions, key, number, where):
            if turn.id in turns:
                raise _malformed(where, f'"dia_id" {turn.id[:60]!r} occurs twice')
            turns[turn.id] = turn
    if not turns:
        raise _malformed(where, "no session has a turn")
    questions = content.get("qa", [])
    if not isinstance(questions, list):
        raise _malformed(where, '"qa" is not a list')
    return Conversation(
        name=_line(content, "sample_id", where) if content.get("sample_id") else "conversation",
        turns=tuple(turns.values()),
        questions=tuple(_question(q, turns, f"{where}, question {n}") for n, q in enumerate(questions, 1)),
    )


def parse_date_time(text: str) -> datetime:
    """The time of a text such as "1:56 pm on 8 May, 2023", taken as UTC. Raises ``ValueError``."""
    match = _DATE_TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text[:60]!r} is not of the form '1:56 pm on 8 May, 2023'")
    hour, minute, half, day, month, year = match.groups()
    if not 1 <= int(hour) <= 12:
        raise ValueError(f"{text[:60]!r} has no hour from 1 to 12")
    if month.lower() not in _MONTHS:
        raise ValueError(f"{month[:60]!r} is not a month")
    hours = int(hour) % 12 + (12 if half.lower() == "p" else 0)
    return datetime(int(year), _MONTHS.index(month.lower()) + 1, int(day), hours, int(minute), tzinfo=UTC)


def _malformed(where: str, why: str) -> InvalidInput:
    return InvalidInput(f"{where} is not a conversation in LoCoMo's format: {why}.", field="file")


def _session(sessions: Mapping[str, Any], key: str, number: int, where: str) -> list[Turn]:
    said = sessions[key]
    if not isinstance(said, list):
        raise _malformed(where, f'"{key}" is not a list')
    if not said:
        return []
    when = sessions.get(f"{key}_date_time")
    if not isinstance(when, str):
        raise _malformed(where, f'"{key}_date_time" is missing')
    try:
        said_at = parse_date_time(when)
    except ValueError as error:
        raise _malformed(where, f'"{key}_date_time": {error}') from None
    return [
        _turn(turn, number, position, said_at, f"{where}, {key}, turn {position + 1}")
        for position, turn in enumerate(said)
    ]


def _turn(turn: Any, session: int, position: int, said_at: datetime, where: str) -> Turn:
    if not isinstance(turn, Mapping):
        raise _malformed(where, "it is not an object")
    return Turn(
        id=_line(turn, "dia_id", where),
        session=session,
        position=position,
        speaker=_line(turn, "speaker", where),
        text=_text(turn, "text", where),
        photo=_text(turn, "blip_caption", where) if turn.get("blip_caption") else None,
        said_at=said_at,
    )


def _text(of: Mapping[str, Any], key: str, where: str) -> str:
    try:
        return check_text(of.get(key), field=f'"{key}"', longest=MAX_TEXT)
    except InvalidInput as error:
        raise _malformed(where, error.message.removesuffix(".")) from None


def _line(of: Mapping[str, Any], key: str, where: str) -> str:
    try:
        return check_line(of.get(key), field=f'"{key}"')
    except InvalidInput as error:
        raise _malformed(where, error.message.removesuffix(".")) from None


def _question(item: Any, turns: Mapping[str, Turn], where: str) -> Question:
    if not isinstance(item, Mapping):
        raise _malformed(where, "it is not an object")
    evidence = item.get("evidence", [])
    if not isinstance(evidence, list):
        raise _malformed(where, '"evidence" is not a list')
    named = (f"D{int(s)}:{int(t)}" for e in evidence if isinstance(e, str) for s, t in _EVIDENCE.findall(e))
    exact = (e for e in evidence if isinstance(e, str))
    answer = item.get("answer")
    if isinstance(answer, str):
        answer = _text(item, "answer", where)
    elif answer is not None and not isinstance(answer, int | float):
        raise _malformed(where, '"answer" is neither a text nor a number')
    return Question(
        text=_text(item, "question", where),
        answer=None if answer is None else str(answer),
        # A name that leads to no turn is dropped: published files have some.
        evidence=tuple(e for e in dict.fromkeys((*exact, *named)) if e in turns),
    )
