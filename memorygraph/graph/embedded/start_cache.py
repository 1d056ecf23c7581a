"""What Java reads and links at every start of the graph server, kept in a file: it then starts in half the time.

Java makes such a file itself at the end of a run that it watches (an *AOT cache*, JEP 483 and 514). It watches a run of
its own, on an empty folder with a password that is used once, because it repeats the arguments where others could read
them. The file holds nothing of anybody's memory, and a server without it starts as well, only later.

``python -m memorygraph.graph.embedded.start_cache`` makes it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from platformdirs import user_cache_path

from memorygraph.graph.embedded.bounded_log import BoundedLog
from memorygraph.graph.embedded.command_line import (
    DATABASE,
    java_argv,
    java_environment,
    server_jars,
    write_argument_file,
    write_logging_file,
)
from memorygraph.graph.embedded.java_process import JavaProcess
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import ProcessLock
from memorygraph.graph.embedded.loopback_http import free_ports, is_ready, post
from memorygraph.graph.embedded.password import USER
from memorygraph.graph.embedded.platforms import server_home

__all__ = ["cache_file", "prepare", "start_options"]

_WORK_FOLDER = "preparing-"
_HEAP_MB = 256
_READY_WITHIN = 120.0  # seconds
_WRITTEN_WITHIN = 120.0  # seconds, on a busy machine; five on an idle one
_LOG_BYTES = 100_000
# What the first writing statement of a server needs is loaded as well.
_STATEMENT = "begin_writing"
_PARAMETERS: dict[str, object] = {
    "end_user_id": "nobody",
    **{name: [] for name in ("items", "name_keys", "near_statements", "near_summaries")},
}


def cache_file(home: Path) -> Path:
    """Where the cache for the server in ``home`` belongs. One of other files, or of another version, has another name.

    Raises ``OSError`` where the server's files cannot be read.
    """
    status = {jar.name: jar.stat() for jar in server_jars(home)}
    installed = [(name, of.st_size, of.st_mtime_ns) for name, of in status.items()]
    name = f"{_digest(str(home))}-{_digest(repr(installed))}.aot"
    return user_cache_path("memorygraph", appauthor=False) / "graph-server" / name


def start_options(home: Path) -> list[str]:
    """What to tell Java so that it uses the cache; nothing where there is none."""
    with suppress(OSError):
        file = cache_file(home)
        if file.exists():
            # Checked whole, which takes milliseconds: of a file that a disk has spoilt Java would otherwise die.
            return [f"-XX:AOTCache={file}", "-XX:+VerifySharedSpaces"]
    return []


def prepare(home: Path) -> bool:
    """Make the cache unless it is there, being made, or could not be made before; whether it is there.

    Takes some ten seconds. Raises ``OSError`` where the user has no folder for caches that can be written. Must run in
    the main thread, as :class:`JavaProcess` has to be made there.
    """
    file = cache_file(home)
    failed = file.with_suffix(".failed")
    # On Windows a process cannot be asked to end, and only one that ends by itself writes the cache.
    if file.exists() or failed.exists() or sys.platform == "win32":
        return file.exists()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = ProcessLock(file.parent / "prepare.lock")
    if not lock.acquire(timeout=0):
        return False
    try:
        for other in file.parent.glob(f"{file.name.split('-')[0]}-*"):
            other.unlink()
        for abandoned in file.parent.glob(f"{_WORK_FOLDER}*"):
            shutil.rmtree(abandoned, ignore_errors=True)
        with TemporaryDirectory(prefix=_WORK_FOLDER, dir=file.parent) as folder:
            made = Path(folder) / "cache.aot"
            _watched_run(home, DataFolderLayout(Path(folder)), made)
            if made.exists():
                made.chmod(0o600)
                made.replace(file)
            else:
                failed.touch()
    finally:
        lock.release()
    return file.exists()


def _watched_run(home: Path, layout: DataFolderLayout, cache: Path) -> None:
    from memorygraph_cypher import statements  # the launcher reads them for this alone

    layout.create()
    bolt_port, http_port = free_ports()
    password = secrets.token_hex(16)
    write_logging_file(layout)
    write_argument_file(
        home, layout, heap_mb=_HEAP_MB, bolt_port=bolt_port, http_port=http_port, password=password, options=[]
    )
    ended = threading.Event()
    java, *arguments = java_argv(home, layout)
    process = JavaProcess(
        [java, f"-XX:AOTCacheOutput={cache}", *arguments],
        environment=java_environment(os.environ),
        folder=layout.root,
        log=BoundedLog(layout.output_log, limit=_LOG_BYTES),
        on_end=ended.set,
    )
    deadline = time.monotonic() + _READY_WITHIN
    try:
        while not is_ready(http_port) and not ended.wait(0.1):
            if time.monotonic() > deadline:
                return
        body = {"language": "cypher", "command": statements[_STATEMENT].text, "params": _PARAMETERS}
        with suppress(OSError):
            post(http_port, f"/api/v1/command/{DATABASE}", body, user=USER, password=password, timeout=30)
    finally:
        process.stop(timeout=_WRITTEN_WITHIN)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]


if __name__ == "__main__":
    os.umask(0o077)
    prepare(server_home())
