from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memorygraph.writing.events import GENESIS, Event, canonical_json, first_fault

texts = st.text(max_size=30)


@st.composite
def chains(draw: st.DrawFn, least: int = 1) -> list[dict[str, Any]]:
    stored: list[dict[str, Any]] = []
    prev = GENESIS
    for seq in range(1, draw(st.integers(least, 6)) + 1):
        event = Event(
            at=draw(st.integers(0, 2**45)),
            actor=draw(texts),
            action="remember:created",
            target_id=draw(texts),
            target_type="Statement",
            changed_ids=draw(st.lists(texts, max_size=3)),
            payload={"after": draw(st.dictionaries(texts, st.one_of(texts, st.none(), st.floats(0, 1))))},
            cycle_id=draw(st.none() | texts),
        )
        stored.append(event.properties(seq=seq, prev_hash=prev))
        prev = stored[-1]["hash"]
    return stored


@given(chains())
def test_an_untouched_chain_verifies(chain: list[dict[str, Any]]) -> None:
    assert first_fault(chain, after=0, prev_hash=GENESIS) is None


@given(chains(), st.data())
def test_any_edit_of_any_event_is_named(chain: list[dict[str, Any]], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(chain) - 1))
    edits = {
        "at": chain[place]["at"] + 1,
        "actor": chain[place]["actor"] + "x",
        "action": "erase",
        "target_id": chain[place]["target_id"] + "x",
        "target_type": "Entity",
        "cycle_id": "other",
        "idempotency_key": "other",
        "request_digest": "other",
        "changed_ids": [*chain[place]["changed_ids"], "x"],
        "payload": chain[place]["payload"] + " ",
        "payload_hash": "0",
        "salt": "0",
        "prev_hash": "0",
        "hash": "0",
    }
    # What is never stored as null reads back as missing; both are covered by the hash.
    name = data.draw(st.sampled_from(sorted(edits)))
    edited = [dict(event) for event in chain]
    edited[place][name] = edits[name]
    fault = first_fault(edited, after=0, prev_hash=GENESIS)
    assert fault is not None
    assert fault[0] == place + 1


@given(chains(least=2), st.data())
def test_a_removed_event_is_named(chain: list[dict[str, Any]], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(chain) - 2))
    fault = first_fault(chain[:place] + chain[place + 1 :], after=0, prev_hash=GENESIS)
    assert fault is not None
    assert fault[0] == place + 1


@given(chains())
def test_an_erased_payload_leaves_the_chain_whole(chain: list[dict[str, Any]]) -> None:
    erased = [{name: value for name, value in event.items() if name not in ("payload", "salt")} for event in chain]
    assert first_fault(erased, after=0, prev_hash=GENESIS) is None
    half = [{**chain[0], "salt": None}, *chain[1:]]
    assert first_fault(half, after=0, prev_hash=GENESIS) == (1, "event 1 lost half of its payload")


@given(st.dictionaries(texts, st.one_of(texts, st.integers(), st.none())))
def test_equal_values_have_one_canonical_form(value: dict[str, Any]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)
