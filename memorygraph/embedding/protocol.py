"""What the engine asks of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Embedder"]


class Embedder(Protocol):
    """Turns texts into vectors.

    ``name``, ``dimension`` and ``digest`` identify the model: vectors of two models never meet in
    one store. ``digest`` is the SHA-256 of the weights (64 hexadecimal digits); of a model behind a
    service, whose weights nobody sees, it is that of its name and dimension.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def digest(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One vector per text, in order: float32, shape (len(texts), dimension), each of length 1.

        A blank text is embedded as a full stop, and of a text that is too long for the model only
        the beginning counts. Does not block the event loop. Raises
        :class:`~memorygraph.errors.EmbedderError` when the model fails or returns what is no vector.
        """
        ...

    async def close(self) -> None:
        """Give back what the embedder holds open; it is not used afterwards. Closing twice is harmless."""
        ...
