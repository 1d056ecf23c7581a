"""Commands in the server's SQL over its HTTP port: what its Cypher cannot say, such as index definitions."""

from __future__ import annotations

import asyncio
import http.client
from typing import Any

from memorygraph.errors import AuthenticationFailed, StatementFailed, StoreUnavailable
from memorygraph.graph.embedded.attaching import EmbeddedServer
from memorygraph.graph.embedded.loopback_http import post

__all__ = ["run_sql"]


async def run_sql(server: EmbeddedServer, command: str, timeout: float) -> list[dict[str, Any]]:
    """Run one SQL ``command`` and return its rows. ``timeout`` is in seconds, for each step on the socket.

    Never put input into ``command``. Raises :class:`StatementFailed` with the server's text,
    :class:`AuthenticationFailed`, and :class:`StoreUnavailable` when the server does not answer.
    """
    body = {"language": "sql", "command": command}
    try:
        status, answer = await asyncio.to_thread(
            post,
            server.http_port,
            f"/api/v1/command/{server.database}",
            body,
            user=server.user,
            password=server.password,
            timeout=timeout,
        )
    except (OSError, http.client.HTTPException) as error:
        raise StoreUnavailable(
            f"The embedded graph server does not answer at {server.http_url}: {str(error) or type(error).__name__}.",
            hint=server.failure(),
        ) from error
    fields = answer if isinstance(answer, dict) else {}
    if status in (401, 403):
        raise AuthenticationFailed(f"The embedded graph server refused the login: {fields.get('error', status)}.")
    rows = fields.get("result")
    if status != 200 or not isinstance(rows, list):
        text = fields.get("detail") or fields.get("error") or f"HTTP status {status}"
        raise StatementFailed(f"The embedded graph server refused a command: {text} [{command}]")
    return rows
