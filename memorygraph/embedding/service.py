"""Models behind a service of any provider that litellm speaks to.

Keys and addresses come from litellm's own variables (``OPENAI_API_KEY``, ``OPENAI_API_BASE``, …).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from memorygraph.embedding.vectors import present, unit_rows
from memorygraph.errors import ConfigurationError, EmbedderError
from memorygraph.litellm_module import litellm_module

__all__ = ["ServiceEmbedder", "load_service"]

_SECONDS_PER_TRY = 20.0
_RETRIES = 2
# Under the limits of the common providers: 96 texts of one request, about 8,000 tokens of one text.
_TEXTS_PER_REQUEST = 64
_READ_AT_MOST = 6_000


class ServiceEmbedder:
    """An embedding model called over HTTP. Transient failures are tried twice more before they are raised."""

    def __init__(self, model: str, *, timeout: float) -> None:
        self._model = model
        self._timeout = timeout
        self.name = f"litellm:{model}"
        # In a thread of ours also here: litellm makes an event loop for a main thread without one, and leaves it open.
        self.dimension = len(_threads().submit(self._request, ["."], None).result()[0])
        self.digest = hashlib.sha256(f"{self.name}/{self.dimension}".encode()).hexdigest()

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See :class:`~memorygraph.embedding.protocol.Embedder`."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        loop = asyncio.get_running_loop()
        for start in range(0, len(texts), _TEXTS_PER_REQUEST):
            batch = [present(text[:_READ_AT_MOST]) for text in texts[start : start + _TEXTS_PER_REQUEST]]
            # litellm's synchronous door, in a thread: its asynchronous clients belong to the event loop that made
            # them, are shared by the whole process, and stay open when that loop ends.
            rows = await loop.run_in_executor(_threads(), self._request, batch, self.dimension)
            vectors[start : start + len(batch)] = rows
        return vectors

    async def close(self) -> None:
        """Nothing to give back: litellm's connections belong to the process."""

    def _request(self, texts: list[str], dimension: int | None) -> npt.NDArray[np.float32]:
        litellm = litellm_module()
        try:
            response = litellm.embedding(
                model=self._model, input=texts, timeout=self._timeout, max_retries=_RETRIES, caching=False
            )
        except Exception as error:  # the providers' exceptions have no common base below Exception
            raise self._translated(litellm, error) from error
        return unit_rows(
            _vectors(response, self.name),
            rows=len(texts),
            dimension=dimension,
            source=f"The embedding model {self.name}",
        )

    def _translated(self, litellm: Any, error: Exception) -> EmbedderError | ConfigurationError:
        provider_unknown = isinstance(error, litellm.BadRequestError) and "LLM Provider NOT provided" in str(error)
        if provider_unknown or isinstance(error, litellm.LiteLLMUnknownProvider):
            return ConfigurationError(
                f"litellm does not know whose model {self._model} is.",
                hint="MEMORYGRAPH_EMBEDDER begins with the provider: litellm:openai/text-embedding-3-small.",
            )
        if getattr(error, "status_code", None) in (401, 403):
            # Without the provider's words, which may repeat the key.
            return EmbedderError(
                f"The provider of {self.name} refused the key.", hint="Check the provider's API key variable."
            )
        reason = " ".join(str(error).split())[:300]
        if isinstance(error, litellm.NotFoundError):
            return EmbedderError(f"The provider does not have {self.name}: {reason}.", hint="Check the model's name.")
        if isinstance(error, litellm.RateLimitError):
            return EmbedderError(f"The provider of {self.name} asks for fewer requests: {reason}.", hint="Try later.")
        if isinstance(error, litellm.Timeout):
            return EmbedderError(f"The provider of {self.name} did not answer within {self._timeout:g} seconds.")
        return EmbedderError(f"The provider of {self.name} failed: {reason}.")


def load_service(model: str, *, timeout: float = _SECONDS_PER_TRY) -> ServiceEmbedder:
    """The embedder of ``model`` in litellm's notation (``provider/name``); asks it once, to learn its dimension.

    ``timeout`` is in seconds for each of at most three tries. Raises :class:`ConfigurationError`
    when the provider is unknown and :class:`EmbedderError` when it does not answer as it should.
    """
    if not model.strip():
        raise ConfigurationError(
            "MEMORYGRAPH_EMBEDDER names no model after litellm:.",
            hint="For example litellm:openai/text-embedding-3-small.",
        )
    return ServiceEmbedder(model.strip(), timeout=timeout)


def _vectors(response: Any, name: str) -> list[object]:
    """The vectors of a response in the order of the texts, whatever the order they came in."""
    try:
        rows = sorted(response.data, key=lambda row: int(row["index"]))
        return [row["embedding"] for row in rows]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise EmbedderError(f"The embedding model {name} answered in a form that is not understood.") from error


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=8, thread_name_prefix="memorygraph-embedding-service")
