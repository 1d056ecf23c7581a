"""The parameters of forgetting, their bounds and presets."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from math import isfinite
from typing import Any, Final, Literal

from memorygraph_forgetting.description import describe
from memorygraph_forgetting.schedule import schedule_fault

__all__ = ["BOUNDS", "Bound", "DecayParameters", "ParameterViolations", "Violation"]

Model = Literal["retention", "actr"]
Summarizer = Literal["auto", "llm", "extractive"]

MODELS: Final = ("retention", "actr")
SUMMARIZERS: Final = ("auto", "llm", "extractive")
MAX_FLOAT: Final = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Bound:
    """What a number may be: from ``low`` to ``high``, an end left out when it is open or None."""

    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    whole: bool = False

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        ends = []
        if self.low is not None:
            ends.append(f"above {self.low:,g}" if self.low_open else f"at least {self.low:,g}")
        if self.high is not None:
            ends.append(f"below {self.high:,g}" if self.high_open else f"at most {self.high:,g}")
        return " ".join([kind, " and ".join(ends)]).strip()

    def admits(self, value: float) -> bool:
        if self.low is not None and (value <= self.low if self.low_open else value < self.low):
            return False
        return self.high is None or (value < self.high if self.high_open else value <= self.high)


_CENTURY_DAYS = 36_525

BOUNDS: Final[Mapping[str, Bound]] = {
    "decay": Bound(0, 1, low_open=True),
    "forgetting_rate": Bound(0, low_open=True),
    "offset": Bound(0, 1, high_open=True),
    "threshold": Bound(0, 1, low_open=True, high_open=True),
    "retrieval_threshold": Bound(),
    "noise": Bound(0, low_open=True),
    "history_limit": Bound(8, 1_000, whole=True),
    "min_idle_days": Bound(0, _CENTURY_DAYS),
    "max_fusions_per_cycle": Bound(1, 10_000, whole=True),
    "min_group": Bound(1, 50, whole=True),
    "group_limit": Bound(2, 50, whole=True),
    "debounce_seconds": Bound(0, 86_400),
    "undo_days": Bound(0, _CENTURY_DAYS),
    "interval_hours": Bound(0, 8_784, low_open=True),
    # 0 would make what stays alone eligible again at once, and a cycle would never end.
    "regroup_days": Bound(0, _CENTURY_DAYS, low_open=True),
    "hold_days": Bound(0, _CENTURY_DAYS),
}
"""The bound of each numeric parameter. Two more hold between parameters: ``threshold`` is above ``offset``, and
``min_group`` is at most ``group_limit``."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One parameter that cannot stand: ``reason`` says why, ``bound`` what it may be (empty for an unknown name)."""

    field: str
    value: object
    bound: str
    reason: str

    def __str__(self) -> str:
        return f"{self.field} = {_shown(self.value)}: {self.reason}" + (
            f" (must be {self.bound})" if self.bound else ""
        )


