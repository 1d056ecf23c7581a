"""The Neo4j releases that memorygraph is tested on: the one place where they are pinned."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RELEASES", "Release"]


@dataclass(frozen=True, kw_only=True)
class Release:
    name: str  # what `make test GRAPH=` and the tests call it
    version: str  # of the Maven artifact org.neo4j:neo4j
    main_class: str
    oldest_java: int  # older ones cannot load its classes
    supported_java: tuple[int, ...]  # preferred where several are installed


RELEASES = {
    release.name: release
    for release in (
        Release(
            name="neo4j5",
            version="5.26.30",
            main_class="org.neo4j.server.CommunityEntryPoint",
            oldest_java=17,
            supported_java=(17, 21),
        ),
        Release(
            name="neo4j2026",
            version="2026.05.0",
            main_class="org.neo4j.server.Neo4jCommunity",
            oldest_java=21,
            supported_java=(21, 25),
        ),
    )
}
