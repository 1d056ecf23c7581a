"""Behaviour 17: what is rejected stays out, in every spelling, until somebody lets it in again."""

import unicodedata
from datetime import timedelta
from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine, SimulatedClock
from memorygraph.errors import Conflict, InvalidInput, NotFound, Tombstoned
from memorygraph.invariants import check_user
from memorygraph.settings import Settings
from tests.support.raw_graph import RawGraph
from tests.support.recalling import found

LIVES = "José lives in Orléans"
CLAIM: dict[str, Any] = {"subject": "José", "predicate": "lives in", "value": "Orléans"}
SPELLINGS = [
    "JOSÉ LIVES IN ORLÉANS",
    " José   lives in\tOrléans. ",
    unicodedata.normalize("NFD", LIVES),
    "Ｊosé lives in Orléans",
]


@pytest.fixture
def memory(engine: MemoryEngine, user: str) -> Memory:
    """A memory of somebody called Rita, who may do everything."""
    return engine.memory(user, actor="Rita")


async def test_behaviour_17_a_rejected_value_is_refused_in_every_spelling_on_every_way_in(
    engine: MemoryEngine, memory: Memory, settings: Settings, clock: SimulatedClock
) -> None:
    rejected = (await memory.remember(LIVES, **CLAIM)).id
    neighbour = (await memory.remember("José works in Orléans", subject="José")).id
    assert set(await found(memory, "José in Orléans")) == {rejected, neighbour}
    record = await memory.review.reject(rejected, "He never did")
    assert (record.status, record.trust, record.reviewed_by) == ("retracted", "rejected", "Rita")
    assert await found(memory, "José in Orléans", include=["candidate", "superseded"]) == [neighbour]

    refused = [*SPELLINGS, LIVES]
    for text in refused:
        assert (await memory.remember(text, subject="jose\u0301")).outcome == "refused"
        with pytest.raises(Tombstoned):
            await memory.revise(neighbour, text=text)
    in_other_words: dict[str, Any] = {
        "text": "His home is in Orléans",
        "subject": "josé",
        "predicate": "Lives In",
        "value": "ORLÉANS",
    }
    for predicate in ("Lives In", "lives_in", "LIVES-IN"):
        assert (await memory.remember(**{**in_other_words, "predicate": predicate})).outcome == "refused"
    assert (await memory.remember(LIVES, speaker="José", kind="turn", session_id="s")).outcome == "refused"
    many = [{"text": text, "speaker": "José"} for text in refused] + [in_other_words, {"text": "José lives in Blois"}]
    assert [item.outcome for item in await memory.remember_many(many)] == ["refused"] * 6 + ["created"]
    with pytest.raises(Tombstoned):
        await memory.reinstate(rejected)

    async with await MemoryEngine.open(settings, clock=clock) as reopened:
        again = reopened.memory(memory.end_user_id)
        assert (await again.remember(LIVES, **CLAIM)).outcome == "refused"
        assert (await again.remember("José lives near Orléans", subject="José")).outcome == "created"
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_17_a_reviewer_lifts_a_tombstone_and_a_later_rejection_sets_it_again(
    engine: MemoryEngine, memory: Memory
) -> None:
    id = (await memory.remember(LIVES, **CLAIM)).id
    await memory.review.reject(id, "He never did")
    tombstones = (await memory.review.tombstones()).items
    assert [(of.kind, of.actor, of.memory_id, of.reason, of.lifted_at) for of in tombstones] == [
        ("rejected", "Rita", id, "He never did", None)
    ] * 2
    first, second = (of.fingerprint for of in tombstones)
    await memory.review.lift(first, reason="He did")
    assert (await memory.remember(LIVES, **CLAIM)).outcome == "refused"  # under the other one
    await memory.review.lift(second)
    with pytest.raises(Conflict):
        await memory.review.lift(first)
    with pytest.raises(NotFound):
        await memory.review.lift("0" * 64)
    lifted = await memory.history(first)
    assert [(of.action, of.actor, of.reason) for of in lifted] == [("tombstone:lifted", "Rita", "He did")]
    back = await memory.reinstate(id)
    assert (back.status, back.trust) == ("active", "accepted")
    assert await found(memory, LIVES) == [id]
    await memory.review.reject(id, "After all not")
    assert (await memory.remember(LIVES, **CLAIM)).outcome == "refused"
    assert [of.reason for of in (await memory.review.tombstones()).items] == ["After all not"] * 2
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_17_what_says_the_same_elsewhere_is_rejected_with_it(
    engine: MemoryEngine, memory: Memory
) -> None:
    words = (await memory.remember(LIVES, subject="José")).id
    claim = (await memory.remember(LIVES, **CLAIM, project="moves")).id
    other_project = (await memory.remember(LIVES, subject="José", project="visits")).id
    near = (await memory.remember("José lives in Orléans no more", subject="José")).id
    await memory.review.reject(words, "He never did")
    statuses = {id: (await memory.get(id)).trust for id in (words, claim, other_project, near)}
    assert statuses == {words: "rejected", claim: "rejected", other_project: "rejected", near: "accepted"}
    assert await found(memory, LIVES) == [near]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_17_the_same_words_are_rejected_however_many_claims_are_made_with_them(
    engine: MemoryEngine, memory: Memory
) -> None:
    rejected = (await memory.remember(LIVES, **CLAIM)).id
    claims = [{"subject": "José", "predicate": "likes", "value": f"place {number}"} for number in range(10)]
    said = [{"text": LIVES, **claim} for claim in [*claims, {"subject": "Zoé"}]]
    said += [{"text": LIVES, "speaker": "José", "kind": kind} for kind in ("fact", "turn")]
    said[-1]["session_id"] = "s"
    answers = await memory.remember_many(said)
    written = [answer.written.id for answer in answers if answer.written]
    await memory.review.reject(rejected, "He never did")
    left = [id for id in written if (await memory.get(id)).status == "active"]
    assert left == [written[10], written[12]]  # of another person, and what was said, which stays on record
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_17_a_rejected_turn_takes_the_same_words_along_wherever_they_stand(
    engine: MemoryEngine, memory: Memory
) -> None:
    said = "I live at 5 Elm Road"
    turns = [
        (await memory.remember(said, kind="turn", session_id=session, speaker=speaker)).id
        for session, speaker in (("s", "Ana"), ("t", "ana"), ("s", "Bob"))
    ]
    fact = (await memory.remember(said, speaker="Ana")).id
    await memory.review.reject(turns[0], "A wrong transcript")
    assert [(await memory.get(id)).status for id in (*turns, fact)] == ["retracted", "retracted", "active", "retracted"]
    assert await found(memory, "Elm Road", include=["superseded", "candidate"]) == [turns[2]]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_17_a_turn_is_rejected_though_one_of_the_same_words_was_fused(
    engine: MemoryEngine, memory: Memory, clock: SimulatedClock
) -> None:
    said = "I live at 5 Elm Road"
    turns = [
        {"text": said, "kind": "turn", "session_id": of, "speaker": "Ana", "entities": ["Elm Road"]} for of in "st"
    ]
    fused = [answer.written.id for answer in await memory.remember_many(turns) if answer.written]
    clock.advance(timedelta(days=60))
    assert (await engine.forgetting.run(memory.end_user_id)).merged_count == 2
    assert [(await memory.get(id)).status for id in fused] == ["forgotten", "forgotten"]
    turn = (await memory.remember(said, kind="turn", session_id="u", speaker="Ana")).id
    assert (await memory.review.reject(turn, "A wrong transcript")).trust == "rejected"
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_17_what_holds_by_an_answer_stays_though_the_other_is_told_in_the_same_words(
    engine: MemoryEngine, memory: Memory
) -> None:
    text = "José said where he lives."
    kept = (await memory.remember(text, **CLAIM)).id
    lost = (await memory.remember(text, **{**CLAIM, "value": "Blois"})).id
    await memory.review.answer(kept, lost, "reject", keep=kept)
    assert [(await memory.get(id)).trust for id in (kept, lost)] == ["accepted", "rejected"]
    assert (await memory.remember("He lives in Blois", **{**CLAIM, "value": "Blois"})).outcome == "refused"
    assert (await memory.remember(text, **CLAIM)).outcome == "confirmed"
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_behaviour_17_a_tombstone_is_not_set_again_over_what_has_its_words(
    engine: MemoryEngine, memory: Memory
) -> None:
    rejected = (await memory.remember(LIVES, **CLAIM)).id
    await memory.review.reject(rejected, "He never did")
    for tombstone in (await memory.review.tombstones()).items:
        await memory.review.lift(tombstone.fingerprint)
    lifted = [event.seq for event in await memory.events() if event.action == "tombstone:lifted"]
    again = (await memory.remember(LIVES, **CLAIM)).id
    for seq in lifted:
        with pytest.raises(Conflict, match=again):
            await memory.revert(seq)
    assert await check_user(engine.tools, memory.end_user_id) == []
    await memory.retract(again, "Not certain")
    for seq in lifted:
        await memory.revert(seq)
    assert (await memory.remember(LIVES, **CLAIM)).outcome == "refused"


