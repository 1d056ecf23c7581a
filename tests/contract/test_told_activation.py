"""Whoever tells activation, retention or a cold time tells what the library of the mathematics computes."""

import asyncio
import json
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.access.state import ParametersInForce, access_properties, history_of
from memorygraph.ledger.parameters import ParameterScope
from memorygraph.settings import Settings
from memorygraph.times import MS_PER_DAY, from_ms
from memorygraph_api.cli import run
from memorygraph_api.wire import outward_curve
from memorygraph_forgetting import (
    AccessHistory,
    DecayParameters,
    Standing,
    activation_terms,
    cold_at,
    curve,
    fusable_at,
    retention,
    why_not_fusable,
)
from tests.support.command_line import environment_of
from tests.support.raw_graph import raw_graph

FACT = Standing(kind="fact")
SAID = ["Ana has a kettle.", "Ana has some rope.", "Ana has the lamp.", "Ana has two oars.", "Ana has one bell."]
QUESTION = "What does Ana have?"

# Random enough to tell two formulas apart, and such that some memories are cold and some warm.
parameter_values = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["retention", "actr"]),
        "decay": st.floats(0.2, 1.0),
        "forgetting_rate": st.floats(0.001, 0.1),
        "offset": st.floats(0.0, 0.2),
        "threshold": st.floats(0.25, 0.8),
        "retrieval_threshold": st.floats(-3.0, 0.0),
        "noise": st.floats(0.1, 1.0),
        "min_idle_days": st.floats(0.0, 60.0),
    }
)


@st.composite
def uses(draw: st.DrawFn) -> tuple[tuple[float, ...], int, float, float]:
    """Days before now of the kept accesses; how many older ones, and over how many days; importance."""
    kept = draw(st.lists(st.floats(0.0, 400.0), min_size=1, max_size=8))
    older = draw(st.one_of(st.just(0), st.integers(1, 200)))
    return tuple(kept), older, draw(st.floats(0.0, 300.0)), draw(st.floats(0.0, 1.0))


def history_before(now: int, kept: tuple[float, ...], older: int, older_days: float) -> AccessHistory:
    times = tuple(sorted(now - round(days * MS_PER_DAY) for days in kept))
    first = times[0] - (round(older_days * MS_PER_DAY) if older else 0)
    return AccessHistory(times=times, count=len(times) + older, first=first)


@dataclass
class Planted:
    """A user's memory whose statements have the histories that were drawn. ``now`` is the engine's time, epoch ms."""

    user: str
    values: DecayParameters
    now: int
    statements: dict[str, tuple[AccessHistory, float]]  # with its importance, by id


async def plant(engine: MemoryEngine, settings: Settings, drawn: list[Any], values: dict[str, Any]) -> Planted:
    user = f"user-{uuid.uuid4()}"
    parameters = DecayParameters.from_dict(values)
    now = engine._tools.clock.now_ms()
    ledger = engine.store.ledger
    version = await ledger.parameters.save(ParameterScope(user), parameters.to_dict(), actor="test", at=now)
    in_force = ParametersInForce(values=parameters, version=version)
    statements: dict[str, tuple[AccessHistory, float]] = {}
    async with raw_graph(settings) as raw:
        for text, (kept, older, older_days, importance) in zip(SAID, drawn, strict=False):
            written = await engine.memory(user).remember(text, importance=importance, entities=["Ana"])
            history = history_before(now, kept, older, older_days)
            statements[written.id] = (history, importance)
            properties = access_properties(history, in_force, importance=importance, standing=FACT)
            await raw.run(
                "MATCH (n:Statement {end_user_id: $user, id: $id}) SET n += $properties",
                user=user,
                id=written.id,
                properties=properties,
            )
    return Planted(user=user, values=parameters, now=now, statements=statements)


