"""Turns among processes that write for one user on one embedded server."""

from __future__ import annotations

import asyncio
from pathlib import Path

from memorygraph.graph.embedded.turns import Turns


def _claims(folder: Path, count: int) -> Path:
    clients = folder / "clients"
    clients.mkdir(exist_ok=True)
    for number in range(count):
        (clients / f"{number}.lock").touch()
    return clients


async def test_a_process_alone_on_the_server_waits_for_nobody_and_locks_nothing(tmp_path: Path) -> None:
    turns = Turns(tmp_path / "turns", clients=_claims(tmp_path, 1))
    async with turns.taken("ana"):
        assert not (tmp_path / "turns").exists()


async def test_of_two_processes_the_later_one_waits_until_the_first_has_written_for_the_user(tmp_path: Path) -> None:
    clients = _claims(tmp_path, 2)
    first, second = Turns(tmp_path / "turns", clients=clients), Turns(tmp_path / "turns", clients=clients)
    order: list[str] = []

    async def write() -> None:
        async with second.taken("ana"):
            order.append("second")

    async with first.taken("ana"):
        waiting = asyncio.create_task(write())
        async with second.taken("ben"):
            order.append("of another user")
        order.append("first")
    await asyncio.wait_for(waiting, 10)
    assert order == ["of another user", "first", "second"]


async def test_whoever_cannot_see_the_claims_takes_its_turn(tmp_path: Path) -> None:
    turns = Turns(tmp_path / "turns", clients=tmp_path / "gone")
    async with turns.taken("ana"):
        assert list((tmp_path / "turns").iterdir())
