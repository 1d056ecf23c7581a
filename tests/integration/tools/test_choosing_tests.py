"""A test run that proves nothing does not pass, and what it leaves out is named."""

from __future__ import annotations

import re

import pytest

pytest_plugins = ["pytester"]

ON_EVERY_SERVER = "def test_it(graph_kind): assert graph_kind"
PASSES = "def test_it(): pass"
SKIPS = "import pytest\ndef test_that(): pytest.skip('no server')"


def run(pytester: pytest.Pytester, source: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(source)
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\nmarkers = only_on: of this suite")
    return pytester.runpytest_inprocess("-p", "tests.conftest", *options)


def test_a_run_on_all_servers_leaves_nothing_out(pytester: pytest.Pytester) -> None:
    done = run(pytester, ON_EVERY_SERVER, "--graph=all")
    done.assert_outcomes(passed=3)
    assert done.ret == 0
    done.stdout.no_fnmatch_line("*LEFT OUT*")


def test_servers_that_are_left_out_are_named_with_what_they_would_have_run(pytester: pytest.Pytester) -> None:
    done = run(pytester, ON_EVERY_SERVER, "--graph=embedded")
    done.assert_outcomes(passed=1, deselected=2)
    assert done.ret == 0
    done.stdout.fnmatch_lines(
        [
            "graph servers: embedded",
            "LEFT OUT by --graph=embedded: neo4j5 (1 tests)",
            "LEFT OUT by --graph=embedded: neo4j2026 (1 tests)",
        ]
    )


def test_tests_of_one_server_share_a_worker_and_workers_tell_what_was_left_out(pytester: pytest.Pytester) -> None:
    source = "import pytest\n@pytest.mark.parametrize('n', range(6))\ndef test_it(graph_kind, n): assert graph_kind"
    done = run(pytester, source, "--graph=embedded,neo4j5", "-n2", "--dist=loadgroup", "-v")
    done.assert_outcomes(passed=12)
    assert done.ret == 0
    for kind in ("embedded", "neo4j5"):
        workers = re.findall(rf"\[(gw\d)\] .*PASSED .*@{kind}-shared", str(done.stdout))
        assert len(workers) == 6
        assert len(set(workers)) == 1
    done.stdout.fnmatch_lines(["LEFT OUT by --graph=embedded,neo4j5: neo4j2026 (6 tests)"])


@pytest.mark.parametrize(
    ("source", "options"),
    [
        (SKIPS, ()),
        (f"{SKIPS}\n{PASSES}", ()),
        (f"{SKIPS}\n{PASSES}", ("-n2",)),
        (PASSES, ("-k", "nothing")),
        ("import pytest\n@pytest.mark.only_on('neo4j5')\ndef test_it(graph_kind): pass", ("--graph=embedded",)),
    ],
    ids=["all skipped", "one skipped", "one skipped by a worker", "none chosen", "none left"],
)
def test_a_run_that_skips_a_test_or_runs_none_fails(
    pytester: pytest.Pytester, source: str, options: tuple[str, ...]
) -> None:
    assert run(pytester, source, *options).ret != 0


def test_a_run_in_which_every_test_passes_passes(pytester: pytest.Pytester) -> None:
    assert run(pytester, PASSES).ret == 0


def test_a_graph_server_that_does_not_exist_is_refused(pytester: pytest.Pytester) -> None:
    done = run(pytester, ON_EVERY_SERVER, "--graph=neo4j4")
    assert done.ret != 0
    done.stderr.fnmatch_lines(["*--graph=neo4j4 is none of all, embedded, neo4j5, neo4j2026*"])
