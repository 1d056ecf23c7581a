"""One server for all processes: who starts it, who finds it, and when it goes."""

from __future__ import annotations

import time
from pathlib import Path

from memorygraph.graph.embedded import inspect
from tests.integration.embedded.client import IDLE_SECONDS, processes_of
from tests.integration.embedded.conftest import NewClient
from tests.support.waiting import wait_until

GONE = 60.0  # what is promised after the last client died


def wait_until_gone(data_dir: Path) -> None:
    wait_until(
        lambda: processes_of(data_dir) == {"launcher": [], "java": []},
        timeout=GONE,
        what="no process left",
        interval=0.1,
    )


def test_processes_that_start_at_once_share_one_server_until_the_last_has_left(
    data_dir: Path, new_client: NewClient
) -> None:
    clients = [new_client() for _ in range(4)]

    addresses = {tuple(sorted(client.attached().items())) for client in clients}

    assert len(addresses) == 1
    running = processes_of(data_dir)
    assert [len(running["launcher"]), len(running["java"])] == [1, 1]
    for client in clients:
        assert client.tell("ask") == {"rows": [{"one": 1}]}
    for client in clients:
        client.leave()
    wait_until_gone(data_dir)
    assert not inspect(data_dir).running


def test_the_server_outlives_the_process_that_started_it_and_goes_when_the_last_is_killed(
    data_dir: Path, new_client: NewClient
) -> None:
    starter = new_client()
    address = starter.attached()
    other = new_client()
    assert other.attached() == address

    starter.kill()

    # Long enough for a server that thought itself idle to have gone.
    end = time.monotonic() + 4 * IDLE_SECONDS + 2
    while time.monotonic() < end:
        assert other.tell("ask") == {"rows": [{"one": 1}]}
    other.kill()
    wait_until_gone(data_dir)


def test_a_server_that_nobody_waited_for_goes_too(data_dir: Path, new_client: NewClient) -> None:
    client = new_client()
    wait_until(lambda: processes_of(data_dir)["java"], timeout=GONE, what="the server is starting")

    client.kill()

    wait_until_gone(data_dir)


def test_whoever_comes_while_the_server_is_leaving_gets_one_that_stays(data_dir: Path, new_client: NewClient) -> None:
    # With no idle time every departure starts a shutdown, and the next to come runs into it.
    for _ in range(2):
        first, second = new_client(idle_seconds=0), new_client(idle_seconds=0)
        assert first.attached() == second.attached()
        first.leave()
        assert second.tell("ask") == {"rows": [{"one": 1}]}
        second.leave()
