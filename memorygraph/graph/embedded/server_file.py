"""What the launcher tells about the graph server, in two small files: the running state, and the last crash."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal, TypeVar

from memorygraph.graph.embedded.atomic import write_atomically
from memorygraph.graph.embedded.layout import DataFolderLayout

__all__ = [
    "CrashReport",
    "ServerState",
    "clear_server_state",
    "read_crash_report",
    "read_server_state",
    "write_crash_report",
    "write_server_state",
]

Phase = Literal["starting", "ready", "restarting", "stopping", "crashed"]


@dataclass(frozen=True, kw_only=True)
class ServerState:
    """The server as its launcher last saw it. It holds only while the launcher lives."""

    phase: Phase
    pid: int  # of the Java process
    launcher_pid: int
    bolt_port: int
    http_port: int
    started_at: float  # of the launcher: seconds since the epoch
    restarts: int  # after crashes, since the launcher started
    heap_mb: int


@dataclass(frozen=True, kw_only=True)
class CrashReport:
    """A crash after which the server was not started again."""

    at: float  # seconds since the epoch
    exit_code: int  # negative: the signal that ended it
    restarts: int  # that had been tried
    last_lines: tuple[str, ...]  # of what it printed, oldest first
    log: str  # path of the log

    def summary(self) -> str:
        """One sentence with the reason as far as it is known."""
        how = f"signal {-self.exit_code}" if self.exit_code < 0 else f"exit code {self.exit_code}"
        said = f" Its last words: {self.last_lines[-1].rstrip('.')}." if self.last_lines else ""
        again = " again after a restart" if self.restarts else ""
        return f"The embedded graph server crashed{again} ({how}).{said}"


_Record = TypeVar("_Record", ServerState, CrashReport)


def _read(path: Path, kind: type[_Record]) -> _Record | None:
    # Both files are replaced whole, so one that does not fit was not written by this release: as good as none.
    # One with more in it was written by a later release, whose server is to be found all the same.
    try:
        document = json.loads(path.read_bytes())
        known = {field.name: document[field.name] for field in fields(kind)}
    except (OSError, ValueError, TypeError, KeyError):
        return None
    if isinstance(lines := known.get("last_lines"), list):
        known["last_lines"] = tuple(lines)
    return kind(**known)


def read_server_state(layout: DataFolderLayout) -> ServerState | None:
    """The state last written, or ``None``. Whether a launcher is alive is told by its lock, not by this."""
    return _read(layout.server_file, ServerState)


def write_server_state(layout: DataFolderLayout, state: ServerState) -> None:
    """Replace the state. Raises ``OSError``."""
    write_atomically(layout.server_file, json.dumps(asdict(state)).encode(), durable=False)


def clear_server_state(layout: DataFolderLayout) -> None:
    """Remove the state, if there is one."""
    with suppress(OSError):
        layout.server_file.unlink()


def read_crash_report(layout: DataFolderLayout) -> CrashReport | None:
    """The report of the crash after which the server was given up, until it is started anew."""
    return _read(layout.crash_file, CrashReport)


def write_crash_report(layout: DataFolderLayout, report: CrashReport | None) -> None:
    """Replace the report; ``None`` removes it. Raises ``OSError``."""
    if report is None:
        layout.crash_file.unlink(missing_ok=True)
    else:
        write_atomically(layout.crash_file, json.dumps(asdict(report)).encode(), durable=False)
