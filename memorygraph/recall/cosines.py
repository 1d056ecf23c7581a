"""Cosines of unit vectors, without waking BLAS's threads for one of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["cosines"]

# From here on a matrix product is worth its threads.
_FEW = 8


def cosines(vectors: npt.NDArray[np.float32], stored: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The products of each of ``vectors``, shape (n, d), with each of ``stored``, (m, d), as an array (n, m).

    After a product on several threads OpenBLAS keeps them spinning for tens of milliseconds, against
    the embedder and the graph server of the same machine: on 2 cores one ``remember`` took twice its
    time. A product of rows one by one stays on this thread, and for one vector is as fast.
    """
    if len(vectors) < _FEW:
        products = [np.vecdot(stored, vector) for vector in vectors]
        return np.stack(products) if products else np.empty((0, len(stored)), dtype=np.float32)
    return np.asarray(vectors @ stored.T, dtype=np.float32)
