"""What other processes do to a ledger in tests. Each public function but the first is the life of one process."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection as Pipe
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from memorygraph.errors import MemoryGraphError
from memorygraph.ledger import Ledger
from memorygraph.ledger.location import locate
from memorygraph.ledger.schema import bring_up_to_date

__all__ = [
    "Opened",
    "Span",
    "die_while_migrating",
    "hold_a_lease_in_turn",
    "open_as_nobody",
    "open_at_once",
    "open_with_little_room",
    "run_processes",
]

_TOGETHER_SECONDS = 60
_ANSWER_SECONDS = 120
_NOBODY = 65534

# Processes that share nothing with the test, forked from one that did the imports: they take longer than the work.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload([__name__, "aiosqlite", "alembic.command", "psycopg"])


@dataclass(frozen=True)
class Opened:
    """What a process found in a ledger that it and others opened at once."""

    revision: str
    store_id: str
    key: bytes


@dataclass(frozen=True)
class Span:
    """While a process held a lease: monotonic nanoseconds, comparable between processes of one machine."""

    token: int
    start: int
    end: int


def run_processes(count: int, work: Callable[..., None], *arguments: Any) -> list[Any]:
    """What ``count`` processes that run ``work`` send; each is also given a barrier of all and a pipe to answer on."""
    barrier = _PROCESSES.Barrier(count)
    pipes = [_PROCESSES.Pipe(duplex=False) for _ in range(count)]
    processes = [_PROCESSES.Process(target=work, args=(*arguments, barrier, sender)) for _, sender in pipes]
    try:
        for process in processes:
            process.start()
        for _, sender in pipes:
            sender.close()
        answers = []
        for receiver, _ in pipes:
            assert receiver.poll(_ANSWER_SECONDS), "a process does not answer"
            answers.append(receiver.recv())
        return answers
    finally:
        for process in processes:
            if process.pid is not None:
                process.join(_ANSWER_SECONDS)
                process.close()
        for receiver, _ in pipes:
            receiver.close()


def open_at_once(urls: Sequence[str], data_dir: Path, barrier: Barrier, answer: Pipe) -> None:
    """Open each of the ledgers together with the others that wait at ``barrier``; sends a list of Opened."""

    async def work(url: str) -> Opened:
        ledger = await Ledger.open(url, data_dir=data_dir)
        try:
            identity = await ledger.identity()
            return Opened(await ledger.revision(), identity.store_id, await ledger.fingerprint_key())
        finally:
            await ledger.close()

    found: list[Opened] = []
    for url in urls:
        barrier.wait(_TOGETHER_SECONDS)
        found.append(asyncio.run(work(url)))
    answer.send(found)


def hold_a_lease_in_turn(url: str, data_dir: Path, turns: int, barrier: Barrier, answer: Pipe) -> None:
    """Get and release one lease ``turns`` times, against the others; sends a list of Span."""

    async def work() -> list[Span]:
        ledger = await Ledger.open(url, data_dir=data_dir)
        try:
            barrier.wait(_TOGETHER_SECONDS)
            spans: list[Span] = []
            while len(spans) < turns:
                lease = await ledger.leases.acquire("turn", holder=str(os.getpid()), ttl_seconds=60)
                if lease is not None:
                    start = time.monotonic_ns()
                    await ledger.ping()
                    spans.append(Span(lease.token, start, time.monotonic_ns()))
                    await ledger.leases.release(lease)
            return spans
        finally:
            await ledger.close()

    answer.send(asyncio.run(work()))


def die_while_migrating(urls: Sequence[str], first: int, step: int, data_dir: Path, _: Barrier, answer: Pipe) -> None:
    """For each ledger a child that is killed just before its n-th statement, n = ``first``, ``first + step``, ….

    Sends ``(url, n)`` for each that was killed, and stops at the first whose migration was over before.
    The children are forks, made while this process has one thread and no connection.
    """
    # Imported once, here; the children inherit it.
    import alembic.command  # noqa: F401
    import psycopg  # noqa: F401

    killed: list[tuple[str, int]] = []
    for number, url in enumerate(urls):
        statement = first + number * step
        child = os.fork()
        if child == 0:
            _run_and_leave(partial(_migrate_until, url, statement, data_dir))
        status = os.waitpid(child, 0)[1]
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        killed.append((url, statement))
    answer.send(killed)


def open_with_little_room(url: str, data_dir: Path, room: int, _: Barrier, answer: Pipe) -> None:
    """Open the ledger where no file can grow beyond ``room`` bytes, as on a full disk; sends how it ended."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    answer.send(_outcome(url, data_dir))


def open_as_nobody(url: str, data_dir: Path, _: Barrier, answer: Pipe) -> None:
    """Open the ledger without root's power to write what nobody may; sends how it ended."""
    if os.geteuid() == 0:
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    answer.send(_outcome(url, data_dir))


def _outcome(url: str, data_dir: Path) -> str:
    try:
        bring_up_to_date(locate(url, data_dir=data_dir))
    except MemoryGraphError as error:
        return type(error).__name__
    return "opened"


def _migrate_until(url: str, statement: int, data_dir: Path) -> None:
    seen = 0

    def count(*_: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", count)
    event.listen(Engine, "commit", count)
    bring_up_to_date(locate(url, data_dir=data_dir))


def _run_and_leave(work: Callable[[], None]) -> None:
    # A fork must never return into its parent's code.
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)
