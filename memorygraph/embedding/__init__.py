"""Embedding models: the bundled one, any of fastembed's, a local folder, or a service by way of litellm."""

from __future__ import annotations

from pathlib import Path

from memorygraph.embedding.protocol import Embedder

__all__ = ["Embedder", "load_embedder"]

_DOWNLOADED_DEFAULT = "BAAI/bge-small-en-v1.5"
_SERVICE = "litellm:"


def load_embedder(setting: str, *, data_dir: Path, threads: int) -> Embedder:
    """The embedder that ``setting`` names; call it in a thread, it reads files and may use the network.

    ``setting`` is ``auto`` (the bundled model, without it fastembed's small English one, downloaded
    at first use), the name of a model of fastembed's, the path of a folder with an ONNX model, or
    ``litellm:<model>``. Models of this process are loaded once per process and number of
    ``threads`` (1 or more); ``data_dir`` is where their files are kept.

    Raises :class:`~memorygraph.errors.ConfigurationError` for a setting that names nothing,
    :class:`~memorygraph.errors.MissingExtra` when the bundled model is asked for by name and not
    installed, :class:`~memorygraph.errors.EmbedderError` when the model cannot be had or does not
    work, and :class:`~memorygraph.errors.DataFolderUnusable` when the bundled model's files cannot
    be written.
    """
    from memorygraph.embedding.bundled import BUNDLED_NAME, is_available  # numpy and fastembed stay out of the import

    if setting.startswith(_SERVICE):
        from memorygraph.embedding.service import load_service

        return load_service(setting.removeprefix(_SERVICE))
    from memorygraph.embedding.local import load_bundled, load_folder, load_named

    if setting == BUNDLED_NAME or (setting == "auto" and is_available(data_dir)):
        return load_bundled(data_dir=data_dir, threads=threads)
    if setting == "auto":
        return load_named(_DOWNLOADED_DEFAULT, data_dir=data_dir, threads=threads)
    folder = Path(setting).expanduser()
    if folder.is_dir():
        return load_folder(folder, threads=threads)
    return load_named(setting, data_dir=data_dir, threads=threads)