async def test_a_superseded_statement_can_be_rejected_and_what_took_its_place_stays(
    engine: MemoryEngine, memory: Memory
) -> None:
    old = (await memory.remember(LIVES, **CLAIM)).id
    elsewhere: dict[str, Any] = CLAIM | {"value": "Blois", "functional": True}
    new = (await memory.remember("José lives in Blois", **elsewhere)).id
    assert (await memory.get(old)).status == "superseded"
    await memory.review.reject(old, "He never did")
    with pytest.raises(Conflict):
        await memory.review.reject(old, "Twice")
    assert (await memory.remember(LIVES, **CLAIM)).outcome == "refused"
    assert await found(memory, "José lives", include=["superseded"]) == [new]
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_the_reason_of_a_tombstone_is_in_its_event_alone(memory: Memory, raw: RawGraph) -> None:
    id = (await memory.remember("Ana likes tea")).id
    await memory.review.reject(id, "canary-reason")
    nodes = await raw.run(
        "MATCH (n {end_user_id: $u}) RETURN labels(n)[0] AS label, properties(n) AS of", u=memory.end_user_id
    )
    assert {row["label"] for row in nodes if "canary-reason" in str(row["of"])} == {"Event"}


async def test_an_erased_value_can_be_allowed_again_too(engine: MemoryEngine, memory: Memory, raw: RawGraph) -> None:
    await memory.remember("Ana likes tea")
    fingerprint = engine.store.fingerprints.of_value(memory.end_user_id, about=None, text="Ana likes coffee")
    await raw.run(
        "CREATE (:Tombstone {end_user_id: $u, fingerprint: $f, kind: 'erased', created_at: 1, actor: 'Ed'})",
        u=memory.end_user_id,
        f=fingerprint,
    )
    assert (await memory.remember("Ana likes coffee")).outcome == "refused"
    (told,) = (await memory.review.tombstones()).items
    assert (told.kind, told.actor, told.memory_id, told.reason) == ("erased", "Ed", None, None)
    await memory.review.lift(fingerprint)
    assert (await memory.remember("Ana likes coffee")).outcome == "created"


