"""Cosines of unit vectors, without waking BLAS's threads for them."""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

__all__ = ["cosines"]

# From here on a matrix product is faster than one row after the other.
_FEW = 8
# The number of threads is the process's: two who lower it at once would put back each other's.
_alone = threading.Lock()


def cosines(vectors: npt.NDArray[np.float32], stored: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The products of each of ``vectors``, shape (n, d), with each of ``stored``, (m, d), as an array (n, m).

    On one thread. After a product on several, OpenBLAS keeps them spinning for tens of milliseconds,
    against the embedder and the graph server of the same machine: on 2 cores one ``remember`` took twice
    its time, and a batch a tenth more.
    """
    if len(vectors) < _FEW:
        products = [np.vecdot(stored, vector) for vector in vectors]
        return np.stack(products) if products else np.empty((0, len(stored)), dtype=np.float32)
    with _alone, _blas().limit(limits=1):
        return np.asarray(vectors @ stored.T, dtype=np.float32)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")
