"""Times named in a text, told by when and where it was said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.errors import InvalidInput
from memorygraph.text.relative_times import Interval, find_times, holds_from, resolve_time
from memorygraph.times import from_ms, to_ms

WEDNESDAY = datetime(2023, 10, 25, 12, tzinfo=UTC)
FIRST_MS, LAST_MS = (to_ms(at.replace(tzinfo=UTC), field="at") for at in (datetime.min, datetime.max))  # noqa: DTZ901
ZONES = [
    "UTC",
    "Pacific/Kiritimati",
    "Pacific/Midway",
    "Pacific/Apia",
    "America/Havana",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Europe/Berlin",
]


def resolved(text: str, said: datetime = WEDNESDAY, zone: str = "UTC") -> Interval | None:
    return resolve_time(text, occurred_at=to_ms(said, field="said"), zone=zone)


def days(text: str, said: datetime = WEDNESDAY, zone: str = "UTC") -> tuple[str, str] | None:
    """First day and first day after, as the zone's calendar has them."""
    found = resolved(text, said, zone)
    if found is None:
        return None
    first, after = (from_ms(at).astimezone(ZoneInfo(zone)) for at in (found.start, found.end))
    return f"{first:%Y-%m-%d}", f"{after:%Y-%m-%d}"


def named(text: str) -> list[str]:
    at = to_ms(WEDNESDAY, field="said")
    return [text[found.start : found.end] for found in find_times(text, occurred_at=at, zone="UTC")]


