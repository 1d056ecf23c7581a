"""The error of the bounded form, as the documentation tabulates it."""

from __future__ import annotations

import re

import pytest

from tools.illustrations.bounded_error import BOUNDS, SPACINGS, Spacing, cold_table, error_tables, errors, even_table
from tools.illustrations.tables import days, signed

NAMED = {spacing.name: spacing for spacing in SPACINGS}


@pytest.mark.parametrize("spacing", SPACINGS, ids=[spacing.name for spacing in SPACINGS])
def test_a_spacing_begins_at_the_last_access_and_goes_back(spacing: Spacing) -> None:
    gaps = spacing.gaps(200)
    assert len(gaps) == 200
    assert gaps[0] == 0.0
    assert gaps == sorted(gaps)
    assert gaps == spacing.gaps(200)  # the random one too


def test_an_accelerating_history_mirrors_a_slowing_one() -> None:
    accelerating, slowing = NAMED["accelerating"].gaps(50), NAMED["slowing"].gaps(50)
    assert accelerating[-1] == slowing[-1] == 49.0
    assert accelerating[1] < 1.0 < slowing[1]
    assert [49.0 - gap for gap in reversed(slowing)] == pytest.approx(accelerating)


@pytest.mark.parametrize(("kept", "bound"), BOUNDS)
def test_the_claimed_bound_holds_for_even_spacing_and_not_for_every_other(kept: int, bound: float) -> None:
    assert 0.0 < abs(errors(NAMED["even"].gaps(200), 1.0, kept=(kept,))[0]) <= bound
    assert abs(errors(NAMED["slowing"].gaps(200), 1.0, kept=(kept,))[0]) > bound


def test_the_error_of_a_bunched_history_is_the_one_that_the_library_s_tests_name() -> None:
    # With 32 kept from the last day and 968 from a year before, looked at within the day.
    assert errors(NAMED["bunched"].gaps(1_000), 0.5, kept=(32,))[0] == pytest.approx(0.475, abs=0.01)


def test_nothing_is_approximated_when_all_are_kept() -> None:
    assert errors(NAMED["random"].gaps(40), 0.5, kept=(100, 40, 8))[:2] == [0.0, 0.0]
    assert errors(NAMED["random"].gaps(40), 0.5, kept=(8,))[0] < -0.1


def test_the_table_of_even_spacing_stays_within_the_bounds_that_it_states() -> None:
    for line in even_table().splitlines()[2:]:
        *found, bound = [float(cell) for cell in re.findall(r"\d+(?:\.\d+)?", line)][1:]
        assert 0.0 < max(found) <= bound


def test_the_tables_have_every_spacing_at_every_count_that_is_approximated() -> None:
    tables = error_tables()
    assert {k: text.count("\n") - 1 for k, text in tables.items()} == {8: 24, 32: 24, 100: 18}
    assert all(text.count(f"| {name} |") == (3 if k == 100 else 4) for k, text in tables.items() for name in NAMED)


def test_the_dates_are_off_by_a_twentieth_under_balanced_and_a_third_under_aggressive_at_most() -> None:
    limits = {"balanced()": 0.05, "aggressive()": 1 / 3}
    worst = dict.fromkeys(limits, 0.0)
    for preset, *cells in re.findall(r"`(.+?)` \| ([\d,.]+) \| ([\d,.]+) \| ([\d,.]+) \| ([\d,.]+)", cold_table()):
        *bounded, exact = [float(cell.replace(",", "")) for cell in cells]
        worst[preset] = max(worst[preset], *(abs(found / exact - 1) for found in bounded))
    for preset, limit in limits.items():
        assert limit * 0.5 < worst[preset] <= limit


def test_numbers_are_written_with_as_many_digits_as_they_need() -> None:
    assert [signed(value) for value in (0.0, 0.00214, -0.5, -0.0123)] == ["0", "+0.0021", "−0.50", "−0.0123"]
    assert [days(value) for value in (None, 1.25, 99.94, 99.96, 5786.2)] == ["never", "1.2", "99.9", "100", "5,786"]
