from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.integration.embedded.client import Client, processes_of

NewClient = Callable[..., Client]


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    """A data folder that does not exist yet. Whatever still serves it after the test is ended."""
    folder = tmp_path / "data"
    yield folder
    left = [process for processes in processes_of(folder).values() for process in processes]
    for process in left:
        process.terminate()
    psutil.wait_procs(left, timeout=30)


@pytest.fixture
def new_client(data_dir: Path) -> Iterator[NewClient]:
    """Starts processes that attach to ``data_dir``; those left at the end of the test leave."""
    clients: list[Client] = []

    def start(*, idle_seconds: float | None = None) -> Client:
        client = Client(data_dir) if idle_seconds is None else Client(data_dir, idle_seconds=idle_seconds)
        clients.append(client)
        return client

    yield start
    for client in clients:
        client.kill()
