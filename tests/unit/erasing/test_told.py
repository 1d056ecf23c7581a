"""What a memory once claimed is told from its events, each of which holds only what it changed."""

from __future__ import annotations

import json
from typing import Any

from memorygraph.erasing.told import claims_told, tells_all, tells_claim

FIRST: dict[str, Any] = {"text": "W", "speaker": "Ana", "subject": None, "predicate": None, "value": None}


def events(*payloads: dict[str, Any] | None) -> list[dict[str, Any]]:
    return [
        {"seq": seq, "payload": None if payload is None else json.dumps(payload)}
        for seq, payload in enumerate(payloads, start=1)
    ]


def told(*payloads: dict[str, Any] | None, now: dict[str, Any] | None) -> set[tuple[int, str, str | None, Any]]:
    found = claims_told(events(*payloads), now)
    return {(seq, claim["text"], claim.get("speaker"), claim["predicate"]) for seq, claim in found}


def change(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {"before": before, "after": after}


def test_what_a_change_leaves_out_is_taken_from_the_events_before_it() -> None:
    found = told(
        {"after": FIRST},
        change({"text": "W"}, {"text": "V"}),
        change({"status": "active"}, {"status": "retracted"}),
        change({"speaker": "Ana"}, {"speaker": "Bob"}),
        change({"predicate": None, "value": None}, {"predicate": "is", "value": "x"}),
        now=None,
    )
    assert found == {
        (1, "W", "Ana", None),
        (2, "W", "Ana", None),
        (2, "V", "Ana", None),
        (4, "V", "Ana", None),
        (4, "V", "Bob", None),
        (5, "V", "Bob", None),
        (5, "V", "Bob", "is"),
    }


def test_where_earlier_events_were_erased_it_is_taken_from_what_the_memory_is_now() -> None:
    changes = (change({"text": "W"}, {"text": "V"}), change({"speaker": "Ana"}, {"speaker": "Bob"}))
    now = FIRST | {"text": "V", "speaker": "Bob"}
    found = told(None, *changes, now=now)
    assert {(2, "W", "Ana", None), (2, "V", "Ana", None), (3, "V", "Ana", None), (3, "V", "Bob", None)} <= found
    assert told(None, *changes, now=None) == {(2, "W", None, None), (2, "V", None, None)} | {
        (3, "V", "Ana", None),
        (3, "V", "Bob", None),
    }


def test_a_predicate_whose_value_nobody_knows_is_no_claim() -> None:
    assert told(None, change({"text": "W", "predicate": "is"}, {"text": "V"}), now=None) == {
        (2, "W", None, None),
        (2, "V", None, None),
    }


def test_only_what_says_something_of_the_claim_is_looked_at() -> None:
    assert tells_all({"after": FIRST})
    assert not tells_all({"after": {"text": "W"}})
    assert not tells_all({"before": {}, "after": FIRST})
    assert tells_claim({"before": {"value": "x"}})
    assert not tells_claim({"before": {"status": "active"}, "after": None})
    assert not tells_claim({})