@pytest.mark.parametrize(
    ("text", "first", "after", "precision"),
    [
        ("yesterday", "2023-10-24", "2023-10-25", "day"),
        ("Today!", "2023-10-25", "2023-10-26", "day"),
        ("tomorrow", "2023-10-26", "2023-10-27", "day"),
        ("the day before yesterday", "2023-10-23", "2023-10-24", "day"),
        ("the day after tomorrow", "2023-10-27", "2023-10-28", "day"),
        ("3 days ago", "2023-10-22", "2023-10-23", "day"),
        ("three  weeks\nago", "2023-10-02", "2023-10-09", "week"),
        ("a month ago", "2023-09-01", "2023-10-01", "month"),
        ("twelve months ago", "2022-10-01", "2022-11-01", "month"),
        ("2 years ago", "2021-01-01", "2022-01-01", "year"),
        ("in 3 days", "2023-10-28", "2023-10-29", "day"),
        ("two weeks from now", "2023-11-06", "2023-11-13", "week"),
        ("last week", "2023-10-16", "2023-10-23", "week"),
        ("this month", "2023-10-01", "2023-11-01", "month"),
        ("next year", "2024-01-01", "2025-01-01", "year"),
        ("last Friday", "2023-10-20", "2023-10-21", "day"),
        ("next Monday", "2023-10-30", "2023-10-31", "day"),
        ("this Friday", "2023-10-27", "2023-10-28", "day"),
        ("this past Monday", "2023-10-23", "2023-10-24", "day"),
        ("this coming Friday", "2023-10-27", "2023-10-28", "day"),
        ("last weekend", "2023-10-21", "2023-10-23", "weekend"),
        ("on 7 May 2023", "2023-05-07", "2023-05-08", "day"),
        ("Sunday, 7th of May, 2023", "2023-05-07", "2023-05-08", "day"),
        ("May 7th, 2023", "2023-05-07", "2023-05-08", "day"),
        ("Sept. 3 2021", "2021-09-03", "2021-09-04", "day"),
        ("in May 2023", "2023-05-01", "2023-06-01", "month"),
        ("December 2023", "2023-12-01", "2024-01-01", "month"),
        ("in 2022", "2022-01-01", "2023-01-01", "year"),
        (" 2022 ", "2022-01-01", "2023-01-01", "year"),
        ("2023-05-07", "2023-05-07", "2023-05-08", "day"),
        ("2023/5/7", "2023-05-07", "2023-05-08", "day"),
        ("2023-05", "2023-05-01", "2023-06-01", "month"),
        ("昨天", "2023-10-24", "2023-10-25", "day"),
        ("在今天。", "2023-10-25", "2023-10-26", "day"),
        ("明日", "2023-10-26", "2023-10-27", "day"),
        ("前天", "2023-10-23", "2023-10-24", "day"),
        ("大前天", "2023-10-22", "2023-10-23", "day"),
        ("后天", "2023-10-27", "2023-10-28", "day"),
        ("三天前", "2023-10-22", "2023-10-23", "day"),
        ("十三天前", "2023-10-12", "2023-10-13", "day"),
        ("2个月以前", "2023-08-01", "2023-09-01", "month"),
        ("两年后", "2025-01-01", "2026-01-01", "year"),
        ("上周", "2023-10-16", "2023-10-23", "week"),
        ("这个星期", "2023-10-23", "2023-10-30", "week"),
        ("下个月", "2023-11-01", "2023-12-01", "month"),
        ("去年", "2022-01-01", "2023-01-01", "year"),
        ("前年", "2021-01-01", "2022-01-01", "year"),
        ("去年5月", "2022-05-01", "2022-06-01", "month"),
        ("上周五", "2023-10-20", "2023-10-21", "day"),
        ("本周一", "2023-10-23", "2023-10-24", "day"),
        ("下个星期天", "2023-11-05", "2023-11-06", "day"),
        ("上周末", "2023-10-21", "2023-10-23", "weekend"),
        ("2023年5月7日", "2023-05-07", "2023-05-08", "day"),
        ("２０２３年５月７日", "2023-05-07", "2023-05-08", "day"),
        ("2023年十二月十五号", "2023-12-15", "2023-12-16", "day"),
        ("2023年5月", "2023-05-01", "2023-06-01", "month"),
        ("2023年", "2023-01-01", "2024-01-01", "year"),
    ],
)
def test_a_phrase_means_calendar_days_around_the_day_it_was_said(
    text: str, first: str, after: str, precision: str
) -> None:
    found = resolved(text)
    assert days(text) == (first, after)
    assert found is not None
    assert found.precision == precision


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("last night", "2023-10-24T18:00", "2023-10-25T06:00"),
        ("tonight", "2023-10-25T18:00", "2023-10-26T06:00"),
        ("this morning", "2023-10-25T06:00", "2023-10-25T12:00"),
        ("yesterday evening", "2023-10-24T18:00", "2023-10-25T00:00"),
        ("tomorrow afternoon", "2023-10-26T12:00", "2023-10-26T18:00"),
        ("昨晚", "2023-10-24T18:00", "2023-10-25T06:00"),
        ("明天下午", "2023-10-26T12:00", "2023-10-26T18:00"),
        ("2023-05-07T10:30", "2023-05-07T10:30", "2023-05-07T10:31"),
        ("2023-05-07 10:30:05+02:00", "2023-05-07T08:30:05", "2023-05-07T08:30:06"),
        ("2023-05-07T10:30Z", "2023-05-07T10:30", "2023-05-07T10:31"),
    ],
)
def test_parts_of_days_and_clock_times_are_hours(text: str, start: str, end: str) -> None:
    found = resolved(text)
    assert found is not None
    assert [from_ms(at).replace(tzinfo=None) for at in (found.start, found.end)] == [
        datetime.fromisoformat(start),
        datetime.fromisoformat(end),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Friday",
        "on Friday",
        "next Friday",  # the one in two days, or that of next week
        "this Monday",  # the one gone by?
        "this weekend",
        "in May",
        "7 May",
        "5月7日",
        "周五",
        "5/7/2023",
        "a few days ago",
        "几天前",
        "the last week",
        "last week of May",
        "Tuesday, 7 May 2023",  # it was a Sunday
        "31 February 2023",
        "2023-13-01",
        "2023-02-30",
        "2023-05-07T25:00",
        "2023年13月",
        "yesterday or today",
        "the week before yesterday",
        "version 2022",
        "999 years ago in 300",
        "9999-12-31",  # the year 10000 has no first day
        "999 years from now and 9000 years",
    ],
)
def test_what_may_be_two_times_or_is_none_is_not_guessed(text: str) -> None:
    assert resolved("yesterday") is not None
    assert resolved(text) is None


def test_tonight_said_in_the_small_hours_is_not_guessed_and_last_night_is_the_evening_gone_by() -> None:
    small_hours = datetime(2023, 10, 25, 2, tzinfo=UTC)
    assert resolved("tonight", small_hours) is None
    assert resolved("tonight") is not None
    night = resolved("last night", small_hours)
    assert night is not None
    assert from_ms(night.start) == datetime(2023, 10, 24, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "last", "following", "this"),
    [
        ("2023-10-23", "2023-10-20", None, "2023-10-27"),  # Monday
        ("2023-10-27", "2023-10-20", "2023-11-03", "2023-10-27"),  # Friday
        ("2023-10-28", None, "2023-11-03", None),  # Saturday: yesterday, or the week before?
    ],
)
def test_a_weekday_is_told_where_both_ways_of_speaking_agree(
    said: str, last: str | None, following: str | None, this: str | None
) -> None:
    at = datetime.fromisoformat(f"{said}T12:00+00:00")
    found = [days(text, at) for text in ("last Friday", "next Friday", "this Friday")]
    assert [None if day is None else day[0] for day in found] == [last, following, this]


