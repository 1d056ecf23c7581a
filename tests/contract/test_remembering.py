"""Remembering, on every graph server."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memorygraph import MemoryEngine, SimulatedClock
from memorygraph.errors import IdempotencyConflict, InvalidInput, NotFound
from memorygraph.invariants import check_user
from tests.support.raw_graph import RawGraph

TURN: dict[str, Any] = {"kind": "turn", "session_id": "monday", "speaker": "Ana"}


async def test_what_was_remembered_is_read_back_as_it_was_given(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    written = await memory.remember(
        "  Ana works at Acme;\n“since March” — café №5  ",
        speaker="Ana",
        kind="fact",
        importance=0.6,
        entities=["Ana", ("Acme", "company")],
        title="Work",
        context="Said over lunch.",
        keywords=["job", "acme"],
        tags=["work"],
        project="people",
        occurred_at="2026-02-01T12:00:00+02:00",
        confidence=0.9,
        source="chat",
        agent="assistant/1",
        session_id="monday",
    )
    assert (written.outcome, written.seq, written.replayed) == ("created", 1, False)
    record = await memory.get(written.id)
    assert record.text == "  Ana works at Acme;\n“since March” — café №5  "
    assert (record.type, record.kind, record.trust, record.status) == ("Statement", "fact", "accepted", "active")
    assert (record.importance, record.confidence) == (0.6, 0.9)
    assert (record.title, record.context, record.project) == ("Work", "Said over lunch.", "people")
    assert (record.keywords, record.tags) == (("job", "acme"), ("work",))
    assert (record.speaker, record.session_id, record.source, record.agent) == ("Ana", "monday", "chat", "assistant/1")
    assert record.occurred_at == datetime(2026, 2, 1, 10, tzinfo=UTC)
    assert record.recorded_at == record.created_at == record.updated_at == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert {(entity.name, entity.kind) for entity in record.entities} == {("Ana", "unknown"), ("Acme", "company")}
    assert (record.access_count, record.revision, record.changed_seq) == (1, 1, 1)
    assert record.retention == pytest.approx(1.0)
    assert record.cold_at is not None
    assert record.fusable_at == record.cold_at


async def test_behaviour_13_the_same_value_said_ten_times_at_once_is_one_statement(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    spoken = ["Ana works at Acme", "ana works at ACME.", "  Ana  works at Acme "]
    answers = await asyncio.gather(
        *(memory.remember(spoken[n % 3], speaker="Ana", entities=["DGIA" if n % 2 else "dgia "]) for n in range(10))
    )
    assert len({answer.id for answer in answers}) == 1
    assert sorted(answer.outcome for answer in answers) == ["confirmed"] * 9 + ["created"]
    record = await memory.get(answers[0].id)
    assert (record.assertion_count, record.source_count) == (10, 1)
    assert len(record.entities) == 1
    again = await memory.remember("Ana works at Acme", speaker="Ana", agent="another agent")
    record = await memory.get(again.id)
    assert (again.outcome, record.assertion_count, record.source_count) == ("confirmed", 11, 2)
    assert (await memory.verify_events()).ok


async def test_behaviour_13_the_same_words_of_two_speakers_are_two_statements(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    ana = await memory.remember("I moved to Leeds", speaker="Ana")
    bob = await memory.remember("I moved to Leeds", speaker="Bob")
    assert ana.id != bob.id
    assert (await memory.remember("I moved to Leeds", speaker="ana")).id == ana.id


async def test_the_same_words_within_two_projects_are_two_statements(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    said = [await memory.remember("The deadline is Friday", project=project) for project in ("apollo", "gemini", None)]
    assert len({answer.id for answer in said}) == 3
    again = await memory.remember("the deadline is friday", project="gemini")
    assert (again.id, again.outcome) == (said[1].id, "confirmed")
    found = await memory.recall("When is the deadline?", project="gemini")
    assert [hit.memory.id for hit in found.hits] == [said[1].id]


async def test_an_entity_of_another_kind_stays_another_and_a_bare_name_means_the_only_one(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    person = (await memory.remember("Jordan called", entities=[("Jordan", "person")])).entities[0]
    bare = (await memory.remember("Jordan is late", entities=["jordan"])).entities[0]
    assert bare == person
    city = (await memory.remember("We flew to Jordan", entities=[("Jordan", "country")])).entities[0]
    assert city.id != person.id
    neither = (await memory.remember("Jordan again", entities=["Jordan"])).entities[0]
    assert neither.kind == "unknown"
    assert neither.id not in (person.id, city.id)


async def test_turns_are_known_by_place_and_text_and_never_merged(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    first = await memory.remember("Thanks!", position=0, **TURN)
    second = await memory.remember("Thanks!", position=1, **TURN)
    known = await memory.remember("Thanks!", position=0, **TURN)
    placed = await memory.remember("Thanks!", **TURN)
    assert len({first.id, second.id, placed.id}) == 3
    assert (known.id, known.outcome) == (first.id, "confirmed")
    assert (await memory.get(placed.id)).position == 2
    assert (await memory.get(first.id)).assertion_count == 1


async def test_behaviour_27_a_turn_after_the_last_position_there_is_is_refused_on_both_doors(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    last = await memory.remember("The last word", position=2**53 - 1, **TURN)
    for call in (
        memory.remember("One word more", **TURN),
        memory.ingest([{"text": "One word more", "speaker": "Ana"}], session_id="monday"),
    ):
        with pytest.raises(InvalidInput, match="another session") as caught:
            await call
        assert caught.value.field == "position"
    assert [record.id for record in (await memory.list()).items] == [last.id]
    assert (await memory.revise(last.id, tags=["end"])).tags == ("end",)
    placed = await memory.remember("One word more", position=7, **TURN)
    elsewhere = await memory.remember("One word more", **{**TURN, "session_id": "tuesday"})
    assert [(await memory.get(of.id)).position for of in (placed, elsewhere)] == [7, 0]
    assert await check_user(engine.tools, user) == []


async def test_a_turn_is_kept_verbatim_as_an_episode(engine: MemoryEngine, user: str, raw: RawGraph) -> None:
    written = await engine.memory(user).remember("Wait — 3 p.m.?", position=4, **TURN)
    rows = await raw.run(
        "MATCH (s:Statement {id: $id})-[r:FROM_EPISODE]->(p:Episode) RETURN properties(p) AS p, properties(r) AS r",
        id=written.id,
    )
    assert len(rows) == 1
    assert (rows[0]["p"]["text"], rows[0]["p"]["position"], rows[0]["p"]["end_user_id"]) == ("Wait — 3 p.m.?", 4, user)
    assert rows[0]["r"] == {"end_user_id": user, "start": 0, "end": 14}


async def test_an_idempotency_key_replays_the_answer_and_refuses_another_request(
    engine: MemoryEngine, user: str
) -> None:
    memory = engine.memory(user)
    first = await memory.remember("Ana works at Acme", entities=["Ana"], idempotency_key="k1")
    again = await memory.remember("Ana works at Acme", entities=["Ana"], idempotency_key="k1")
    assert (again.id, again.outcome, again.entities) == (first.id, "created", first.entities)
    assert again.replayed
    assert not first.replayed
    assert (await memory.get(first.id)).assertion_count == 1
    with pytest.raises(IdempotencyConflict):
        await memory.remember("Ana works at Globex", idempotency_key="k1")
    other = await engine.memory(f"{user}-other").remember("Ana works at Globex", idempotency_key="k1")
    assert other.outcome == "created"


async def test_a_tombstoned_value_is_refused_and_a_neighbour_is_taken(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    await memory.remember("Ana likes tea", speaker="Ana")
    fingerprint = engine.store.fingerprints.of_value(user, about="Ana", text="Ana lives in Leeds")
    await raw.run(
        "CREATE (:Tombstone {end_user_id: $u, fingerprint: $f, kind: 'rejected', created_at: 1})",
        u=user,
        f=fingerprint,
    )
    before = await raw.everything(user)
    for said in ("Ana lives in Leeds", "ANA LIVES  in leeds."):
        refused = await memory.remember(said, speaker="Ana")
        assert refused.outcome == "refused"
        assert refused.refusal is not None
        assert (refused.refusal.kind, refused.refusal.fingerprint) == ("rejected", fingerprint)
        assert (await memory.remember(said, position=1, **TURN)).outcome == "refused"
    assert [row for row in await raw.everything(user) if "EndUser" not in row.get("labels", [])] == [
        row for row in before if "EndUser" not in row.get("labels", [])
    ]
    assert (await memory.remember("Ana lives in York", speaker="Ana")).outcome == "created"
    await raw.run("MATCH (t:Tombstone {end_user_id: $u}) SET t.lifted_at = 2", u=user)
    assert (await memory.remember("Ana lives in Leeds", speaker="Ana")).outcome == "created"


@pytest.mark.parametrize("bad", ["", "x" * 2001, "\ud800", "\x00", "a\x07b"])
async def test_bad_input_changes_nothing(engine: MemoryEngine, user: str, raw: RawGraph, bad: str) -> None:
    memory = engine.memory(user)
    await memory.remember("Ana works at Acme")
    before = await raw.everything(user)
    with pytest.raises(InvalidInput):
        await memory.remember(bad)
    with pytest.raises(InvalidInput):
        await memory.remember("fine", importance=float("nan"))
    with pytest.raises(InvalidInput):
        await memory.remember("fine", occurred_at=datetime(2026, 1, 1))  # noqa: DTZ001
    assert await raw.everything(user) == before


async def test_an_unknown_id_is_not_found(engine: MemoryEngine, user: str) -> None:
    memory = engine.memory(user)
    written = await memory.remember("Ana works at Acme")
    assert (await memory.get(written.id)).id == written.id
    with pytest.raises(NotFound):
        await memory.get("01890000-0000-7000-8000-000000000000")
    with pytest.raises(InvalidInput):
        await memory.get("")


async def test_a_confirmation_is_an_access_unless_it_follows_at_once(
    engine: MemoryEngine, user: str, clock: SimulatedClock
) -> None:
    memory = engine.memory(user)
    written = await memory.remember("Ana works at Acme")
    await memory.remember("Ana works at Acme")
    assert (await memory.get(written.id)).access_count == 1
    clock.advance(timedelta(days=3))
    await memory.remember("Ana works at Acme")
    record = await memory.get(written.id)
    assert record.access_count == 2
    assert record.last_confirmed_at == record.last_access_at == datetime(2026, 3, 5, 9, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 3, 2, 9, tzinfo=UTC)
