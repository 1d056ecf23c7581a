"""A look at a data folder's graph server that starts nothing and changes nothing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.locks import launcher_is_alive
from memorygraph.graph.embedded.server_file import CrashReport, ServerState, read_crash_report, read_server_state

__all__ = ["Inspection", "inspect"]


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """The server as it is now."""

    running: bool  # a launcher lives; the server may still be starting
    state: ServerState | None  # None: not running
    crash: CrashReport | None  # the crash after which it was given up, until it is started anew
    log: Path  # folder of its logs

    def to_dict(self) -> dict[str, object]:
        """JSON-ready values."""
        return {
            "running": self.running,
            "state": None if self.state is None else asdict(self.state),
            "crash": None if self.crash is None else asdict(self.crash),
            "log": str(self.log),
        }


def inspect(data_dir: Path) -> Inspection:
    """Look at the graph server of ``data_dir``. The folder need not exist, nor be ours."""
    layout = DataFolderLayout(data_dir.absolute())
    try:
        running = launcher_is_alive(layout)
    except OSError:
        # Where its lock cannot be opened for writing, no launcher of this user runs.
        running = False
    return Inspection(
        running=running,
        state=read_server_state(layout) if running else None,
        crash=read_crash_report(layout),
        log=layout.logs,
    )
