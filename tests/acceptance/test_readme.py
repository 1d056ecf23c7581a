"""The README's quick start, run as it stands there on a real store, and the data model held against that store."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.settings import Settings
from memorygraph_api.cli import run
from tests.support.checkout import CHECKOUT
from tests.support.command_line import child_environment, environment_of
from tests.support.raw_graph import RawGraph, raw_graph

pytestmark = pytest.mark.only_on("embedded")

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
DATA_MODEL = (CHECKOUT / "docs" / "data-model.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of the README in ``language``."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_quick_start_in_python_prints_what_the_readme_says(settings: Settings, tmp_path: Path) -> None:
    (program,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=child_environment(environment_of(settings)),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == blocks("text")[0]
    assert len([line for line in program.splitlines() if line.strip()]) <= 25


COMMANDS = ["doctor", "remember", "recall", "get", "curve", "forget", "forget"]


def test_the_command_lines_of_the_readme_run_one_after_another(
    settings: Settings, user: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment_of(settings, end_user_id=user).items():
        monkeypatch.setenv(name, value)
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("memorygraph ")]
    assert [shlex.split(line)[1] for line in lines] == COMMANDS
    told: dict[str, str] = {}
    for line in lines:
        words = shlex.split(line)[1:]
        if "ID" in words:
            words[words.index("ID")] = id_in(told["remember"])
        assert run(words) == 0, line
        output = capsys.readouterr()
        assert output.err == ""
        told[words[0]] = output.out
    for name in ("recall", "get"):
        assert "Ana moved to Leeds on 3 February." in told[name]
        assert id_in(told["remember"]) in told[name]
    assert "Cold (retention 0.3): " in told["curve"]


def id_in(output: str) -> str:
    found = re.search(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", output)
    assert found
    return found[0]


async def test_every_property_and_relationship_that_is_stored_is_in_the_data_model(
    engine: MemoryEngine, settings: Settings, clock: SimulatedClock, user: str
) -> None:
    memory = engine.memory(user)
    for number in range(2):
        await memory.remember(
            f"Ana's locker is number {number}",
            kind="turn",
            speaker="Ana",
            session_id="monday",
            title="Lockers",
            context="At the pool",
            keywords=["locker"],
            tags=["pool"],
            project="swimming",
            source="notes",
            agent="scribe",
            entities=["Ana"],
            idempotency_key=f"key {number}",
        )
    await memory.remember("The pool opens at seven")
    await memory.remember("the pool opens at seven", source="another")
    await memory.remember("Ana swims on Mondays", entities=["Ana"], kind="observation", project="swimming")
    async with raw_graph(settings) as raw:
        stored = await properties_stored(raw, user)
        clock.advance(timedelta(days=60))
        assert (await engine.forgetting.run(user)).summary_count == 1
        assert (await memory.remember("Ana swims on Mondays", entities=["Ana"])).restates
        for label, names in (await properties_stored(raw, user)).items():
            stored[label] = stored.get(label, set()) | names
    assert stored.keys() == {
        *("Store", "EndUser", "Episode", "Statement", "MemorySummary", "Entity", "Forgotten", "Event"),
        *("FROM_EPISODE", "MENTIONS", "DERIVED_FROM", "RESTATES"),
    }
    shared = names_in(paragraph("**Access fields**"))
    for label, names in stored.items():
        documented = names_in(paragraph(f"**{label}**" if f"**{label}**" in DATA_MODEL else f"| `{label}`")) | shared
        assert names - documented <= {"end_user_id"}, label
    for label in ("Statement", "MemorySummary"):
        rows = re.findall(r"^\| (`.+?) \|", paragraph(f"**{label}**"), re.MULTILINE)
        assert rows
        assert {name for row in rows for name in names_in(row)} <= stored[label]


async def properties_stored(raw: RawGraph, user: str) -> dict[str, set[str]]:
    """The names of the properties that have values, by label and relationship type."""
    rows = await raw.run(
        "MATCH (n) WHERE n.end_user_id = $u OR n:Store RETURN labels(n)[0] AS name, properties(n) AS properties "
        "UNION ALL MATCH ()-[r]->() WHERE r.end_user_id = $u RETURN type(r) AS name, properties(r) AS properties",
        u=user,
    )
    found: dict[str, set[str]] = {}
    for row in rows:
        having = {name for name, value in row["properties"].items() if value is not None}
        found.setdefault(row["name"], set()).update(having)
    return found


def paragraph(beginning: str) -> str:
    """What the data model says from ``beginning`` to the next node, heading or row of its kind."""
    start = DATA_MODEL.index(beginning)
    ends = [DATA_MODEL.find(mark, start + 1) for mark in ("\n**", "\n#", "\n| `" if beginning[0] == "|" else "\n#")]
    return DATA_MODEL[start : min(end for end in ends if end > 0)]


def names_in(text: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", text))


def test_what_the_data_model_leaves_out_would_be_noticed() -> None:
    assert {"start", "end"} <= names_in(paragraph("| `FROM_EPISODE`"))
    assert not names_in(paragraph("| `FROM_EPISODE`")) & {"role", "search_text"}
    assert "payload_hash" in names_in(paragraph("**Event**"))
    assert "payload_hash" not in names_in(paragraph("**Forgotten**"))
