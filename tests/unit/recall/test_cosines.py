from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

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


def test_the_process_keeps_its_threads_for_other_products_however_many_ask_at_once() -> None:
    def threads() -> list[int]:
        return [of["num_threads"] for of in threadpool_info() if of["user_api"] == "blas"]

    before = threads()
    assert before
    matrix = np.random.default_rng(1).standard_normal((500, 64), dtype=np.float32)
    with ThreadPoolExecutor(max_workers=8) as callers:
        found = list(callers.map(lambda _: cosines(matrix, matrix), range(200)))
    assert len(found) == 200
    assert threads() == before
