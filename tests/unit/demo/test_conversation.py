"""The conversation that the demonstration plays, and what it asks about it."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from memorygraph.errors import InvalidInput
from memorygraph.ingest.locomo import parse
from memorygraph_api.demo.conversation import load_file, shipped
from memorygraph_api.demo.play import QUESTIONS, questions_to_ask

SHIPPED: dict[str, Any] = json.loads(
    resources.files("memorygraph_api.demo").joinpath("conversation.json").read_text(encoding="utf-8")
)
SMALL: dict[str, Any] = {
    "sample_id": "tea",
    "conversation": {
        "session_1_date_time": "12:06 am on 11 November, 2022",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "Tea?"},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Yes!"},
        ],
    },
    "qa": [
        {"question": "Who wants tea?", "answer": "Bo", "evidence": ["D1:2"]},
        {"question": "How many?", "answer": 2, "evidence": ["D1:1"]},
        {"question": "Coffee?", "adversarial_answer": "no", "evidence": ["D1:1"]},
    ],
}


def test_the_shipped_conversation_is_two_people_over_three_weeks() -> None:
    conversation = shipped()
    assert conversation.speakers == ("Nadia", "Ruben")
    assert len(conversation.turns) == 60
    assert timedelta(days=18) <= conversation.turns[-1].said_at - conversation.turns[0].said_at <= timedelta(days=22)
    assert questions_to_ask(conversation) == list(conversation.questions)
    assert all(question.evidence and question.answer for question in conversation.questions)


def test_the_shipped_evidence_holds_the_numbers_and_names_of_the_answers() -> None:
    conversation = shipped()
    said = {turn.id: turn.text for turn in conversation.turns}
    for question in conversation.questions:
        evidence = " ".join(said[turn] for turn in question.evidence)
        for known in re.findall(r"[0-9][0-9.,]*[0-9]|[0-9]", question.answer or ""):
            assert known in evidence, question.text


def test_the_shipped_conversation_corrects_an_appointment() -> None:
    conversation = shipped()
    newer = next(turn for turn in conversation.turns if turn.id == conversation.questions[0].evidence[0])
    older = next(turn for turn in conversation.turns if "fire inspection" in turn.text)
    assert "Tuesday 18 March" in older.text
    assert "Thursday 20 March" in newer.text
    assert newer.said_at > older.said_at


def test_questions_without_answer_are_not_asked_and_many_are_thinned_out_evenly() -> None:
    assert [q.text for q in questions_to_ask(parse(SMALL, where="here"))] == ["Who wants tea?", "How many?"]
    many = {**SMALL, "qa": [{"question": f"Q{n}", "answer": "a", "evidence": ["D1:1"]} for n in range(90)]}
    asked = questions_to_ask(parse(many, where="here"))
    assert [q.text for q in asked] == [f"Q{n}" for n in range(0, 90, 90 // QUESTIONS)]


def test_a_file_holds_one_conversation_or_a_list(tmp_path: Path) -> None:
    one, several = tmp_path / "one.json", tmp_path / "several.json"
    one.write_text(json.dumps(SMALL), encoding="utf-8")
    several.write_text(json.dumps([SHIPPED, SMALL]), encoding="utf-8")
    assert load_file(one).name == "tea"
    assert load_file(several).name == SHIPPED["sample_id"]
    assert load_file(several, number=2) == load_file(one)


@pytest.mark.parametrize("number", [-1, 0, 3])
def test_a_conversation_that_a_file_does_not_hold_is_refused(number: int, tmp_path: Path) -> None:
    file = tmp_path / "two.json"
    file.write_text(json.dumps([SMALL, SMALL]), encoding="utf-8")
    assert load_file(file, number=2).name == "tea"
    with pytest.raises(InvalidInput, match="it holds 2"):
        load_file(file, number=number)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"1" * 5000, b"nothing", b'{"conversation": 1}']
)
def test_a_file_that_is_something_else_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match=re.escape(str(file))) as refused:
        load_file(file)
    assert refused.value.field == "file"
    assert refused.value.hint == "Leave --file out to see the conversation that is shipped."


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_file(tmp_path / "none.json")
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_file(tmp_path)
