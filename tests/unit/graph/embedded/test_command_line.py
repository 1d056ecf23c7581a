from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memorygraph.graph.embedded.command_line import (
    java_argv,
    java_environment,
    launcher_environment,
    write_argument_file,
    write_logging_file,
)
from memorygraph.graph.embedded.layout import DataFolderLayout
from memorygraph.graph.embedded.platforms import server_home

PASSWORD = "correct horse"


@pytest.fixture
def layout(tmp_path: Path) -> DataFolderLayout:
    layout = DataFolderLayout(tmp_path / 'a "quoted" \\ folder, 100% ünlike')
    layout.create()
    return layout


def write(layout: DataFolderLayout) -> str:
    write_argument_file(server_home(), layout, heap_mb=256, bolt_port=1, http_port=2, password=PASSWORD, options=[])
    return layout.argument_file.read_text(encoding="utf-8")


def test_the_password_is_in_the_argument_file_alone(layout: DataFolderLayout) -> None:
    assert PASSWORD in write(layout)

    assert not any(PASSWORD in argument for argument in java_argv(server_home(), layout))


def test_the_argument_file_is_never_readable_by_others(layout: DataFolderLayout) -> None:
    previous = os.umask(0)
    try:
        write(layout)
        write(layout)
    finally:
        os.umask(previous)

    assert layout.argument_file.stat().st_mode & 0o777 == 0o600


def test_java_reads_its_arguments_as_they_were_meant(layout: DataFolderLayout) -> None:
    # The real Java is asked what it understood; the class at the end is left out, so that it starts nothing.
    text = write(layout).removesuffix('"com.arcadedb.server.ArcadeDBServer"\n')
    layout.argument_file.write_text(text + "-XshowSettings:properties\n-version\n", encoding="utf-8")

    java = java_argv(server_home(), layout)
    shown = subprocess.run(java, capture_output=True, check=True, timeout=60, env={"LC_ALL": "C.UTF-8"}).stderr.decode()

    settings = dict(line.strip().split(" = ", 1) for line in shown.splitlines() if " = " in line)
    assert settings["arcadedb.server.rootPath"] == str(layout.root)
    assert settings["arcadedb.server.rootPassword"] == PASSWORD
    assert settings["arcadedb.txWalFlush"] == "2"
    assert settings["arcadedb.bolt.host"] == settings["arcadedb.server.httpIncomingHost"] == "127.0.0.1"


def test_other_doors_to_the_database_are_not_on_the_class_path(layout: DataFolderLayout) -> None:
    text = write(layout)

    assert "arcadedb-bolt-" in text
    for door in ("arcadedb-mcp-", "arcadedb-redisw-", "arcadedb-postgresw-", "arcadedb-graphql-"):
        assert door not in text


def test_the_log_is_bounded(layout: DataFolderLayout) -> None:
    write_logging_file(layout)

    text = layout.logging_file.read_text(encoding="ascii")
    assert "FileHandler.limit = 2000000" in text
    assert "FileHandler.count = 3" in text


def test_secrets_and_options_for_another_java_do_not_reach_the_server() -> None:
    environment = {
        "PATH": "/bin",
        "TZ": "UTC",
        "OPENAI_API_KEY": "secret",
        "MEMORYGRAPH_NEO4J_PASSWORD": "secret",
        "JAVA_TOOL_OPTIONS": "-javaagent:other.jar",
        "JDK_JAVA_OPTIONS": "-Xmx1g",
        "CLASSPATH": "/elsewhere",
        "LD_LIBRARY_PATH": "/lib",
    }

    assert java_environment(environment) == {"PATH": "/bin", "TZ": "UTC"}
    launcher = launcher_environment(environment)
    assert launcher.keys() == {"PATH", "TZ", "LD_LIBRARY_PATH", "PYTHONPATH"}
