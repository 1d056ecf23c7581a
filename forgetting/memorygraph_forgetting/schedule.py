"""Five-field cron expressions: minute, hour, day of month, month, day of week."""

from __future__ import annotations

import re

__all__ = ["schedule_fault"]

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTHS = {name: i for i, name in enumerate(_MONTH_NAMES, start=1)}
_DAYS = {name: i for i, name in enumerate(_DAY_NAMES)}
# Sunday is 0 and also 7, as in crontab(5).
_FIELDS: tuple[tuple[str, int, int, dict[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of month", 1, 31, {}),
    ("month", 1, 12, _MONTHS),
    ("day of week", 0, 7, _DAYS),
)
_LONGEST_DAY = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_STEP = re.compile(r"[0-9]{1,3}", re.ASCII)


def schedule_fault(expression: str) -> str | None:
    """What is wrong with a cron ``expression``, as one clause; None when it can stand.

    Each field is ``*``, a number, a name (``jan``, ``mon``), a range ``a-b``, or a comma-separated list of these;
    ``*`` and ranges take a step ``/n``. Days that no month has (31 February) are a fault: nothing would ever run.
    """
    texts = expression.split()
    if len(texts) != len(_FIELDS):
        return f"a cron expression has five fields (minute hour day month weekday), this has {len(texts)}"
    values: list[set[int]] = []
    for text, (name, low, high, names) in zip(texts, _FIELDS, strict=True):
        chosen: set[int] = set()
        for part in text.split(","):
            matched = _expand(part.casefold(), low, high, names)
            if matched is None:
                return f"{part!r} is no {name} between {low} and {high}"
            chosen |= matched
        values.append(chosen)
    if texts[4].startswith("*") and min(values[2]) > max(_LONGEST_DAY[month - 1] for month in values[3]):
        return f"no month of {texts[3]!r} has a day {texts[2]!r}, so nothing would ever run"
    return None


def _expand(part: str, low: int, high: int, names: dict[str, int]) -> set[int] | None:
    body, slash, step_text = part.partition("/")
    step = 1
    if slash and (not _STEP.fullmatch(step_text) or not (step := int(step_text))):
        return None
    if body == "*":
        start, end = low, high
    else:
        first, dash, second = body.partition("-")
        if slash and not dash:
            return None
        bounds = [_number(text, names) for text in ((first, second) if dash else (first, first))]
        if bounds[0] is None or bounds[1] is None:
            return None
        start, end = bounds[0], bounds[1]
    if not low <= start <= end <= high:
        return None
    return set(range(start, end + 1, step))


def _number(text: str, names: dict[str, int]) -> int | None:
    if text in names:
        return names[text]
    return int(text) if _STEP.fullmatch(text) else None
