"""How the Java process is started: its arguments, its environment and the configuration of its log."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from memorygraph.graph.embedded.layout import DataFolderLayout

__all__ = [
    "DATABASE",
    "HOST",
    "java_argv",
    "java_environment",
    "launcher_environment",
    "write_argument_file",
    "write_logging_file",
]

DATABASE = "memory"
HOST = "127.0.0.1"

_MAIN_CLASS = "com.arcadedb.server.ArcadeDBServer"
# Other ways into the same database that nobody here uses: the server starts every plugin it finds.
_UNUSED_JARS = ("arcadedb-mcp-", "arcadedb-graphql-", "arcadedb-redisw-", "arcadedb-postgresw-")

# On every machine the same: grow from small, collect garbage before the heap is full of it (the serial collector,
# which Java takes on small machines, fills it first), and with few threads however many cores there are.
_MEMORY = ("-Xms64m", "-XX:+UseG1GC", "-XX:ParallelGCThreads=2", "-XX:ConcGCThreads=1")
# Forty times Java's thresholds for its slow compiler, which otherwise takes a quarter of the CPU time of a start, and
# more than the work itself of a batch that is written. What runs often is compiled as well as ever, later.
_COMPILER = (
    "-XX:Tier4InvocationThreshold=200000",
    "-XX:Tier4MinInvocationThreshold=24000",
    "-XX:Tier4CompileThreshold=600000",
    "-XX:Tier4BackEdgeThreshold=1600000",
)

_LOG_BYTES = 2_000_000
_LOG_FILES = 3

# What a program needs to run at all. Anything else may hold the user's secrets, or options for another Java.
_ENVIRONMENT = ("HOME", "LANG", "LC_ALL", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ", "USERPROFILE", "WINDIR")
# What, beyond that, our own Python may need to find its libraries and modules, and the user's folder for caches.
_PYTHON_PREFIXES = ("PYTHON", "LD_", "DYLD_", "XDG_CACHE_HOME")


def java_argv(home: Path, layout: DataFolderLayout) -> list[str]:
    """The command line: everything else is in the argument file, which only its owner can read."""
    java = home / "jre" / "bin" / ("java.exe" if sys.platform == "win32" else "java")
    return [str(java), f"@{layout.argument_file}"]


def java_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The few variables of ``environment`` that the server is given."""
    return {name: value for name, value in environment.items() if name.upper() in _ENVIRONMENT}


def launcher_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of ``environment`` that the launcher is given; it imports what this process would import."""
    python = {name: value for name, value in environment.items() if name.upper().startswith(_PYTHON_PREFIXES)}
    modules = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return java_environment(environment) | python | modules


def server_jars(home: Path) -> list[Path]:
    """The parts of the server in ``home`` that are used, in order."""
    return sorted(jar for jar in (home / "jars").glob("*.jar") if not jar.name.startswith(_UNUSED_JARS))


def write_argument_file(
    home: Path,
    layout: DataFolderLayout,
    *,
    heap_mb: int,
    bolt_port: int,
    http_port: int,
    password: str,
    options: Sequence[str],
) -> None:
    """Write the argument file, mode 0600, with further ``options`` for Java. Raises ``OSError``."""
    properties = {
        "java.awt.headless": "true",
        "java.util.logging.config.file": layout.logging_file,
        "arcadedb.server.rootPath": layout.root,
        "arcadedb.server.rootPassword": password,
        # production mode hides the texts of errors
        "arcadedb.server.mode": "development",
        "arcadedb.server.logsDirectory": layout.logs,
        "arcadedb.server.httpIncomingHost": HOST,
        "arcadedb.server.httpIncomingPort": http_port,
        "arcadedb.server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
        "arcadedb.bolt.host": HOST,
        "arcadedb.bolt.port": bolt_port,
        # fsync at every commit; the default is never
        "arcadedb.txWalFlush": 2,
        # a transaction copies each index page that it changes, whole: a quarter of the default is copied faster
        "arcadedb.indexDefaultPageSize": 65536,
        "arcadedb.server.defaultDatabases": f"{DATABASE}[]",
        # unused here, and each costs memory and time at the start
        "arcadedb.polyglotEngineEnabled": "false",
        "arcadedb.serverMetrics": "false",
    }
    arguments = [
        f"-Xmx{heap_mb}m",
        *_MEMORY,
        *_COMPILER,
        *options,
        "--add-modules",
        "jdk.incubator.vector",
        "--enable-native-access=ALL-UNNAMED",
        # A server out of memory is not to be trusted with the rest of its work: it goes, and is started again.
        "-XX:+ExitOnOutOfMemoryError",
        f"-XX:ErrorFile={layout.logs / 'java-crash.log'}",
        # Its file under /tmp would repeat the arguments.
        "-XX:-UsePerfData",
        "-cp",
        os.pathsep.join(str(jar) for jar in server_jars(home)),
        *(f"-D{name}={value}" for name, value in properties.items()),
        _MAIN_CLASS,
    ]
    text = "".join(f"{_quoted(argument)}\n" for argument in arguments)
    layout.argument_file.unlink(missing_ok=True)
    descriptor = os.open(layout.argument_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding=sys.getfilesystemencoding(), errors="surrogateescape") as file:
        file.write(text)


def _quoted(argument: str) -> str:
    """One argument as Java's argument files spell it."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def write_logging_file(layout: DataFolderLayout) -> None:
    """Write the configuration of the server's log: at most three files of 2 MB. Raises ``OSError``."""
    # Java reads the pattern itself: % starts its own codes there, and backslashes escape in the file.
    pattern = (layout.logs / "server.").as_posix().replace("%", "%%") + "%g.log"
    lines = [
        "handlers = java.util.logging.FileHandler, java.util.logging.ConsoleHandler",
        ".level = INFO",
        "io.undertow.level = WARNING",
        "org.xnio.level = WARNING",
        "org.jboss.level = WARNING",
        f"java.util.logging.FileHandler.pattern = {_property(pattern)}",
        f"java.util.logging.FileHandler.limit = {_LOG_BYTES}",
        f"java.util.logging.FileHandler.count = {_LOG_FILES}",
        "java.util.logging.FileHandler.append = true",
        "java.util.logging.FileHandler.formatter = com.arcadedb.utility.LogFormatter",
        "java.util.logging.ConsoleHandler.level = WARNING",
        "java.util.logging.ConsoleHandler.formatter = com.arcadedb.utility.LogFormatter",
    ]
    layout.logging_file.write_text("\n".join(lines) + "\n", encoding="ascii")


def _property(value: str) -> str:
    """``value`` as a Java properties file spells it: ASCII with escapes."""
    units = value.replace("\\", "\\\\").encode("utf-16-be", errors="surrogatepass")
    codes = [int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)]
    return "".join(chr(code) if 0x20 <= code < 0x7F else f"\\u{code:04x}" for code in codes)
