from __future__ import annotations

import copy
import json
import math
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from memorygraph_forgetting import BOUNDS, AccessHistory, DecayParameters, ParameterViolations, cold_at
from memorygraph_forgetting.schedule import schedule_fault
from tests.unit.forgetting.strategies import START, parameters

PRESETS = [DecayParameters.balanced(), DecayParameters.aggressive(), DecayParameters.rehearsed()]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_stand(preset: DecayParameters) -> None:
    preset.validate()


@given(decay=parameters())
def test_parameters_within_their_bounds_can_stand_and_survive_json(decay: DecayParameters) -> None:
    decay.validate()
    assert DecayParameters.from_dict(json.loads(json.dumps(decay.to_dict()))) == decay


def test_every_violation_is_reported_at_once_in_the_order_of_the_fields() -> None:
    wrong = DecayParameters(
        model="fsrs",  # type: ignore[arg-type]
        decay=0.0,
        offset=1.0,
        noise=math.nan,
        history_limit=7,
        min_group=21,
        schedule="every day",
        summarizer="abstract",  # type: ignore[arg-type]
    )
    with pytest.raises(ParameterViolations) as caught:
        wrong.validate()
    assert [violation.field for violation in caught.value.violations] == [
        "model",
        "decay",
        "offset",
        "noise",
        "history_limit",
        "min_group",
        "schedule",
        "summarizer",
    ]
    for violation in caught.value.violations:
        assert violation.bound
        assert violation.reason
        assert str(violation) in str(caught.value)


def test_a_threshold_at_or_below_the_offset_is_refused_because_nothing_would_ever_be_forgotten() -> None:
    for threshold in (0.1, 0.05):
        with pytest.raises(ParameterViolations, match="nothing would ever be forgotten") as caught:
            DecayParameters(offset=0.1, threshold=threshold).validate()
        (violation,) = caught.value.violations
        assert (violation.field, violation.value, violation.bound) == ("threshold", threshold, "above the offset, 0.1")
    DecayParameters(offset=0.1, threshold=0.11).validate()


@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_each_number_is_admitted_up_to_its_bounds_and_refused_beyond(name: str) -> None:
    bound = BOUNDS[name]
    step = 1 if bound.whole else 1e-9
    inside: list[float] = []
    outside: list[float] = []
    if bound.low is not None:
        inside.append(bound.low + step if bound.low_open else bound.low)
        outside.append(bound.low if bound.low_open else bound.low - step)
    if bound.high is not None:
        inside.append(bound.high - step if bound.high_open else bound.high)
        outside.append(bound.high if bound.high_open else bound.high + step * 1e6)
    for value in inside:
        assert name not in violated(name, value), value
    unusable: list[object] = [*outside, math.nan, math.inf, -math.inf, "1", None, True]
    for refused in unusable:
        assert name in violated(name, refused), refused


def violated(name: str, value: Any) -> set[str]:
    """The fields in violation when one of otherwise permissive parameters is changed."""
    permissive = replace(DecayParameters(), offset=0.0, threshold=0.999999, min_group=1, group_limit=50)
    return {violation.field for violation in replace(permissive, **{name: value}).violations()}


@pytest.mark.parametrize("name", ["history_limit", "max_fusions_per_cycle", "min_group", "group_limit"])
def test_a_number_of_things_is_whole(name: str) -> None:
    assert name in violated(name, 10.5)
    assert name not in violated(name, 10)


def test_unknown_names_are_refused_together_with_bad_values_and_the_near_name_is_given() -> None:
    with pytest.raises(ParameterViolations) as caught:
        DecayParameters.from_dict({"treshold": 0.5, "colour": "red", "decay": 2})
    assert [violation.field for violation in caught.value.violations] == ["treshold", "colour", "decay"]
    assert "did you mean threshold?" in str(caught.value)


def test_what_is_not_named_is_as_in_the_base() -> None:
    base = DecayParameters.aggressive()
    changed = DecayParameters.from_dict({"decay": 0.4}, base=base)
    assert changed == replace(base, decay=0.4)
    assert DecayParameters.from_dict({}) == DecayParameters.balanced()


def test_a_violation_survives_copying_and_odd_names_and_numbers_are_told_too() -> None:
    with pytest.raises(ParameterViolations) as caught:
        DecayParameters.from_dict({1: 2, "decay": 10**5_000})  # type: ignore[dict-item]
    assert [violation.field for violation in caught.value.violations] == ["1", "decay"]
    assert "very many digits" in str(caught.value)
    assert str(copy.copy(caught.value)) == str(caught.value)


