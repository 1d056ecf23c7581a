"""Which memories may say the contrary of another. A suspicion opens a question and never decides it.

Asked for nothing, a reader loses trust in the questions; so that a pair is suspected only when both
speak of the same in nearly the same words and differ in one respect. Not found are contraries in other words, and those
that two values of one slot make where the slot is not named: "lives in Leeds" and "lives in York" might both hold.
Dates and times never make a pair: most of what happens, happens again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memorygraph.text.assertions import Assertion, assertions
from memorygraph.text.normalise import normalise_name, normalise_predicate, normalise_value
from memorygraph.text.quantities import same_quantity
from memorygraph.writing.timeline import Period

__all__ = ["Comparable", "Reason", "Suspicion", "slot_of", "suspects"]

Reason = Literal["same_slot", "negation", "version", "number", "state"]
_STRONGEST_FIRST: tuple[Reason, ...] = ("same_slot", "negation", "version", "number", "state")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """What of a statement takes part in the comparison. Times are epoch ms."""

    id: str
    text: str
    kind: str = "fact"
    subject: str | None = None
    predicate: str | None = None
    value: str | None = None
    speaker: str | None = None
    project: str | None = None
    valid_from: int | None = None  # inclusive; None: ever since
    valid_to: int | None = None  # exclusive; None: for good


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One memory that may say the contrary, and what speaks for it."""

    id: str
    reason: Reason


def slot_of(subject: str | None, predicate: str | None) -> str | None:
    """The slot that a claim fills, as text to be digested under a key; None without subject and predicate.

    Case, spacing and punctuation do not matter, nor whether the words of the predicate are joined.
    """
    if not subject or not predicate:
        return None
    return json.dumps([normalise_name(subject), normalise_predicate(predicate)], ensure_ascii=False)


def suspects(new: Comparable, others: Sequence[Comparable]) -> list[Suspicion]:
    """Those of ``others`` that may say the contrary of ``new``, in their order, each with the strongest reason.

    ``same_slot``: one subject and predicate, another value. ``negation``, ``version``, ``number`` and
    ``state`` (of two opposites such as enabled and disabled): one sentence of each speaks of the same
    and differs in that alone. Which of two is the new one makes no difference. Verbatim turns,
    memories of different projects, of different subjects, or valid at different times are never
    suspected, and no text is of saying the same in other capitals, spaces or punctuation.
    """
    if new.kind == "turn":
        return []
    said = assertions(new.text)
    found = []
    for other in others:
        if other.id != new.id and _may_meet(new, other):
            reason = _reason(new, said, other)
            if reason is not None:
                found.append(Suspicion(other.id, reason))
    return found


def _may_meet(one: Comparable, other: Comparable) -> bool:
    if "turn" in (one.kind, other.kind) or _differ(one.project, other.project):
        return False
    if not Period(one.valid_from, one.valid_to).meets(Period(other.valid_from, other.valid_to)):
        return False
    return not _differ(_folded(one.subject), _folded(other.subject))


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _folded(name: str | None) -> str | None:
    return None if name is None else normalise_name(name)


def _reason(new: Comparable, said: Sequence[Assertion], other: Comparable) -> Reason | None:
    slot = slot_of(new.subject, new.predicate)
    same_slot = slot is not None and slot == slot_of(other.subject, other.predicate)
    if same_slot and new.value is not None and other.value is not None:
        return None if normalise_value(new.value) == normalise_value(other.value) else "same_slot"
    reasons = set(_text_reasons(new, said, other))
    return next((reason for reason in _STRONGEST_FIRST if reason in reasons), None)


def _text_reasons(new: Comparable, said: Sequence[Assertion], other: Comparable) -> Iterator[Reason]:
    if not said:
        return
    theirs = assertions(other.text)
    # What both say alike is no matter between them, whatever else either says.
    common = {assertion.wording for assertion in said} & {assertion.wording for assertion in theirs}
    by_frame: dict[tuple[str, ...], list[tuple[bool, Assertion]]] = defaultdict(list)
    for place, assertion in enumerate(said):
        if assertion.wording not in common:
            by_frame[assertion.frame].append((place == 0, assertion))
    for place, assertion in enumerate(theirs):
        if assertion.wording in common:
            continue
        for first, mine in by_frame.get(assertion.frame, ()):
            reason = _difference(mine, assertion)
            if reason is not None and _of_one_subject(new, mine, other, assertion, first=first and place == 0):
                yield reason


def _difference(one: Assertion, other: Assertion) -> Reason | None:
    """In what two assertions of one frame differ, if it is one thing and they cannot both hold."""
    if one.past != other.past:
        return None
    pairs = list(zip(one.quantities, other.quantities, strict=True))
    changed = [pair for pair in pairs if not same_quantity(*pair)]
    if one.denies != other.denies:
        # Who has not 3 may have 4, and what is not enabled is disabled.
        return None if changed or one.sides != other.sides else "negation"
    if one.denies or one.past:
        return None  # neither of two things is so, or each was so once
    if one.sides != other.sides:
        return None if changed or sum(map(bool.__ne__, one.sides, other.sides)) > 1 else "state"
    if not changed or any("fixed" in (mine.kind, theirs.kind) for mine, theirs in changed):
        return None
    return "version" if any("version" in (mine.kind, theirs.kind) for mine, theirs in changed) else "number"


def _of_one_subject(one: Comparable, mine: Assertion, other: Comparable, theirs: Assertion, *, first: bool) -> bool:
    """Whether both sentences, alike but for one respect, are about the same.

    ``first`` says that each opens its text: later ones may be about what the sentence before was about.
    """
    leads = {mine.lead, theirs.lead}
    if leads == {"named"}:
        return True  # and the name is the same, being part of the frame
    if "pronoun" in leads:
        return first and one.subject is not None and other.subject is not None
    about = {_folded(side.subject or side.speaker) for side in (one, other)}
    return len(about) == 1 and (first or leads == {"first_person"})
