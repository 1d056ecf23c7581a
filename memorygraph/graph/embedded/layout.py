"""Where the embedded graph keeps its files inside the data folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["DataFolderLayout"]


@dataclass(frozen=True)
class DataFolderLayout:
    """Paths below ``data_dir``. Making one touches nothing."""

    data_dir: Path

    @property
    def store_file(self) -> Path:
        """What the store is, read before anything opens it."""
        return self.data_dir / "store.json"

    @property
    def root(self) -> Path:
        """Root folder of the graph server."""
        return self.data_dir / "graph"

    @property
    def turns(self) -> Path:
        """Locks of the processes that write, spread over many files."""
        return self.root / "turns"

    @property
    def databases(self) -> Path:
        return self.root / "databases"

    @property
    def users_file(self) -> Path:
        """The server's accounts; with it the password was set."""
        return self.root / "config" / "server-users.jsonl"

    @property
    def logging_file(self) -> Path:
        """Configuration of the server's log."""
        return self.root / "config" / "logging.properties"

    @property
    def password_file(self) -> Path:
        return self.root / "password"

    @property
    def argument_file(self) -> Path:
        """Arguments of the Java process; there only while it starts."""
        return self.root / "java.args"

    @property
    def server_file(self) -> Path:
        """State of the running server."""
        return self.root / "server.json"

    @property
    def crash_file(self) -> Path:
        """How the server crashed when it was given up."""
        return self.root / "crash.json"

    @property
    def start_lock(self) -> Path:
        """Held to attach, and to decide that the server is idle."""
        return self.root / "start.lock"

    @property
    def launcher_lock(self) -> Path:
        """Held by the launcher for as long as it lives."""
        return self.root / "launcher.lock"

    @property
    def clients(self) -> Path:
        """One locked file for each client."""
        return self.root / "clients"

    @property
    def compacting(self) -> Path:
        """Data folder of the copy that is being compacted; worthless once nobody works on it."""
        return self.root / "compacting"

    @property
    def compacted(self) -> Path:
        """A compacted database, whole: from the moment it is here it is the one that counts."""
        return self.root / "compacted"

    @property
    def replaced(self) -> Path:
        """The database that a compacted one has replaced, until it is removed."""
        return self.root / "replaced"

    @property
    def logs(self) -> Path:
        return self.root / "log"

    @property
    def server_log(self) -> Path:
        """Newest part of the server's own log."""
        return self.logs / "server.0.log"

    @property
    def output_log(self) -> Path:
        """What the Java process printed: warnings, and why it could not start."""
        return self.logs / "output.log"

    @property
    def launcher_log(self) -> Path:
        return self.logs / "launcher.log"

    def create(self) -> None:
        """Make the folders, readable by their owner only. Those that exist are left as they are.

        Raises ``OSError``.
        """
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.root, self.clients, self.logs, self.root / "config"):
            folder.mkdir(mode=0o700, exist_ok=True)