@pytest.mark.parametrize(("zone", "utc_date"), [("Pacific/Kiritimati", "2023-10-24"), ("Pacific/Midway", "2023-10-25")])
def test_yesterday_said_half_past_midnight_is_the_day_before_in_that_zone(zone: str, utc_date: str) -> None:
    said = datetime(2023, 10, 25, 0, 30, tzinfo=ZoneInfo(zone))
    assert f"{said.astimezone(UTC):%Y-%m-%d}" == utc_date
    assert days("yesterday", said, zone) == ("2023-10-24", "2023-10-25")
    found = resolved("yesterday", said, zone)
    assert found is not None
    assert found.end == to_ms(said, field="said") - 30 * 60_000


@pytest.mark.parametrize(
    ("zone", "day", "first", "hours"),
    [
        ("Europe/Berlin", "2023-03-26", "00:00", 23),  # a gap within the day
        ("Europe/Berlin", "2023-10-29", "00:00", 25),  # a fold within the day
        ("America/Sao_Paulo", "2018-11-04", "01:00", 23),  # midnight is jumped over
        ("America/Toronto", "1919-03-31", "00:30", 23.5),  # the jump begins before midnight
        ("America/Havana", "2023-11-05", "00:00", 25),  # midnight comes twice
        ("Pacific/Apia", "2011-12-29", "00:00", 24),
    ],
)
def test_a_day_begins_with_the_first_instant_of_its_date(zone: str, day: str, first: str, hours: float) -> None:
    found = resolved(day, zone=zone)
    assert found is not None
    shown = from_ms(found.start).astimezone(ZoneInfo(zone))
    assert f"{shown:%Y-%m-%d %H:%M}" == f"{day} {first}"
    assert shown.fold == 0
    assert (found.end - found.start) / 3_600_000 == hours


def test_a_date_that_a_zone_skipped_has_no_day() -> None:
    assert resolved("2011-12-30", zone="Pacific/Apia") is None
    assert days("2011-12-31", zone="Pacific/Apia") == ("2011-12-31", "2012-01-01")
    assert resolved("yesterday", datetime(2011, 12, 31, 12, tzinfo=ZoneInfo("Pacific/Apia")), "Pacific/Apia") is None


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2023-03-26T02:30", "2023-03-26T01:00"),  # never shown: the instant of the jump
        ("2023-10-29T02:30", "2023-10-29T00:30"),  # shown twice: the first time
        ("2023-10-29T02:30+01:00", "2023-10-29T01:30"),
    ],
)
def test_a_clock_time_within_a_gap_is_its_end_and_within_a_fold_the_first(text: str, instant: str) -> None:
    found = resolved(text, zone="Europe/Berlin")
    assert found is not None
    assert from_ms(found.start) == datetime.fromisoformat(instant).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "zone",
    [
        "",
        "Mars/Base",
        "../etc/passwd",
        "/etc/localtime",
        "Europe",
        "a\0b",
        "\ud800",
        "x" * 9999,
        ("x", "y"),
        5,
        pytest.param(10**5000, id="5,000 digits"),
        None,
    ],
)
def test_an_unknown_zone_is_refused(zone: Any) -> None:
    assert resolved("yesterday", zone="Europe/Berlin") is not None
    with pytest.raises(InvalidInput) as refused:
        resolved("yesterday", zone=zone)
    assert refused.value.field == "zone"


