"""What a demonstration did, stage by stage: the facts that people see and that ``--json`` prints."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memorygraph_api.wire import outward

if TYPE_CHECKING:
    from memorygraph import Cycle
    from memorygraph.records import Lineage
    from memorygraph_forgetting import Curve

__all__ = [
    "Aged",
    "Answered",
    "Asked",
    "Forgot",
    "Found",
    "Opened",
    "Played",
    "Progress",
    "Remembered",
    "RememberedTurn",
    "Retained",
    "Reuse",
    "Stage",
    "Told",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Where the demonstration plays, and what."""

    conversation: str
    speakers: tuple[str, ...]
    turns: int
    first: datetime
    last: datetime
    store: str
    """``embedded`` or the address of a Neo4j server."""
    data_dir: str | None
    """The folder that stays; None for one that is removed at the end."""
    end_user_id: str
    open_ms: float
    """How long opening the engine took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What is going on now."""

    doing: str
    done: int = 0
    of: int | None = None
    """How many there are to do; None where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedTurn:
    """A turn and the memory made of it."""

    turn: str
    id: str
    outcome: str
    speaker: str
    text: str
    said_at: datetime
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """All turns, in order."""

    turns: tuple[RememberedTurn, ...]
    total_ms: float
    median_ms: float
    """Median time of one ``remember``, embedding included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One memory that a question found."""

    id: str
    type: str
    score: float
    speaker: str | None
    text: str
    retention: float
    turns: tuple[str, ...]
    """The turn it is, or for a summary the turns it was made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What one question found, best first."""

    question: str
    expected: str | None
    evidence: tuple[str, ...]
    """Turns that hold the answer, as the conversation's file says."""
    outcome: str
    found: tuple[Found, ...]

    @property
    def evidence_rank(self) -> int | None:
        """Rank, from 1, of the first memory found that is or stands for a turn of the evidence."""
        return next((n for n, f in enumerate(self.found, 1) if set(f.turns) & set(self.evidence)), None)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {**asdict(self), "evidence_rank": self.evidence_rank}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """All questions, asked without leaving an access."""

    when: str
    """``before`` or ``after`` the forgetting cycle."""
    answers: tuple[Answered, ...]
    median_ms: float
    """Median time of one ``recall``, embedding included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reuse:
    """A question asked again while time passed, and the memories that were used by it."""

    day: int
    at: datetime
    question: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """How one memory fared over the days."""

    id: str
    turn: str
    text: str
    curve: Curve

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {"id": self.id, "turn": self.turn, "text": self.text, "curve": self.curve.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aged:
    """Time has passed."""

    days: int
    at: datetime
    reused: tuple[Reuse, ...]
    kept: Retained | None
    """A memory that was used on the way; None when none was."""
    fading: Retained | None
    """A memory that was not, and is cold; None when there is none."""
    cold: int
    """Memories whose retention is below the threshold now."""
    live: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgot:
    """One forgetting cycle, and the summaries it made with what they were made of."""

    cycle: Cycle
    summaries: tuple[Lineage, ...]
    total_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A question whose evidence is fused, and the summary that is found for it; the end of the demonstration."""

    answered: Answered | None
    """None when no question's evidence was fused and found."""
    lineage: Lineage | None
    evidence_ids: tuple[str, ...]
    """Ids of the evidence's memories, now originals of that summary."""
    still_live: tuple[str, ...]
    """Re-used memories that are still there as they were said."""
    chain_ok: bool
    events: int
    """Length of the user's hash-chained event log, verified."""


Stage = Opened | Progress | Remembered | Asked | Aged | Forgot | Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """The whole demonstration."""

    opened: Opened
    remembered: Remembered
    before: Asked
    aged: Aged
    forgot: Forgot
    after: Asked
    told: Told
    total_ms: float

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values, importance as a mark from 1 to 10, times ISO 8601 UTC."""
        aged, told = self.aged, self.told
        value = {
            "conversation": {
                "name": self.opened.conversation,
                "speakers": self.opened.speakers,
                "turns": self.opened.turns,
                "first": self.opened.first,
                "last": self.opened.last,
            },
            "store": {
                "server": self.opened.store,
                "data_dir": self.opened.data_dir,
                "end_user_id": self.opened.end_user_id,
            },
            "memories": [asdict(turn) for turn in self.remembered.turns],
            "answers": {
                "before": [answer.to_dict() for answer in self.before.answers],
                "after": [answer.to_dict() for answer in self.after.answers],
            },
            "time_passed": {
                "days": aged.days,
                "at": aged.at,
                "reused": [asdict(reuse) for reuse in aged.reused],
                "kept": aged.kept and aged.kept.to_dict(),
                "fading": aged.fading and aged.fading.to_dict(),
                "cold": aged.cold,
                "live": aged.live,
            },
            "cycle": self.forgot.cycle.to_dict(),
            "summaries": [lineage.to_dict() for lineage in self.forgot.summaries],
            "answered_by_summary": told.answered and {**told.answered.to_dict(), "evidence_ids": told.evidence_ids},
            "lineage": told.lineage and told.lineage.to_dict(),
            "still_live": list(told.still_live),
            "events": {"verified": told.chain_ok, "count": told.events},
            "timings": {
                "open_ms": self.opened.open_ms,
                "remember_all_ms": self.remembered.total_ms,
                "remember_median_ms": self.remembered.median_ms,
                "recall_median_before_ms": self.before.median_ms,
                "recall_median_after_ms": self.after.median_ms,
                "cycle_ms": self.forgot.total_ms,
                "total_ms": self.total_ms,
            },
        }
        plain: dict[str, Any] = _plain(outward(value))
        return plain


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return round(value, 6) if isinstance(value, float) else value
