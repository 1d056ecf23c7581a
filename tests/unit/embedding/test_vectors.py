from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.embedding.vectors import unit_rows
from memorygraph.errors import EmbedderError

NUMBER = st.floats(min_value=-1e150, max_value=1e150)


@given(st.lists(NUMBER, min_size=1, max_size=6).filter(lambda row: max(map(abs, row)) > 1e-6))
def test_rows_become_length_one_in_their_direction(row: list[float]) -> None:
    vector = unit_rows([row], rows=1, dimension=len(row), source="It")[0]
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert float(vector @ (np.array(row) / np.linalg.norm(row))) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, float("nan")]], "not finite"),
        ([[1.0, float("inf")]], "not finite"),
        ([[0.0, 0.0]], "zero vector"),
        ([[1.0, 2.0, 3.0]], "dimension 3, and before of dimension 2"),
        ([[1.0, 2.0], [1.0, 2.0]], "for 1 texts"),
        ([], "for 1 texts"),
        ([[]], "for 1 texts"),
        ([1.0, 2.0], "for 1 texts"),
        ([["one", "two"]], "no vector"),
        ([[1.0, 2.0], [1.0]], "no vector"),
        ([None], "for 1 texts"),
    ],
)
def test_what_is_no_vector_is_refused(vectors: list[object], message: str) -> None:
    np.testing.assert_allclose(unit_rows([[3.0, 4.0]], rows=1, dimension=2, source="It"), [[0.6, 0.8]], rtol=1e-6)
    with pytest.raises(EmbedderError, match=message):
        unit_rows(vectors, rows=1, dimension=2, source="It")
