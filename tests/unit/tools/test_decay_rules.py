"""The published rules of forgetting against values computed by hand."""

from __future__ import annotations

import math
from functools import partial

import pytest

from memorygraph_forgetting import HORIZON_DAYS, MS_PER_DAY, DecayParameters, cold_at
from tools.illustrations.comparison import CURVES, LIFETIMES, forgotten_table, well_kept_table
from tools.illustrations.decay_rules import (
    Rule,
    days_until,
    fsrs,
    memorybank,
    memorygraph,
    sm2,
    sm2_interval,
    time_to_live,
)
from tools.illustrations.histories import COMPARED, history_of_days

RULES = {**CURVES, **LIFETIMES}
HISTORIES = {usage.name: usage.days for usage in COMPARED}


def test_memorybank_s_strength_grows_by_one_with_each_recall() -> None:
    assert memorybank([0.0])(1.0) == pytest.approx(math.exp(-1))
    assert memorybank([0.0, 3.0, 9.0])(1.0) == pytest.approx(math.exp(-1 / 3))
    assert days_until(memorybank([0.0, 3.0]), 0.3) == pytest.approx(2 * math.log(1 / 0.3))


def test_sm2_s_intervals_are_1_6_and_then_two_and_a_half_times_the_last_rounded_up() -> None:
    assert [sm2_interval(n) for n in range(1, 7)] == [1, 6, 15, 38, 95, 238]
    assert [sm2_interval(n, easiness=1.3) for n in range(1, 5)] == [1, 6, 8, 11]


def test_sm2_s_interval_ends_at_the_horizon() -> None:
    assert sm2_interval(200) == math.inf
    assert sm2(HISTORIES["200 uses in three years"])(HORIZON_DAYS) == 1.0
    assert sm2_interval(12) < HORIZON_DAYS < sm2_interval(12) * 2.5


def test_sm2_is_read_as_nine_tenths_on_the_day_that_is_due() -> None:
    assert sm2([0.0, 1.0])(6.0) == pytest.approx(0.9)
    assert sm2([0.0, 1.0])(12.0) == pytest.approx(0.81)


def test_fsrs_starts_from_the_stability_of_good_and_is_nine_tenths_there() -> None:
    # The weight of Good among the defaults of version 6 is 2.3065 days; the curve is (1 + F·t/S)^(-0.1542).
    factor = 0.9 ** (-1 / 0.1542) - 1
    retained = fsrs([0.0])
    assert retained(0.0) == 1.0
    for days in (1, 2, 3, 100, 5_000):
        assert retained(float(days)) == pytest.approx((1 + factor * days / 2.3065) ** -0.1542)
    assert retained(2.0) > 0.9 > retained(3.0)


def test_fsrs_counts_whole_days() -> None:
    assert fsrs([0.0])(1.99) == fsrs([0.0])(1.0) > fsrs([0.0])(2.0)


def test_fsrs_rewards_spacing_and_gives_a_burst_nothing() -> None:
    assert fsrs([0.0, 7.0])(30.0) > fsrs([0.0, 1.0])(30.0) > fsrs([0.0])(30.0)
    assert fsrs([0.0, 0.01, 0.02])(30.0) == fsrs([0.0])(30.0)


def test_a_time_to_live_counts_from_creation_or_from_the_last_use() -> None:
    uses = [0.0, 10.0]
    assert days_until(time_to_live(uses, lifetime=30.0, renewed=False), 0.3) == pytest.approx(20.0)
    assert days_until(time_to_live(uses, lifetime=30.0, renewed=True), 0.3) == pytest.approx(30.0)
    assert days_until(time_to_live([0.0, 31.0], lifetime=30.0, renewed=False), 0.3) == 0.0


@pytest.mark.parametrize("parameters", [DecayParameters(), DecayParameters.aggressive(), DecayParameters.rehearsed()])
@pytest.mark.parametrize("days", HISTORIES.values(), ids=HISTORIES)
def test_what_is_found_for_memorygraph_is_the_library_s_cold_time(
    parameters: DecayParameters, days: tuple[float, ...]
) -> None:
    history = history_of_days(days, limit=parameters.history_limit)
    cold = cold_at(history, parameters)
    found = days_until(memorygraph(days, parameters=parameters), parameters.threshold)
    expected = None if cold is None else pytest.approx((cold - history.last) / MS_PER_DAY, abs=1 / 86_400)
    assert found == expected


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("days", HISTORIES.values(), ids=HISTORIES)
def test_no_rule_rises_while_nothing_is_used(rule: Rule, days: tuple[float, ...]) -> None:
    curve = rule(days)
    retained = [curve(day) for day in (0.0, 0.1, 1.0, 2.5, 10.0, 40.0, 400.0, 40_000.0)]
    assert retained == sorted(retained, reverse=True)
    assert 0.0 <= retained[-1] <= retained[0] <= 1.0


def test_days_until_tells_never_from_always() -> None:
    assert days_until(lambda since: 0.31, 0.3) is None
    assert days_until(lambda since: 0.3, 0.3) == 0.0


def test_importance_moves_memorygraph_s_answer() -> None:
    rule = partial(memorygraph, parameters=DecayParameters())
    usual, vital = (days_until(rule([0.0], importance=importance), 0.3) for importance in (0.5, 1.0))
    assert usual == pytest.approx(28.28, abs=0.01)
    assert vital == pytest.approx(44.90, abs=0.01)


def rows(table: str) -> dict[str, list[str]]:
    """The cells of a Markdown table by the first of their row."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {first: rest for first, *rest in cells}


def test_the_tables_have_every_rule_and_history() -> None:
    forgotten, kept = rows(forgotten_table()), rows(well_kept_table())
    assert forgotten["rule"] == kept["rule"] == list(HISTORIES)
    assert forgotten.keys() - {"rule", "---"} == RULES.keys()
    assert kept.keys() - {"rule", "---"} == CURVES.keys()
    assert forgotten["MemoryBank"][0] == "1.2"
    assert kept["SM-2"][:2] == ["1.0", "95.0"]


def test_what_was_forgotten_in_a_pause_is_marked_and_nothing_else() -> None:
    # Under MemoryBank one use lasts for 1.2 days: longer than a day, and not for a week.
    once, daily, weekly, *_ = rows(forgotten_table())["MemoryBank"]
    assert weekly.endswith(r"\*")
    assert not once.endswith(r"\*")
    assert not daily.endswith(r"\*")
