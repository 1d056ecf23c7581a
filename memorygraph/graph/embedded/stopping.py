"""Stopping a graph server that no client needs any more, from outside its launcher."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import launcher_is_alive
from memorygraph.graph.embedded.loopback_http import is_ready, post
from memorygraph.graph.embedded.password import USER, ensure_password
from memorygraph.graph.embedded.server_file import read_server_state

__all__ = ["STOP_TIMEOUT", "stop_orphan", "stop_server"]

STOP_TIMEOUT = 15.0
"""Seconds a server has to close its databases."""

_INTERVAL = 0.05


def stop_server(layout: DataFolderLayout) -> bool:
    """Have the server stop cleanly, if one runs; whether none is left. Call it under the start lock, without claims.

    Raises ``OSError``.
    """
    # The launcher gives the server its time, and needs some itself.
    deadline = time.monotonic() + 2 * STOP_TIMEOUT
    while launcher_is_alive(layout) and time.monotonic() < deadline:
        # None: it has just come, and tells what it is in a moment.
        state = read_server_state(layout)
        if state is not None and state.phase != "stopping":
            with suppress(ProcessLookupError):
                os.kill(state.launcher_pid, signal.SIGTERM)
        time.sleep(_INTERVAL)
    if launcher_is_alive(layout):
        return False
    stop_orphan(layout)
    return True


def stop_orphan(layout: DataFolderLayout) -> int | None:
    """Stop a server whose launcher died on a system that did not kill it too; its pid, ``None`` when there is none."""
    state = read_server_state(layout)
    if state is None or not _is_alive(state.pid) or not is_ready(state.http_port):
        return None
    import http.client

    with suppress(OSError, http.client.HTTPException):
        post(
            state.http_port,
            "/api/v1/server",
            {"command": "shutdown"},
            user=USER,
            password=ensure_password(layout),
            timeout=STOP_TIMEOUT,
        )
    deadline = time.monotonic() + STOP_TIMEOUT
    while is_ready(state.http_port) and time.monotonic() < deadline:
        time.sleep(_INTERVAL)
    return state.pid


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # not known: os.kill would end it
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
