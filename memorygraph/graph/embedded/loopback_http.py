"""The server's HTTP port, with the standard library alone: which one, is it ready, and commands."""

from __future__ import annotations

import base64
import json
import socket
from typing import Any

from memorygraph.graph.embedded.command_line import HOST

__all__ = ["free_ports", "is_ready", "post"]


def free_ports() -> tuple[int, int]:
    """Two loopback ports that were free a moment ago."""
    with socket.socket() as first, socket.socket() as second:
        first.bind((HOST, 0))
        second.bind((HOST, 0))
        return first.getsockname()[1], second.getsockname()[1]


def is_ready(port: int, *, timeout: float = 1.0) -> bool:
    """Whether the server has opened its databases. It needs no password, so it cannot lock the account."""
    # Asked by the launcher, which stays small without the HTTP library.
    try:
        with socket.create_connection((HOST, port), timeout) as connection:
            connection.sendall(f"GET /api/v1/ready HTTP/1.0\r\nHost: {HOST}\r\n\r\n".encode("ascii"))
            status_line = connection.makefile("rb").readline(256)
    except OSError:
        return False
    return status_line.split(b" ")[1:2] == [b"204"]


def post(port: int, path: str, body: dict[str, Any], *, user: str, password: str, timeout: float) -> tuple[int, Any]:
    """POST ``body`` as JSON; status and decoded answer (``None`` if it is not JSON).

    ``timeout`` is in seconds, for each step on the socket. Proxies of the environment are not asked.
    Raises ``OSError`` or ``http.client.HTTPException``.
    """
    import http.client

    credentials = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
    headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection(HOST, port, timeout=timeout)
    try:
        connection.request("POST", path, json.dumps(body).encode(), headers)
        response = connection.getresponse()
        data = response.read()
    finally:
        connection.close()
    try:
        return response.status, json.loads(data)
    except ValueError:
        return response.status, None
