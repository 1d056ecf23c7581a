"""Putting into a user's memory what is already in words."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from typing import Any

from memorygraph.errors import EmbedderError, InvalidInput, MemoryGraphError, StoreError
from memorygraph.memory.bound import Bound
from memorygraph.memory.drafting import Draft, PreparedDrafts, prepare_drafts, write_drafts, write_prepared
from memorygraph.records import BatchItem, Written
from memorygraph.validation import EntitySpec, RelationSpec, RememberRequest

__all__ = ["Writing"]

MAX_BATCH = 1000
_AHEAD = 2  # parts that are made ready at a time
_AT_ONCE = 100  # items of one transaction, at most
_AT_LEAST = 20  # where so many are left
_OF_THE_REST = 0.6  # in a part
Progress = Callable[[int, int], None]


class Writing(Bound):
    """The door for what an agent or a person has put in words."""

    async def remember(
        self,
        text: str,
        *,
        speaker: str | None = None,
        session_id: str | None = None,
        position: int | None = None,
        subject: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        functional: bool | None = None,
        project: str | None = None,
        title: str | None = None,
        context: str | None = None,
        keywords: Sequence[str] = (),
        tags: Sequence[str] = (),
        kind: str = "fact",
        importance: float = 0.5,
        entities: Sequence[EntitySpec | str | tuple[str, str]] = (),
        relations: Sequence[RelationSpec | tuple[Any, str, Any]] = (),
        valid_from: datetime | str | None = None,
        valid_to: datetime | str | None = None,
        occurred_at: datetime | str | None = None,
        expires_at: datetime | str | None = None,
        confidence: float | None = None,
        source: str | None = None,
        agent: str | None = None,
        derived: bool = False,
        supersedes: Sequence[str] = (),
        idempotency_key: str | None = None,
    ) -> Written:
        """Remember one statement, retrievable when the call returns.

        ``text`` has 1–2,000 characters, ``title`` 1–200, ``context`` 1–500; of ``keywords`` and ``tags``
        there are at most 10 each; ``importance`` and ``confidence`` are in [0, 1]; ``entities`` are names
        or ``(name, kind)`` pairs, ``relations`` are ``(subject, predicate, object)``, at most 50 of each;
        times are aware datetimes or ISO 8601 with an offset (``occurred_at``: now).

        What it claims may be told apart: ``predicate`` and ``value`` of a ``subject`` (default: the
        speaker). ``functional`` says whether that predicate has one value at a time: then the value that
        holds latest (by ``valid_from``, else ``occurred_at``) supersedes the others; if it is not known,
        another value is a question to be reviewed. ``supersedes`` names memories whose place it takes.

        Kind ``turn`` is verbatim talk: it needs ``session_id``, is kept as an episode too, and is known by
        its ``position`` (default: the next one) and text. Of any other kind, the same value
        (same claim, or same words about the same) of the same time within one ``project`` is confirmed, not doubled.
        ``derived`` is what a model concluded: it is a candidate until somebody approves it, unless the
        setting ``derived_trust`` says otherwise.

        Raises :class:`InvalidInput` and its kind, :class:`IdempotencyConflict`, :class:`Conflict` and
        :class:`NotFound` (of ``supersedes``), :class:`Forbidden`, :class:`EmbedderError`,
        :class:`StoreUnavailable`; nothing is written then. A value under a tombstone is answered ``refused``.
        """
        self._need("write")
        request = RememberRequest.checked(
            text=text,
            speaker=speaker,
            session_id=session_id,
            position=position,
            subject=subject,
            predicate=predicate,
            value=value,
            functional=functional,
            project=project,
            title=title,
            context=context,
            keywords=keywords,
            tags=tags,
            kind=kind,
            importance=importance,
            entities=entities,
            relations=relations,
            valid_from=valid_from,
            valid_to=valid_to,
            occurred_at=occurred_at,
            expires_at=expires_at,
            confidence=confidence,
            source=source,
            agent=agent,
            derived=derived,
            supersedes=supersedes,
            idempotency_key=idempotency_key,
        )
        (answer,) = await write_drafts(self._tools, self._end_user_id, self._drafts([request]), actor=self._actor)
        if isinstance(answer, MemoryGraphError):
            raise answer
        return answer

    async def remember_many(
        self, items: Sequence[Mapping[str, Any]], *, progress: Progress | None = None
    ) -> tuple[BatchItem, ...]:
        """Remember up to 1,000 items, each a mapping of :meth:`remember`'s arguments, in few round trips.

        Each is written whole or not at all, in order; what became of it is told item by item, and one that
        fails does not keep the others: it is told with the code and the words of its error, also where the
        embedding model or the store failed. ``progress(done, all)`` is called after each part. Raises
        :class:`InvalidInput` when ``items`` is no such list.
        """
        self._need("write")
        if isinstance(items, str | Mapping) or not isinstance(items, Sequence):
            raise InvalidInput("items is not a list.", field="items")
        if len(items) > MAX_BATCH:
            raise InvalidInput(f"items has {len(items)} items, at most {MAX_BATCH} are allowed.", field="items")
        answers: list[Written | MemoryGraphError] = []
        parts = deque(_parts(list(items)))
        ahead: deque[asyncio.Task[_Part]] = deque()

        def look_ahead() -> None:
            while parts and len(ahead) < _AHEAD:
                ahead.append(asyncio.create_task(self._prepared(parts.popleft())))

        try:
            look_ahead()
            while ahead:
                part = await ahead[0]
                del ahead[0]
                look_ahead()  # while the store writes this part, the next ones are checked and embedded
                answers += await self._written(part)
                if progress is not None:
                    progress(len(answers), len(items))
        finally:
            for task in ahead:
                task.cancel()
            await asyncio.gather(*ahead, return_exceptions=True)
        return tuple(_batch_item(number, answer) for number, answer in enumerate(answers))

    async def _prepared(self, items: Sequence[object]) -> _Part:
        checked = [_checked(item) for item in items]
        sound = [request for request in checked if isinstance(request, RememberRequest)]
        try:
            drafts = await prepare_drafts(self._tools, self._end_user_id, self._drafts(sound), actor=self._actor)
        except EmbedderError as error:
            return _Part(checked, error)
        return _Part(checked, drafts)

    async def _written(self, part: _Part) -> list[Written | MemoryGraphError]:
        """What became of each item of ``part``, in one transaction: of all sound ones the same, if it could not be."""
        told: Iterator[Written | MemoryGraphError] = iter(())
        if isinstance(part.drafts, EmbedderError):
            told = repeat(part.drafts)
        elif part.drafts.items:
            try:
                told = iter(await write_prepared(self._tools, self._end_user_id, part.drafts, actor=self._actor))
            except StoreError as error:
                told = repeat(error)
        return [of if isinstance(of, InvalidInput) else next(told) for of in part.checked]

    def _drafts(self, requests: Iterable[RememberRequest]) -> list[Draft]:
        derived = self._tools.settings.derived_trust
        return [Draft(request=request, trust=derived if request.derived else "accepted") for request in requests]


@dataclass(frozen=True, slots=True)
class _Part:
    """Items of one transaction: as they were checked, and the sound ones ready to be written."""

    checked: Sequence[RememberRequest | InvalidInput]
    drafts: PreparedDrafts | EmbedderError


def _parts(items: Sequence[object]) -> list[Sequence[object]]:
    """``items`` in parts, which grow shorter in the end, when nothing is left to be embedded meanwhile."""
    parts, start = [], 0
    while (left := len(items) - start) > 0:
        size = min(_AT_ONCE, max(_AT_LEAST, round(left * _OF_THE_REST)))
        parts.append(items[start : start + size])
        start += size
    return parts


def _checked(item: object) -> RememberRequest | InvalidInput:
    try:
        return _request(item)
    except InvalidInput as error:
        return error


def _request(item: object) -> RememberRequest:
    if not isinstance(item, Mapping):
        raise InvalidInput("The item is not a mapping of arguments.", field="items")
    if unknown := [str(name) for name in item if name not in _ARGUMENTS]:
        raise InvalidInput(f"{unknown[0][:60]!r} is no argument of remember.", field="items")
    if "text" not in item:
        raise InvalidInput("The item has no text.", field="text")
    return RememberRequest.checked(**_DEFAULTS | dict(item))


_DEFAULTS: dict[str, Any] = dict(Writing.remember.__kwdefaults__ or {})
_ARGUMENTS = frozenset({"text", *_DEFAULTS})


def _batch_item(position: int, answer: Written | MemoryGraphError) -> BatchItem:
    if isinstance(answer, Written):
        return BatchItem(position=position, outcome=answer.outcome, written=answer)
    return BatchItem(position=position, outcome="failed", written=None, code=answer.code, message=str(answer))