async def test_tombstones_are_listed_page_by_page(memory: Memory) -> None:
    for text in ("Ana likes tea", "Bo likes tea", "Cy likes tea"):
        await memory.review.reject((await memory.remember(text)).id, "no")
    first = await memory.review.tombstones(limit=2)
    assert first.after is not None
    rest = await memory.review.tombstones(limit=2, after=first.after)
    listed = [of.fingerprint for of in (*first.items, *rest.items)]
    assert (listed, len(set(listed)), rest.after) == (sorted(listed), 3, None)
    with pytest.raises(InvalidInput):
        await memory.review.tombstones(after="nonsense")


async def test_who_reinstates_what_was_rejected_is_who_reviewed_it_last(engine: MemoryEngine, user: str) -> None:
    rita, omar = (engine.memory(user, actor=actor) for actor in ("Rita", "Omar"))
    id = (await rita.remember(LIVES, derived=True)).id
    assert (await rita.review.reject(id, "He did not say so")).reviewed_by == "Rita"
    tombstones = [of.fingerprint for of in (await rita.review.tombstones()).items]
    for fingerprint in tombstones:
        await rita.review.lift(fingerprint)
    back = await omar.reinstate(id)
    assert (back.status, back.trust, back.reviewed_by) == ("active", "accepted", "Omar")
    assert back.reviewed_at is not None
    assert await check_user(engine.tools, user) == []
