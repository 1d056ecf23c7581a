"""Fixtures of all tests: real graph servers, real ledgers, an engine, a clock that is moved, a user of one's own.

A test that names ``graph`` (or ``settings``, ``engine``, ``scratch_graph``, ``fresh_store``, which build on it) runs
once per graph server. ``--graph`` chooses among them; what it leaves out is told by name. With ``-n`` the tests are
shared out among processes, those of one server together, so that each server is started once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import uuid
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from memorygraph.clock import SimulatedClock
from memorygraph.settings import Settings, load_settings
from tests.support.graph_servers import GRAPH_KINDS, GraphKind, GraphServers, GraphTarget
from tests.support.ledgers import Ledgers

if TYPE_CHECKING:
    from memorygraph import MemoryEngine

_CHOSEN = pytest.StashKey[list[str]]()
_LEFT_OUT = pytest.StashKey[dict[str, int]]()

# Fixtures that stand for one graph server, whatever a test is parametrised over.
_BOUND_FIXTURES: dict[str, GraphKind] = {"neo4j_with_auth": "neo4j5"}


# A busy machine decides no test: neither how long an example takes nor how long it takes to draw one.
hypothesis.settings.register_profile(
    "memorygraph", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("memorygraph")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--graph",
        default=os.environ.get("GRAPH") or "all",
        help="graph servers to test on: all, or some of embedded,neo4j5,neo4j2026 (default: the variable GRAPH or all)",
    )


def pytest_configure(config: pytest.Config) -> None:
    option = str(config.getoption("--graph"))
    wanted = [kind.strip() for kind in option.split(",")]
    unknown = [kind for kind in wanted if kind not in (*GRAPH_KINDS, "all")]
    if unknown:
        raise pytest.UsageError(f"--graph={unknown[0]} is none of all, {', '.join(GRAPH_KINDS)}")
    config.stash[_CHOSEN] = [str(kind) for kind in GRAPH_KINDS if "all" in wanted or kind in wanted]
    config.stash[_LEFT_OUT] = {}
    # What the developer configured for himself is nothing to the tests.
    for name in [name for name in os.environ if name.startswith("MEMORYGRAPH_")]:
        del os.environ[name]
    # A shell starts what runs in its background deaf to Ctrl-C, and every command that a test interrupts would be.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # The many processes that tests start read what the first of them compiled.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "graph_kind" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("only_on")
    kinds = GRAPH_KINDS if marker is None else marker.args
    metafunc.parametrize("graph_kind", kinds, scope="session")


@pytest.hookimpl(tryfirst=True)  # before the one of xdist, which reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        kind = _kind_of(item)
        if kind is None or kind in config.stash[_CHOSEN]:
            kept.append(item)
            item.add_marker(pytest.mark.xdist_group(_group_of(item, kind)))
        else:
            left_out.append(item)
            config.stash[_LEFT_OUT][kind] = config.stash[_LEFT_OUT].get(kind, 0) + 1
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _kind_of(item: pytest.Item) -> str | None:
    """The graph server that a test is about; None for a test that needs none in particular."""
    if not isinstance(item, pytest.Function):
        return None
    if hasattr(item, "callspec") and "graph_kind" in item.callspec.params:
        return str(item.callspec.params["graph_kind"])
    return next((kind for name, kind in _BOUND_FIXTURES.items() if name in item.fixturenames), None)


def _group_of(item: pytest.Item, kind: str | None) -> str:
    """What keeps a test with others in one worker: the server that they share, else the file that they are in."""
    fixtures = item.fixturenames if isinstance(item, pytest.Function) else ()
    if "neo4j_with_auth" in fixtures:
        return f"{kind}-authenticated"
    if kind is not None and "scratch_graph" not in fixtures:
        return f"{kind}-shared"
    if kind is not None and kind != "embedded":
        return f"{kind}-scratch"
    return f"{item.path.parent.name}-{item.path.stem}"


def pytest_report_header(config: pytest.Config) -> str:
    chosen = config.stash[_CHOSEN]
    return f"graph servers: {', '.join(chosen)}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for kind, count in config.stash[_LEFT_OUT].items():
        terminalreporter.write_line(f"LEFT OUT by --graph={config.getoption('--graph')}: {kind} ({count} tests)")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a worker of xdist left out, all of them did."""
    node.config.stash[_LEFT_OUT].update(node.workeroutput["left_out"])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run in which tests were skipped, or none ran, proves nothing and does not pass."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["left_out"] = session.config.stash[_LEFT_OUT]
        return
    if session.config.option.collectonly or exitstatus != pytest.ExitCode.OK:
        return
    reporter: pytest.TerminalReporter | None = session.config.pluginmanager.get_plugin("terminalreporter")
    assert reporter is not None
    skipped = len(reporter.stats.get("skipped", []))
    if skipped or not reporter.stats.get("passed"):
        reporter.write_line(f"\nFailed: {skipped} tests were skipped; every test that is chosen has to run.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def graph_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphServers]:
    """The pool of servers, each started when it is first asked for."""
    servers = GraphServers(tmp_path_factory.mktemp)
    yield servers
    servers.close()


@pytest.fixture(scope="session")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledgers]:
    """Makes empty ledgers: SQLite files, databases on a PostgreSQL."""
    ledgers = Ledgers(tmp_path_factory.mktemp)
    yield ledgers
    ledgers.close()


