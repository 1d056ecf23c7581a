"""The numbers in the prose of the pages on forgetting are computed here again, from the library."""

from __future__ import annotations

import math
import re
from functools import partial

import pytest

from memorygraph_forgetting import (
    AGE_FLOOR_DAYS,
    MS_PER_DAY,
    AccessHistory,
    DecayParameters,
    base_level_activation,
    base_level_activation_bounded,
    cold_at,
    recall_probability,
    retention,
    spreading_activation,
)
from tests.support.checkout import CHECKOUT
from tools.illustrations.bounded_error import BOUNDS
from tools.illustrations.comparison import CURVES, FORGOTTEN, WELL_KEPT
from tools.illustrations.decay_rules import days_until, memorygraph
from tools.illustrations.histories import COMPARED, history_of_days
from tools.illustrations.memory_pictures import USES

BALANCED, AGGRESSIVE, REHEARSED = DecayParameters.balanced(), DecayParameters.aggressive(), DecayParameters.rehearsed()
ONCE, FIVE = history_of_days([0]), history_of_days([0, 1, 2, 3, 4])
TRACE = 30**-0.5
P = (BALANCED.threshold - BALANCED.offset) / (1 - BALANCED.offset)
LOGIT = math.log(P / (1 - P))
B_WHEN_COLD = REHEARSED.retrieval_threshold + REHEARSED.noise * LOGIT
MEAN = (math.sqrt(12) - math.sqrt(8)) / 2
NEWEST = [float(age) for age in range(1, 9)]
EXPONENT = -BALANCED.forgetting_rate * 30 / (0.5 * TRACE)


def words_of(page: str) -> str:
    """The page on one line, so that a sentence is found wherever its lines break."""
    return re.sub(r"\s+", " ", (CHECKOUT / "docs" / page).read_text(encoding="utf-8"))


def cold_after(history: AccessHistory, parameters: DecayParameters, importance: float = 0.5) -> float:
    at = cold_at(history, parameters, importance=importance)
    assert at is not None
    return (at - history.last) / MS_PER_DAY


def retained(days: float, parameters: DecayParameters) -> float:
    return retention(ONCE, round(days * MS_PER_DAY), parameters)


def ratio(parameters: DecayParameters) -> float:
    return cold_after(FIVE, parameters) / cold_after(ONCE, parameters)


FORGETTING = {
    "the memory of the first picture": (
        f"used on days {', '.join(f'{day:g}' for day in USES[:-1])} and {USES[-1]:g} is cold on day "
        f"{USES[-1] + cold_after(history_of_days(USES), BALANCED):.1f}. Had it been used on day 0 only, it would have "
        f"been on day {cold_after(ONCE, BALANCED):.1f}."
    ),
    "the floor of ages": f"Younger than {AGE_FLOOR_DAYS * 86_400:.2f} seconds counts as",
    "traces": f"The traces are 1/√1 = 1, 1/√2 = {2**-0.5:.4f} and 1/√5 = {5**-0.5:.4f}. "
    f"Their sum is {1 + 2**-0.5 + 5**-0.5:.4f}, and its logarithm {base_level_activation([1, 2, 5]):.4f}.",
    "twice the sum": f"the activation is {base_level_activation([1, 2, 5], importance=1.0):.4f}.",
    "the newest of twelve": f"their traces sum to {sum(age**-0.5 for age in NEWEST):.4f}.",
    "the mean of the older": f"/ (0.5 · (12 − 8)) = {MEAN:.4f}, and four of these are {4 * MEAN:.4f}.",
    "the bounded form": f"is {base_level_activation_bounded(NEWEST, older_count=4, oldest_age=12):.4f}. "
    f"From all twelve ages it would have been {base_level_activation([*NEWEST, 9, 10, 11, 12]):.4f}.",
    "retention by its model": f"The trace is 1/√30 = {TRACE:.4f}, and half of it is {TRACE / 2:.4f}. The exponent is "
    f"−0.005 · 30 / {TRACE / 2:.4f} = −{-EXPONENT:.4f}, and e to that power {math.exp(EXPONENT):.4f}. Retention is "
    f"0.1 + 0.9 · {math.exp(EXPONENT):.4f} = {retained(30, BALANCED):.4f}. "
    f"After one day it was {retained(1, BALANCED):.4f}.",
    "retention by actr": f"B is ln {TRACE:.4f} = −{-math.log(TRACE):.4f}; (τ − B) / s is "
    f"(−1.2 + {-math.log(TRACE):.4f}) / 0.4 = {(-1.2 - math.log(TRACE)) / 0.4:.4f}; the probability is "
    f"1 / (1 + e^{(-1.2 - math.log(TRACE)) / 0.4:.4f}) = {recall_probability(math.log(TRACE)):.4f}. Retention is "
    f"0.1 + 0.9 · {recall_probability(math.log(TRACE)):.4f} = {retained(30, REHEARSED):.4f}.",
    "the picture of both models": f"after {cold_after(ONCE, BALANCED):.1f} days (retention) and "
    f"{cold_after(ONCE, REHEARSED):.1f} days (actr). Right, used on five days: after {cold_after(FIVE, BALANCED):.1f} "
    f"and {cold_after(FIVE, REHEARSED):.0f} days.",
    "five uses last longer": f"for five uses and d = 0.5 that is {5 ** (1 / 1.5):.1f} and {5**2}.",
    "importance lasts longer": f"2^(1/(1+d)) = {2 ** (1 / 1.5):.1f} times or 2^(1/d) = {2**2} times",
    "the share above the offset": f"p = 0.2 / 0.9 = {P:.4f}.",
    "the cold time of one use": f"−ln p is {-math.log(P):.4f}, and (0.5 · {-math.log(P):.4f} / 0.005)^(2/3) = "
    f"{-0.5 * math.log(P) / 0.005:.2f}^(2/3) = {cold_after(ONCE, BALANCED):.2f} days.",
    "the same by actr": f"ln(p / (1 − p)) is −{-LOGIT:.4f}, so that B at that time is −{-B_WHEN_COLD:.4f} and "
    f"t = e^({-B_WHEN_COLD:.4f} · 2) = {cold_after(ONCE, REHEARSED):.2f} days.",
    "spreading": f"They add 0.5 · (2 − 0) + 0.5 · (2 − {math.log(8):.4f}) = {spreading_activation([1, 8]):.4f}.",
    "a fan that inhibits": f"A fan above e^S = {math.exp(2):.1f} takes activation away.",
    **{
        f"preset {name}": f"{cold_after(ONCE, parameters):.1f} days |"
        for name, parameters in (("balanced", BALANCED), ("aggressive", AGGRESSIVE), ("rehearsed", REHEARSED))
    },
    **{f"the bound for {kept}": f"{bound:g} |" for kept, bound in BOUNDS},
}


