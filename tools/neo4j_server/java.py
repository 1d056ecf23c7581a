"""Find a Java runtime that a Neo4j release runs on.

Looked at, in this order: ``JAVA_HOME``, the ``java`` on the path, the places where systems keep
their runtimes, and the runtime inside the wheel ``arcadedb-embedded``, which is always there once
memorygraph is installed with its extra ``embedded``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.neo4j_server.releases import Release
from tools.system_packages import MissingProgram

__all__ = ["Java", "find_java", "installed_javas"]

_HOMES = (
    (Path("/usr/lib/jvm"), "*"),
    (Path("/opt/java"), "*"),
    (Path("/Library/Java/JavaVirtualMachines"), "*/Contents/Home"),
)


@dataclass(frozen=True)
class Java:
    home: Path
    major: int  # 17, 21, 25

    @property
    def program(self) -> Path:
        return self.home / "bin" / "java"


def _read(home: Path) -> Java | None:
    """The runtime in ``home``, or None where there is none. Its version is read from its file ``release``."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    version = re.search(r'^JAVA_VERSION="?(\d+)', release, re.MULTILINE)
    java = Java(home, int(version[1])) if version else None
    return java if java and os.access(java.program, os.X_OK) else None


def _homes() -> Iterator[Path]:
    if configured := os.environ.get("JAVA_HOME"):
        yield Path(configured)
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve().parent.parent
    for folder, pattern in _HOMES:
        yield from sorted(folder.glob(pattern))
    bundled = importlib.util.find_spec("arcadedb_embedded")
    if bundled is not None and bundled.origin is not None:
        yield Path(bundled.origin).parent / "jre"


def installed_javas() -> list[Java]:
    """Every Java runtime found, the preferred places first, each once."""
    found = [java for home in _homes() if (java := _read(home))]
    return list({java.home.resolve(): java for java in reversed(found)}.values())[::-1]


def find_java(release: Release) -> Java:
    """The Java for ``release``: one it supports, else any that is new enough; else :class:`MissingProgram`."""
    fitting = [java for java in installed_javas() if java.major >= release.oldest_java]
    fitting.sort(key=lambda java: java.major not in release.supported_java)
    if not fitting:
        raise MissingProgram(
            f"Neo4j {release.version} needs Java {release.oldest_java} or newer and none was found: install the extra "
            "memorygraph[embedded], which carries one, or a JDK, and let JAVA_HOME name it."
        )
    return fitting[0]