@pytest.mark.parametrize("at", [FIRST_MS - 86_400_000, LAST_MS + 86_400_000, 10**30])
def test_an_instant_that_no_calendar_has_is_refused(at: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_times("yesterday", occurred_at=at, zone="UTC")
    assert refused.value.field == "occurred_at"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I came YESTERDAY and left on 7 May 2023.", ["YESTERDAY", "7 May 2023"]),
        ("In 2021 I left; 2022 people stayed in room 2023.", ["2021"]),
        ("Ana’s İzmir trip was last week", ["last week"]),
        ("the day before yesterday, not yesterday", ["the day before yesterday", "yesterday"]),
        ("once in a week, twice in a day", []),
        ("release 2023-05-07-beta, id 12023-05-07, 2023-05-07.3", []),
        ("见于2023-05-07那天", ["2023-05-07"]),
        ("以前天气好，日本周刊，晚上月亮，之前年轻", []),
        ("三天前天气好", ["三天前"]),
        ("我上周五见了他，昨天又见", ["上周五", "昨天"]),
    ],
)
def test_times_are_found_where_they_stand_and_not_across_words(text: str, expected: list[str]) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("She has lived in Leeds since May 2023.", "2023-05-01"),
        ("Effective 2023-05-07 the office is closed.", "2023-05-07"),
        ("From last year on we use Rust.", "2022-01-01"),
        ("We used Rust from 2021 onwards.", "2021-01-01"),
        ("自从去年我们用它", "2022-01-01"),
        ("从2021年开始他住在上海", "2021-01-01"),
    ],
)
def test_since_tells_from_when_on_something_holds(text: str, first: str) -> None:
    found = holds_from(text, occurred_at=to_ms(WEDNESDAY, field="said"), zone="UTC")
    assert found is not None
    assert f"{from_ms(found.start):%Y-%m-%d}" == first


@pytest.mark.parametrize(
    "text",
    [
        "She moved to Leeds in May 2023.",
        "A letter from 2021 was found.",
        "Since we came, yesterday was the best.",
        "Since 2021 we had cats, and since 2022 dogs.",
        "从去年的信里",
        "From now on.",
    ],
)
def test_a_time_that_is_only_mentioned_says_nothing_of_validity(text: str) -> None:
    assert holds_from(text, occurred_at=to_ms(WEDNESDAY, field="said"), zone="UTC") is None


ENGLISH = ["yesterday", "last ", "next ", "week", "Friday", "3 ", "days ", "ago", "in ", "7 ", "May ", "since ", "İ"]
CHINESE = ["昨天", "上", "周", "五", "三", "天前", "年", "月", "去年", "从", "开始"]
PIECES = st.sampled_from([*ENGLISH, *CHINESE, "2023", "9999", "T10:30", "-", "/", ",", " "])


@given(
    text=st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join),
    at=st.integers(FIRST_MS + 86_400_000, LAST_MS - 86_400_000),
    zone=st.sampled_from(ZONES),
)
def test_any_text_at_any_time_gives_mentions_in_order_that_do_not_overlap(text: str, at: int, zone: str) -> None:
    found = find_times(text, occurred_at=at, zone=zone)
    edges = [edge for mention in found for edge in (mention.start, mention.end)]
    assert edges == sorted(edges)
    assert all(mention.start < mention.end <= len(text) for mention in found)
    assert all(FIRST_MS <= m.interval.start < m.interval.end <= LAST_MS + 1 for m in found)
    whole = resolve_time(text, occurred_at=at, zone=zone)
    assert whole is None or len(found) <= 1
    assert holds_from(text, occurred_at=at, zone=zone) in [None, *(m.interval for m in found)]


@given(day=st.dates(date(1900, 1, 1), date(2100, 1, 1)), hour=st.integers(0, 23), zone=st.sampled_from(ZONES))
def test_yesterday_today_and_tomorrow_touch_and_today_holds_the_moment(day: date, hour: int, zone: str) -> None:
    said = datetime(day.year, day.month, day.day, hour, tzinfo=ZoneInfo(zone)).astimezone(UTC)
    today = resolved("today", said, zone)
    assert today is not None
    assert today.start <= to_ms(said, field="said") < today.end
    before, after = resolved("yesterday", said, zone), resolved("tomorrow", said, zone)
    assert before is None or before.end == today.start
    assert after is None or after.start == today.end


@given(
    day=st.dates(date(1970, 1, 1), date(2100, 1, 1)),
    style=st.sampled_from(
        ["{d:%Y-%m-%d}", "{d.day} {d:%B} {d.year}", "{d:%b} {d.day}, {d.year}", "{d.year}年{d.month}月{d.day}日"]
    ),
    zone=st.sampled_from(["UTC", "Europe/Berlin", "Pacific/Kiritimati"]),
)
def test_a_date_is_read_as_it_was_written(day: date, style: str, zone: str) -> None:
    found = days(style.format(d=day), zone=zone)
    if (zone, day) != ("Pacific/Kiritimati", date(1994, 12, 31)):  # the one that was skipped
        assert found == (day.isoformat(), (day + timedelta(days=1)).isoformat())