def after(rule: str, history: int, level: float = FORGOTTEN) -> float:
    found = days_until(CURVES[rule](COMPARED[history].days), level)
    assert found is not None
    return found


def times(rule: str, history: int) -> float:
    """How many times as long as after one use."""
    return after(rule, history) / after(rule, 0)


COMPARISON = {
    "five uses": f"multiply the time to 0.3 by {times('memorygraph, balanced', 1):.1f} under `balanced`, by "
    f"{times('memorygraph, rehearsed', 1):.0f} under `rehearsed`, by {times('MemoryBank', 1):.0f} under MemoryBank, "
    f"and by {times('SM-2', 1):.0f} under SM-2.",
    "spaced uses": f"{after('memorygraph, balanced', 2):.1f} days instead of {after('memorygraph, balanced', 1):.1f} "
    "under `balanced`.",
    "spacing": f"to 0.9 it takes {after('FSRS', 2, WELL_KEPT):.0f} days instead of {after('FSRS', 1, WELL_KEPT):.0f}.",
    "thirty uses": f"forgets {times('memorygraph, balanced', 4):.1f} times as late",
    "the picture": f"SM-2 after {after('SM-2', 0):.0f}, balanced and rehearsed after about "
    f"{after('memorygraph, rehearsed', 0):.0f}, FSRS after {after('FSRS', 0):,.0f}.",
    "sixteen years": "FSRS in sixteen years" if round(after("FSRS", 0) / 365.25) == 16 else "another number",
    "what is lost at 0.3": f"it has lost {1 - P:.2f} of what it can lose, and the others {1 - FORGOTTEN:.1f}.",
}


@pytest.mark.parametrize("sentence", FORGETTING.values(), ids=FORGETTING)
def test_the_numbers_of_the_page_on_forgetting_are_the_library_s(sentence: str) -> None:
    assert sentence in words_of("forgetting.md")


@pytest.mark.parametrize("sentence", COMPARISON.values(), ids=COMPARISON)
def test_the_numbers_of_the_page_on_decay_rules_are_the_rules(sentence: str) -> None:
    assert sentence in words_of("decay-rules.md")


def test_a_sentence_with_another_number_would_not_be_found() -> None:
    assert "is cold on day 108.3." in words_of("forgetting.md")
    assert "is cold on day 108.4." not in words_of("forgetting.md")


def test_what_is_said_of_used_on_five_days_is_about_so() -> None:
    assert "takes three times as long, and `actr` twenty-five times" in words_of("forgetting.md")
    assert ratio(BALANCED) == pytest.approx(3, rel=0.05)
    assert ratio(REHEARSED) == pytest.approx(25, rel=0.05)


def test_a_weekly_memory_left_for_a_month_is_more_active_than_one_mentioned_a_week_ago() -> None:
    assert "more likely to be needed again than what was mentioned once, a week ago" in words_of("forgetting.md")
    weekly = [30.0 + 7 * week for week in range(52)]
    assert base_level_activation(weekly) > base_level_activation([7.0])


def test_spaced_use_lasts_less_under_memorygraph_and_longer_under_fsrs() -> None:
    daily, spaced = COMPARED[1].days, COMPARED[2].days
    for parameters in (BALANCED, AGGRESSIVE, REHEARSED):
        rule = partial(memorygraph, parameters=parameters)
        in_a_row, over_a_month = (days_until(rule(days), FORGOTTEN) for days in (daily, spaced))
        assert in_a_row is not None
        assert over_a_month is not None
        assert over_a_month < in_a_row
    assert CURVES["FSRS"](spaced)(60.0) > CURVES["FSRS"](daily)(60.0)
