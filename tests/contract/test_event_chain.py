"""Behaviour 34: a mutation without its event does not happen, and a chain that was touched says where."""

import pytest

from memorygraph import Memory, MemoryEngine
from memorygraph.errors import ConstraintViolated
from tests.support.raw_graph import RawGraph


@pytest.fixture
async def memory(engine: MemoryEngine, user: str) -> Memory:
    """A memory with five events."""
    memory = engine.memory(user)
    for number in range(5):
        await memory.remember(f"Fact number {number}", entities=["Ana"])
    return memory


async def test_behaviour_34_when_the_event_cannot_be_written_nothing_is(memory: Memory, raw: RawGraph) -> None:
    assert (await memory.remember("Before", entities=["Bo"])).outcome == "created"
    # Number 7 is taken, so that the next mutation cannot append its event.
    await raw.run("CREATE (:Event {end_user_id: $u, seq: 7, idempotency_key: 'planted'})", u=memory.end_user_id)
    before = await raw.everything(memory.end_user_id)
    with pytest.raises(ConstraintViolated):
        await memory.remember("Never stored", entities=["Somebody new"], session_id="s", kind="turn")
    assert await raw.everything(memory.end_user_id) == before
    await raw.run("MATCH (v:Event {end_user_id: $u, seq: 7}) DELETE v", u=memory.end_user_id)
    assert (await memory.remember("Stored after all")).seq == 7
    assert (await memory.verify_events()).ok


async def test_behaviour_34_an_untouched_chain_verifies_to_its_head(memory: Memory, raw: RawGraph) -> None:
    report = await memory.verify_events()
    assert (report.ok, report.checked, report.broken_seq) == (True, 5, None)
    newest = await raw.run("MATCH (v:Event {end_user_id: $u, seq: 5}) RETURN v.hash AS hash", u=memory.end_user_id)
    assert newest == [{"hash": report.head_hash}]


async def test_what_remember_answers_has_the_number_of_the_newest_event_the_questions_included(memory: Memory) -> None:
    await memory.remember("The build uses webpack", relations=[("build", "uses", "webpack")])
    contrary = await memory.remember("The build does not use webpack")
    assert [question.reason for question in contrary.contradictions] == ["negation"]
    assert contrary.seq == (await memory.verify_events()).checked
    items = await memory.remember_many([{"text": "Bo likes tea"}, {"text": "Bo does not like tea"}])
    assert {item.written and item.written.seq for item in items} == {(await memory.verify_events()).checked}


@pytest.mark.parametrize(
    ("tampering", "broken"),
    [
        ("MATCH (v:Event {end_user_id: $u, seq: 3}) SET v.actor = 'nobody'", 3),
        ("MATCH (v:Event {end_user_id: $u, seq: 3}) SET v.payload = '{}'", 3),
        ("MATCH (v:Event {end_user_id: $u, seq: 3}) SET v.changed_ids = []", 3),
        ("MATCH (v:Event {end_user_id: $u, seq: 3}) DELETE v", 3),
        ("MATCH (v:Event {end_user_id: $u, seq: 1}) DELETE v", 1),
        ("MATCH (v:Event {end_user_id: $u, seq: 5}) DELETE v", 5),
        ("MATCH (v:Event {end_user_id: $u, seq: 5}), (u:EndUser {end_user_id: $u}) DELETE v SET u.seq = 4", 4),
    ],
)
async def test_behaviour_34_an_edited_or_removed_event_is_named_the_last_one_too(
    memory: Memory, raw: RawGraph, tampering: str, broken: int
) -> None:
    assert (await memory.verify_events()).ok
    await raw.run(tampering, u=memory.end_user_id)
    report = await memory.verify_events()
    assert not report.ok
    assert report.broken_seq == broken
    assert report.reason


async def test_behaviour_34_erasing_a_payload_with_its_salt_leaves_the_chain_whole(
    memory: Memory, raw: RawGraph
) -> None:
    await raw.run("MATCH (v:Event {end_user_id: $u, seq: 3}) REMOVE v.payload, v.salt", u=memory.end_user_id)
    assert (await memory.verify_events()).ok
