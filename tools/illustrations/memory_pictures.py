"""Pictures of how memorygraph forgets: one memory, the two models, and what each parameter moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from memorygraph_forgetting import (
    MS_PER_DAY,
    AccessHistory,
    ActivationTerms,
    DecayParameters,
    activation,
    cold_at,
    curve,
    fusable_at,
    retention,
)
from tools.illustrations.drawing import BLUE, GREEN, GREY, ORANGE, RED, days_on_a_log_axis
from tools.illustrations.histories import history_of_days, over_log_days, since_last_use

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_memory", "draw_models", "draw_parameters"]

_BALANCED = DecayParameters.balanced()
_REHEARSED = DecayParameters.rehearsed()
_ONCE = (0.0,)
_FIVE_DAYS = (0.0, 1.0, 2.0, 3.0, 4.0)
_POINTING: dict[str, Any] = {"arrowprops": {"arrowstyle": "-", "color": GREY, "linewidth": 0.8}, "va": "center"}

USES: Final = (0.0, 4.0, 13.0, 15.0, 31.0)
"""The days on which the memory of the first picture is used."""


def draw_memory(figure: Figure) -> None:
    """One memory's retention and activation over time, with its uses, the threshold and the day it goes cold."""
    history = history_of_days(USES)
    end = 140.0
    cold = cold_at(history, _BALANCED)
    assert cold is not None
    cold_day = cold / MS_PER_DAY
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    points = _as_it_happened(history, end)
    times = [point.at / MS_PER_DAY for point in points]

    once = history_of_days(_ONCE)
    alone = since_last_use(once, _BALANCED, until=70.0)
    upper.plot(*alone, color=GREY, linewidth=1.1, linestyle=(0, (1, 1.5)))
    upper.annotate("had it not been\nused again", (18.5, 0.52), (39, 0.5), color=GREY, fontsize=8, **_POINTING)
    upper.plot(times, [point.retention for point in points], color=BLUE)
    upper.plot(USES, [1.04] * len(USES), "v", color=GREEN, markersize=6, clip_on=False)
    upper.text(USES[-1] + 3, 1.01, "used", color=GREEN, fontsize=8, va="bottom")
    upper.axhline(_BALANCED.threshold, color=RED, linewidth=1, linestyle="--")
    upper.text(end, _BALANCED.threshold + 0.015, "threshold", color=RED, fontsize=8, ha="right", va="bottom")
    upper.axhline(_BALANCED.offset, color=GREY, linewidth=1, linestyle=":")
    upper.text(end, _BALANCED.offset - 0.02, "offset", color=GREY, fontsize=8, ha="right", va="top")
    upper.plot([cold_day], [_BALANCED.threshold], "o", color=RED)
    upper.annotate(
        f"cold on day {cold_day:.1f}",
        (cold_day, _BALANCED.threshold),
        (cold_day + 6, 0.5),
        color=RED,
        fontsize=9,
        **_POINTING,
    )
    upper.set(title="retention R", ylim=(0, 1.08), xlim=(-2, end))

    lower.plot(times, [point.activation for point in points], color=BLUE)
    lower.plot([cold_day], [activation(history, cold, _BALANCED)], "o", color=RED)
    lower.set(title="activation B", xlabel="days since it was created", ylim=(-1.4, 2.6))


def draw_models(figure: Figure) -> None:
    """Both models of retention on the same two histories."""
    panels: Sequence[Axes] = figure.subplots(1, 2, sharey=True)
    for axes, days, title in zip(panels, (_ONCE, _FIVE_DAYS), ("used once", "used on five days"), strict=True):
        for parameters, colour in ((_BALANCED, BLUE), (_REHEARSED, ORANGE)):
            history = history_of_days(days)
            drawn = over_log_days(history, parameters, first=0.1, last=10_000.0)
            axes.plot(*drawn, color=colour, label=f"model {parameters.model}")
            at = cold_at(history, parameters)
            assert at is not None
            cold = (at - history.last) / MS_PER_DAY
            axes.plot([cold], [parameters.threshold], "o", color=colour)
            left = parameters.model == "retention"
            axes.annotate(
                f"{cold:,.1f}" if cold < 100 else f"{cold:,.0f}",
                (cold, parameters.threshold),
                (-5, -4) if left else (5, 4),
                textcoords="offset points",
                color=colour,
                ha="right" if left else "left",
                va="top" if left else "bottom",
            )
        axes.axhline(_BALANCED.threshold, color=RED, linewidth=1, linestyle="--")
        days_on_a_log_axis(axes, 0.1, 10_000)
        axes.set(title=title, xlabel="days since the last use", ylim=(0, 1.03))
    panels[0].set_ylabel("retention R")
    panels[0].text(0.13, 0.31, "threshold", color=RED, fontsize=8, va="bottom")
    panels[1].legend(loc="upper right")


