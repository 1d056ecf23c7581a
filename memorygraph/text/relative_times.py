"""Times named in a text: "yesterday", "3 weeks ago", 上周五, "7 May 2023".

What a phrase means depends on when and where it was said: calendar days, weeks (Monday to Sunday), months and years of
the speaker's time zone count, as :mod:`memorygraph.text.local_calendar` counts them. A phrase that may mean two times
is not guessed: "Friday", "next Friday" said on a Monday, "in May", "5/7/2023", "tonight" said in the small hours.
The phrases are the data of :mod:`memorygraph.text.languages`; ISO 8601 is understood in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Literal

from memorygraph.errors import InvalidInput
from memorygraph.text.languages import TimeWords, all_languages
from memorygraph.text.local_calendar import LocalCalendar, day_after, month_of, week_of, year_of
from memorygraph.times import from_ms

__all__ = ["Interval", "TimeMention", "find_times", "holds_from", "resolve_time"]

Precision = Literal["second", "minute", "part of day", "day", "weekend", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of time."""

    start: int  # epoch ms
    end: int  # epoch ms, the first instant after it
    precision: Precision  # of the words: "3 weeks ago" is a week


@dataclass(frozen=True, slots=True)
class TimeMention:
    """Where a text names a time."""

    start: int  # in characters
    end: int
    interval: Interval


def find_times(text: str, *, occurred_at: int, zone: str) -> list[TimeMention]:
    """The times that ``text``, said at ``occurred_at`` (epoch ms) in ``zone`` (an IANA name), names, in order.

    They do not overlap; of two readings the one that begins first and goes further is taken. What may mean two times
    is left out. Raises :class:`InvalidInput` for a zone that does not exist, and for an instant outside its
    years 1 to 9999.
    """
    said = _Said(occurred_at, zone)
    found: list[TimeMention] = []
    end = 0
    for phrase in sorted(_phrases(text), key=lambda phrase: (phrase.start, -phrase.end)):
        if phrase.start >= end:
            end = phrase.end
            if (interval := said.meaning(phrase)) is not None:
                found.append(TimeMention(phrase.start, phrase.end, interval))
    return found


def resolve_time(text: str, *, occurred_at: int, zone: str) -> Interval | None:
    """The time that ``text`` is as a whole, ``None`` when it is none or may be two: "on 7 May 2023", "2022", 昨天.

    Raises like :func:`find_times`.
    """
    mentions = find_times(text, occurred_at=occurred_at, zone=zone)
    year = _BARE_YEAR.fullmatch(text)
    if year is not None:
        return _Said(occurred_at, zone).meaning(_Phrase(0, len(text), "date", 0, {"year": year[1]}, None))
    if len(mentions) != 1:
        return None
    around = f"{text[: mentions[0].start]} {text[mentions[0].end :]}"
    return mentions[0].interval if _beside().fullmatch(around) else None


def holds_from(text: str, *, occurred_at: int, zone: str) -> Interval | None:
    """The time from which on ``text`` says that something holds: "since May 2023", 从去年开始.

    ``None`` where it says no such thing, and where it does more than once. Raises like :func:`find_times`.
    """
    if not any(word.search(text) for word in _hints()):
        return None  # most texts, and looking for times costs more
    found = [
        mention.interval
        for mention in find_times(text, occurred_at=occurred_at, zone=zone)
        if _begins(text[max(0, mention.start - _NEAR) : mention.start], text[mention.end : mention.end + _NEAR])
    ]
    return found[0] if len(found) == 1 else None


def _begins(before: str, after: str) -> bool:
    return any(
        since.search(before) or (starting.search(before) and onwards.match(after))
        for since, starting, onwards in _beginnings()
    )


@dataclass(frozen=True, slots=True)
class _Phrase:
    start: int
    end: int
    meaning: str
    distance: int
    groups: Mapping[str, str]
    words: TimeWords | None  # None for ISO 8601

    def number(self, group: str, table: Mapping[int, str]) -> int:
        """What the words of ``group`` stand for: digits, or one of ``table``."""
        said = self.groups[group]
        found = next((n for n, pattern in table.items() if re.fullmatch(pattern, said)), None)
        return int(said) if found is None else found

    def name(self, group: str, table: Mapping[str, str]) -> str:
        return next(n for n, pattern in table.items() if re.fullmatch(pattern, self.groups[group]))


