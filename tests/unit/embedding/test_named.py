from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from memorygraph.embedding import load_embedder
from memorygraph.embedding.bundled import assemble, sha256_of

NAME = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "5f1b8cd78bc4fb444dd171e59b18f3a3af89a079"


@pytest.fixture
def downloaded(tmp_path: Path) -> Path:
    """A data folder in which the model was downloaded before, with the bundled weights in its place."""
    repository = tmp_path / "models" / "fastembed" / "models--Qdrant--all-MiniLM-L6-v2-onnx"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(REVISION)
    shutil.copytree(assemble(tmp_path / "other"), repository / "snapshots" / REVISION)
    return tmp_path


async def test_a_model_that_was_downloaded_is_used_as_it_is(downloaded: Path) -> None:
    embedder = load_embedder(NAME, data_dir=downloaded, threads=1)
    bundled = load_embedder("auto", data_dir=downloaded / "other", threads=1)
    assert (embedder.name, embedder.dimension) == (NAME, 384)
    assert embedder.digest == sha256_of(assemble(downloaded / "other") / "model.onnx")
    np.testing.assert_allclose(await embedder.embed(["hello"]), await bundled.embed(["hello"]), atol=1e-6)


def test_the_name_may_be_written_in_any_case(downloaded: Path) -> None:
    embedder = load_embedder(NAME, data_dir=downloaded, threads=1)
    assert load_embedder(NAME.upper(), data_dir=downloaded, threads=1) is embedder
