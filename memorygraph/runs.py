"""What work in the background answers with: forgetting cycles and jobs, as the ledger tells them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memorygraph.records import Record
from memorygraph.times import from_ms

if TYPE_CHECKING:
    from memorygraph.ledger import CycleRecord, PlannedGroup
    from memorygraph.ledger.job_records import JobRecord

__all__ = ["Cycle", "Job"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle(Record):
    """One forgetting cycle, as its row in the ledger tells it. Counts of merged, failed and skipped are pairs."""

    id: str
    end_user_id: str
    trigger_type: str  # manual or scheduled
    status: str  # running, succeeded, partial, failed, cancelled
    started_at: datetime
    finished_at: datetime | None
    duration_seconds: float | None
    merged_count: int
    failed_count: int
    skipped_count: int
    group_count: int
    summary_count: int
    average_activation_before: float | None  # mean retention of the sample, [0, 1]
    average_activation_after: float | None
    sample_size: int | None
    total_nodes_before: int | None  # live statements, summaries and entities
    total_nodes_after: int | None
    low_activation_nodes: int | None  # of them, those that had gone cold when the cycle began
    parameters: dict[str, Any]
    actor: str
    error: str | None
    summaries: tuple[str, ...]  # ids of the summaries made

    @classmethod
    def from_record(cls, record: CycleRecord, plan: Sequence[PlannedGroup]) -> Cycle:
        own = {f.name for f in dataclasses.fields(cls)}
        values = {f.name: getattr(record, f.name) for f in dataclasses.fields(record) if f.name in own}
        values["started_at"] = from_ms(record.started_at)
        values["finished_at"] = None if record.finished_at is None else from_ms(record.finished_at)
        values["parameters"] = dict(record.parameters)
        values["summaries"] = tuple(group.summary_id for group in plan if group.summary_id is not None)
        return cls(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Record):
    """A piece of durable work: ``queued``, ``running``, then ``succeeded``, ``failed``, ``dead`` or ``cancelled``."""

    id: str
    end_user_id: str
    kind: str  # ingest or compare
    state: str
    progress: dict[str, Any] | None  # how far it is, in numbers
    result: dict[str, Any] | None  # what came of it, in numbers
    error: str | None  # code of why the last run failed; failed: it cannot succeed, dead: it was tried often enough
    attempt: int
    cancel_requested: bool
    calls: int  # of a language model, over all runs
    prompt_tokens: int
    completion_tokens: int
    created_at: datetime  # by the ledger's clock, as are the others
    updated_at: datetime
    run_at: datetime  # while queued: not before
    finished_at: datetime | None

    @classmethod
    def from_record(cls, record: JobRecord) -> Job:
        return cls(
            id=record.id,
            end_user_id=record.end_user_id,
            kind=record.kind,
            state=record.state,
            progress=None if record.progress is None else dict(record.progress),
            result=None if record.result is None else dict(record.result),
            error=record.error,
            attempt=record.attempt,
            cancel_requested=record.cancel_requested,
            calls=record.calls,
            prompt_tokens=record.prompt_tokens,
            completion_tokens=record.completion_tokens,
            created_at=from_ms(record.created_at),
            updated_at=from_ms(record.updated_at),
            run_at=from_ms(record.run_at),
            finished_at=None if record.finished_at is None else from_ms(record.finished_at),
        )
