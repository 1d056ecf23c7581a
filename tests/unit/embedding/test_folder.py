from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from memorygraph.embedding import load_embedder
from memorygraph.embedding.bundled import assemble
from memorygraph.errors import ConfigurationError, EmbedderError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the user's with a copy of the bundled model."""
    return Path(shutil.copytree(assemble(tmp_path / "data"), tmp_path / "my-model"))


def pooling(folder: Path, **modes: bool) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))


async def test_a_local_folder_gives_the_vectors_of_its_model(folder: Path, tmp_path: Path) -> None:
    embedder = load_embedder(str(folder), data_dir=tmp_path, threads=1)
    bundled = load_embedder("auto", data_dir=tmp_path / "data", threads=1)
    assert embedder.name == "my-model"
    assert (embedder.dimension, embedder.digest) == (bundled.dimension, bundled.digest)
    np.testing.assert_array_equal(await embedder.embed(["hello"]), await bundled.embed(["hello"]))


async def test_the_folder_says_how_token_vectors_are_pooled(folder: Path, tmp_path: Path) -> None:
    mean = load_embedder(str(folder), data_dir=tmp_path, threads=1)
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    pooling(other, pooling_mode_cls_token=True, pooling_mode_mean_tokens=False)
    first = load_embedder(str(other), data_dir=tmp_path, threads=1)
    assert not np.allclose(await mean.embed(["hello there"]), await first.embed(["hello there"]))


async def test_the_model_may_lie_in_a_folder_named_onnx(folder: Path, tmp_path: Path) -> None:
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    embedder = load_embedder(str(folder), data_dir=tmp_path, threads=1)
    assert (await embedder.embed(["hello"])).shape == (1, 384)


def test_a_folder_without_a_tokenizer_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    with pytest.raises(ConfigurationError, match=r"lacks tokenizer.json and tokenizer_config.json"):
        load_embedder(str(folder), data_dir=tmp_path, threads=1)


def test_a_folder_without_a_model_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "model.onnx").unlink()
    with pytest.raises(ConfigurationError, match="no ONNX model"):
        load_embedder(str(folder), data_dir=tmp_path, threads=1)


def test_a_folder_with_several_models_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "model.onnx").rename(folder / "a.onnx")
    (folder / "b.onnx").touch()
    with pytest.raises(ConfigurationError, match=r"a\.onnx, b\.onnx"):
        load_embedder(str(folder), data_dir=tmp_path, threads=1)


def test_a_pooling_that_is_not_supported_is_refused(folder: Path, tmp_path: Path) -> None:
    pooling(folder, pooling_mode_max_tokens=True)
    with pytest.raises(ConfigurationError, match="pooling"):
        load_embedder(str(folder), data_dir=tmp_path, threads=1)


def test_a_file_that_is_no_model_is_an_embedder_error(folder: Path, tmp_path: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no model at all")
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        load_embedder(str(folder), data_dir=tmp_path, threads=1)


def test_a_name_that_nothing_has_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"Did you mean BAAI/bge-small-en-v1\.5\?"):
        load_embedder("BAAI/bge-smal-en-v1.5", data_dir=tmp_path, threads=1)
