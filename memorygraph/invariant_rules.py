"""What holds for every node of a user, by the data model: pure rules over rows of the ``check_…`` statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Literal

from memorygraph.access.state import ParametersInForce, history_of, standing_of
from memorygraph.text.normalise import normalise_name
from memorygraph.text.tokens import search_text
from memorygraph.validation import KINDS, MAX_TEXT
from memorygraph.writing.contradiction import slot_of
from memorygraph_forgetting import Standing, cold_at, fusable_at

__all__ = [
    "LEGAL_RELATIONSHIPS",
    "STATUSES",
    "TRUSTS",
    "FaultKind",
    "Finding",
    "Surroundings",
    "entity_findings",
    "statement_findings",
    "stub_findings",
    "summary_findings",
]

FaultKind = Literal[
    "events", "ownership", "relationship", "shape", "counts", "access", "question", "index", "forgotten"
]
Finding = tuple[FaultKind, str]
Row = Mapping[str, Any]

STATUSES = frozenset({"active", "superseded", "retracted", "expired"})
TRUSTS = frozenset({"accepted", "candidate", "rejected"})
_TOLERANCE = 1000  # ms that an instant computed anew may be off

_MEMORIES = ("Statement", "MemorySummary")
LEGAL_RELATIONSHIPS: tuple[str, ...] = (
    *(f"FROM_EPISODE {memory} Episode" for memory in _MEMORIES),
    *(f"MENTIONS {memory} Entity" for memory in _MEMORIES),
    "RELATES Entity Entity",
    *(f"SUPERSEDES {new} {old}" for new in _MEMORIES for old in _MEMORIES),
    *(f"SIMILAR_TO {source} {target}" for source in _MEMORIES for target in _MEMORIES),
    "CONTRADICTS Statement Statement",
    "DERIVED_FROM MemorySummary Forgotten",
    "RESTATES Statement Forgotten",
)
"""Types with the labels of their two ends, separated by spaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the rules look a user's nodes up in."""

    end_user_id: str
    told: Set[tuple[str, int]]  # ids with the numbers of the events that told recall of them
    parameters: Mapping[int, ParametersInForce | None]  # by version; None for one that never was
    embedding_bytes: int  # of a vector
    known_by: Callable[[Row], Sequence[str]]  # the fingerprints of the value of a statement, its own first
    kept_out: Mapping[str, str]  # the kinds of the tombstones in force, by fingerprint
    uncovered: Set[str]  # ids of what stays superseded though an erasure took all that superseded it


def statement_findings(row: Row, around: Surroundings) -> Iterator[Finding]:
    """Of a row of ``check_statements``."""
    node = row["properties"]
    yield from _memory_findings(node, row["superseded_by"], around)
    said, sources = node.get("assertion_count") or 0, node.get("source_count") or 0
    if said < 1 or not 1 <= sources <= said:
        yield "counts", f"it was said {said} times by {sources} sources"
    if not _is_unit(node.get("confidence")):
        yield "shape", f"its confidence is {node.get('confidence')!r}"
    yield from _value_findings(node, around)
    if node.get("kind") == "turn" and not row["episodes"]:
        yield "relationship", "it is a turn, and the episode that keeps it is gone"
    if (node.get("slot_key") is None) != (
        slot_of(node.get("subject") or node.get("speaker"), node.get("predicate")) is None
    ):
        yield "shape", "it makes a claim and has no slot, or the reverse"
    asked = len(row["contradicted_by"])
    if (node.get("open_questions") or 0) != asked:
        yield "question", f"it counts {node.get('open_questions') or 0} open questions and has {asked}"
    may_wait = asked > 0 or node.get("trust") == "candidate"
    waits = asked > 0 or (may_wait and node.get("status") == "active")
    if waits and node.get("review_since") is None:
        yield "question", "it waits for review, and review_since does not say since when"
    if node.get("review_since") is not None and not may_wait:
        yield "question", "it does not wait for review, and review_since says since when"
    yield from _access_findings(node, around, _standing(node, contradicted=asked > 0))


def summary_findings(row: Row, around: Surroundings) -> Iterator[Finding]:
    """Of a row of ``check_summaries``."""
    node = row["properties"]
    yield from _memory_findings(node, row["superseded_by"], around)
    statements = row["originals"].count("Statement")
    if node.get("fused_count") != statements:
        yield "counts", f"it counts {node.get('fused_count')} statements and leads back to {statements}"
    if (node.get("generation") or 0) < 1:
        yield "shape", f"its generation is {node.get('generation')!r}"
    yield from _access_findings(node, around, _standing(node, contradicted=False))


def entity_findings(row: Row, around: Surroundings) -> Iterator[Finding]:
    """Of a row of ``check_entities``."""
    node = row["properties"]
    if not node.get("name") or not node.get("kind"):
        yield "shape", "it has no name or no kind"
    elif node.get("name_key") != normalise_name(node["name"]):
        yield "shape", f"its name {node['name']!r} is not the one of its key {node.get('name_key')!r}"
    if not _is_unit(node.get("importance")):
        yield "shape", f"its importance is {node.get('importance')!r}"
    yield from _access_findings(node, around, None)