@pytest.fixture(scope="session")
def graph(graph_kind: GraphKind, graph_servers: GraphServers) -> GraphTarget:
    """A graph server that lasts the session and that other tests use too."""
    return graph_servers.shared(graph_kind)


@pytest.fixture
def scratch_graph(graph_kind: GraphKind, graph_servers: GraphServers) -> GraphTarget:
    """A graph server with nothing in it, for this test alone."""
    return graph_servers.scratch(graph_kind)


@pytest.fixture(scope="session")
def neo4j_with_auth(graph_servers: GraphServers) -> GraphTarget:
    """A Neo4j 5.26 that asks for a password."""
    return graph_servers.authenticated("neo4j5")


@pytest.fixture(scope="session")
def settings(graph: GraphTarget, graph_servers: GraphServers, ledgers: Ledgers) -> Settings:
    """Settings of the session's store on ``graph`` with the one ledger that belongs to it."""
    from memorygraph import MemoryEngine  # what unit tests never need is not loaded for them

    settings = settings_for(graph, ledgers)

    async def make() -> None:
        await (await MemoryEngine.open(settings)).close()

    asyncio.run(make())
    graph_servers.keep_running(graph)
    return settings


@pytest.fixture
def fresh_store(scratch_graph: GraphTarget, ledgers: Ledgers) -> Settings:
    """Settings of a store that does not exist yet: an empty graph and an empty ledger."""
    return settings_for(scratch_graph, ledgers)


def settings_for(target: GraphTarget, ledgers: Ledgers) -> Settings:
    """Settings for ``target`` with a new ledger: PostgreSQL beside Neo4j 5.26, SQLite beside the others."""
    ledger_url = ledgers.new_postgresql() if target.kind == "neo4j5" else ledgers.new_sqlite(target.data_dir)
    if target.kind == "embedded":
        return load_settings(
            data_dir=target.data_dir, ledger_url=ledger_url, embedded_idle_seconds=5, embedder_threads=1
        )
    return load_settings(
        embedder_threads=1,
        data_dir=target.data_dir,
        ledger_url=ledger_url,
        neo4j_uri=target.uri,
        neo4j_user=target.user,
        neo4j_password=target.password,
        neo4j_database=target.database,
    )


@pytest.fixture
def user() -> str:
    """An end user that nothing was ever remembered for."""
    return f"user-{uuid.uuid4()}"


@pytest.fixture
def clock() -> SimulatedClock:
    """A clock that stands at 2026-03-02T09:00Z until the test moves it."""
    return SimulatedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))


@pytest.fixture
async def engine(settings: Settings, clock: SimulatedClock) -> AsyncIterator[MemoryEngine]:
    """An engine on the session's store of each graph server, whose time is ``clock``."""
    from memorygraph import MemoryEngine  # what unit tests never need is not loaded for them

    async with await MemoryEngine.open(settings, clock=clock) as engine:
        yield engine
