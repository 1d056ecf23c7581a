"""Open questions: two statements of which at most one seems to hold, until somebody decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from memorygraph.access.state import ParametersInForce, access_properties, history_of, standing_of
from memorygraph.graph.session import Row
from memorygraph.graph.store import UserStore
from memorygraph.writing.changes import Changes
from memorygraph.writing.events import Event

__all__ = ["answer_questions", "open_questions", "reopen_question"]


async def open_questions(
    store: UserStore, changes: Changes, questions: Sequence[Row], parameters: ParametersInForce
) -> None:
    """Open ``questions``: rows of ``id``, ``other_id`` (written earlier), ``reason`` and ``at`` (epoch ms).

    Both statements wait for a review from then on, and are not fused.
    """
    if not questions:
        return
    more = Counter(id for question in questions for id in (question["id"], question["other_id"]))
    changes.questions += questions
    for question in questions:
        seq = changes.note(
            Event(
                at=changes.now,
                actor=changes.actor,
                action="question:opened",
                target_id=question["other_id"],
                target_type="Statement",
                changed_ids=[question["other_id"], question["id"]],
                payload={"after": {"contradicted_by": question["id"], "reason": question["reason"]}},
            )
        )
        changes.update(question["other_id"], changed_seq=seq)
    await _recount(store, changes, more, parameters)


async def answer_questions(
    store: UserStore,
    changes: Changes,
    questions: Sequence[Row],
    parameters: ParametersInForce,
    *,
    resolution: str,
    reason: str | None = None,
) -> None:
    """Close ``questions``, rows of ``read_open_questions``; ``resolution`` says how."""
    if not questions:
        return
    fewer = Counter({id: 0 for question in questions for id in (question["id"], question["other_id"])})
    for question in questions:
        fewer[question["id"]] -= 1
        fewer[question["other_id"]] -= 1
        changes.answers.append(
            {
                "id": question["id"],
                "other_id": question["other_id"],
                "at": changes.now,
                "resolution": resolution,
                "actor": changes.actor,
            }
        )
        changes.note(
            Event(
                at=changes.now,
                actor=changes.actor,
                action=f"question:{resolution}",
                target_id=question["other_id"],
                target_type="Statement",
                changed_ids=[question["other_id"], question["id"]],
                payload={
                    "before": {"contradicted_by": question["id"], "reason": question["reason"]},
                    "after": {"resolution": resolution, "reason": reason},
                },
            )
        )
    await _recount(store, changes, fewer, parameters)


async def reopen_question(store: UserStore, changes: Changes, question: Row, parameters: ParametersInForce) -> bool:
    """Open a question again, a row of ``id``, ``other_id`` and ``resolved_at``; false when there is no such answer."""
    if not await store.reopen_question(**question):
        return False
    changes.note(
        Event(
            at=changes.now,
            actor=changes.actor,
            action="question:reopened",
            target_id=question["other_id"],
            target_type="Statement",
            changed_ids=[question["other_id"], question["id"]],
            payload={"after": {"contradicted_by": question["id"]}},
        )
    )
    await _recount(store, changes, Counter((question["id"], question["other_id"])), parameters)
    return True


async def _recount(store: UserStore, changes: Changes, by: Counter[str], parameters: ParametersInForce) -> None:
    """Move the number of open questions of each statement, and what follows from it."""
    for row in await _standing(store, changes, by.keys()):
        count = max(0, (row.get("open_questions") or 0) + by[row["id"]])
        waiting = count > 0 or row["trust"] == "candidate"
        properties: dict[str, Any] = {
            "open_questions": count or None,
            "review_since": (row.get("review_since") or changes.now) if waiting else None,
        }
        properties |= access_properties(
            history_of(row), parameters, importance=row["importance"], standing=standing_of(row | properties)
        )
        changes.update(row["id"], **properties)


async def _standing(store: UserStore, changes: Changes, ids: Collection[str]) -> list[dict[str, Any]]:
    """What decides whether they may be fused, as it will be after what is collected so far."""
    before = [id for id in ids if changes.properties_of(id) is None]
    rows = {row["id"]: row for row in await store.read_access_targets(ids=before)} if before else {}
    found = []
    for id in ids:
        if (created := changes.properties_of(id)) is not None:
            found.append(dict(created))
        elif id in rows:
            found.append(
                rows[id] | changes.updated.get(id, {}) | changes.retired.get(id, {}) | changes.revived.get(id, {})
            )
    return found
