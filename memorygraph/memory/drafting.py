"""The one path on which statements are written, whichever door they came through."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memorygraph.background import COMPARE
from memorygraph.errors import MemoryGraphError
from memorygraph.memory.bound import MemoryTools
from memorygraph.records import Written
from memorygraph.validation import RememberRequest
from memorygraph.writing.items import Evidence, Item, embedded_text
from memorygraph.writing.remember import Remember, Remembered

__all__ = ["Draft", "PreparedDrafts", "prepare_drafts", "write_drafts", "write_prepared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A checked request, and what of it is not for callers to say."""

    request: RememberRequest
    trust: str = "accepted"
    key: str | None = None  # by which the event is known, when the same is written again; None: it is new
    model: str | None = None  # what derived it
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDrafts:
    """Drafts with all that can be known of them before their transaction."""

    items: Sequence[Item]
    vectors: npt.NDArray[np.float32]  # each of length 1, shape (len(items), dimension)


async def write_drafts(
    tools: MemoryTools, end_user_id: str, drafts: Sequence[Draft], *, actor: str
) -> list[Written | MemoryGraphError]:
    """Write ``drafts`` in one transaction; what became of each, or why it was not written.

    Raises :class:`EmbedderError` and :class:`StoreError`; nothing is written then.
    """
    prepared = await prepare_drafts(tools, end_user_id, drafts, actor=actor)
    return await write_prepared(tools, end_user_id, prepared, actor=actor)


async def prepare_drafts(
    tools: MemoryTools, end_user_id: str, drafts: Sequence[Draft], *, actor: str
) -> PreparedDrafts:
    """Embed ``drafts``, and work out what they are known by. Raises :class:`EmbedderError`."""
    call = uuid.uuid4()
    items = [
        Item(
            end_user_id=end_user_id,
            request=draft.request,
            fingerprints=tools.fingerprints,
            mutation_key=draft.key or f"call:{call}:{number}",
            actor=actor,
            trust=draft.trust,
            model=draft.model,
            evidence=draft.evidence,
        )
        for number, draft in enumerate(drafts)
    ]

    async def work_out() -> None:
        for item in items:
            item.prepare()

    texts = [embedded_text(draft.request.text, draft.request.speaker) for draft in drafts]
    # In this order: while the model works in its threads, the rest is made ready.
    vectors, _ = await asyncio.gather(tools.embedder.embed(texts), work_out())
    return PreparedDrafts(items=items, vectors=vectors)


async def write_prepared(
    tools: MemoryTools, end_user_id: str, prepared: PreparedDrafts, *, actor: str
) -> list[Written | MemoryGraphError]:
    """Write what :func:`prepare_drafts` made ready, in one transaction. Raises :class:`StoreError`."""
    now = tools.clock.now_ms()
    work = Remember(
        end_user_id=end_user_id,
        items=prepared.items,
        vectors=prepared.vectors,
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
