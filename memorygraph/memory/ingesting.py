"""Handing over raw conversation and documents, to be kept at once and worked on afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memorygraph.background import INGEST
from memorygraph.ingest.requests import IngestRequest
from memorygraph.ingest.storing import Stored, Storing
from memorygraph.memory.bound import Bound
from memorygraph.runs import Job

__all__ = ["Ingestion"]


class Ingestion(Bound):
    """The door for what nobody has put into statements yet."""

    async def ingest(
        self,
        turns: Sequence[Mapping[str, Any] | str] | None = None,
        *,
        document: str | None = None,
        data: bytes | str | None = None,
        title: str | None = None,
        name: str | None = None,
        format: str | None = None,
        session_id: str | None = None,
        occurred_at: datetime | str | None = None,
        zone: str = "UTC",
        project: str | None = None,
        source: str | None = None,
        agent: str | None = None,
        tags: Sequence[str] = (),
        idempotency_key: str | None = None,
    ) -> Job:
        """Keep a conversation or a document verbatim, and have memories made of it in the background.

        Given is one of ``turns`` (texts, or mappings of ``text`` with ``speaker``, ``role``,
        ``occurred_at``, ``position``; at most 20,000 and 5 MB), ``document`` (Markdown or plain text, with a
        ``title``), and ``data`` (a file's content, at most 5 MB; ``name`` or ``format`` – ``markdown``,
        ``text``, ``messages``, ``locomo`` – tells what it is). When the call returns everything is kept;
        the job it answers with makes the memories, survives restarts, and is followed by
        ``memory.jobs``. The same request twice is one ingestion; a conversation that is sent again under
        its ``session_id``, longer than before, adds what is new. Relative times ("yesterday") are meant at
        ``occurred_at`` (of a turn, else of all, else now) in ``zone``, an IANA name.

        Turns become statements word for word; what a language model derives, when one is configured,
        waits for a review unless the setting ``derived_trust`` says otherwise. Raises
        :class:`InvalidInput`, :class:`IdempotencyConflict`, :class:`Forbidden`, :class:`StoreUnavailable`.
        """
        self._need("write")
        request = IngestRequest.checked(
            turns=turns,
            document=document,
            data=data,
            title=title,
            name=name,
            format=format,
            session_id=session_id,
            occurred_at=occurred_at,
            zone=zone,
            project=project,
            source=source,
            agent=agent,
            tags=tags,
            idempotency_key=idempotency_key,
        )
        tools = self._tools
        now = tools.clock.now_ms()
        work = Storing(
            end_user_id=self._end_user_id,
            request=request,
            fingerprints=tools.fingerprints,
            actor=self._actor,
            now=now,
        )
        stored: Stored = await tools.mutations.run(self._end_user_id, work.run, now=now, opening=work.begin)
        # Should this process die before the next line, the episodes are found and queued by themselves.
        record = await tools.ledger.jobs.enqueue(
            self._end_user_id,
            kind=INGEST,
            payload=stored.job_payload,
            dedupe_key=stored.ingest_id,
        )
        tools.background.start()
        tools.background.wake()
        return Job.from_record(record)