def test_a_sentence_says_what_the_parameters_mean() -> None:
    assert DecayParameters.balanced().describe() == (
        "A memory of importance 0.5 used once is forgotten after 28 days; "
        "used daily for five days, it is forgotten 82 days after the last use."
    )
    assert "forgotten after 30 days" in DecayParameters.rehearsed().describe()
    assert "2 years after the last use" in DecayParameters.rehearsed().describe()
    assert "never forgotten" in replace(DecayParameters.rehearsed(), decay=0.05).describe()
    assert "after 12 hours" in replace(DecayParameters.aggressive(), forgetting_rate=10.0, min_idle_days=0.5).describe()


def test_what_is_gone_at_once_is_not_said_to_last_no_hours() -> None:
    gone = replace(DecayParameters.aggressive(), forgetting_rate=500.0, min_idle_days=0.0)
    assert "used once is forgotten within the hour; " in gone.describe()


def test_the_sentence_counts_the_idle_days() -> None:
    assert "used once is forgotten after 90 days" in replace(DecayParameters(), min_idle_days=90.0).describe()


def test_parameters_that_cannot_stand_have_no_sentence() -> None:
    with pytest.raises(ParameterViolations):
        replace(DecayParameters(), threshold=0.0).describe()


def test_a_memory_used_on_five_days_within_a_month_outlives_a_year_when_rehearsed() -> None:
    history = AccessHistory.created(START)
    week = 7 * 86_400_000
    for i in range(1, 5):
        history = history.record(START + i * week)
    rehearsed = cold_at(history, DecayParameters.rehearsed())
    balanced = cold_at(history, DecayParameters.balanced())
    assert rehearsed is not None
    assert balanced is not None
    year = 365 * 86_400_000
    assert rehearsed - history.last > year > balanced - history.last


@pytest.mark.parametrize(
    "expression",
    [
        "0 3 * * *",
        "*/15 * * * *",
        "0 0,12 1-15/2 * mon-fri",
        "59 23 31 12 7",
        "0 0 29 2 *",
        "0 0 31 2 sun",
        "  0   3 * JAN-mar SUN ",
    ],
)
def test_a_five_field_schedule_can_stand(expression: str) -> None:
    assert schedule_fault(expression) is None


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("", "five fields"),
        ("0 3 * *", "this has 4"),
        ("0 3 * * * *", "this has 6"),
        ("60 3 * * *", "'60' is no minute between 0 and 59"),
        ("0 24 * * *", "no hour"),
        ("0 3 0 * *", "no day of month"),
        ("0 3 * 13 *", "no month"),
        ("0 3 * * 8", "no day of week"),
        ("*/0 3 * * *", "no minute"),
        ("5/10 3 * * *", "no minute"),
        ("30-10 3 * * *", "no minute"),
        ("1,,2 3 * * *", "no minute"),
        ("-5 3 * * *", "no minute"),
        ("0 3 * * monday", "no day of week"),
        ("٣ 3 * * *", "no minute"),
        ("@daily", "five fields"),
        ("0 3 31 2,4 *", "nothing would ever run"),
        ("0 3 31 2 */1", "nothing would ever run"),
    ],
)
def test_a_schedule_that_cannot_stand_is_refused_with_its_fault(expression: str, fault: str) -> None:
    found = schedule_fault(expression)
    assert found is not None
    assert fault in found
    assert violated("schedule", expression) == {"schedule"}


def test_importing_the_library_does_not_import_numpy() -> None:
    code = (
        "import sys, memorygraph_forgetting as f;"
        "f.cold_at(f.AccessHistory.created(0), f.DecayParameters());"
        "assert 'numpy' not in sys.modules;"
        "f.retention_many;"
        "assert 'numpy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_exported_name_exists() -> None:
    import memorygraph_forgetting

    for name in memorygraph_forgetting.__all__:
        assert hasattr(memorygraph_forgetting, name)
    with pytest.raises(AttributeError, match="no attribute 'forgetfulness'"):
        memorygraph_forgetting.forgetfulness  # noqa: B018


def test_the_defaults_run_a_cycle_a_night_and_leave_a_season_to_undo_it() -> None:
    defaults = DecayParameters()
    assert (defaults.schedule, defaults.interval_hours, defaults.summarizer) == ("0 3 * * *", 24, "auto")
    assert (defaults.undo_days, defaults.hold_days, defaults.regroup_days, defaults.min_idle_days) == (90, 30, 7, 7)
    assert (defaults.min_group, defaults.group_limit, defaults.max_fusions_per_cycle) == (2, 20, 500)
    assert (defaults.history_limit, defaults.debounce_seconds) == (32, 60)


def test_a_number_too_large_for_the_equations_is_refused() -> None:
    with pytest.raises(ParameterViolations, match="not a finite number"):
        DecayParameters(forgetting_rate=10**400).validate()
    DecayParameters(forgetting_rate=10**3).validate()
