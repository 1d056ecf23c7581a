"""Whether this machine can run the embedded graph server, and where the server's package lies."""

from __future__ import annotations

import importlib.util
import platform
import sys
from importlib import metadata
from pathlib import Path

from memorygraph.errors import MissingExtra, PlatformUnsupported

__all__ = ["server_home", "server_version"]

_PACKAGE = "arcadedb_embedded"
_DISTRIBUTION = "arcadedb-embedded"
_SUPPORTED = {
    ("linux", "x86_64"),
    ("linux", "aarch64"),
    ("darwin", "arm64"),
    ("win32", "AMD64"),
}
_OLDEST_GLIBC = (2, 34)
_WITHOUT = "Set MEMORYGRAPH_NEO4J_URI to a Neo4j server, 5.26 or newer, and use that instead."


def server_home() -> Path:
    """Folder of the installed server package: ``jars/`` and ``jre/`` are in it.

    Raises :class:`PlatformUnsupported` where no package exists for this system, and
    :class:`MissingExtra` where it exists and is not installed.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    reason = _unsupported_because()
    if reason is not None:
        raise PlatformUnsupported(f"There is no embedded graph server for {reason}.", hint=_WITHOUT)
    raise MissingExtra(
        "The embedded graph server is not installed.",
        hint='Install it with: pip install "memorygraph[embedded]". Or set MEMORYGRAPH_NEO4J_URI to a Neo4j server.',
    )


def server_version() -> str:
    """Version of the installed server package. Raises what :func:`server_home` raises."""
    server_home()
    return metadata.version(_DISTRIBUTION)


def _unsupported_because() -> str | None:
    """What of this system no package is made for; ``None`` when one is."""
    machine = platform.machine()
    if (sys.platform, machine) not in _SUPPORTED:
        return f"{platform.system()} on {machine}"
    if sys.platform == "linux":
        library, version = platform.libc_ver()
        if library != "glibc":
            return "Linux without glibc (musl, as on Alpine)"
        if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST_GLIBC:
            return f"glibc {version} (2.34 or newer is needed)"
    return None
