"""The one path on which statements are written, whichever door they came through."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from memorygraph.background import COMPARE
from memorygraph.errors import MemoryGraphError
from memorygraph.memory.bound import MemoryTools
from memorygraph.records import Written
from memorygraph.validation import RememberRequest
from memorygraph.writing.items import Evidence, Item, embedded_text
from memorygraph.writing.remember import Remember, Remembered

__all__ = ["Draft", "write_drafts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A checked request, and what of it is not for callers to say."""

    request: RememberRequest
    trust: str = "accepted"
    key: str | None = None  # by which the event is known, when the same is written again; None: it is new
    model: str | None = None  # what derived it
    evidence: Evidence | None = None


async def write_drafts(
    tools: MemoryTools, end_user_id: str, drafts: Sequence[Draft], *, actor: str
) -> list[Written | MemoryGraphError]:
    """Write ``drafts`` in one transaction; what became of each, or why it was not written.

    Raises :class:`EmbedderError` and :class:`StoreError`; nothing is written then.
    """
    texts = [embedded_text(draft.request.text, draft.request.speaker) for draft in drafts]
    vectors = await tools.embedder.embed(texts)
    now = tools.clock.now_ms()
    call = uuid.uuid4()
    work = Remember(
        end_user_id=end_user_id,
        items=[
            Item(
                end_user_id=end_user_id,
                request=draft.request,
                vector=vector,
                fingerprints=tools.fingerprints,
                now=now,
                mutation_key=draft.key or f"call:{call}:{number}",
                actor=actor,
                trust=draft.trust,
                model=draft.model,
                evidence=draft.evidence,
            )
            for number, (draft, vector) in enumerate(zip(drafts, vectors, strict=True))
        ],
        neighbours=tools.neighbours,
        parameters=await tools.parameters(end_user_id),
        link_floor=tools.settings.link_floor,
        compare=tools.has_model,
        review_sources=tools.settings.review_sources,
        actor=actor,
        now=now,
    )
    done: Remembered = await tools.mutations.run(end_user_id, work.run, now=now, opening=work.begin)
    if done.rows is not None:
        tools.neighbours.wrote(end_user_id, done.rows, before=done.before, seq=done.seq)
    for statement_id in done.to_compare:
        payload = {"statement_id": statement_id}
        await tools.ledger.jobs.enqueue(end_user_id, kind=COMPARE, payload=payload, dedupe_key=statement_id)
    if done.to_compare:
        tools.background.start()
        tools.background.wake()
    for answer in done.answers:
        if isinstance(answer, Written) and answer.restates and not answer.replayed:
            # Saying again what was forgotten is a use of the summary that stands for it.
            tools.accesses.record(end_user_id, answer.restates, at=now)
    return done.answers
