"""Pairs that contradict each other and pairs that only look like it: either kind of mistake costs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memorygraph.writing.contradiction import Comparable, Reason, Suspicion, slot_of, suspects

CONTRARY: list[tuple[Reason, str, str]] = [
    # negation, in the texts' own ways to deny
    ("negation", "uses webpack", "does not use webpack"),
    ("negation", "The frontend uses webpack.", "The frontend doesn't use webpack"),
    ("negation", "Ana likes tea", "Ana does not like tea"),
    ("negation", "Ana eats meat", "Ana never eats meat"),
    ("negation", "Ana works at Acme", "Ana no longer works at Acme"),
    ("negation", "Ana can swim", "Ana cannot swim"),
    ("negation", "The flat has a lift", "The flat has no lift"),
    ("negation", "The service runs with Docker", "The service runs without Docker"),
    ("negation", "I'm allergic to nuts", "I am not allergic to nuts"),
    ("negation", "Use tabs in the Makefile", "Do not use tabs in the Makefile"),
    ("negation", "We will ship on Fridays", "We won't ship on Fridays"),
    ("negation", "Ana has children", "Ana does not have any children"),
    ("negation", "The tests currently pass on Windows", "The tests do not pass on Windows"),
    ("negation", "Ana attended the workshop", "Ana did not attend the workshop"),
    ("negation", "Ana should drive at night", "Ana shouldn't drive at night"),
    ("negation", "项目使用webpack", "项目不使用webpack"),
    ("negation", "安娜喜欢喝茶", "安娜不喜欢喝茶"),
    ("negation", "安娜有孩子", "安娜没有孩子"),
    ("negation", "安娜在北京工作。", "安娜不再在北京工作"),
    ("negation", "安娜是医生", "安娜不是医生"),
    # versions
    ("version", "The API runs on Python 3.11", "The API runs on Python 3.12"),
    ("version", "Production uses PostgreSQL 16", "Production uses PostgreSQL 17"),
    ("version", "The gateway is on v2.3.1", "The gateway is on v2.4.0"),
    ("version", "We are on version 4 of the protocol", "We are on version 5 of the protocol"),
    ("version", "The chart depends on foo 1.9", "The chart depends on foo 1.10"),
    ("version", "后端运行在Python 3.11上", "后端运行在Python 3.12上"),
    # numbers
    ("number", "The team has 5 engineers", "The team has 6 engineers"),
    ("number", "The team has five engineers", "the team has 6 engineers"),
    ("number", "Ana has two cats", "Ana has three cats"),
    ("number", "The cluster has 1,200 nodes", "The cluster has 1300 nodes"),
    ("number", "5 engineers are on call", "4 engineers are on call"),
    ("number", "The server listens on port 8080", "The server listens on port 9090"),
    ("number", "The upload limit is 20MB", "The upload limit is 50 MB"),
    ("number", "The plan costs $20 per seat", "The plan costs $25 per seat"),
    ("number", "Rent is 30% of her income", "Rent is 40% of her income"),
    ("number", "The freezer stays at -18 degrees", "The freezer stays at 18 degrees"),
    ("number", "There are 3 open issues", "There are 4 open issues"),
    ("number", "密码长度为8位", "密码长度为12位"),
    ("number", "团队有5个人", "团队有六个人"),
    ("number", "安娜有两只猫", "安娜有三只猫"),
    # one of two states
    ("state", "Dark mode is enabled", "Dark mode is disabled"),
    ("state", "The repository is public", "The repository is private"),
    ("state", "The port on the firewall is open", "The port on the firewall is closed"),
    ("state", "Ana likes coriander", "Ana dislikes coriander"),
    ("state", "评论功能已启用", "评论功能已禁用"),
    # a contrary sentence among others
    ("negation", "Prefers dark mode. The frontend uses webpack.", "The frontend does not use webpack. Likes tabs."),
]

COMPATIBLE = [
    # of different things
    ("Has 3 servers in us-east", "Has 5 engineers on the payments team"),
    ("Ana likes tea", "Bob does not like tea"),
    ("Ana likes tea", "Ana does not like coffee"),
    ("Bob likes Ana", "Ana does not like Bob"),
    ("Ana flies from Leeds", "Ana does not fly to Leeds"),
    ("Ana eats fish", "Ana does not eat fish on Fridays"),
    ("The disk has 5 GB left", "The disk has 6 MB left"),
    ("uses gpt-4", "uses gpt-5"),
    # in other words, and slots that are not named
    ("lives in Leeds", "lives in York"),
    ("The build uses webpack", "The project is without a bundler"),
    # numbers that are names
    ("Tarea 5 is done", "Tarea 6 is done"),
    ("Room 5 is booked", "Room 6 is booked"),
    ("Ana works on ticket 123", "Ana works on ticket 124"),
    ("Python 3.11 is supported", "Python 3.12 is supported"),
    ("Version 3 is live", "Version 4 is live"),
    ("Ana is the 2nd child", "Ana is the 3rd child"),
    ("任务5完成", "任务6完成"),
    ("Chapter 3 covers graphs", "Chapter 4 covers graphs"),
    ("Flight BA 117 lands at 9", "Flight BA 118 lands at 9"),
    ("Server web-1 is down", "Server web-2 is down"),
    # numbers that agree
    ("The team has five engineers", "The team has 5 engineers"),
    ("The cluster has 1,200 nodes", "The cluster has 1200 nodes"),
    ("The API runs on Python 3", "The API runs on Python 3.12"),
    ("The team has at least 5 engineers", "The team has at least 6 engineers"),
    ("About 5 engineers are on call", "About 6 engineers are on call"),
    ("The queue holds up to 100 jobs", "The queue holds up to 200 jobs"),
    # dates, times, events
    ("met on 3 May", "met on 4 May"),
    ("The call is at 10:30", "The call is at 11:30"),
    ("The release is on 2026-05-03", "The release is on 2026-05-04"),
    ("Ana moved to Leeds in 2019", "Ana moved to Leeds in 2021"),
    ("Ana ran 5 km", "Ana ran 6 km"),
    ("Ana walked 5 km", "Ana walked 6 km"),
    ("The demo starts at 10 am", "The demo starts at 11 am"),
    ("会议在3月开", "会议在4月开"),
    # once and now
    ("Ana used to smoke cigars", "Ana does not smoke cigars"),
    ("Ana did not like tea", "Ana likes tea"),
    ("The team had 5 engineers", "The team has 6 engineers"),
    ("安娜曾经抽烟", "安娜不抽烟"),
    # asked, thought of, in part
    ("Does the frontend use webpack?", "The frontend does not use webpack"),
    ("Why does the frontend not use webpack", "The frontend uses webpack"),
    ("If the budget holds, Ana hires people", "If the budget holds, Ana does not hire people"),
    ("Ana would live in York", "Ana would not live in York"),
    ("Ana might buy a car", "Ana might not buy a car"),
    ("Ana may join us", "Ana does not join us"),
    ("Some tests pass on Windows", "Some tests do not pass on Windows"),
    ("Ana does not only like tea", "Ana likes tea"),
    ("安娜可能喜欢茶", "安娜不喜欢茶"),
    ("安娜喜欢茶吗", "安娜不喜欢茶"),
    # quoted
    ('Bob said "the API uses GraphQL"', 'Bob said "the API does not use GraphQL"'),
    ("The sign says 'Ana swims here'", "The sign says 'Ana does not swim here'"),
    ("“我喜欢茶”", "“我不喜欢茶”"),
    # two changes in one
    ("The flag is enabled", "The flag is not disabled"),
    ("Ana does not have 3 cats", "Ana has 4 cats"),
    ("Ana does not have 3 cats", "Ana does not have 4 cats"),
    ("Ana does not dislike tea", "Ana likes tea"),
    # a sign of a negation that denies nothing
    ("No, Ana likes tea", "Ana likes tea"),
    ("这家店的菜不错", "这家店的菜错"),
    ("安娜和同事关系特别好", "安娜和同事关系特好"),
    # about somebody that only the sentence before names
    ("He likes tea", "He does not like tea"),
    ("Ana is back. Has 3 cats.", "Bob is back. Has 4 cats."),
    ("她喜欢茶", "她不喜欢茶"),
    # nothing said
    ("It is", "It is not"),
    ("5", "6"),
    ("🙂", "🙃"),
]


def statement(id: str, text: str, **fields: object) -> Comparable:
    return Comparable(id=id, text=text, **fields)  # type: ignore[arg-type]


def reasons(one: str, other: str) -> tuple[list[Reason], list[Reason]]:
    """Why each is suspected of the other."""
    first, second = statement("first", one), statement("second", other)
    return [s.reason for s in suspects(first, [second])], [s.reason for s in suspects(second, [first])]


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(CONTRARY) + len(COMPATIBLE) >= 60
    assert len(COMPATIBLE) >= len(CONTRARY) >= 30


@pytest.mark.parametrize(("reason", "one", "other"), CONTRARY)
def test_behaviour_17_what_says_the_contrary_is_suspected_in_either_order(reason: Reason, one: str, other: str) -> None:
    assert reasons(one, other) == ([reason], [reason])


@pytest.mark.parametrize(("one", "other"), COMPATIBLE)
def test_what_can_both_be_so_is_not_suspected(one: str, other: str) -> None:
    assert reasons(one, other) == ([], [])


def test_each_suspect_is_named_with_its_reason_in_the_order_given() -> None:
    new = statement("new", "The API runs on Python 3.12")
    others = [
        statement("a", "The API runs on Python 3.11"),
        statement("b", "The API is written by Ana"),
        statement("c", "The API does not run on Python 3.12"),
        statement("new", "The API does not run on Python 3.12"),
    ]
    assert suspects(new, others) == [Suspicion("a", "version"), Suspicion("c", "negation")]


def slot(id: str, value: str | None, **fields: object) -> Comparable:
    given = {"subject": "Ana", "predicate": "lives in", "text": f"{id} says {value}", **fields}
    return Comparable(id=id, value=value, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"value": "Leeds"}, {"value": "York"}, ["same_slot"]),
        ({"value": "Leeds"}, {"value": "York", "subject": " ANA ", "predicate": "Lives_In"}, ["same_slot"]),
        ({"value": "Leeds"}, {"value": "leeds. "}, []),
        ({"value": "Leeds"}, {"value": "York", "predicate": "works in"}, []),
        ({"value": "Leeds"}, {"value": "York", "subject": "Bob"}, []),
        ({"value": "Leeds"}, {"value": None}, []),
        ({"value": "Leeds"}, {"value": "York", "kind": "turn"}, []),
        ({"value": "Leeds", "project": "red"}, {"value": "York", "project": "blue"}, []),
        ({"value": "Leeds", "project": "red"}, {"value": "York"}, ["same_slot"]),
        ({"value": "Leeds", "valid_to": 100}, {"value": "York", "valid_from": 100}, []),
        ({"value": "Leeds", "valid_to": 101}, {"value": "York", "valid_from": 100}, ["same_slot"]),
    ],
)
def test_two_values_of_one_slot_are_suspected_where_both_can_be_meant(
    one: dict[str, str], other: dict[str, str], found: list[Reason]
) -> None:
    first, second = slot("one", **one), slot("other", **other)
    assert [suspicion.reason for suspicion in suspects(first, [second])] == found
    assert [suspicion.reason for suspicion in suspects(second, [first])] == found


def test_a_slot_with_another_value_is_the_stronger_reason() -> None:
    first = slot("one", "webpack", text="Ana uses webpack")
    second = slot("other", "nothing", text="Ana does not use webpack")
    assert suspects(first, [second]) == [Suspicion("other", "same_slot")]


LIKES, DISLIKES = "I like tea", "I do not like tea"


@pytest.mark.parametrize(
    ("texts", "one", "other", "found"),
    [
        ((LIKES, DISLIKES), {"speaker": "Ana"}, {"speaker": "ana"}, ["negation"]),
        ((LIKES, DISLIKES), {"speaker": "Ana"}, {"speaker": "Bob"}, []),
        ((LIKES, DISLIKES), {"speaker": "Ana"}, {}, []),
        ((LIKES, DISLIKES), {}, {}, ["negation"]),
        (("Likes tea", "Does not like tea"), {"speaker": "Ana"}, {"subject": "Ana"}, ["negation"]),
        (("Likes tea", "Does not like tea"), {"speaker": "Ana"}, {"speaker": "Bob"}, []),
        (("The API has 3 nodes", "The API has 4 nodes"), {"speaker": "Ana"}, {"speaker": "Bob"}, ["number"]),
        (("Ana likes tea", "Ana does not like tea"), {"speaker": "Ana"}, {"speaker": "Bob"}, ["negation"]),
        (("The API has 3 nodes", "The API has 4 nodes"), {"subject": "red"}, {"subject": "blue"}, []),
        (("She likes tea", "She does not like tea"), {"subject": "Ana"}, {"subject": "Ana"}, ["negation"]),
        (("She likes tea", "She does not like tea"), {"speaker": "Ana"}, {"speaker": "Ana"}, []),
        ((LIKES, DISLIKES), {"kind": "turn"}, {}, []),
        ((LIKES, DISLIKES), {"valid_to": 5}, {"valid_from": 5}, []),
    ],
)
def test_texts_are_compared_when_they_are_about_the_same(
    texts: tuple[str, str], one: dict[str, object], other: dict[str, object], found: list[Reason]
) -> None:
    first, second = statement("one", texts[0], **one), statement("other", texts[1], **other)
    assert [suspicion.reason for suspicion in suspects(first, [second])] == found
    assert [suspicion.reason for suspicion in suspects(second, [first])] == found


def test_a_slot_is_the_same_in_other_spellings_and_nothing_without_both_parts() -> None:
    assert slot_of("Ana", "lives in") == slot_of(" ana", "Lives-In") == slot_of("“Ana”", "LIVES_IN")
    assert slot_of("Ana", "lives in") != slot_of("Ana lives", "in")
    assert slot_of("Ana", None) is slot_of(None, "lives in") is slot_of("", "lives in") is None


ALL_TEXTS = sorted({text for _, *pair in CONTRARY for text in pair} | {text for pair in COMPATIBLE for text in pair})
WORDS = [
    *("not", "no", "never", "can't", "without", "不", "没有", "enabled", "disabled", "5", "five", "3.11", "v2", "May"),
    *("Ana", "it", "Python", "port", "in", "the", "has", "was", "个", "安娜", ".", ",", "?", "'", "-"),
]
TEXTS = st.one_of(
    st.sampled_from(ALL_TEXTS),
    st.lists(st.sampled_from(ALL_TEXTS), min_size=2, max_size=4).map(". ".join),
    st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    st.text(max_size=60),
)


@given(one=TEXTS, other=TEXTS)
def test_the_order_of_two_texts_never_matters(one: str, other: str) -> None:
    forward, backward = reasons(one, other)
    assert forward == backward


@given(text=TEXTS)
@example("The team has 5 engineers. The team has 6 engineers.")
@example("Ana likes tea. Ana does not like tea.")
def test_a_text_never_contradicts_itself(text: str) -> None:
    assert reasons(text, text) == ([], [])


@given(
    text=st.sampled_from(ALL_TEXTS),
    capitals=st.sampled_from([str.upper, str.lower, str.title]),
    space=st.sampled_from(["  ", "\t", "\u00a0 "]),
    end=st.sampled_from(["", ".", "!", "。", " ...", ";"]),
)
def test_nor_does_it_contradict_itself_in_other_capitals_spaces_or_stops(
    text: str, capitals: Callable[[str], str], space: str, end: str
) -> None:
    again = capitals(re.sub(" ", space, text.rstrip(".。"))) + end
    assert reasons(text, again) == ([], [])
