"""What is to be written of an episode: the turn itself, and the claims that were found in it."""

from __future__ import annotations

import hashlib

from memorygraph.errors import InvalidInput
from memorygraph.extraction.claims import Chunk, Claim
from memorygraph.extraction.local import turn_entities
from memorygraph.ingest.echoes import strip_recalled
from memorygraph.ingest.episodes import KeptEpisode
from memorygraph.ingest.small_talk import says_nothing
from memorygraph.memory.drafting import Draft
from memorygraph.text.normalise import normalise_value
from memorygraph.times import from_ms
from memorygraph.validation import MAX_CONTEXT, MAX_TITLE, MAX_VALUE, RememberRequest
from memorygraph.writing.items import Evidence

__all__ = ["claim_draft", "turn_draft"]


def turn_draft(episode: KeptEpisode) -> Draft | None:
    """The verbatim statement of a turn, without what recall had put into it; None when nothing is said then."""
    start, own = episode.own
    # Without the blanks: a statement has one text, and its evidence reaches over what is left out of it.
    text = own if own == episode.text else strip_recalled(episode.text)[0].strip()
    if says_nothing(text):
        return None
    metadata = episode.metadata
    request = RememberRequest.checked(
        text=text,
        speaker=episode.speaker or episode.role,
        session_id=episode.session_id,
        position=episode.position,
        kind="turn",
        importance=0.5,
        entities=turn_entities(text, episode.speaker),
        title=None,
        context=metadata.get("context"),
        keywords=(),
        tags=metadata.get("tags", ()),
        project=metadata.get("project"),
        occurred_at=from_ms(episode.occurred_at),
        confidence=None,
        source=episode.source,
        agent=metadata.get("agent"),
        idempotency_key=None,
    )
    evidence = Evidence(episode_id=episode.id, start=start, end=start + len(own))
    return Draft(request=request, key=f"turn:{episode.id}", evidence=evidence)


def claim_draft(
    claim: Claim, chunk: Chunk, episode: KeptEpisode, *, model: str, derived: bool, derived_trust: str
) -> Draft | None:
    """The statement of a claim found in ``chunk``; None for one that fits no limit."""
    passage = chunk.passages[claim.passage]
    metadata = episode.metadata
    context, title = chunk.heading, metadata.get("title")
    speaker = None if episode.is_document else episode.speaker
    # A claim that lacks a part of it, or has a value like a whole text, is kept for its words alone.
    about, predicate, value = claim.subject or speaker, claim.predicate, claim.value
    if about is None or predicate is None or value is None or len(value) > MAX_VALUE:
        predicate = value = None
    try:
        request = RememberRequest.checked(
            text=claim.text,
            speaker=speaker,
            session_id=episode.session_id,
            position=episode.position,
            kind=claim.kind,
            importance=claim.importance,
            entities=claim.entities,
            title=None if title is None else title[:MAX_TITLE],
            context=None if context is None else context[:MAX_CONTEXT],
            keywords=claim.keywords,
            tags=metadata.get("tags", ()),
            project=metadata.get("project"),
            occurred_at=from_ms(episode.occurred_at),
            confidence=claim.confidence,
            source=episode.source,
            agent=metadata.get("agent"),
            idempotency_key=None,
            subject=claim.subject,
            predicate=predicate,
            value=value,
            relations=claim.relations,
            valid_from=None if claim.valid_from is None else from_ms(claim.valid_from),
            valid_to=None if claim.valid_to is None else from_ms(claim.valid_to),
            derived=derived,
        )
    except InvalidInput:
        return None
    start = passage.start + claim.start
    said = hashlib.sha256(normalise_value(claim.text).encode()).hexdigest()[:24]
    return Draft(
        request=request,
        trust=derived_trust if derived else "accepted",
        # The same claim of the same place, found once more after a crash, is known by it.
        key=f"claim:{episode.id}:{start}:{model}:{said}",
        model=model,
        evidence=Evidence(episode_id=episode.id, start=start, end=passage.start + claim.end),
    )
