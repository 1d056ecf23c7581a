"""Behaviours 14 and 15: what is alike is linked, within compatible projects, and links by hand stay."""

from typing import Any

import pytest

from memorygraph import Memory, MemoryEngine
from memorygraph.errors import Conflict, Forbidden, InvalidInput, NotFound
from memorygraph.invariants import check_user
from tests.support.raw_graph import RawGraph

MOVED = "Ana moved to Leeds in May"
PARAPHRASE = "In May Ana moved to Leeds"
UNRELATED = "The printer on the second floor is out of paper"


async def links(memory: Memory, id: str) -> dict[str, str]:
    return {link.id: link.origin for link in (await memory.relatives(id)).links}


async def test_behaviour_14_a_paraphrase_is_linked_and_what_is_unrelated_is_not(memory: Memory) -> None:
    first = await memory.remember(MOVED)
    paraphrase = await memory.remember(PARAPHRASE)
    unrelated = await memory.remember(UNRELATED)
    assert [(of.id, of.text, of.linked) for of in paraphrase.similar] == [(first.id, MOVED, True)]
    assert paraphrase.similar[0].score >= 0.7
    assert await links(memory, first.id) == {paraphrase.id: "auto"}
    assert await links(memory, paraphrase.id) == {first.id: "auto"}
    assert (await links(memory, unrelated.id), unrelated.similar) == ({}, ())
    (link,) = (await memory.relatives(first.id)).links
    assert link.score == pytest.approx(paraphrase.similar[0].score)


async def test_behaviour_14_what_is_alike_in_one_batch_is_linked_to_at_most_three(memory: Memory) -> None:
    texts = [f"Ana moved to Leeds in May, said number {number}" for number in range(6)]
    written = [item.written for item in await memory.remember_many([{"text": text} for text in texts])]
    made = [sum(of.linked for of in one.similar) for one in written if one is not None]
    assert made == [0, 1, 2, 3, 3, 3]


@pytest.mark.parametrize(
    ("first", "second", "linked"),
    [("red", "blue", False), ("red", "red", True), ("red", None, True), (None, "red", True), (None, None, True)],
)
async def test_behaviour_14_nothing_is_linked_across_two_projects(
    memory: Memory, first: str | None, second: str | None, linked: bool
) -> None:
    one = await memory.remember(MOVED, project=first)
    other = await memory.remember(MOVED if first != second else PARAPHRASE, project=second)
    assert other.outcome == "created"
    assert await links(memory, other.id) == ({one.id: "auto"} if linked else {})


async def test_behaviour_15_a_text_that_is_no_longer_alike_loses_its_links_but_for_those_by_hand(
    engine: MemoryEngine, memory: Memory
) -> None:
    kept, lost = (await memory.remember(MOVED)).id, (await memory.remember(PARAPHRASE)).id
    edited = (await memory.remember("Ana moved to Leeds at the end of May")).id
    assert await links(memory, edited) == {kept: "auto", lost: "auto"}
    await memory.link(kept, edited)
    assert await links(memory, edited) == {kept: "manual", lost: "auto"}
    await memory.revise(edited, text=UNRELATED)
    assert await links(memory, edited) == {kept: "manual"}
    await memory.revise(edited, text="Ana moved to Leeds late in May")
    assert await links(memory, edited) == {kept: "manual", lost: "auto"}
    assert await links(memory, lost) == {kept: "auto", edited: "auto"}
    # What is not about the words leaves the links alone.
    await memory.revise(edited, importance=0.9, tags=["moves"])
    assert await links(memory, edited) == {kept: "manual", lost: "auto"}
    # Within another project it is like none of them any more.
    await memory.revise(kept, project="red")
    await memory.revise(edited, project="blue")
    assert await links(memory, edited) == {kept: "manual", lost: "auto"}
    await memory.revise(lost, project="red")
    assert await links(memory, lost) == {kept: "auto"}
    assert await check_user(engine.tools, memory.end_user_id) == []


async def test_a_retired_statement_is_no_candidate_for_a_link(memory: Memory) -> None:
    first = (await memory.remember(MOVED)).id
    await memory.retract(first, "wrong")
    paraphrase = await memory.remember(PARAPHRASE)
    assert (paraphrase.similar, await links(memory, paraphrase.id)) == ((), {})
    await memory.reinstate(first)
    again = await memory.remember("It was May when Ana moved to Leeds")
    assert set(await links(memory, again.id)) == {first, paraphrase.id}


async def test_what_is_linked_by_hand_is_unlinked_by_hand(engine: MemoryEngine, memory: Memory, raw: RawGraph) -> None:
    one, other = (await memory.remember(MOVED)).id, (await memory.remember(UNRELATED)).id
    await memory.link(one, other)
    await memory.link(other, one)  # is there already
    (link,) = (await memory.relatives(one)).links
    assert (link.id, link.origin, link.score) == (other, "manual", None)
    assert [of.action for of in await memory.events(limit=2)] == ["link", "remember:created"]
    before = await raw.everything(memory.end_user_id)
    reader = engine.memory(memory.end_user_id, scopes=["read"])
    wrong: list[tuple[type[Exception], Any]] = [
        (InvalidInput, memory.link(one, one)),
        (InvalidInput, memory.link(one, "")),
        (NotFound, memory.link(one, "nobody")),
        (NotFound, memory.unlink("nobody", one)),
        (Forbidden, reader.link(one, other)),
        (Forbidden, reader.unlink(one, other)),
    ]
    for error, call in wrong:
        with pytest.raises(error):
            await call
    assert [row for row in await raw.everything(memory.end_user_id) if "EndUser" not in row.get("labels", [])] == [
        row for row in before if "EndUser" not in row.get("labels", [])
    ]
    await memory.unlink(other, one)
    assert await links(memory, one) == {}
    with pytest.raises(NotFound):
        await memory.unlink(other, one)
    await memory.retract(other, "wrong")
    with pytest.raises(Conflict):
        await memory.link(one, other)
    assert await check_user(engine.tools, memory.end_user_id) == []
