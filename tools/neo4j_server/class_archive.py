"""The classes of a Neo4j release as Java keeps them in memory, in a file beside its jars: a start takes a third less.

For the many short-lived servers of the tests. Made by a server that runs once to make it; one without it starts as
well. It holds for the Java that made it and no other.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tools.neo4j_server.java import find_java
from tools.neo4j_server.releases import Release
from tools.neo4j_server.server import class_archive, start

__all__ = ["make_class_archive"]


def make_class_archive(release: Release) -> None:
    """Make the archive of ``release`` unless it is there. Raises as :func:`start` does."""
    java = find_java(release)
    archive = class_archive(release, java)
    # It builds upon the archive of Java's own classes, which some runtimes come without.
    if archive.exists() or not (java.home / "lib" / "server" / "classes.jsa").exists():
        return
    with tempfile.TemporaryDirectory(prefix="part-", dir=archive.parent) as folder:
        made = Path(folder) / "classes.jsa"
        server = start(
            release, Path(folder) / "home", short_lived=True, java_options=[f"-XX:ArchiveClassesAtExit={made}"]
        )
        server.stop()
        if made.exists():
            made.replace(archive)