def stub_findings(row: Row) -> Iterator[Finding]:
    """Of a row of ``check_stubs``."""
    node = row["properties"]
    if node.get("original_type") not in _MEMORIES:
        yield "shape", f"its original was a {node.get('original_type')!r}"
    if row["lives"]:
        yield "forgotten", "it was forgotten and lives all the same"
    if not row["summaries"]:
        yield "forgotten", "no summary stands for it"
    if node.get("search_text") is not None or node.get("embedding") is not None:
        yield "index", "it is forgotten, and would be found by search"


def _value_findings(node: Row, around: Surroundings) -> Iterator[Finding]:
    if not isinstance(node.get("text"), str):
        return  # told already, and no value without it
    if (node.get("predicate") is None) != (node.get("value") is None):
        yield "shape", "it names a property without its value, or the reverse"
        return
    known_by = around.known_by(node)
    if node.get("fingerprint") != known_by[0]:
        yield "shape", "its fingerprint is not that of its value"
    if node.get("status") == "active" and node.get("kind") != "turn":
        kinds = {around.kept_out[of] for of in known_by if of in around.kept_out}
        for kind in sorted(kinds):
            yield "forgotten", f"its value was {kind}, and it is live"


def _memory_findings(node: Row, superseded_by: Sequence[str], around: Surroundings) -> Iterator[Finding]:
    text, kind, status, trust = (node.get(name) for name in ("text", "kind", "status", "trust"))
    if not isinstance(text, str) or not 1 <= len(text) <= MAX_TEXT:
        yield "shape", f"its text does not have 1 to {MAX_TEXT} characters"
    for name, value, known in (("kind", kind, KINDS), ("status", status, STATUSES), ("trust", trust, TRUSTS)):
        if value not in known:
            yield "shape", f"its {name} is {value!r}"
    if not _is_unit(node.get("importance")):
        yield "shape", f"its importance is {node.get('importance')!r}"
    if (node.get("revision") or 0) < 1:
        yield "shape", f"its revision is {node.get('revision')!r}"
    if (node.get("id"), node.get("changed_seq")) not in around.told:
        yield "events", f"event {node.get('changed_seq')}, which changed it last, does not tell of it"
    if (status == "active") == (node.get("retired_at") is not None):
        yield "shape", f"its status is {status!r}, and retired_at says {node.get('retired_at')}"
    if superseded_by and status != "superseded":
        yield "relationship", f"{superseded_by[0]} supersedes it, and its status is {status!r}"
    if status == "superseded" and not superseded_by and node.get("id") not in around.uncovered:
        yield "relationship", "its status is 'superseded', and nothing supersedes it"
    yield from _index_findings(node, around)


def _index_findings(node: Row, around: Surroundings) -> Iterator[Finding]:
    name, other = "search_text", "past_search_text"
    if node.get("status") != "active":
        name, other = other, name
        if node.get(other) is not None:
            yield "index", "it is retired, and search would find it"
    elif node.get(other) is not None:
        yield "index", "it is live, and has words of a retired memory"
    if not f"{node.get(name) or ''} ".startswith(f"{search_text(around.end_user_id, node.get('text') or '')} "):
        yield "index", "the words it is searched by are not those of its text"
    vector = node.get("embedding")
    if not isinstance(vector, bytes) or len(vector) != around.embedding_bytes:
        yield "index", "its vector is missing or of another length"


def _standing(node: Row, *, contradicted: bool) -> Standing | None:
    return replace(standing_of(node), contradicted=contradicted) if {"kind", "trust", "status"} <= node.keys() else None


def _access_findings(node: Row, around: Surroundings, standing: Standing | None) -> Iterator[Finding]:
    try:
        history = history_of(node)
    except (KeyError, TypeError, ValueError) as error:
        yield "access", f"its access history cannot be: {error}"
        return
    if node.get("last_access_at") != history.last:
        yield "access", f"its last access is {history.last}, and last_access_at says {node.get('last_access_at')}"
    parameters = around.parameters.get(node.get("parameters_version", -1))
    if parameters is None:
        yield "access", f"there is no version {node.get('parameters_version')} of the decay parameters"
        return
    if not _is_unit(node.get("importance")):
        return  # told already, and nothing can be computed of it
    cold = cold_at(history, parameters.values, importance=node["importance"])
    if not _near(node.get("cold_at"), cold):
        yield "access", f"it goes cold at {cold}, and cold_at says {node.get('cold_at')}"
    fusable, stored = fusable_at(history, cold, parameters.values, standing=standing), node.get("fusable_at")
    if (fusable is None) != (stored is None):
        yield "access", f"it {'may never' if fusable is None else 'may'} be fused, and fusable_at says {stored}"
    elif fusable is not None and stored is not None and stored < fusable - _TOLERANCE:  # later is a group put off
        yield "access", f"it may be fused at {fusable}, and fusable_at says {stored}"


def _is_unit(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _near(one: int | None, other: int | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _TOLERANCE
