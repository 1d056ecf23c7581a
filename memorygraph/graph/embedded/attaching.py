"""Finding the data folder's graph server, or starting it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from memorygraph.errors import AuthenticationFailed, DataFolderUnusable, StoreUnavailable
from memorygraph.graph.embedded.command_line import DATABASE, HOST, launcher_environment
from memorygraph.graph.embedded.data_folder import check_data_folder
from memorygraph.graph.embedded.graph_files import check_graph_files
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import Claim, launcher_is_alive, start_lock
from memorygraph.graph.embedded.password import USER, ensure_password
from memorygraph.graph.embedded.platforms import server_home
from memorygraph.graph.embedded.replacing import finish_replacing
from memorygraph.graph.embedded.server_file import ServerState, read_crash_report, read_server_state

__all__ = ["EmbeddedServer", "attach"]

_POLL_INTERVAL = 0.03
_LONGEST_PAUSE = 1.0
_LEAVING = ("crashed", "stopping")
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class EmbeddedServer:
    """A graph server on loopback and this client's claim on it.

    The server stays while any client, in any process, holds a claim. Addresses and password stay the
    same when it is started again after a crash.
    """

    uri: str  # bolt://127.0.0.1:PORT
    http_url: str  # http://127.0.0.1:PORT
    user: str
    password: str = field(repr=False)
    database: str
    pid: int  # of the server process when attached
    data_dir: Path
    http_port: int
    _claim: Claim = field(repr=False, compare=False)

    async def close(self) -> None:
        """Give up this client's claim; doing so twice does no harm. Close drivers first."""
        self._claim.release()

    def failure(self) -> str | None:
        """Why the server is gone, if it crashed and was given up; ``None`` otherwise."""
        report = read_crash_report(DataFolderLayout(self.data_dir))
        return None if report is None else f"{report.summary()} Its log is in {report.log}."


@dataclass(frozen=True, kw_only=True)
class _Launch:
    """What a server is started with, if it has to be started."""

    home: Path
    heap_mb: int
    idle_seconds: float


async def attach(data_dir: Path, *, heap_mb: int, idle_seconds: float, start_timeout: float = 60) -> EmbeddedServer:
    """A claim on the graph server of ``data_dir``, which is started if it does not run.

    ``heap_mb`` (MiB) and ``idle_seconds`` (how long it outlives its last client) count for a server that is
    started here; one that runs keeps its own. ``start_timeout`` is in seconds. On return Bolt has
    answered on the database.

    Raises :class:`PlatformUnsupported`, :class:`MissingExtra`, :class:`DataFolderUnusable`,
    :class:`StoreCorrupt` when files of the graph are damaged, :class:`AuthenticationFailed`, and
    :class:`StoreUnavailable` with the place of the log.
    """
    deadline = time.monotonic() + start_timeout
    layout = DataFolderLayout(await asyncio.to_thread(data_dir.absolute))
    launch = _Launch(home=server_home(), heap_mb=heap_mb, idle_seconds=idle_seconds)
    await asyncio.to_thread(check_data_folder, layout.data_dir)
    try:
        layout.create()
        claim, password = await _claim(layout, launch, deadline)
    except OSError as error:
        raise DataFolderUnusable(
            f"The data folder {layout.data_dir} cannot be used: {error}.",
            hint="Free some space or correct its permissions, or set MEMORYGRAPH_DATA_DIR to another folder.",
        ) from error
    try:
        state = await _ready(layout, password, deadline)
    except BaseException:
        claim.release()
        raise
    return EmbeddedServer(
        uri=_bolt_uri(state),
        http_url=f"http://{HOST}:{state.http_port}",
        user=USER,
        password=password,
        database=DATABASE,
        pid=state.pid,
        data_dir=layout.data_dir,
        http_port=state.http_port,
        _claim=claim,
    )


async def _claim(layout: DataFolderLayout, launch: _Launch, deadline: float) -> tuple[Claim, str]:
    """A claim on a server that will not leave while it is held, and the password. Raises ``OSError``."""
    async with _start_lock(layout, deadline):
        claim = Claim(layout)
        try:
            await _ensure_launcher(layout, launch, deadline)
            return claim, ensure_password(layout)
        except BaseException:
            claim.release()
            raise


@asynccontextmanager
async def _start_lock(layout: DataFolderLayout, deadline: float) -> AsyncIterator[None]:
    lock = start_lock(layout)
    while not lock.acquire(timeout=0):
        doing = "compact its files" if layout.compacting.exists() else "start or stop"
        await _pause(layout, deadline, f"The embedded graph server is taking long to {doing} for another process")
    try:
        yield
    finally:
        lock.release()


