"""Days, weeks, months and years as they are counted in one time zone.

A day begins with the first instant at which the zone's clocks show its date. Where clocks jump over midnight that is
the instant of the jump; where they show midnight twice, the first time. So a day may last 23 or 25 hours, and a date
that a zone skipped altogether has no day.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memorygraph.errors import InvalidInput
from memorygraph.times import from_ms
from memorygraph.validation import shown

__all__ = ["LocalCalendar", "day_after", "month_of", "week_of", "year_of"]

Days = tuple[date, date]  # the first day, and the first one after

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_DAY = timedelta(days=1)


class LocalCalendar:
    """The calendar of ``zone``, an IANA name such as ``Europe/Berlin``.

    Raises :class:`InvalidInput` (field ``zone``) when there is no such zone.
    """

    def __init__(self, zone: str) -> None:
        try:
            if not isinstance(zone, str):
                raise TypeError("a name is text")  # for a pair, ZoneInfo returns its second part
            self._zone: tzinfo = ZoneInfo(zone)
        # A name may also be no path at all, or that of a folder.
        except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
            raise InvalidInput(
                f"zone is not a time zone: {shown(zone)}.",
                field="zone",
                hint="Use an IANA name, for example Europe/Berlin or UTC.",
            ) from None

    def local(self, at: int) -> datetime:
        """What the zone's clocks show at ``at`` (epoch ms). Raises :class:`OverflowError` outside the years 1–9999."""
        return from_ms(at).astimezone(self._zone)

    def instant(self, shown: datetime) -> int:
        """The first instant (epoch ms) at which the zone's clocks show the naive ``shown``, or jump over it.

        Raises :class:`OverflowError` outside the years 1–9999 of UTC.
        """
        after, before = (_ms(shown.replace(tzinfo=self._zone, fold=fold)) for fold in (0, 1))
        if self._shows(after) == shown:
            return after
        # Clocks jump over it: read with the offset of before the jump it lies after the jump, and the other way round.
        while before < after:
            middle = (before + after) // 2
            before, after = (before, middle) if self._shows(middle) >= shown else (middle + 1, after)
        return after

    def span(self, days: Days) -> tuple[int, int] | None:
        """The first instant of the first day and the first after the last one, in epoch ms; None for skipped days."""
        start, end = (self.instant(datetime.combine(day, time.min)) for day in days)
        return (start, end) if start < end else None

    def _shows(self, at: int) -> datetime:
        return self.local(at).replace(tzinfo=None, fold=0)


def day_after(day: date, distance: int) -> Days:
    """The day ``distance`` days after ``day``."""
    first = day + distance * _DAY
    return first, first + _DAY


def week_of(day: date, distance: int) -> Days:
    """The week, Monday to Sunday, ``distance`` weeks after that of ``day``."""
    monday = day - day.weekday() * _DAY + 7 * distance * _DAY
    return monday, monday + 7 * _DAY


def month_of(day: date, distance: int) -> Days:
    """The calendar month ``distance`` months after that of ``day``."""
    months = day.year * 12 + day.month - 1 + distance
    return _first_of(months), _first_of(months + 1)


def year_of(day: date, distance: int) -> Days:
    """The calendar year ``distance`` years after that of ``day``."""
    return date(day.year + distance, 1, 1), date(day.year + distance + 1, 1, 1)


def _first_of(months: int) -> date:
    return date(months // 12, months % 12 + 1, 1)


def _ms(at: datetime) -> int:
    return (at - _EPOCH) // _MS
