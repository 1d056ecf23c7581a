"""Many values at once: what fails of a batch, and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from memorygraph import MemoryEngine
from memorygraph.errors import EmbedderError
from memorygraph.invariants import check_user


async def test_a_model_that_fails_within_a_batch_fails_those_items_and_no_others(
    engine: MemoryEngine, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = engine.memory(user)
    embed = engine.embedder.embed

    async def fails_at_times(texts: Sequence[str]) -> Any:
        if any("unreadable" in text for text in texts):
            raise EmbedderError("The model cannot read this.")
        return await embed(texts)

    monkeypatch.setattr(engine.embedder, "embed", fails_at_times)
    texts = [f"Parcel {number} arrived in Leeds" for number in range(250)]
    texts[120] = "unreadable"
    told: list[tuple[int, int]] = []
    answers = await memory.remember_many(
        [{"text": text} for text in texts], progress=lambda done, of: told.append((done, of))
    )
    failed = [answer.position for answer in answers if answer.outcome == "failed"]
    assert failed == list(range(100, 190))
    assert {answer.code for answer in answers[100:190]} == {"embedder"}
    assert {answer.outcome for number, answer in enumerate(answers) if number not in failed} == {"created"}
    assert told == [(done, 250) for done in (100, 190, 226, 246, 250)]
    report = await memory.verify_events()
    assert (report.ok, report.checked) == (True, 160)


async def test_items_that_are_wrong_fail_in_their_places_wherever_they_are_in_a_batch(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    wrong = [0, *range(40, 160), 199]  # the first, a whole part and more, the last
    items = [{"text": "" if number in wrong else f"Parcel {number} arrived"} for number in range(200)]
    told: list[int] = []
    answers = await memory.remember_many(items, progress=lambda done, _: told.append(done))
    assert [answer.position for answer in answers] == list(range(200))
    assert [answer.position for answer in answers if answer.outcome == "failed"] == wrong
    assert {answers[number].code for number in wrong} == {"invalid_input"}
    assert told[-1] == 200
    assert (await memory.verify_events()).checked == 200 - len(wrong)
    assert await memory.remember_many([]) == ()
    assert [answer.outcome for answer in await memory.remember_many([{"text": ""}])] == ["failed"]


async def test_a_batch_that_is_given_up_has_written_its_parts_so_far_whole_and_writes_no_other(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    items = [{"text": f"Parcel {number} arrived in Leeds"} for number in range(400)]

    def enough(done: int, of: int) -> None:
        raise KeyError(done)

    with pytest.raises(KeyError) as given_up:
        await memory.remember_many(items, progress=enough)
    (done,) = given_up.value.args
    assert 0 < done <= 100
    report = await memory.verify_events()
    assert (report.ok, report.checked) == (True, done)
    answers = await memory.remember_many(items)
    assert [answer.outcome for answer in answers] == ["confirmed"] * done + ["created"] * (400 - done)


async def test_a_value_of_a_batch_is_held_against_as_many_others_as_one_written_alone(
    engine: MemoryEngine, user: str
) -> None:
    texts = [f"Ana owns {number} books" for number in range(30)]
    together = await engine.memory(user).remember_many([{"text": text} for text in texts])
    alone = [await engine.memory(f"{user}-alone").remember(text) for text in texts]
    written = [answer.written for answer in together if answer.written is not None]
    assert [len(of.contradictions) for of in written] == [len(of.contradictions) for of in alone]
    assert [len(of.similar) for of in written] == [len(of.similar) for of in alone]
    assert len(alone[-1].contradictions) == 8


async def test_items_of_a_batch_are_written_in_order_and_know_each_other(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    items = [{"text": f"Ana owns {number} books", "entities": ["Ana"]} for number in range(205)]
    answers = await memory.remember_many([*items, items[3]])
    written = [answer.written for answer in answers if answer.written is not None]
    assert [of.outcome for of in written] == ["created"] * 205 + ["confirmed"]
    assert written[-1].id == written[3].id
    assert len({entity.id for of in written for entity in of.entities}) == 1
    assert [of.seq for of in written] == sorted(of.seq for of in written)
    assert all(of.similar for of in written[1:205])  # also those whose like is in the part before


async def test_a_value_that_was_superseded_earlier_in_a_batch_is_written_anew(engine: MemoryEngine, user: str) -> None:
    for name, memory in (("there before", engine.memory(user)), ("of the batch", engine.memory(f"{user}-2"))):
        claim: dict[str, Any] = {"subject": "Ana", "predicate": "lives_in", "functional": True}
        leeds: dict[str, Any] = claim | {
            "text": "Ana lives in Leeds",
            "value": "Leeds",
            "valid_from": "2026-01-01T00:00:00Z",
        }
        york: dict[str, Any] = claim | {
            "text": "Ana lives in York",
            "value": "York",
            "valid_from": "2026-02-01T00:00:00Z",
        }
        back: dict[str, Any] = leeds | {"valid_from": "2026-03-01T00:00:00Z"}
        batch = [york, back]
        if name == "there before":
            await memory.remember(**leeds)
        else:
            batch = [leeds, york, back]
        *_, last = await memory.remember_many(batch)
        assert last.written is not None
        assert last.outcome == "created", name
        (record,) = (await memory.list()).items
        assert (record.id, record.value) == (last.written.id, "Leeds"), name
        assert await check_user(engine.tools, memory.end_user_id) == [], name