async def check_sdk(engine: MemoryEngine, planted: Planted) -> None:
    memory, values, now = engine.memory(planted.user), planted.values, planted.now
    answer = await memory.recall(QUESTION, limit=10, reinforce=False, explain=True)
    assert {hit.memory.id for hit in answer.hits} == planted.statements.keys()
    for hit in answer.hits:
        history, importance = planted.statements[hit.memory.id]
        told = hit.explanation
        assert told is not None
        expected = activation_terms(history, now, values, importance=importance).to_dict()
        assert told.to_dict() == {**expected, "at": from_ms(now).isoformat(), "threshold": values.threshold}
        assert hit.memory.retention == expected["retention"]
    for id, (history, importance) in planted.statements.items():
        record = await memory.get(id)
        cold = cold_at(history, values, importance=importance)
        assert record.retention == retention(history, now, values, importance=importance)
        assert record.cold_at == (None if cold is None else from_ms(cold))
        at = fusable_at(history, cold, values, standing=FACT)
        assert record.fusable_at == (None if at is None else from_ms(at))
        start, end = history.times[0], now + 90 * MS_PER_DAY
        drawn = await memory.curve(id, start=from_ms(start), end=from_ms(end), points=7)
        assert drawn == curve(history, values, importance=importance, start=start, end=end, points=7)


async def check_cycle(engine: MemoryEngine, settings: Settings, planted: Planted) -> None:
    values, now = planted.values, planted.now
    async with raw_graph(settings) as raw:
        rows = await raw.run(
            "MATCH (n {end_user_id: $user}) WHERE n:Statement OR n:Entity RETURN properties(n) AS node",
            user=planted.user,
        )
    live = [(history_of(row["node"]), row["node"]["importance"]) for row in rows]
    retained = [retention(history, now, values, importance=importance) for history, importance in live]
    cold = [cold_at(history, values, importance=importance) for history, importance in live]
    cycle = await engine.forgetting.run(planted.user)
    assert cycle.sample_size == cycle.total_nodes_before == len(live) == len(planted.statements) + 1
    assert cycle.average_activation_before == pytest.approx(sum(retained) / len(retained), rel=1e-12)
    assert cycle.low_activation_nodes == sum(at is not None and at <= now for at in cold)
    eligible = {
        id
        for id, (history, importance) in planted.statements.items()
        if why_not_fusable(history, cold_at(history, values, importance=importance), now, values, standing=FACT) is None
    }
    merged = {id for id in planted.statements if (await engine.memory(planted.user).get(id)).status == "forgotten"}
    assert merged == (eligible if len(eligible) >= values.min_group else set())


def check_command_line(planted: Planted, capsys: pytest.CaptureFixture[str]) -> None:
    def told(*words: str) -> Any:
        capsys.readouterr()
        assert run([*words, "--json", "--user", planted.user]) == 0
        return json.loads(capsys.readouterr().out)

    values = planted.values
    hits = told("recall", QUESTION, "--explain", "--no-reinforce")["hits"]
    assert {hit["memory"]["id"] for hit in hits} == planted.statements.keys()
    for hit in hits:
        history, importance = planted.statements[hit["memory"]["id"]]
        at = round(datetime.fromisoformat(hit["explanation"]["at"]).timestamp() * 1000)
        expected = activation_terms(history, at, values, importance=importance).to_dict()
        assert hit["explanation"] == {**expected, "at": hit["explanation"]["at"], "threshold": values.threshold}
        assert hit["memory"]["retention"] == expected["retention"]
    id, (history, importance) = next(iter(planted.statements.items()))
    start, end = history.times[0], planted.now + 30 * MS_PER_DAY
    words = ["--start", from_ms(start).isoformat(), "--end", from_ms(end).isoformat(), "--points", "5"]
    drawn = curve(history, values, importance=importance, start=start, end=end, points=5)
    assert told("curve", id, *words) == outward_curve(drawn)


def test_recall_curve_cycle_and_command_line_tell_the_activation_and_retention_of_the_library(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment_of(settings).items():
        monkeypatch.setenv(name, value)
    clock = SimulatedClock(datetime.now(UTC))
    with asyncio.Runner() as runner, ExitStack() as opened:
        engine = runner.run(MemoryEngine.open(settings, clock=clock))
        opened.callback(lambda: runner.run(engine.close()))

        @examples(max_examples=5)
        @given(drawn=st.lists(uses(), min_size=2, max_size=len(SAID)), values=parameter_values)
        def check(drawn: list[Any], values: dict[str, Any]) -> None:
            planted = runner.run(plant(engine, settings, drawn, values))
            runner.run(check_sdk(engine, planted))
            check_command_line(planted, capsys)
            runner.run(check_cycle(engine, settings, planted))

        check()
