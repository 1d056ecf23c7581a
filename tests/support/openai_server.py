"""A real HTTP server that speaks the OpenAI protocol as far as scripts tell it to.

Without a script every request for embeddings is answered properly: the vector of a text is drawn
from a generator seeded with the text, so equal texts have equal vectors and others do not. A script
is a list of replies, each used for one request.
"""

from __future__ import annotations

import hashlib
import json
import random
import socket
import struct
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Answer", "Cut", "Hang", "OpenAIServer", "Reply", "Request", "Status", "openai_server", "vector_of"]


@dataclass(frozen=True)
class Status:
    """An error as the API reports it."""

    code: int
    message: str = "scripted"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A reply of status 200 with this body, JSON unless it is text; NaN is written as ``NaN``."""

    body: Any


@dataclass(frozen=True)
class Cut:
    """The connection is reset after the beginning of a proper answer."""


@dataclass(frozen=True)
class Hang:
    """No answer until the server is closed."""


Reply = Status | Answer | Cut | Hang


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]  # names in small letters
    body: dict[str, Any]


def vector_of(text: str, dimension: int) -> list[float]:
    """The vector, not normalised, that the server has for ``text``."""
    source = random.Random(hashlib.sha256(text.encode()).digest())
    return [source.uniform(-3, 3) for _ in range(dimension)]


class OpenAIServer:
    """Listens on a free loopback port. ``requests`` holds what came in, in order."""

    def __init__(self, *, dimension: int = 8) -> None:
        self.dimension = dimension
        self.requests: list[Request] = []
        self._replies: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        server = self

        # Speaks HTTP/1.0, one request per connection: no client keeps a connection open beyond its test.
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server._serve(self)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing on the terminal."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *replies: Reply) -> None:
        """Use these for the next requests, after what was scripted before."""
        with self._lock:
            self._replies.extend(replies)

    def close(self) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def embeddings(self, texts: list[str]) -> dict[str, Any]:
        """A proper answer."""
        return {
            "object": "list",
            "model": "scripted",
            "data": [
                {"object": "embedding", "index": index, "embedding": vector_of(text, self.dimension)}
                for index, text in enumerate(texts)
            ],
            "usage": {"prompt_tokens": len(texts), "total_tokens": len(texts)},
        }

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests.append(Request(handler.path, {k.lower(): v for k, v in handler.headers.items()}, body))
            reply = self._replies.popleft() if self._replies else self._proper(handler.path, body)
        match reply:
            case Hang():
                self._closing.wait()
            case Cut():
                _reset(handler, json.dumps(self.embeddings(_texts(body))).encode())
            case Status(code, message, headers):
                error = {"error": {"message": message, "type": "scripted", "code": code}}
                _send(handler, code, json.dumps(error), headers)
            case Answer(content):
                _send(handler, 200, content if isinstance(content, str) else json.dumps(content), {})

    def _proper(self, path: str, body: dict[str, Any]) -> Reply:
        if path == "/v1/embeddings":
            return Answer(self.embeddings(_texts(body)))
        return Status(404, f"{path} is not scripted")


def _texts(body: dict[str, Any]) -> list[str]:
    given = body.get("input", [])
    return [given] if isinstance(given, str) else list(given)


def _send(handler: BaseHTTPRequestHandler, code: int, body: str, headers: dict[str, str]) -> None:
    content = body.encode()
    handler.send_response(code)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(content)))
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(content)


def _reset(handler: BaseHTTPRequestHandler, content: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.wfile.flush()
    # Lingering for no time makes the close a reset, not an orderly end.
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@contextmanager
def openai_server(*, dimension: int = 8) -> Iterator[OpenAIServer]:
    """A server for the length of a ``with`` block."""
    server = OpenAIServer(dimension=dimension)
    try:
        yield server
    finally:
        server.close()
