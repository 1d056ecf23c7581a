"""What stands beside a new statement: the like of it, which it is linked to, and what it may contradict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from memorygraph.access.state import ParametersInForce
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.recall.cosines import cosines
from memorygraph.records import Contradiction, Similar
from memorygraph.writing.changes import Changes
from memorygraph.writing.contradiction import Comparable, suspects
from memorygraph.writing.items import Item
from memorygraph.writing.neighbours import MOST_NEIGHBOURS
from memorygraph.writing.questions import open_questions

__all__ = ["Near", "Surroundings", "comparable_of"]

MOST_LINKS = 3
_MOST_SIMILAR = 5
_QUESTION_FLOOR = 0.6  # cosine from which two statements are compared


@dataclass(frozen=True, slots=True)
class Near:
    """A live memory near to an item."""

    id: str
    text: str
    is_summary: bool
    cosine: float
    comparable: Comparable | None  # None for what is never compared: verbatim talk and summaries
    session_id: str | None


@dataclass(slots=True)
class Surroundings:
    """The neighbours of a batch of items: of the store, and of each other."""

    items: Sequence[Item]
    vectors: npt.NDArray[np.float32]  # of the items, shape (len(items), dimension)
    link_floor: float
    now: int
    _near: dict[int, list[Near]] = field(default_factory=dict)
    _created: dict[int, str] = field(default_factory=dict)  # ids by number of the item
    _questions: list[Row] = field(default_factory=list)

    @staticmethod
    def floor(link_floor: float) -> float:
        """The cosine from which a neighbour is of any interest."""
        return min(link_floor, _QUESTION_FLOOR)

    def learn(self, number: int, near: Sequence[tuple[Mapping[str, Any], float]]) -> None:
        """Take in the live memories near to an item, as the graph tells them, each with its cosine."""
        self._near[number] = [
            Near(
                row["id"],
                row["text"],
                row["is_summary"],
                cosine,
                comparable_of(row["id"], row),
                row.get("session_id"),
            )
            for row, cosine in near
        ]

    def link(self, number: int, new_id: str, *, retired: Collection[str]) -> tuple[list[Near], tuple[Similar, ...]]:
        """What the new statement of an item is to be linked to, and what is like it, both nearest first."""
        near = [of for of in [*self._near[number], *self._of_the_batch(number)] if of.id not in retired]
        # As many as one written alone would have looked at.
        near = sorted(near, key=lambda of: -of.cosine)[:MOST_NEIGHBOURS]
        self._near[number] = near
        self._created[number] = new_id
        linked = [of for of in near if of.cosine >= self.link_floor][:MOST_LINKS]
        similar = tuple(
            Similar(id=of.id, text=of.text, score=of.cosine, linked=of in linked) for of in near[:_MOST_SIMILAR]
        )
        return linked, similar

    def question(
        self,
        number: int,
        same_slot: Sequence[Mapping[str, Any]],
        *,
        retired: Collection[str],
        known: Collection[str] = (),
    ) -> tuple[Contradiction, ...]:
        """The questions that a statement raises, to be opened by :meth:`settle`; none with those ``known`` already."""
        item, new_id = self.items[number], self._created[number]
        new = comparable_of(new_id, _claim(item))
        found = [Contradiction(id=row["id"], text=row["text"], reason="same_slot") for row in same_slot]
        if new is not None:
            near = {
                of.id: of for of in self._near[number] if of.comparable is not None and of.cosine >= _QUESTION_FLOOR
            }
            others = [of.comparable for of in near.values() if of.comparable is not None]
            asked = {contradiction.id for contradiction in found}
            found += [
                Contradiction(id=suspicion.id, text=near[suspicion.id].text, reason=suspicion.reason)
                for suspicion in suspects(new, others)
                if suspicion.id not in asked and (suspicion.reason != "same_slot" or item.request.functional is None)
            ]
        known = {*known, *retired}
        found = [] if new_id in retired else [contradiction for contradiction in found if contradiction.id not in known]
        self._questions += [{"id": new_id, "other_id": of.id, "reason": of.reason, "at": self.now} for of in found]
        return tuple(found)

    def comparable(self, number: int, questioned: Sequence[Contradiction]) -> list[str]:
        """Ids of what is alike enough to be compared with a new statement by a model, the ``questioned`` left out.

        Of what was extracted, only what a model put into words, and with nothing else of the same conversation or
        document: it says the same there again and again, and each statement would cost a question.
        """
        item = self.items[number]
        if item.evidence is not None and not item.request.derived:
            return []
        known = {contradiction.id for contradiction in questioned}
        return [
            of.id
            for of in self._near[number]
            if of.comparable is not None
            and of.cosine >= _QUESTION_FLOOR
            and of.id not in known
            and (item.evidence is None or of.session_id != item.request.session_id)
        ]

    async def settle(self, store: UserStore, changes: Changes, parameters: ParametersInForce) -> None:
        """Open the questions that were found."""
        held = [row for row in self._questions if not {row["id"], row["other_id"]} & changes.gone]
        await open_questions(store, changes, held, parameters)

    def _of_the_batch(self, number: int) -> list[Near]:
        """What was created before in the same transaction, and is near enough."""
        item = self.items[number]
        others = [
            (of, id)
            for of, id in self._created.items()
            if item.request.project is None or self.items[of].request.project in (None, item.request.project)
        ]
        if not others:
            return []
        (near,) = cosines(self.vectors[number : number + 1], self.vectors[[of for of, _ in others]])
        floor = self.floor(self.link_floor)
        return [
            Near(
                id,
                self.items[of].request.text,
                False,
                float(cosine),
                comparable_of(id, _claim(self.items[of])),
                self.items[of].request.session_id,
            )
            for (of, id), cosine in zip(others, near, strict=True)
            if cosine >= floor
        ]


def _claim(item: Item) -> dict[str, Any]:
    request = item.request
    told = {"kind": request.kind, "project": request.project}
    return item.claim | told | {"valid_from": request.valid_from, "valid_to": request.valid_to}


def comparable_of(id: str, row: Mapping[str, Any]) -> Comparable | None:
    """What of a statement takes part in the comparison, by its properties; None for what is never compared."""
    if row["kind"] == "turn" or row.get("is_summary"):
        return None
    return Comparable(
        id=id,
        text=row["text"],
        kind=row["kind"],
        subject=row.get("subject"),
        predicate=row.get("predicate"),
        value=row.get("value"),
        speaker=row.get("speaker"),
        project=row.get("project"),
        valid_from=row.get("valid_from"),
        valid_to=row.get("valid_to"),
    )
