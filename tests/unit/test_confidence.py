from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.confidence import effective_confidence, effective_confidences

DAY = 86_400_000
NOW = 1_772_442_000_000


def after(days: float, confidence: float, source_count: int) -> float:
    confirmed = NOW - round(days * DAY)
    return effective_confidence(confidence, source_count=source_count, last_confirmed_at=confirmed, now=NOW)


@pytest.mark.parametrize(
    ("confidence", "source_count", "days", "expected"),
    [
        # To 17 digits, from arithmetic with 50.
        (1.0, 1, 0, 0.76),
        (1.0, 5, 0, 1.0),
        (1.0, 1, 90, 0.5703638323514327),
        (1.0, 5, 90, 0.8103638323514327),
        (0.7, 3, 30, 0.55647157522049574),
        (0.85, 4, 200, 0.57163384592158345),
        (0.5, 9, 3650, 0.35),
        (1.0, 2, 0.5, 0.81833795440146903),
        (0.123456789, 1, 45, 0.079254221243452016),
        (0.0, 5, 0, 0.0),
    ],
)
def test_confidence_is_what_the_formula_says(
    confidence: float, source_count: int, days: float, expected: float
) -> None:
    assert after(days, confidence, source_count) == pytest.approx(expected, abs=1e-12)


def test_a_confirmation_in_the_future_counts_as_one_that_happens_now() -> None:
    assert after(-400, 1.0, 5) == after(0, 1.0, 5) == 1.0


CONFIDENCES = st.floats(0, 1)
SOURCES = st.integers(1, 10_000)
DAYS = st.integers(0, 36_500)


@given(confidence=CONFIDENCES, sources=SOURCES, days=DAYS)
def test_it_lies_between_the_standing_part_and_what_was_given(confidence: float, sources: int, days: int) -> None:
    effective = after(days, confidence, sources)
    assert 0.4 * confidence <= effective <= confidence + 1e-15
    assert effective >= confidence * (0.4 + 0.3 * min(sources / 5, 1)) - 1e-15  # evidence never decays


@given(confidence=CONFIDENCES, sources=SOURCES, days=DAYS, more=st.integers(0, 1000), less=CONFIDENCES)
def test_it_falls_with_age_and_rises_with_sources_and_with_what_was_given(
    confidence: float, sources: int, days: int, more: int, less: float
) -> None:
    effective = after(days, confidence, sources)
    assert after(days + more, confidence, sources) <= effective
    assert after(days, confidence, sources + more) >= effective
    assert after(days, less * confidence, sources) <= effective


@given(rows=st.lists(st.tuples(CONFIDENCES, SOURCES, st.integers(-DAY, 36_500 * DAY)), max_size=50))
def test_many_at_once_are_as_each_by_itself(rows: list[tuple[float, int, int]]) -> None:
    many = effective_confidences(
        np.array([row[0] for row in rows], dtype=np.float64),
        source_count=np.array([row[1] for row in rows], dtype=np.int64),
        last_confirmed_at=np.array([NOW - row[2] for row in rows], dtype=np.int64),
        now=NOW,
    )
    each = [effective_confidence(c, source_count=s, last_confirmed_at=NOW - age, now=NOW) for c, s, age in rows]
    np.testing.assert_allclose(many, each, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"confidence": -0.1}, ValueError),
        ({"confidence": 1.1}, ValueError),
        ({"confidence": float("nan")}, ValueError),
        ({"source_count": 0}, ValueError),
        ({"source_count": 1.5}, TypeError),
        ({"last_confirmed_at": float(NOW)}, TypeError),
        ({"now": float(NOW)}, TypeError),
    ],
)
def test_what_is_out_of_range_is_refused(wrong: dict[str, Any], error: type[Exception]) -> None:
    given: dict[str, Any] = {"confidence": 1.0, "source_count": 1, "last_confirmed_at": NOW, "now": NOW}
    assert effective_confidence(given.pop("confidence"), **given) == 0.76
    given = {"confidence": 1.0, "source_count": 1, "last_confirmed_at": NOW, "now": NOW, **wrong}
    with pytest.raises(error):
        effective_confidence(given.pop("confidence"), **given)


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence": [0.5, 1.1]},
        {"confidence": [0.5, float("nan")]},
        {"source_count": [1, 0]},
        {"source_count": [1]},
        {"confidence": 0.5, "source_count": 1, "last_confirmed_at": NOW},
    ],
)
def test_arrays_out_of_range_or_of_several_shapes_are_refused(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {"confidence": [0.5, 1.0], "source_count": [1, 2], "last_confirmed_at": [NOW, NOW]}
    assert effective_confidences(right.pop("confidence"), **right, now=NOW).shape == (2,)
    arrays: dict[str, Any] = {
        "confidence": [0.5, 1.0],
        "source_count": [1, 2],
        "last_confirmed_at": [NOW, NOW],
        **wrong,
    }
    with pytest.raises(ValueError, match=r"shape|between|at least"):
        effective_confidences(arrays.pop("confidence"), **arrays, now=NOW)