_ISO = re.compile(
    r"(?<![\w.:/+-])(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?(?P<offset>Z|[+-]\d\d:?\d\d)?)?)?"
    r"|/(?P<month2>\d{1,2})/(?P<day2>\d{1,2}))(?![A-Za-z0-9_/+-]|[.:,]\d)",
    re.ASCII,
)
_BARE_YEAR = re.compile(r"\s*((?:19|20)\d\d)\s*", re.ASCII)
_DIGITS = {"number": r"\d{1,3}", "day": r"\d{1,2}", "year": r"[12１２]\d{3}", "month": None}
_PARTS = {"morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}  # hours of the day
_NEAR = 40  # characters in which "since" has to stand
_NIGHT_ENDS = 6  # o'clock; what is "tonight" before that?


class _Said:
    """When and where something was said, which is what times are told by."""

    def __init__(self, occurred_at: int, zone: str) -> None:
        self._calendar = LocalCalendar(zone)
        try:
            self._local = self._calendar.local(occurred_at)
        except OverflowError:
            raise InvalidInput(
                "occurred_at lies outside the years 1 to 9999 of the zone.", field="occurred_at"
            ) from None
        self._today = self._local.date()

    def meaning(self, phrase: _Phrase) -> Interval | None:
        try:
            if phrase.meaning == "instant":
                return self._instant(phrase)
            if phrase.meaning in ("part", "night"):
                return self._part(phrase)
            days = self._days(phrase)
            span = None if days is None else self._calendar.span(days[0])
        except (ValueError, OverflowError):  # the 31st of February, 400 years ago in the year 300
            return None
        return None if days is None or span is None else Interval(*span, days[1])

    def _days(self, phrase: _Phrase) -> tuple[tuple[date, date], Precision] | None:
        distance, words = phrase.distance, phrase.words
        if phrase.meaning == "date" or words is None:
            return self._date(phrase)
        match phrase.meaning:
            case "day":
                return day_after(self._today, distance), "day"
            case "period":
                return self._period(phrase.name("period", words.periods), distance)
            case "count":
                return self._period(phrase.name("unit", words.units), distance * phrase.number("number", words.numbers))
            case "weekend":
                # Until the middle of the week "this weekend" is the one just gone as well as the one to come.
                if distance == 0 and self._today.isoweekday() < 4:
                    return None
                saturday = week_of(self._today, distance)[0] + timedelta(days=5)
                return (saturday, saturday + timedelta(days=2)), "weekend"
            case _:
                day = self._weekday(phrase.meaning, phrase.number("weekday", words.weekdays), distance)
                return None if day is None else (day_after(day, 0), "day")

    def _period(self, unit: str, distance: int) -> tuple[tuple[date, date], Precision]:
        match unit:
            case "day":
                return day_after(self._today, distance), "day"
            case "week":
                return week_of(self._today, distance), "week"
            case "month":
                return month_of(self._today, distance), "month"
            case _:
                return year_of(self._today, distance), "year"

    def _weekday(self, meaning: str, weekday: int, distance: int) -> date | None:
        """The day, None where two ways of speaking disagree about it."""
        today = self._today
        of_the_week = week_of(today, distance)[0] + timedelta(days=weekday - 1)
        before = today - timedelta(days=(today.isoweekday() - weekday - 1) % 7 + 1)
        after = today + timedelta(days=(weekday - today.isoweekday() - 1) % 7 + 1)
        match meaning, distance:
            case "weekday of the week", _:
                return of_the_week
            case "weekday before", _:
                return before
            case "weekday after", _:
                return after
            case _, -1:
                return before if before == of_the_week else None
            case _, 1:
                return after if after == of_the_week else None
            case _:
                return of_the_week if of_the_week >= today else None

    def _date(self, phrase: _Phrase) -> tuple[tuple[date, date], Precision] | None:
        groups, words = phrase.groups, phrase.words
        if words is not None and "named_year" in groups:
            year = self._today.year + phrase.number("named_year", words.years)
        else:
            year = int(groups["year"])
        if "month" not in groups:
            return year_of(date(year, 1, 1), 0), "year"
        months = words.months if words is not None else {}
        month = date(year, phrase.number("month", months), 1)
        if "day" not in groups:
            return month_of(month, 0), "month"
        day = month.replace(day=phrase.number("day", words.numbers if words is not None else {}))
        if words is not None and "weekday" in groups and day.isoweekday() != phrase.number("weekday", words.weekdays):
            return None
        return day_after(day, 0), "day"

    def _part(self, phrase: _Phrase) -> Interval | None:
        part = phrase.name("part", phrase.words.parts) if phrase.words and phrase.meaning == "part" else "night"
        if part == "night" and phrase.distance == 0 and self._local.hour < _NIGHT_ENDS:
            return None
        day = datetime.combine(self._today + timedelta(days=phrase.distance), datetime.min.time())
        start, end = (self._calendar.instant(day + timedelta(hours=hour)) for hour in _PARTS[part])
        return Interval(start, end, "part of day") if start < end else None

    def _instant(self, phrase: _Phrase) -> Interval | None:
        groups = phrase.groups
        names = ("year", "month", "day", "hour", "minute", "second")
        shown = datetime(*(int(groups.get(name, 0)) for name in names))  # type: ignore[arg-type] # noqa: DTZ001
        precision: Precision = "second" if "second" in groups else "minute"
        if (offset := groups.get("offset")) is None:
            start = self._calendar.instant(shown)
        else:
            aware = datetime.fromisoformat(f"{shown.isoformat()}{offset}")
            start = (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
        end = start + (1000 if precision == "second" else 60_000)
        from_ms(end)  # raises outside the years 1 to 9999
        return Interval(start, end, precision)


def _phrases(text: str) -> Iterator[_Phrase]:
    for found in _ISO.finditer(text):
        groups = {name.removesuffix("2"): value for name, value in found.groupdict().items() if value is not None}
        if "month" in groups:
            meaning = "instant" if "hour" in groups else "date"
            yield _Phrase(found.start(), found.end(), meaning, 0, groups, None)
    # Patterns that ignore case would take half as long again.
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := character.lower()) == 1 else character for character in text)
    for pattern, meaning, distance, words in _patterns():
        for found in pattern.finditer(lowered):
            groups = {name: value for name, value in found.groupdict().items() if value is not None}
            yield _Phrase(found.start(), found.end(), meaning, distance, groups, words)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str, int, TimeWords], ...]:
    return tuple(
        (_pattern(phrase, words), meaning, distance, words)
        for words in _all_times()
        for phrase, meaning, distance in words.phrases
    )