class ParameterViolations(ValueError):
    """Parameters that cannot stand; ``violations`` has every one of them, in the order of the fields."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__("; ".join(str(violation) for violation in violations))
        self.violations = violations

    def __reduce__(self) -> tuple[type[ParameterViolations], tuple[tuple[Violation, ...]]]:
        return type(self), (self.violations,)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayParameters:
    """All parameters of forgetting. The defaults are the preset ``balanced``.

    Nothing is checked at construction, so that a form half filled in can be held; :meth:`validate` checks.
    """

    model: Model = "retention"
    """``retention``: exponential in the time since the last use over the summed activation; ``actr``: the probability
    of recall, a power law, under which well-rehearsed memories last far longer."""
    decay: float = 0.5
    """d, the exponent of each access's decay, in (0, 1]."""
    forgetting_rate: float = 0.005
    """λ of the retention model, per day, above 0."""
    offset: float = 0.1
    """What retention tends to as time passes, in [0, 1)."""
    threshold: float = 0.3
    """A memory is cold when its retention has fallen to this; in (offset, 1)."""
    retrieval_threshold: float = -1.2
    """τ of the actr model, in units of activation."""
    noise: float = 0.4
    """s of the actr model, in units of activation, above 0."""
    history_limit: int = 32
    """K, how many of the newest access times are kept one by one, 8 to 1,000."""
    min_idle_days: float = 7.0
    """Days since the last access before which nothing is fused, however cold."""
    max_fusions_per_cycle: int = 500
    """How many groups one cycle fuses at most, 1 to 10,000: each becomes one summary."""
    min_group: int = 2
    """The fewest statements that make a summary."""
    group_limit: int = 20
    """The most statements that go into one summary, 2 to 50."""
    debounce_seconds: float = 60.0
    """An access within so many seconds of another is the same access."""
    undo_days: float = 90.0
    """Days for which a fusion can be undone."""
    interval_hours: float = 24.0
    """Hours between two scheduled cycles of one user."""
    schedule: str = "0 3 * * *"
    """When the deployment looks for due users: a cron expression of five fields."""
    summarizer: Summarizer = "auto"
    """``llm``, ``extractive``, or ``auto``: a language model when one is set, else extractive."""
    regroup_days: float = 7.0
    """Days until a cold statement that found no group is looked at again, above 0."""
    hold_days: float = 30.0
    """Days for which a restored memory is not fused again."""

    @classmethod
    def balanced(cls) -> DecayParameters:
        """Importance 0.5 used once goes cold after 28 days."""
        return cls()

    @classmethod
    def aggressive(cls) -> DecayParameters:
        """Importance 0.5 used once goes cold within two days; never later than under ``balanced``."""
        return cls(forgetting_rate=0.3, min_idle_days=2.0)

    @classmethod
    def rehearsed(cls) -> DecayParameters:
        """The ``actr`` model: used once, a month; used on five days within a month, two years."""
        return cls(model="actr")

    def validate(self) -> None:
        """Raises :class:`ParameterViolations`, with every violation, when these parameters cannot stand."""
        if violations := self.violations():
            raise ParameterViolations(violations)

    def violations(self) -> tuple[Violation, ...]:
        """Everything that is wrong with these parameters, in the order of the fields; empty when they can stand."""
        found = [fault for field in fields(self) if (fault := _fault(field.name, getattr(self, field.name)))]
        bad = {violation.field for violation in found}
        if not bad & {"offset", "threshold"} and self.threshold <= self.offset:
            reason = "retention never falls below the offset, so nothing would ever be forgotten"
            found.append(Violation("threshold", self.threshold, f"above the offset, {self.offset:g}", reason))
        if not bad & {"min_group", "group_limit"} and self.min_group > self.group_limit:
            reason = "no group could have so many statements, so nothing would ever be fused"
            found.append(Violation("min_group", self.min_group, f"at most the group_limit, {self.group_limit}", reason))
        order = [field.name for field in fields(self)]
        return tuple(sorted(found, key=lambda violation: order.index(violation.field)))

    def to_dict(self) -> dict[str, Any]:
        """Every parameter by name, as JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, base: DecayParameters | None = None) -> DecayParameters:
        """Parameters from names and values; what is not named is as in ``base`` (default: ``balanced``).

        Raises :class:`ParameterViolations` with every unknown name (and the near one) and every value that cannot
        stand.
        """
        names = [field.name for field in fields(cls)]
        unknown = tuple(_unknown(name, value, names) for name, value in values.items() if name not in names)
        known = {name: value for name, value in values.items() if name in names}
        parameters = replace(base if base is not None else cls(), **known)
        if found := unknown + parameters.violations():
            raise ParameterViolations(found)
        return parameters

    def describe(self) -> str:
        """What these parameters mean, in one sentence a person understands.

        Raises :class:`ParameterViolations` when they cannot stand.
        """
        self.validate()
        return describe(self)


def _shown(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no whole number of thousands of digits
        return "a number of very many digits"


def _fault(name: str, value: object) -> Violation | None:
    if name in BOUNDS:
        return _number_fault(name, value, BOUNDS[name])
    if name == "schedule":
        bound = "a cron expression of five fields, such as '0 3 * * *'"
        if not isinstance(value, str):
            return Violation(name, value, bound, "not text")
        fault = schedule_fault(value)
        return None if fault is None else Violation(name, value, bound, fault)
    choices = MODELS if name == "model" else SUMMARIZERS
    if value in choices:
        return None
    return Violation(name, value, "one of " + ", ".join(choices), f"there is no such {name}")


def _number_fault(name: str, value: object, bound: Bound) -> Violation | None:
    # bool is an int to Python, and never meant as a number here.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Violation(name, value, str(bound), "not a number")
    if (isinstance(value, int) and abs(value) > MAX_FLOAT) or not isfinite(value):
        return Violation(name, value, str(bound), "not a finite number")
    if bound.whole and not isinstance(value, int):
        return Violation(name, value, str(bound), "not a whole number")
    return None if bound.admits(value) else Violation(name, value, str(bound), "out of range")


def _unknown(name: str, value: object, names: list[str]) -> Violation:
    near = get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return Violation(str(name), value, "", f"there is no such parameter{hint}")
