from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.recall.cosines import cosines


@given(count=st.integers(0, 20), stored=st.integers(0, 30), seed=st.integers(0, 2**32 - 1))
def test_each_vector_is_held_against_each_that_is_stored(count: int, stored: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((count, 12), dtype=np.float32)
    matrix = random.standard_normal((stored, 12), dtype=np.float32)
    found = cosines(vectors, matrix)
    assert found.shape == (count, stored)
    assert found.dtype == np.float32
    expected = [[sum(float(a) * float(b) for a, b in zip(v, m, strict=True)) for m in matrix] for v in vectors]
    np.testing.assert_allclose(found, np.reshape(expected, (count, stored)), atol=1e-4)


@pytest.mark.parametrize("count", [1, 7, 8, 9])
def test_a_vector_has_the_cosine_one_with_itself_however_many_are_asked_for(count: int) -> None:
    matrix = np.eye(12, dtype=np.float32)
    np.testing.assert_array_equal(cosines(matrix[:count], matrix), matrix[:count])
