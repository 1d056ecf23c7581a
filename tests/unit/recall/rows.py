"""Rows for the tests of the recall index, and the index told in plain Python."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from memorygraph.recall.index import Filters, IndexRow
from memorygraph.text import search_text

DIMENSION = 4
WORDS = ["tea", "milk", "leeds", "acme", "nurse", "river", "may", "volcano"]
KINDS = ["turn", "fact", "preference"]
TAGS = ["home", "work", "trip"]
NOW = 1_000


def unit(values: Sequence[float]) -> npt.NDArray[np.float32]:
    array = np.asarray(values, dtype=np.float64)
    return np.asarray(array / np.linalg.norm(array), dtype=np.float32)


def row(row_id: str, text: str = "tea", vector: Sequence[float] = (1, 0, 0, 0), **properties: object) -> IndexRow:
    given: dict[str, object] = {"type": "Statement", "kind": "fact", "status": "active", "trust": "accepted"}
    return IndexRow(
        id=row_id,
        search_text=search_text("alice", text),
        embedding=unit(vector).astype("<f4").tobytes(),
        **{**given, **properties},  # type: ignore[arg-type]
    )


_SOURCE = random.Random(1)
VECTORS = [tuple(_SOURCE.uniform(-1, 1) for _ in range(DIMENSION)) for _ in range(20)]
VECTORS += [(1.0, 0.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0)]
vectors = st.sampled_from(VECTORS)
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
ids = st.integers(0, 30).map("row-{:02d}".format)
index_rows = st.builds(
    IndexRow,
    id=ids,
    type=st.sampled_from(["Statement", "MemorySummary"]),
    search_text=st.sampled_from([search_text("alice", " ".join(_SOURCE.choices(WORDS, k=n % 7))) for n in range(60)]),
    embedding=st.sampled_from([unit(vector).astype("<f4").tobytes() for vector in VECTORS]),
    kind=st.sampled_from(KINDS),
    status=st.sampled_from(["active", "active", "superseded"]),
    trust=st.sampled_from(["accepted", "accepted", "candidate"]),
    tags=st.sampled_from([(), ("home",), ("work",), ("work", "home"), ("trip", "home", "work")]),
    project=st.sampled_from([None, "red", "blue"]),
    session_id=st.sampled_from([None, "monday", "tuesday"]),
    expires_at=st.sampled_from([None, NOW - 1, NOW, NOW + 1]),
)

filters = st.builds(
    Filters,
    now=st.just(NOW),
    kinds=st.none() | st.lists(st.sampled_from([*KINDS, "never seen"]), max_size=2),
    tags=st.lists(st.sampled_from([*TAGS, "never seen"]), max_size=2),
    project=st.sampled_from([None, "red", "never seen"]),
    session_id=st.sampled_from([None, "monday"]),
    statuses=st.sampled_from([("active",), ("active", "superseded"), ()]),
    trusts=st.sampled_from([("accepted",), ("accepted", "candidate")]),
)


def passes(candidate: IndexRow, wanted: Filters) -> bool:
    return (
        (candidate.expires_at is None or candidate.expires_at > wanted.now)
        and candidate.status in wanted.statuses
        and candidate.trust in wanted.trusts
        and (wanted.kinds is None or candidate.kind in wanted.kinds)
        and set(wanted.tags) <= set(candidate.tags)
        and (wanted.project is None or candidate.project == wanted.project)
        and (wanted.session_id is None or candidate.session_id == wanted.session_id)
    )


@dataclass
class PlainIndex:
    """What the index should be, without arrays and without haste."""

    rows: dict[str, IndexRow] = field(default_factory=dict)

    def apply(self, rows: Sequence[IndexRow], removed: Sequence[str]) -> None:
        for row_id in removed:
            self.rows.pop(row_id, None)
        for changed in rows:
            self.rows[changed.id] = changed

    def bm25(self, tokens: Sequence[str]) -> dict[str, float]:
        documents = {row_id: Counter(r.search_text.split(" ")[1:]) for row_id, r in self.rows.items()}
        mean = max(sum(d.total() for d in documents.values()) / max(len(documents), 1), 1)
        scores = dict.fromkeys(documents, 0.0)
        for token in set(tokens):
            holders = [row_id for row_id, document in documents.items() if token in document]
            idf = math.log(1 + (len(documents) - len(holders) + 0.5) / (len(holders) + 0.5))
            for row_id in holders:
                count, length = documents[row_id][token], documents[row_id].total()
                scores[row_id] += idf * count * 1.9 / (count + 0.9 * (1 - 0.2 + 0.2 * length / mean))
        return scores

    def cosines(self, vector: npt.NDArray[np.float32]) -> dict[str, float]:
        return {row_id: float(np.frombuffer(r.embedding, dtype="<f4") @ vector) for row_id, r in self.rows.items()}
