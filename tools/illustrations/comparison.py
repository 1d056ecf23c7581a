"""When published decay rules forget, on the same histories."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Final

from memorygraph_forgetting import DecayParameters
from tools.illustrations.decay_rules import Rule, days_until, fsrs, memorybank, memorygraph, sm2, time_to_live
from tools.illustrations.histories import COMPARED
from tools.illustrations.tables import days, table

__all__ = ["CURVES", "FORGOTTEN", "LIFETIMES", "forgotten_table", "well_kept_table"]

FORGOTTEN: Final = 0.3
"""Retention at which a memory counts as forgotten: memorygraph's default threshold."""
WELL_KEPT: Final = 0.9
"""Retention at which FSRS, by default, and SM-2, as read here, ask for a review."""
_LIFETIME = 30.0

CURVES: Final[dict[str, Rule]] = {
    "memorygraph, balanced": partial(memorygraph, parameters=DecayParameters.balanced()),
    "memorygraph, aggressive": partial(memorygraph, parameters=DecayParameters.aggressive()),
    "memorygraph, rehearsed": partial(memorygraph, parameters=DecayParameters.rehearsed()),
    "MemoryBank": memorybank,
    "SM-2": sm2,
    "FSRS": fsrs,
}
"""The rules whose retention falls gradually, by the name that tables and pictures use."""

LIFETIMES: Final[dict[str, Rule]] = {
    "30 days after creation": partial(time_to_live, lifetime=_LIFETIME, renewed=False),
    "30 days after the last use": partial(time_to_live, lifetime=_LIFETIME, renewed=True),
}
"""The rules that keep a memory whole and then drop it."""


@cache
def forgotten_table() -> str:
    """Days after the last use until each rule forgets, for every history.

    With an asterisk where, under that rule, the memory had been forgotten in a pause before its last use.
    """
    return _table({**CURVES, **LIFETIMES}, _forgotten)


def well_kept_table() -> str:
    """Days after the last use until nine tenths are left, for the rules that fall gradually."""
    return _table(CURVES, lambda rule, uses: days(days_until(rule(uses), WELL_KEPT)))


def _table(rules: dict[str, Rule], cell: Callable[[Rule, tuple[float, ...]], str]) -> str:
    rows = [[name, *(cell(rule, usage.days) for usage in COMPARED)] for name, rule in rules.items()]
    return table(["rule", *(usage.name for usage in COMPARED)], rows)


def _forgotten(rule: Rule, uses: tuple[float, ...]) -> str:
    in_a_pause = any(rule(uses[:i])(uses[i] - uses[i - 1]) <= FORGOTTEN for i in range(1, len(uses)))
    return days(days_until(rule(uses), FORGOTTEN)) + ("\\*" if in_a_pause else "")
