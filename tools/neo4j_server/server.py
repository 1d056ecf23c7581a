"""One Neo4j server process on loopback."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from tools.neo4j_server.jars import CACHE, fetch_jars
from tools.neo4j_server.java import Java, find_java
from tools.neo4j_server.releases import Release

__all__ = ["Neo4jServer", "ServerFailed", "class_archive", "free_port", "start"]

_START_TIMEOUT = 120.0
_FACTORY_PASSWORD = "neo4j"
_FOLDERS = ("conf", "data", "logs", "run", "plugins", "import", "licenses", "lib", "labs")
_OPTIONS = (
    "-Xss1m",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
)
# Code is compiled once and lightly, and one thread collects garbage.
_SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


class ServerFailed(RuntimeError):
    """The server ended or did not answer in time; the message holds the last lines of its output."""


@dataclass(kw_only=True)
class Neo4jServer:
    """A running server. ``password`` is None where authentication is off."""

    release: Release
    uri: str
    user: str
    password: str | None = field(repr=False)
    home: Path
    process: subprocess.Popen[bytes] = field(repr=False)

    @property
    def auth(self) -> tuple[str, str] | None:
        """What the driver's ``auth=`` takes."""
        return None if self.password is None else (self.user, self.password)

    def stop(self, *, timeout: float = 60) -> None:
        """Stop cleanly: checkpoint and close; takes a few seconds, at most ``timeout``."""
        self.process.terminate()
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Stop at once, as a power cut would; for data that nobody wants again."""
        self.process.kill()
        self.process.wait()


def free_port() -> int:
    """A TCP port on loopback that nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def start(
    release: Release,
    home: Path,
    *,
    port: int = 0,
    password: str | None = None,
    short_lived: bool = False,
    java_options: Sequence[str] = (),
    die_with_parent: signal.Signals = signal.SIGKILL,
) -> Neo4jServer:
    """Start ``release`` on its data in ``home`` (made if missing) and return once it answers ``RETURN 1``.

    ``port`` 0 takes a free one. ``password`` (8 characters or more) turns authentication on, for
    the user ``neo4j``. ``short_lived`` halves the work of starting and costs speed later: right for
    tests, wrong for benchmarks. ``java_options`` are added. ``die_with_parent`` is the signal that
    the server gets when the thread that called this ends, however it ends (Linux). Raises
    :class:`ServerFailed`, and ``MissingProgram`` where Java or Maven is missing.
    """
    lib, java = fetch_jars(release), find_java(release)
    port = port or free_port()
    for name in _FOLDERS:
        (home / name).mkdir(parents=True, exist_ok=True)
    (home / "conf" / "neo4j.conf").write_text(
        _configuration(port, auth=password is not None, short_lived=short_lived), encoding="utf-8"
    )
    command = [str(java.program), "-Xmx512m", *_OPTIONS, *(_SHORT_LIVED if short_lived else ())]
    if short_lived and (archive := class_archive(release, java)).exists():
        command.append(f"-XX:SharedArchiveFile={archive}")
    command += java_options
    command += ["-cp", f"{lib}/*", release.main_class, f"--home-dir={home}", f"--config-dir={home / 'conf'}"]
    with (home / "logs" / "console.log").open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=_dies_with_parent(die_with_parent),
        )
    server = Neo4jServer(
        release=release, uri=f"bolt://127.0.0.1:{port}", user="neo4j", password=password, home=home, process=process
    )
    try:
        _wait_until_ready(server)
    except BaseException:
        server.kill()
        raise
    return server


def class_archive(release: Release, java: Java) -> Path:
    """Where the archive of the classes that a short-lived server loads is kept, for one Java."""
    return CACHE / release.version / f"classes-{hashlib.sha256(str(java.home).encode()).hexdigest()[:12]}.jsa"


# A database that grows from nothing would have every plan made anew every ten seconds.
_PLANS_LAST = "dbms.cypher.min_replan_interval=10m\n"


def _configuration(port: int, *, auth: bool, short_lived: bool) -> str:
    configuration = f"""\
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.usage_report.enabled=false
dbms.security.auth_enabled={str(auth).lower()}
server.memory.heap.max_size=512m
server.memory.pagecache.size=128m
db.tx_log.preallocate=false
# Databases are closed by then; it would wait for idle network threads for ten seconds.
internal.server.bolt.thread_pool_shutdown_wait_time=1s
"""
    return configuration + _PLANS_LAST if short_lived else configuration


def _dies_with_parent(with_signal: signal.Signals) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()
    set_parent_death_signal = 1

    def in_child() -> None:
        prctl(set_parent_death_signal, int(with_signal))
        if os.getppid() != parent:  # it died in between
            os._exit(1)

    return in_child


def _wait_until_ready(server: Neo4jServer) -> None:
    deadline = time.monotonic() + _START_TIMEOUT
    problem: Exception | None = None
    while time.monotonic() < deadline:
        if (code := server.process.poll()) is not None:
            raise ServerFailed(f"Neo4j {server.release.version} ended with code {code}.\n{_last_words(server.home)}")
        try:
            _answer(server)
            return
        except (DriverError, Neo4jError, OSError) as error:
            problem = error
            time.sleep(0.1)
    raise ServerFailed(
        f"Neo4j {server.release.version} did not answer in {_START_TIMEOUT:.0f} s ({problem}).\n"
        f"{_last_words(server.home)}"
    )


def _answer(server: Neo4jServer) -> None:
    """Ask for ``RETURN 1``; on a data folder that is new, set the password first."""
    if server.password is not None:
        change = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
        with (
            contextlib.suppress(Neo4jError),
            _driver(server, _FACTORY_PASSWORD) as driver,
            driver.session(database="system") as session,
        ):
            session.run(change, old=_FACTORY_PASSWORD, new=server.password).consume()
    with _driver(server, server.password) as driver, driver.session(database="neo4j") as session:
        session.run("RETURN 1").consume()


def _driver(server: Neo4jServer, password: str | None) -> neo4j.Driver:
    auth = None if password is None else (server.user, password)
    return neo4j.GraphDatabase.driver(server.uri, auth=auth, connection_timeout=2, max_transaction_retry_time=0)


def _last_words(home: Path) -> str:
    lines: list[str] = []
    for log in ("console.log", "neo4j.log"):
        with contextlib.suppress(OSError):
            lines += (home / "logs" / log).read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
    return "\n".join(lines)
