"""Rows of forgetting cycles, their plans and their failures, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

__all__ = [
    "CycleFigures",
    "CycleRecord",
    "CycleStatus",
    "FailureRecord",
    "FinalStatus",
    "GroupState",
    "PlannedGroup",
    "TriggerType",
]

TriggerType: TypeAlias = Literal["manual", "scheduled"]
FinalStatus: TypeAlias = Literal["succeeded", "partial", "failed", "cancelled"]
CycleStatus: TypeAlias = Literal["running", "succeeded", "partial", "failed", "cancelled"]
GroupState: TypeAlias = Literal["pending", "fused", "failed", "skipped"]


@dataclass(frozen=True, kw_only=True)
class CycleFigures:
    """What a cycle counted and measured so far. None leaves a figure as it is."""

    merged_count: int | None = None
    """Pairs (statement, entity), like ``failed_count`` and ``skipped_count``; the three add up to what was selected."""
    failed_count: int | None = None
    skipped_count: int | None = None
    group_count: int | None = None
    summary_count: int | None = None
    average_activation_before: float | None = None
    """Mean retention of the sample, in [0, 1]."""
    average_activation_after: float | None = None
    sample_size: int | None = None
    total_nodes_before: int | None = None
    """Live nodes: statements, entities and summaries."""
    total_nodes_after: int | None = None
    low_activation_nodes: int | None = None
    llm_calls: int | None = None
    llm_tokens: int | None = None

    def known(self) -> dict[str, int | float]:
        """The figures that are not None, by name."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value for name, value in values if value is not None}


@dataclass(frozen=True, kw_only=True)
class CycleRecord:
    """One row of ``forgetting_cycle``, with the figures of :class:`CycleFigures`; a count is 0 until it is told."""

    id: str
    end_user_id: str
    trigger_type: TriggerType
    status: CycleStatus
    started_at: int
    """Epoch ms of the engine's clock, like ``finished_at``."""
    finished_at: int | None
    duration_seconds: float | None
    """As measured; None when the worker died."""
    merged_count: int
    failed_count: int
    skipped_count: int
    group_count: int
    summary_count: int
    average_activation_before: float | None
    average_activation_after: float | None
    sample_size: int | None
    total_nodes_before: int | None
    total_nodes_after: int | None
    low_activation_nodes: int | None
    parameters: Mapping[str, Any]
    """The decay parameters in force."""
    actor: str
    llm_calls: int
    llm_tokens: int
    error: str | None
    heartbeat_at: int
    """Database time, epoch ms."""
    fencing_token: int
    """Of the lease that the cycle ran under."""

    @classmethod
    def from_row(cls, row: Mapping[Any, Any]) -> CycleRecord:
        return cls(**row)


@dataclass(frozen=True, kw_only=True)
class PlannedGroup:
    """One row of ``forgetting_plan``: statements that are to become one summary."""

    group_no: int
    """Counts from 0 within its cycle, in the order of work."""
    entity_id: str | None
    """What the statements have in common; None: they resemble one another."""
    statement_ids: tuple[str, ...]
    pair_count: int
    """How many pairs the group is in the cycle's counts."""
    state: GroupState = "pending"
    summary_id: str | None = None
    """Set when, and only when, the group is fused."""
    reason: str | None = None
    """Why it is not."""

    @classmethod
    def from_row(cls, row: Mapping[Any, Any]) -> PlannedGroup:
        return cls(**{**row, "statement_ids": tuple(row["statement_ids"])})


@dataclass(frozen=True, kw_only=True)
class FailureRecord:
    """One row of ``forgetting_failure``: one attempt at one group that failed."""

    id: str
    cycle_id: str
    group_no: int
    group_key: str
    """Names the same group in every cycle."""
    cause: str
    attempt: int
    """Counts from 1."""
    at: int
    next_try_at: int | None
    """None: set aside until somebody asks for it."""
    resolved_by: str | None
    resolved_at: int | None

    @classmethod
    def from_row(cls, row: Mapping[Any, Any]) -> FailureRecord:
        return cls(**row)
