"""Rows of jobs, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

__all__ = ["JOB_STATES", "JobRecord", "JobState"]

JobState: TypeAlias = Literal["queued", "running", "succeeded", "failed", "dead", "cancelled"]

JOB_STATES: tuple[JobState, ...] = get_args(JobState)
"""In the order of a life; the last four are ends."""


@dataclass(frozen=True, kw_only=True)
class JobRecord:
    """One row of ``job``. Its instants are epoch ms by the database's clock."""

    id: str
    end_user_id: str
    kind: str
    """Names the handler that runs it."""
    state: JobState
    dedupe_key: str | None
    """At most one job of a user and kind has it."""
    payload: Mapping[str, Any]
    """What to do, by ids: no text of a memory."""
    progress: Mapping[str, Any] | None
    """How far it is, as its handler last wrote it; the next run goes on from there."""
    result: Mapping[str, Any] | None
    error: str | None
    """Why the last run that failed did; gone once the job succeeded."""
    attempt: int
    """Runs since the last progress, this one included, that nobody but the job is to blame for when they fail."""
    max_attempts: int
    """The job is dead when that many such runs in a row failed."""
    run_at: int
    """While queued: not before."""
    holder: str | None
    """The worker that runs it; set when, and only when, it is running, like ``lease_expires_at``."""
    fencing_token: int
    """Grows with each run; 0 before the first."""
    lease_expires_at: int | None
    created_at: int
    updated_at: int
    finished_at: int | None
    """Set when, and only when, the state is an end."""
    cancel_requested: bool
    """Somebody asked for it to stop. One that succeeded all the same came to its end before it could."""
    claimed_at: int | None
    """When the last run began."""
    takeovers: int
    """Runs since the last progress whose worker vanished."""
    outages: int
    """Runs in a row that ended because something the job needs was away."""
    outage_since: int | None
    """When the first of these ended; None: none did."""
    calls: int
    """Of a model, over all runs; like the tokens, of those runs that told them."""
    prompt_tokens: int
    completion_tokens: int

    @classmethod
    def from_row(cls, row: Mapping[Any, Any]) -> JobRecord:
        return cls(**row)
