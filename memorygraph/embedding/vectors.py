"""What comes out of a model, checked before anything is built on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memorygraph.errors import EmbedderError

__all__ = ["present", "unit_rows"]

_SMALLEST_NORM = 1e-9


def unit_rows(
    vectors: Sequence[object] | npt.NDArray[np.generic], *, rows: int, dimension: int | None, source: str
) -> npt.NDArray[np.float32]:
    """``vectors`` as a float32 array of shape (rows, dimension) whose rows have length 1.

    ``dimension`` of ``None`` takes what comes; ``source`` names the model in messages. Raises
    :class:`EmbedderError` for another shape, for values that are not finite, and for zero vectors.
    """
    try:
        array = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EmbedderError(f"{source} returned something that is no vector: {error}.") from error
    if array.ndim != 2 or array.shape[0] != rows or array.shape[1] == 0:
        raise EmbedderError(f"{source} returned an array of shape {array.shape} for {rows} texts.")
    if dimension is not None and array.shape[1] != dimension:
        raise EmbedderError(
            f"{source} returned vectors of dimension {array.shape[1]}, and before of dimension {dimension}.",
            hint="Name another model in MEMORYGRAPH_EMBEDDER if this one changed.",
        )
    if not np.isfinite(array).all():
        raise EmbedderError(f"{source} returned values that are not finite numbers.")
    norms = np.linalg.norm(array, axis=1, keepdims=True)
    if (norms < _SMALLEST_NORM).any():
        raise EmbedderError(f"{source} returned a zero vector.")
    return np.asarray(array / norms, dtype=np.float32)


def present(text: str) -> str:
    """``text``, or a full stop for a blank one: services refuse blanks, and there is nothing in them to find."""
    return text if text.strip() else "."