def _all_times() -> list[TimeWords]:
    return [language.times for language in all_languages() if language.times is not None]


def _pattern(phrase: str, words: TimeWords) -> re.Pattern[str]:
    tables: dict[str, Mapping[int, str] | Mapping[str, str]] = {
        "number": words.numbers,
        "day": {} if words.spaced else words.numbers,
        "unit": words.units,
        "period": words.periods,
        "weekday": words.weekdays,
        "month": words.months,
        "year": {},
        "named_year": words.years,
        "part": words.parts,
    }

    def group(found: re.Match[str]) -> str:
        # Longer words first: 十一 before 十, and of twelve numbers the later ones tend to be longer.
        choices = [digits] if (digits := _DIGITS.get(found[1])) else []
        choices += reversed(list(tables[found[1]].values()))
        return f"(?P<{found[1]}>{'|'.join(choices)})"

    pattern = re.sub(r"\{(\w+)\}", group, phrase.replace(" ", r"\s+"))
    # A word's end, and not the beginning of a decimal, a range or an identifier.
    return re.compile(rf"(?<![\w@#/])(?<!\d[.,:-])(?:{pattern})(?![\w@]|[-/.:,–]\d|-\w)" if words.spaced else pattern)


@cache
def _beside() -> re.Pattern[str]:
    words = "|".join(words.beside for words in _all_times())
    return re.compile(rf"(?:\b(?:{words})\b|[\s,.;:!?()\[\]\"'，。！？]|(?:{words}))*", re.IGNORECASE)


@cache
def _hints() -> list[re.Pattern[str]]:
    return [
        re.compile(_worded(f"(?:{words.since}|{words.starting})", words.spaced), re.IGNORECASE)
        for words in _all_times()
    ]


@cache
def _beginnings() -> list[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]]:
    """For each language what stands before a time, what may stand before it when the third follows."""

    def compiled(before: str, spaced: bool) -> re.Pattern[str]:
        return re.compile(_worded(f"(?:{before})", spaced) + (r"\s+$" if spaced else r"\s*$"), re.IGNORECASE)

    return [
        (
            compiled(words.since, words.spaced),
            compiled(words.starting, words.spaced),
            re.compile(r"\s*" + _worded(f"(?:{words.onwards})", words.spaced), re.IGNORECASE),
        )
        for words in _all_times()
    ]


def _worded(pattern: str, spaced: bool) -> str:
    """``pattern``, with its spaces any white space, and confined to whole words where words are separated."""
    pattern = pattern.replace(" ", r"\s+")
    return rf"\b{pattern}\b" if spaced else pattern
