"""Exit codes, streams and the shape of errors."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memorygraph._version import __version__
from memorygraph.errors import InvalidParameters, StoreUnavailable
from memorygraph_api.cli import run
from memorygraph_api.cli.failures import describe, report
from tests.support.command_line import COMMAND, child_environment, run_command

HEAVY = {
    "aiosqlite",
    "alembic",
    "fastembed",
    "litellm",
    "neo4j",
    "numpy",
    "onnxruntime",
    "psycopg",
    "pydantic",
    "pydantic_settings",
    "rich",
    "sqlalchemy",
}


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("MEMORYGRAPH_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def error_of(told: str) -> dict[str, Any]:
    error: dict[str, Any] = json.loads(told)["error"]
    return error


def imported_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint('\\n'.join(sys.modules), file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
        env=child_environment({}),
    )
    return set(done.stderr.split())


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"memorygraph {__version__}\n"


@pytest.mark.parametrize("words", [["--version", "--json"], ["--json", "--version"]])
def test_the_version_is_one_json_object_when_asked(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 0
    assert json.loads(capsys.readouterr().out) == {"version": __version__}


def test_without_a_command_help_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "Usage: memorygraph" in told.err


@pytest.mark.parametrize(
    "words",
    [
        ["recal", "x"],
        ["recall"],
        ["recall", "x", "--no-such-option"],
        ["recall", "x", "--limit", "many"],
        ["forget"],
        ["forget", "status", "--limit", "0"],
        ["demo", "--days", "0"],
    ],
)
def test_what_is_not_understood_exits_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("error: ")
    assert "--help" in told.err


def test_a_usage_error_is_json_when_json_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recall", "--json"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    error = error_of(told.err)
    assert error["code"] == "usage"
    assert "QUERY" in error["message"]
    assert error["hint"] == "See memorygraph recall --help."


def test_json_after_two_dashes_is_text_and_not_a_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recall", "a", "--", "--json"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("mark", ["0", "11", "nan", "-3", "inf"])
def test_an_importance_outside_1_to_10_is_refused_before_anything_opens(
    mark: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["remember", "Tea at four.", "--importance", mark, "--data-dir", str(tmp_path / "store"), "--json"]
    assert run(words) == 1
    error = error_of(capsys.readouterr().err)
    assert (error["code"], error["field"]) == ("invalid_input", "importance")
    assert not (tmp_path / "store").exists()


def test_an_unknown_setting_in_the_environment_is_named_with_the_near_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYGRAPH_DATADIR", "/somewhere")
    assert run(["recall", "tea", "--json"]) == 1
    error = error_of(capsys.readouterr().err)
    assert error["code"] == "unknown_setting"
    assert "MEMORYGRAPH_DATA_DIR" in error["hint"]


def test_standard_input_that_is_not_text_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9"), encoding="utf-8"))
    assert run(["remember", "-", "--json"]) == 1
    assert error_of(capsys.readouterr().err)["field"] == "text"


def test_an_interrupted_command_exits_with_130_and_says_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(io.StringIO):
        def read(self, size: int | None = -1, /) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert run(["remember", "-"]) == 130
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "")


def test_every_violation_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    error = InvalidParameters("These parameters cannot stand.", violations=["decay is 0", "noise is -1"])
    assert report(error, as_json=True) == 1
    assert error_of(capsys.readouterr().err)["violations"] == ["decay is 0", "noise is -1"]
    assert report(error, as_json=False) == 1
    assert capsys.readouterr().err.splitlines()[1:] == ["  - decay is 0", "  - noise is -1"]


def test_an_error_of_the_engine_is_told_with_its_code_and_hint(capsys: pytest.CaptureFixture[str]) -> None:
    error = StoreUnavailable("The graph server does not answer.", hint="Start it.")
    assert report(error, as_json=True) == 1
    assert error_of(capsys.readouterr().err) == {
        "code": "store_unavailable",
        "message": "The graph server does not answer.",
        "hint": "Start it.",
    }
    assert report(error, as_json=False) == 1
    assert capsys.readouterr().err == "error: The graph server does not answer.\nStart it.\n"


def test_what_should_not_happen_is_told_with_its_traceback() -> None:
    try:
        raise ZeroDivisionError("half of nothing")
    except ZeroDivisionError as caught:
        told = describe(caught)
    assert told["code"] == "internal"
    assert told["message"] == "ZeroDivisionError: half of nothing"
    assert "test_running.py" in told["traceback"]


def test_control_characters_in_an_error_are_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    report(StoreUnavailable("\x1b[2Jgone\u202e"), as_json=False)
    assert capsys.readouterr().err == "error: \\x1b[2Jgone\\u202e\n"


def test_help_imports_nothing_heavy() -> None:
    shown = imported_after("from memorygraph_api.cli import run\nrun(['recall', '--help'])")
    assert "memorygraph_api.cli.memories" in shown
    assert not shown & HEAVY
    # The same look sees them when something does import them.
    assert imported_after("import memorygraph.settings, memorygraph_api.cli.terminal") & HEAVY >= {"pydantic", "rich"}


def test_help_takes_less_than_four_tenths_of_a_second_of_processor_time() -> None:
    def taken() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run_command(["--help"]).returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(taken() for _ in range(3)) <= 0.4


def test_a_reader_that_goes_away_is_no_reason_to_complain() -> None:
    child = subprocess.Popen(
        [*COMMAND, "recall", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=child_environment({})
    )
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    with child.stderr as errors:
        assert errors.read() == b""
    assert child.wait() == 1


def redirected(redirection: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, *words],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=child_environment({}),
        timeout=60,
    )


@pytest.mark.parametrize("words", [["--version"], ["--version", "--json"], ["recall", "--help"]])
def test_a_closed_standard_output_is_no_reason_to_complain(words: list[str]) -> None:
    done = redirected(">&-", *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_command_with_all_its_output_closed_says_by_its_exit_code_alone_what_became_of_it() -> None:
    assert redirected(">&- 2>&-", "--version").returncode == 0
    assert redirected(">&- 2>&-", "get", "--nonsense").returncode == 2


@pytest.mark.parametrize("words", [["--version"], ["--version", "--json"], ["recall", "--help"]])
def test_an_output_that_is_full_is_told_as_what_it_is(words: list[str]) -> None:
    done = redirected(">/dev/full", *words)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "The output cannot be written: No space left on device." in done.stderr
    if "--json" in words:
        assert error_of(done.stderr)["code"] == "output"


def test_completion_offers_commands_options_and_kinds() -> None:
    def completed(line: str) -> set[str]:
        words = line.split(" ")
        done = run_command(
            [],
            {
                "_MEMORYGRAPH_COMPLETE": "complete_bash",
                "COMP_WORDS": line,
                "COMP_CWORD": str(len(words) - 1),
            },
        )
        return set(done.stdout.split())

    assert {"remember", "recall"} <= completed("memorygraph re")
    assert "--no-reinforce" in completed("memorygraph recall --no")
    assert completed("memorygraph recall tea --kind pre") == {"preference"}