async def _ensure_launcher(layout: DataFolderLayout, launch: _Launch, deadline: float) -> None:
    """Have a launcher alive. Call it under the start lock, with a claim: then it will not leave."""
    while True:
        while launcher_is_alive(layout):
            state = read_server_state(layout)
            # Idle servers leave under the start lock, so one on its way out crashed or was told to stop.
            if state is not None and state.phase not in _LEAVING:
                return
            await _pause(layout, deadline, "The embedded graph server is taking long to stop")
        finish_replacing(layout)
        check_graph_files(layout)
        answer = await _to_its_end(lambda: _start_launcher(layout, launch))
        if "error" in answer:
            raise _unavailable(layout, f"The embedded graph server could not be started: {answer['error']}")
        if "started" in answer:
            return
        await _pause(layout, deadline, "The launcher of the embedded graph server could not take its lock")


async def _pause(layout: DataFolderLayout, deadline: float, otherwise: str) -> None:
    if time.monotonic() >= deadline:
        raise _unavailable(layout, otherwise)
    await asyncio.sleep(_POLL_INTERVAL)


async def _to_its_end(work: Callable[[], _T]) -> _T:
    """Run ``work`` in a thread. A cancellation waits until it is done: what it starts is never half started."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _start_launcher(layout: DataFolderLayout, launch: _Launch) -> dict[str, object]:
    """Start the launcher, detached from this process; its answer, as its module describes it."""
    argv = [sys.executable, "-P", "-m", "memorygraph.graph.embedded.launcher"]
    argv += ["--data-dir", str(layout.data_dir), "--server-home", str(launch.home)]
    argv += ["--heap-mb", str(launch.heap_mb), "--idle-seconds", str(launch.idle_seconds)]
    detached = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    try:
        process = subprocess.Popen(
            argv,
            env=launcher_environment(os.environ),
            cwd=layout.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            creationflags=detached,
        )
    except OSError as error:
        return {"error": str(error)}
    assert process.stdout is not None
    with process.stdout as answers:
        # It ends when the launcher lets go of the pipe, which it does once the server is starting.
        text = answers.read().decode(errors="replace").strip()
    if os.name == "posix":
        process.wait()
    try:
        answer = json.loads(text.splitlines()[-1])
    except (ValueError, IndexError):
        answer = None
    return answer if isinstance(answer, dict) else {"error": text or "its launcher ended without a word"}


async def _ready(layout: DataFolderLayout, password: str, deadline: float) -> ServerState:
    """Wait until the server answers over Bolt."""
    pause = _POLL_INTERVAL
    while True:
        state = read_server_state(layout)
        # No state: the launcher has just come and has not written it, or it is gone.
        if state.phase in _LEAVING if state is not None else not launcher_is_alive(layout):
            raise _unavailable(layout, "The embedded graph server ended while it was being waited for")
        if state is not None and state.phase == "ready":
            if await _answers(layout, state, password):
                return state
            pause = min(pause * 2, _LONGEST_PAUSE)
        if time.monotonic() + pause >= deadline:
            raise _unavailable(layout, "The embedded graph server did not become ready in time")
        await asyncio.sleep(pause)


async def _answers(layout: DataFolderLayout, state: ServerState, password: str) -> bool:
    """Whether the database answers. Raises :class:`AuthenticationFailed`: trying on would lock the account."""
    # Slow to import, and not needed by those who only look at the data folder.
    import neo4j
    from neo4j import exceptions

    async with neo4j.AsyncGraphDatabase.driver(
        _bolt_uri(state), auth=(USER, password), connection_timeout=5, telemetry_disabled=True
    ) as driver:
        try:
            async with driver.session(database=DATABASE) as session:
                await (await session.run("RETURN 1")).consume()
        except exceptions.AuthError as error:
            raise AuthenticationFailed(
                f"The embedded graph server refuses the password in {layout.password_file}: {error.message}.",
                hint=f"Stop every client, delete {layout.users_file}, and start again.",
            ) from error
        except (exceptions.Neo4jError, exceptions.DriverError, OSError):
            return False
    return True


def _bolt_uri(state: ServerState) -> str:
    return f"bolt://{HOST}:{state.bolt_port}"


def _unavailable(layout: DataFolderLayout, what: str) -> StoreUnavailable:
    report = read_crash_report(layout)
    detail = _last_line(layout) if report is None else report.summary()
    return StoreUnavailable(f"{what}. {detail}", hint=f"Its log is in {layout.logs}.")


def _last_line(layout: DataFolderLayout) -> str:
    """What the log that was written to last ends with."""
    try:
        newest = max(
            (path for path in (layout.output_log, layout.server_log, layout.launcher_log) if path.exists()),
            key=lambda path: path.stat().st_mtime,
        )
        said = [line.strip() for line in newest.read_text(encoding="utf-8", errors="replace").splitlines()]
    except (OSError, ValueError):
        return "It has logged nothing."
    return f"Last line of {newest.name}: {next((line for line in reversed(said) if line), '')}"
