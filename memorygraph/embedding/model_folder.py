"""A folder with an ONNX text embedding model, as sentence-transformers and optimum export it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memorygraph.errors import ConfigurationError

__all__ = ["ModelFolder", "read_model_folder"]

Pooling = Literal["CLS", "MEAN", "LAST_TOKEN"]
_POOLINGS: dict[str, Pooling] = {
    "pooling_mode_cls_token": "CLS",
    "pooling_mode_mean_tokens": "MEAN",
    "pooling_mode_lasttoken": "LAST_TOKEN",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    path: Path
    model_file: str  # relative to the folder, with forward slashes
    pooling: Pooling

    @property
    def weights(self) -> list[Path]:
        """The files that hold the weights: the ONNX file and, of large models, the data beside it."""
        file = self.path / self.model_file
        return [file, *sorted(p for p in file.parent.iterdir() if p.name.startswith(f"{file.stem}.onnx_data"))]


def read_model_folder(path: Path) -> ModelFolder:
    """What lies in ``path``: ``model.onnx`` (there or in ``onnx/``), the tokenizer's files, the pooling.

    Without ``1_Pooling/config.json`` the token vectors are averaged. Raises
    :class:`ConfigurationError` naming what is missing.
    """
    missing = [name for name in ("tokenizer.json", "tokenizer_config.json") if not (path / name).is_file()]
    if missing:
        raise ConfigurationError(
            f"The embedding model in {path} lacks {' and '.join(missing)}.",
            hint="Name a folder in MEMORYGRAPH_EMBEDDER that an ONNX text model was exported to.",
        )
    return ModelFolder(path=path, model_file=_model_file(path), pooling=_pooling(path))


def _model_file(path: Path) -> str:
    for name in ("model.onnx", "onnx/model.onnx"):
        if (path / name).is_file():
            return name
    found = sorted(file.relative_to(path).as_posix() for file in (*path.glob("*.onnx"), *path.glob("onnx/*.onnx")))
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigurationError(
            f"The embedding model in {path} has several ONNX files and none is model.onnx: {', '.join(found)}.",
            hint="Keep one of them.",
        )
    raise ConfigurationError(f"There is no ONNX model in {path}.", hint="Put model.onnx there.")


def _pooling(path: Path) -> Pooling:
    file = path / "1_Pooling" / "config.json"
    if not file.is_file():
        return "MEAN"
    try:
        config: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file} cannot be read: {error}.") from error
    modes: list[Pooling] = [pooling for key, pooling in _POOLINGS.items() if config.get(key) is True]
    if len(modes) == 1:
        return modes[0]
    raise ConfigurationError(
        f"{file} asks for a pooling that is not supported.",
        hint="Supported are the mean, the first and the last token.",
    )
