"""The jars of a Neo4j release, fetched with Maven into ``.cache/neo4j/<version>/lib`` of the checkout."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.neo4j_server.java import installed_javas
from tools.neo4j_server.releases import Release
from tools.system_packages import MissingProgram, install

__all__ = ["CACHE", "fetch_jars"]

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "neo4j"


def fetch_jars(release: Release) -> Path:
    """The folder with the jars of ``release``, fetched if they are not there yet.

    A folder is complete or absent: it is filled under another name and renamed. Two that fetch at
    once wait for each other. Raises :class:`MissingProgram` where Maven is missing and cannot be
    installed, or where it could not fetch them.
    """
    folder = CACHE / release.version
    if (folder / "lib").is_dir():
        return folder / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "lib").is_dir():
            _fetch(release, folder)
    return folder / "lib"


def _fetch(release: Release, folder: Path) -> None:
    maven = _maven()
    print(f"Fetching Neo4j {release.version} with Maven.", file=sys.stderr, flush=True)
    partial = Path(tempfile.mkdtemp(prefix="part-", dir=folder))
    try:
        pom = Path(__file__).with_name("pom.xml")
        command = [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
        command += [f"-Dneo4j.version={release.version}", "-DincludeScope=runtime"]
        command += [f"-DoutputDirectory={partial / 'lib'}"]
        done = subprocess.run(
            command,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=partial,
            check=False,
        )
        if done.returncode != 0 or not any((partial / "lib").glob("neo4j-*.jar")):
            print(done.stdout, file=sys.stderr)
            raise MissingProgram(
                f"Maven could not fetch org.neo4j:neo4j:{release.version} (its words stand above); "
                "`make test GRAPH=embedded` does without Neo4j."
            )
        (partial / "lib").rename(folder / "lib")
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _maven() -> str:
    if shutil.which("mvn") is None:
        install(
            "maven",
            missing="Maven is missing, which fetches Neo4j: install it (on Debian: apt install maven), or leave Neo4j "
            "out by name with `make test GRAPH=embedded`.",
        )
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingProgram("Maven was installed, but there is no `mvn` on the path.")
    return maven


def _environment() -> dict[str, str]:
    """Maven runs on the Java of the path; where there is none, on any that was found."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return dict(os.environ)
    javas = installed_javas()
    return {**os.environ, "JAVA_HOME": str(javas[0].home)} if javas else dict(os.environ)