@dataclass(frozen=True, slots=True)
class _Panel:
    """One parameter at three values, and the uses on which it shows."""

    parameter: str
    values: tuple[float, float, float]
    days: tuple[float, ...] = _FIVE_DAYS
    until: float = 150.0
    base: DecayParameters = _BALANCED


# A hundred uses on one day, and forty in ten days a year later: far from the even spread that is assumed.
_UNEVEN = (*(i / 240 for i in range(100)), *(365.0 + i / 4 for i in range(40)))

_PANELS: Final = (
    _Panel("decay", (0.3, 0.5, 0.8)),
    _Panel("forgetting_rate", (0.0025, 0.005, 0.02)),
    _Panel("offset", (0.0, 0.1, 0.2)),
    _Panel("threshold", (0.2, 0.3, 0.6)),
    _Panel("retrieval_threshold", (-1.6, -1.2, -0.8), days=_ONCE, base=_REHEARSED),
    _Panel("noise", (0.2, 0.4, 0.8), days=_ONCE, base=_REHEARSED),
    _Panel("importance", (0.25, 0.5, 1.0)),
    _Panel("min_idle_days", (0.0, 2.0, 7.0), days=_ONCE, until=8.0, base=DecayParameters.aggressive()),
    _Panel("history_limit", (8, 32, 200), days=_UNEVEN, until=100.0, base=DecayParameters(forgetting_rate=0.1)),
)
_COLOURS = (GREEN, BLUE, ORANGE)


def draw_parameters(figure: Figure) -> None:
    """Each parameter of the mathematics at three values, one panel each; dots are where a memory goes cold.

    For ``min_idle_days`` they are where it may be fused.
    """
    grid = figure.subplots(3, 3, sharey=True)
    for place, panel in enumerate(_PANELS):
        axes: Axes = grid[place // 3][place % 3]
        for value, colour in zip(panel.values, _COLOURS, strict=True):
            _draw_setting(axes, panel, value, colour)
        axes.set(title=panel.parameter, xlim=(0, panel.until), ylim=(0, 1.03))
        axes.locator_params(axis="x", nbins=4)
        axes.legend(loc="upper right")
        if place % 3 == 0:
            axes.set_ylabel("retention R")
        if place >= 6:
            axes.set_xlabel("days since the last use")


def _draw_setting(axes: Axes, panel: _Panel, value: float, colour: str) -> None:
    importance = value if panel.parameter == "importance" else 0.5
    named: dict[str, Any] = {} if panel.parameter == "importance" else {panel.parameter: value}
    parameters = replace(panel.base, **named)
    parameters.validate()
    history = history_of_days(panel.days, limit=parameters.history_limit)
    name = f"{value:g}".replace("-", "−")
    moves_the_curve = panel.parameter not in {"threshold", "min_idle_days"}
    if moves_the_curve or value == panel.values[0]:
        drawn = since_last_use(history, parameters, until=panel.until, importance=importance)
        axes.plot(*drawn, color=colour if moves_the_curve else GREY, label=name if moves_the_curve else None)
    if panel.parameter == "threshold" or value == panel.values[0]:
        axes.axhline(parameters.threshold, color=RED, linewidth=0.8, linestyle="--")
    at = cold_at(history, parameters, importance=importance)
    if panel.parameter == "min_idle_days":
        at = fusable_at(history, at, parameters)
    if at is not None and (days := (at - history.last) / MS_PER_DAY) <= panel.until:
        height = retention(history, at, parameters, importance=importance)
        axes.plot([days], [height], "o", color=colour, markersize=5, label=None if moves_the_curve else name, zorder=3)


def _as_it_happened(history: AccessHistory, end_day: float) -> list[ActivationTerms]:
    """The terms from each use to the next, and from the last one to ``end_day``: the leaps stay upright."""
    ends = (*history.times[1:], round(end_day * MS_PER_DAY))
    found: list[ActivationTerms] = []
    for use, end in zip(history.times, ends, strict=True):
        known = history.as_of(use)
        assert known is not None
        # Activation falls fastest in the first hours, so there the points lie closer together.
        cuts = [use, *(cut for cut in (use + MS_PER_DAY, use + 10 * MS_PER_DAY) if cut < end), end]
        for start, stop in pairwise(cuts):
            found += curve(known, _BALANCED, start=start, end=stop, points=16).points
    return found
