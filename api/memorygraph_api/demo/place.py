"""Where a demonstration plays: a store of its own, or a user of its own on a configured server."""

from __future__ import annotations

import asyncio
import logging
import secrets
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memorygraph import MemoryEngine
from memorygraph.clock import SimulatedClock
from memorygraph.errors import InvalidInput
from memorygraph.graph.embedded import inspect, read_store_file
from memorygraph_api.demo.play import Play, Watch
from memorygraph_api.demo.played import Opened, Played

if TYPE_CHECKING:
    from memorygraph.settings import Settings
    from memorygraph_api.demo.conversation import Conversation

__all__ = ["perform"]

_STOP_SECONDS = 20.0
_log = logging.getLogger(__name__)


async def perform(
    load: Callable[..., Settings], conversation: Conversation, *, keep: Path | None, days: int, watch: Watch
) -> Played:
    """Play ``conversation`` and return what happened.

    ``load`` gives the settings in force, with changes as keyword arguments. The place is an embedded
    store in a temporary folder, or in the folder ``keep``, which stays; with ``neo4j_uri`` set it is that
    server, where nothing of anybody else is touched: the user is new in each run. ``days`` pass
    before the forgetting cycle. Raises :class:`InvalidInput` when ``keep`` is set with a server or is a
    folder of something else.
    """
    began = time.perf_counter()
    async with _settings(load, keep) as settings:
        clock = SimulatedClock(conversation.turns[0].said_at)
        async with await MemoryEngine.open(settings, clock=clock) as engine:
            opened = Opened(
                conversation=conversation.name,
                speakers=conversation.speakers,
                turns=len(conversation.turns),
                first=conversation.turns[0].said_at,
                last=conversation.turns[-1].said_at,
                store=settings.neo4j_uri or "embedded",
                data_dir=str(settings.data_dir) if keep else None,
                end_user_id=settings.end_user_id,
                open_ms=(time.perf_counter() - began) * 1000,
            )
            return await Play(engine, clock, conversation).run(opened, days=days, watch=watch, started=began)


@asynccontextmanager
async def _settings(load: Callable[..., Settings], keep: Path | None) -> AsyncIterator[Settings]:
    new_user = f"demo-{secrets.token_hex(4)}"
    configured = load(end_user_id=new_user)
    if configured.neo4j_uri is not None:
        if keep is not None:
            raise InvalidInput(
                f"--keep is for the embedded store; this runs on {configured.neo4j_uri}.",
                field="keep",
                hint="Leave it out, or unset MEMORYGRAPH_NEO4J_URI.",
            )
        yield configured
        return
    # A ledger configured for another store would rightly refuse this one.
    if keep is not None:
        settings = load(end_user_id=new_user, data_dir=keep, ledger_url=None)
        _refuse_foreign(settings.data_dir)
        yield settings
        return
    folder = Path(tempfile.mkdtemp(prefix="memorygraph-demo-"))
    try:
        yield load(end_user_id="demo", data_dir=folder, ledger_url=None, embedded_idle_seconds=0)
    finally:
        await asyncio.to_thread(_remove, folder)


def _refuse_foreign(folder: Path) -> None:
    if folder.is_dir() and any(folder.iterdir()) and read_store_file(folder) is None:
        raise InvalidInput(
            f"{folder} is not empty and holds no memorygraph store.", field="keep", hint="Name a new folder."
        )


def _remove(folder: Path) -> None:
    # The server leaves by itself once its last client has; until then it writes to the folder.
    deadline = time.monotonic() + _STOP_SECONDS
    while inspect(folder).running and time.monotonic() < deadline:
        time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        _log.warning("%s could not be removed.", folder)
