"""A real HTTP server that speaks the OpenAI protocol as far as scripts tell it to.

Without a script every request for embeddings is answered properly: the vector of a text is drawn
from a generator seeded with the text, so equal texts have equal vectors and others do not. A script
is a list of replies, each used for one request. Requests for chat completions that no script
answers go to ``server.chat``, a function from the request to the reply.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = [
    "After",
    "Answer",
    "Chat",
    "Cut",
    "Hang",
    "Held",
    "OpenAIServer",
    "Reply",
    "Request",
    "Status",
    "every_other_refused",
    "openai_server",
    "vector_of",
]


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
class Chat:
    """A proper chat completion that says ``text``; None is what providers send for nothing."""

    text: str | None
    finish_reason: str = "stop"
    prompt_tokens: int = 100
    completion_tokens: int = 10


@dataclass(frozen=True)
class Cut:
    """The connection is reset after the beginning of a proper answer."""


@dataclass(frozen=True)
class Hang:
    """No answer until the server is closed."""


@dataclass(frozen=True)
class After:
    """``reply``, but only so many seconds after the request came."""

    seconds: float
    reply: Reply


@dataclass(frozen=True)
class Held:
    """``reply``, but only when ``until`` is set."""

    until: threading.Event
    reply: Reply


Reply = Status | Answer | Chat | Cut | Hang | After | Held


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]  # names in small letters
    body: dict[str, Any]

    @property
    def said(self) -> str:
        """All messages of a chat, one after another."""
        return "\n\n".join(message["content"] for message in self.body["messages"])


def every_other_refused(chat: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
    """``chat``, with a 429 for the first request, the third, and so on."""
    calls = itertools.count()

    def reply(request: Request) -> Reply:
        return chat(request) if next(calls) % 2 else Status(429, headers={"Retry-After": "0.01"})

    return reply


def _not_scripted(request: Request) -> Reply:
    return Status(404, f"{request.path} is not scripted")


def vector_of(text: str, dimension: int) -> list[float]:
    """The vector, not normalised, that the server has for ``text``."""
    source = random.Random(hashlib.sha256(text.encode()).digest())
    return [source.uniform(-3, 3) for _ in range(dimension)]


class OpenAIServer:
    """Listens on a free loopback port. ``requests`` holds what came in, in order."""

    def __init__(self, *, dimension: int = 8) -> None:
        self.dimension = dimension
        self.requests: list[Request] = []
        self.chat: Callable[[Request], Reply] = _not_scripted
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

        self._handler = Handler
        self._listen(port=0)

    def _listen(self, port: int) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", port), self._handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @contextmanager
    def down(self) -> Iterator[None]:
        """Nobody listens within the ``with`` block; after it the server is back at the same address."""
        port = self._http.server_address[1]
        self._stop()
        try:
            yield
        finally:
            self._listen(port)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *replies: Reply) -> None:
        """Use these for the next requests, after what was scripted before."""
        with self._lock:
            self._replies.extend(replies)

    def close(self) -> None:
        self._closing.set()
        self._stop()

    def _stop(self) -> None:
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
        request = Request(handler.path, {k.lower(): v for k, v in handler.headers.items()}, body)
        with self._lock:
            self.requests.append(request)
            reply = self._replies.popleft() if self._replies else self._proper(request)
        self._send(handler, request, reply)

    def _send(self, handler: BaseHTTPRequestHandler, request: Request, reply: Reply) -> None:
        match reply:
            case Hang():
                self._closing.wait()
            case After(seconds, then):
                self._closing.wait(seconds)
                self._send(handler, request, then)
            case Held(until, then):
                until.wait(timeout=60)
                self._send(handler, request, then)
            case Cut():
                whole = (
                    _completion(Chat("cut")) if "messages" in request.body else self.embeddings(_texts(request.body))
                )
                _reset(handler, json.dumps(whole).encode())
            case Status(code, message, headers):
                error = {"error": {"message": message, "type": "scripted", "code": code}}
                _send(handler, code, json.dumps(error), headers)
            case Chat():
                _send(handler, 200, json.dumps(_completion(reply)), {})
            case Answer(content):
                _send(handler, 200, content if isinstance(content, str) else json.dumps(content), {})

    def _proper(self, request: Request) -> Reply:
        if request.path == "/v1/embeddings":
            return Answer(self.embeddings(_texts(request.body)))
        return self.chat(request) if request.path == "/v1/chat/completions" else _not_scripted(request)


def _completion(chat: Chat) -> dict[str, Any]:
    """The body of a proper answer."""
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": chat.text},
                "finish_reason": chat.finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": chat.prompt_tokens,
            "completion_tokens": chat.completion_tokens,
            "total_tokens": chat.prompt_tokens + chat.completion_tokens,
        },
    }


def _texts(body: dict[str, Any]) -> list[str]:
    given = body.get("input", [])
    return [given] if isinstance(given, str) else list(given)


def _send(handler: BaseHTTPRequestHandler, code: int, body: str, headers: dict[str, str]) -> None:
    content = body.encode()
    handler.send_response_only(code)  # without a Date of its own
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
