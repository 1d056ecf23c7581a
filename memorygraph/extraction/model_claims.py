"""What a language model listed, made into claims: with its evidence found in the text, and within every limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memorygraph.errors import InvalidInput
from memorygraph.extraction.claims import Claim, Passage
from memorygraph.extraction.evidence import find_quote
from memorygraph.extraction.prompts import CLAIM_KINDS
from memorygraph.text.relative_times import Interval, resolve_time
from memorygraph.times import to_ms
from memorygraph.validation import (
    MAX_ENTITIES,
    MAX_TEXT,
    EntitySpec,
    RelationSpec,
    check_line,
    check_text,
    entity_spec,
)

__all__ = ["Findings"]

# Not for a model to say: whether it is to be believed, whom it concerns, how it is stored.
_NOT_ITS_OWN = frozenset(
    (
        "trust", "trusted", "trust_level", "verified", "is_verified", "verified_by", "status", "state", "approved",
        "approved_by", "reviewed", "reviewed_by", "accepted", "scope", "scopes", "end_user_id", "user_id", "user",
        "actor", "source_count", "pinned",
    )
)  # fmt: skip
_NOTHING = frozenset(("", "none", "null", "n/a", "unknown", "-"))
_SINCE_OR_UNTIL = re.compile(r"(?:since|from|starting|as of|until|till|through|up to)\s+", re.IGNORECASE)
_DEFAULT_KIND = "fact"
_DEFAULT_IMPORTANCE = 0.5


@dataclass(slots=True)
class Findings:
    """The claims read so far from the answers about one chunk; :meth:`read` takes another answer."""

    claims: list[Claim] = field(default_factory=list)
    dropped: int = 0
    _left_out: int = 0
    _ignored: set[str] = field(default_factory=set)
    _seen: set[tuple[str, int, int, int]] = field(default_factory=set)

    def read(self, answer: Mapping[str, Any], passages: Sequence[tuple[int, int, Passage]]) -> None:
        """Take the statements of ``answer`` about ``passages``.

        A passage comes with its number, by which the answer names it, and with how many characters
        of the numbered one stand before it. A statement that cannot be kept is counted in
        ``dropped``; one that was there before, word for word, is not kept twice.
        """
        self._note(answer)
        for item in answer["statements"]:
            try:
                claim = self._claim(item, passages)
            except InvalidInput:
                self.dropped += 1
                continue
            key = (claim.text, claim.passage, claim.start, claim.end)
            if key not in self._seen:
                self._seen.add(key)
                self.claims.append(claim)

    def notices(self) -> tuple[str, ...]:
        """What was ignored of the answers, for people."""
        notices: list[str] = []
        if self._ignored:
            notices.append(f"The model's word on trust or scope was ignored: {', '.join(sorted(self._ignored))}.")
        if self._left_out:
            notices.append(f"Entities or relations that fit no limit were left out: {self._left_out}.")
        return tuple(notices)

    def _note(self, said: Mapping[str, Any]) -> None:
        self._ignored.update(_NOT_ITS_OWN.intersection(said))

    def _claim(self, item: Any, passages: Sequence[tuple[int, int, Passage]]) -> Claim:
        """The claim of one item. Raises :class:`InvalidInput`."""
        if not isinstance(item, dict):
            raise InvalidInput("A statement is no object.")
        self._note(item)
        text = check_text(_line(item.get("text")), field="text", longest=MAX_TEXT)
        number, passage, start, end = _evidence(item, text, passages)
        entities = self._entities(item)
        valid_from, valid_to = _validity(item, passage)
        kind = item.get("kind")
        return Claim(
            text=text,
            kind=kind.strip().lower()
            if isinstance(kind, str) and kind.strip().lower() in CLAIM_KINDS
            else _DEFAULT_KIND,
            passage=number,
            start=start,
            end=end,
            importance=_importance(item.get("importance")),
            confidence=_confidence(item.get("confidence")),
            subject=_optional(item, "subject"),
            predicate=_optional(item, "predicate"),
            # In triples the value is the object.
            value=_optional(item, "value", longest=MAX_TEXT) or _optional(item, "object", longest=MAX_TEXT),
            entities=entities,
            relations=self._relations(item, entities),
            valid_from=valid_from,
            valid_to=valid_to,
        )

    def _entities(self, item: Mapping[str, Any]) -> tuple[EntitySpec, ...]:
        found: dict[EntitySpec, None] = {}
        for told in _listed(item.get("entities")):
            name, kind = (told.get("name"), told.get("kind")) if isinstance(told, dict) else (told, None)
            try:
                spec = entity_spec(EntitySpec(name=_line(name), kind=_line(kind).lower() or None))
            except InvalidInput:
                self._left_out += 1
            else:
                found[spec] = None
        return self._limited(found)

    def _relations(self, item: Mapping[str, Any], entities: Iterable[EntitySpec]) -> tuple[RelationSpec, ...]:
        known = {entity.name.casefold(): entity for entity in entities}
        found: dict[RelationSpec, None] = {}
        for told in _listed(item.get("relations")):
            try:
                if not isinstance(told, dict):
                    raise InvalidInput("A relation is no object.")
                subject, object_ = (
                    known.get(name.casefold()) or entity_spec(name)
                    for name in (_line(told.get("subject")), _line(told.get("object")))
                )
                predicate = check_line(_line(told.get("predicate")), field="relations")
            except InvalidInput:
                self._left_out += 1
            else:
                found[RelationSpec(subject=subject, predicate=predicate, object=object_)] = None
        return self._limited(found)

    def _limited(self, found: Mapping[Any, None]) -> tuple[Any, ...]:
        self._left_out += max(0, len(found) - MAX_ENTITIES)
        return tuple(found)[:MAX_ENTITIES]


def _evidence(
    item: Mapping[str, Any], text: str, passages: Sequence[tuple[int, int, Passage]]
) -> tuple[int, Passage, int, int]:
    """The passage that the quotation stands in, and where; the one that the model named goes first."""
    quote = item.get("quote")
    wanted = quote if isinstance(quote, str) and quote.strip() else text
    named = _number(item.get("passage"))
    for number, before, passage in sorted(passages, key=lambda candidate: candidate[0] != named):
        if (place := find_quote(wanted, passage.text)) is not None:
            return number, passage, before + place[0], before + place[1]
    raise InvalidInput("The evidence is not in the text.", field="quote")


def _validity(item: Mapping[str, Any], passage: Passage) -> tuple[int | None, int | None]:
    """From the beginning of the one time to the end of the other; neither when they are the wrong way round."""
    begins = _interval(item.get("valid_from"), passage)
    ends = _interval(item.get("valid_to"), passage)
    valid_from = None if begins is None else begins.start
    valid_to = None if ends is None else ends.end
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        return None, None
    return valid_from, valid_to


def _interval(told: object, passage: Passage) -> Interval | None:
    words = _SINCE_OR_UNTIL.sub("", _line(told), count=1)
    if not words:
        return None
    try:
        at = to_ms(words, field="valid_from")
    except InvalidInput:
        try:
            return resolve_time(words, occurred_at=passage.occurred_at, zone=passage.zone)
        except InvalidInput:
            return None
    return Interval(at, at, "second")


def _line(told: object) -> str:
    """What was told as one line; empty for anything but a text or a number, and for the words that mean nothing."""
    if isinstance(told, bool) or not isinstance(told, str | int | float):
        return ""
    line = " ".join(str(told).split())
    return "" if line.casefold() in _NOTHING else line


def _optional(item: Mapping[str, Any], name: str, *, longest: int | None = None) -> str | None:
    line = _line(item.get(name))
    if not line:
        return None
    return check_line(line, field=name) if longest is None else check_line(line, field=name, longest=longest)


def _listed(told: object) -> list[Any]:
    if isinstance(told, list):
        return told
    return [] if told is None else [told]


def _number(told: object) -> float | None:
    if isinstance(told, str):
        try:
            told = float(told.strip().strip("[]"))
        except ValueError:
            return None
    if isinstance(told, bool) or not isinstance(told, int | float) or not abs(told) < 1e9:
        return None
    return float(told)


def _importance(told: object) -> float:
    """Of 1 to 10; a fraction below 1 was meant in [0, 1]."""
    number = _number(told)
    if number is None or number < 0:
        return _DEFAULT_IMPORTANCE
    if 0 < number < 1:
        return number
    return min(max((number - 1) / 9, 0.0), 1.0)


def _confidence(told: object) -> float:
    number = _number(told)
    return 1.0 if number is None or not 0 <= number <= 1 else number
