"""What is made of a reply, with nobody on the wire."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.extraction.prompts import CONTRADICTION_SCHEMA, EXTRACTION_SCHEMA, EXTRACTION_SYNONYMS
from memorygraph.llm.json_in_text import find_json
from memorygraph.llm.replies import CutOffReply, UnusableReply, read_reply

ITEM = {"text": "Ana lives in Leeds.", "quote": "I live in Leeds"}
OTHER = {"text": "Ana has a cat.", "quote": "my cat"}
ANSWER = {"statements": [ITEM]}
WRITTEN = json.dumps(ANSWER)
ECHO = json.dumps(EXTRACTION_SCHEMA)


def read(text: str | None, *, cut_off: bool = False) -> Any:
    return read_reply(text, schema=EXTRACTION_SCHEMA, synonyms=EXTRACTION_SYNONYMS, cut_off=cut_off)["statements"]


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        json.dumps(ANSWER, indent=2),
        f"```json\n{WRITTEN}\n```",
        f"```\n{WRITTEN}```",
        f"Here is what I found:\n\n{WRITTEN}\n\nLet me know if you need more!",
        f"As you asked for {{name}} and [see above]:\n{WRITTEN}",
        f"<think>Is it {{}} or []? Perhaps {json.dumps({'statements': [OTHER]})}.</think>\n{WRITTEN}",
        f"The opening mark was in the prompt.</think>{WRITTEN}",
        f"<thinking>\nhm\n</thinking><think>more</think>```json\n{WRITTEN}\n```",
        json.dumps([ITEM]),
        json.dumps(ITEM),
        json.dumps({"statements": ITEM}),
        json.dumps({"Statements": [ITEM]}),
        json.dumps({"facts": [{"statement": ITEM["text"], "evidence": ITEM["quote"]}]}),
        json.dumps({"extractedFacts": [{"content": ITEM["text"], "sourceText": ITEM["quote"]}]}),
        json.dumps({"result": ANSWER}),
        json.dumps({"whatever": [ITEM]}),
        '{"statements": [{"text": "Ana lives in Leeds.", "quote": "I live in Leeds",},],}',
        f"A first draft: {json.dumps({'statements': [OTHER]})} and after some thought: {WRITTEN}",
        f"{ECHO}\n{WRITTEN}",
        f"{WRITTEN}\n{ECHO}",
    ],
)
def test_the_answer_is_found_whatever_is_put_around_it(text: str) -> None:
    assert read(text) == [ITEM]


def test_items_that_stand_one_after_another_are_all_taken() -> None:
    assert read(f"{json.dumps(ITEM)}\n{json.dumps(OTHER)}") == [ITEM, OTHER]


@pytest.mark.parametrize("text", ['{"statements": []}', "[]", '```json\n{"statements": []}\n```', '{"facts": null}'])
def test_an_empty_list_is_an_answer(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "empty"),
        ("", "empty"),
        (" \n", "empty"),
        ("<think>I would rather not.</think>", "empty"),
        ("I could not find any statements.", "no JSON"),
        (ECHO, "repeated the schema"),
        (json.dumps({"name": "statements", "schema": EXTRACTION_SCHEMA}), "repeated the schema"),
        (json.dumps(EXTRACTION_SCHEMA["properties"]), "repeated the schema"),
        ('{"answer": 42}', "not an object with the list"),
        ('["Ana lives in Leeds."]', "not an object with the list"),
        ("{'statements': [{'text': 'Ana lives in Leeds.'}]}", "not valid JSON"),
        ('{"statements": [{"text": "Ana"}, {"text": oops}]}', "not valid JSON"),
        ('{"statements": [{"text": "Ana"},,]}', "not valid JSON"),
        ('{"statements": [,]}', "not valid JSON"),
        ('{"statements": [{"text": "Ana", "importance": NaN}]}', "not valid JSON"),
        ('{"statements": [{"text": "Ana"}}', "not valid JSON"),
    ],
)
def test_what_is_no_answer_is_told_why(text: str | None, reason: str) -> None:
    with pytest.raises(UnusableReply, match=reason) as caught:
        read(text)
    assert not isinstance(caught.value, CutOffReply)


@pytest.mark.parametrize("end", range(1, len(WRITTEN)))
def test_an_answer_cut_off_anywhere_is_told_as_cut_off(end: int) -> None:
    with pytest.raises(CutOffReply):
        read(WRITTEN[:end], cut_off=True)
    if end > 2:  # "{" and '{"' alone may be anything
        with pytest.raises(CutOffReply):
            read(WRITTEN[:end])


@pytest.mark.parametrize("text", ["", "<think>Let me see", "Sure! I will", WRITTEN + "\n" + WRITTEN[:30]])
def test_a_reply_that_was_stopped_before_its_answer_is_cut_off(text: str) -> None:
    with pytest.raises(CutOffReply):
        read(text, cut_off=True)


def test_a_model_stopped_in_the_blanks_after_its_answer_has_answered() -> None:
    assert read(WRITTEN + "\n" * 50, cut_off=True) == [ITEM]


def test_a_key_of_the_right_name_goes_before_its_synonyms() -> None:
    assert read('{"statements": [{"claim": "B", "text": "A", "fact": "C"}]}') == [{"text": "A"}]


def test_what_stands_beside_the_list_is_kept() -> None:
    answer = read_reply('{"statements": [], "trust": "verified"}', schema=EXTRACTION_SCHEMA)
    assert answer == {"statements": [], "trust": "verified"}


@pytest.mark.parametrize(
    "text", ['{"contradicting": [2, 3]}', "[2, 3]", 'See [below]:\n{"contradicting": [2, 3]}', '{"ids": [2, 3]}']
)
def test_lists_of_numbers_are_read_like_lists_of_objects(text: str) -> None:
    assert read_reply(text, schema=CONTRADICTION_SCHEMA)["contradicting"] == [2, 3]


def test_a_single_number_is_a_list_of_one() -> None:
    assert read_reply('{"contradicting": 2}', schema=CONTRADICTION_SCHEMA) == {"contradicting": [2]}


def test_nesting_without_end_is_no_answer() -> None:
    for text in ("[" * 100_000, '{"a":' * 100_000, "[1," * 50_000):
        with pytest.raises(UnusableReply):
            read(text)
    with pytest.raises(UnusableReply):
        read('{"statements": [{"text": ' + "[" * 900 + "]" * 900 + "}]}")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
CONTAINERS = st.lists(JSON, max_size=4) | st.dictionaries(st.text(), JSON, max_size=4)


@given(
    CONTAINERS,
    st.sampled_from(["", "Sure, here it is: ", "```json\n", "<b>"]),
    st.sampled_from(["", "\n```", " Done."]),
)
def test_any_json_is_found_as_it_is(value: Any, before: str, after: str) -> None:
    found = find_json(before + json.dumps(value) + after)
    assert found.values == [value]
    assert (found.broken, found.unfinished) == (None, False)


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_a_comma_at_the_end_changes_nothing_in_the_strings(texts: list[str]) -> None:
    written = json.dumps(texts, ensure_ascii=False)
    assert find_json(written[:-1] + ",]").values == [texts]


@given(st.text() | st.text(alphabet='{}[]",:\\ab1 \n<>/think'))
def test_any_text_is_an_answer_or_told_to_be_none(text: str) -> None:
    try:
        statements = read(text)
    except UnusableReply as unusable:
        assert unusable.reason
    else:
        assert isinstance(statements, list)
