"""Random lives of a memory, and what it says of itself after each step: what it has to say of that time ever after."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from memorygraph import Memory, SimulatedClock
from memorygraph.errors import MemoryGraphError
from memorygraph.records import Record
from memorygraph.times import from_ms

__all__ = ["found", "lead_a_life", "said"]

_ENTITIES = ("Ana", "Acme")  # whose cards are read
_PLACES = ("Acme", "Bolt", "York")
_EARLIER, _LATER = datetime(2021, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)

# Uses, and what is computed from them and from the present, are those of now.
_OF_NOW = {
    "first_access_at",
    "last_access_at",
    "access_count",
    "retention",
    "cold_at",
    "fusable_at",
    "effective_confidence",
}
_CHOICES: dict[str, dict[str, Any]] = {
    "what holds": {},
    "all": {"include": ["candidate", "superseded"]},
    "a kind": {"kinds": ["preference"], "tags": ["work"], "include": ["candidate"]},
    "what was true": {"project": "p", "as_of_valid": datetime(2023, 1, 1, tzinfo=UTC)},
    "what is true": {"as_of_valid": _LATER, "include": ["candidate"]},
}


async def said(memory: Memory, **as_of: Any) -> dict[str, Any]:
    """All that listing, cards and relations tell, but for uses; ``as_of`` goes to each of them."""
    told: dict[str, Any] = {}
    for name, choice in _CHOICES.items():
        page = await memory.list(limit=1000, **choice, **as_of)
        told[f"list of {name}"] = [_plain(item) for item in page.items]
    names = {entity.name for entity in (await memory.entities.list()).entities}
    for name in sorted(names & set(_ENTITIES)):
        relations = await memory.entities.relations(name, include_retired=True, **as_of)
        told[f"relations of {name}"] = [_plain(relation) for relation in relations]
        card = await memory.entities.get(name, limit=1000, **as_of)
        told[f"card of {name}"] = [_plain(item) for item in (*card.statements, *card.relations)]
    return {name: items for name, items in told.items() if items}


async def found(memory: Memory, **as_of: Any) -> list[dict[str, Any]]:
    """What recall finds, as :func:`said` has it; ranked by the words of now, it need not be all of it."""
    answer = await memory.recall("Where has Ana been", limit=1000, include=["candidate"], **as_of)
    return [_plain(hit.memory) for hit in answer.hits]


def _plain(record: Record) -> dict[str, Any]:
    told = {name: value for name, value in record.to_dict().items() if name not in _OF_NOW}
    for name in ("entities", "source_ids"):  # sets, in no order
        if name in told:
            told[name] = sorted(map(str, told[name]))
    return told


async def lead_a_life(memory: Memory, clock: SimulatedClock, chance: random.Random) -> None:
    """One random step; what cannot be done as things stand is not done."""
    page = await memory.list(limit=1000, include=["candidate", "superseded"])
    ids = [item.id for item in page.items] + [entry.target_id for entry in await memory.events(limit=5)]
    id, other = (chance.choice(ids or ["none"]) for _ in range(2))
    with suppress(MemoryGraphError):
        match chance.choices(range(12), weights=(8, 4, 3, 4, 3, 1, 3, 1, 1, 1, 2, 1))[0]:
            case 0:
                await memory.remember(**_statement(chance, clock))
            case 1:
                await memory.revise(id, **_revision(chance, clock))
            case 2:
                await memory.retract(id, "It was a mistake")
            case 3:
                await memory.reinstate(await _retired(memory, chance))
            case 4:
                await memory.supersede(id, other)
            case 5:
                await memory.pin(id)
            case 6:
                await memory.review.approve(id)
            case 7:
                await memory.review.reject(id, "It never was")
            case 8:
                await memory.expire_due()
            case 9:
                relations = await memory.entities.relations("Ana")
                await memory.entities.unrelate(chance.choice(relations).id if relations else "none")
            case 10:
                await memory.revert(((await memory.verify_events()).checked or 1) - chance.randint(0, 7))
            case _:
                await memory.entities.relate("Ana", "knows", "Bo", valid_from=chance.choice((None, _EARLIER)))


async def _retired(memory: Memory, chance: random.Random) -> str:
    left = [entry for entry in await memory.events(limit=1000) if entry.after and "status" in entry.after]
    return chance.choice(left).target_id if left else "none"


def _statement(chance: random.Random, clock: SimulatedClock) -> dict[str, Any]:
    who, place = chance.choice(("Ana", "Bo")), chance.choice(_PLACES)
    told: dict[str, Any] = {
        "text": f"{who} has been at {place}",
        "entities": [who, place],
        "tags": chance.choice(([], ["work"])),
        "project": chance.choice((None, None, "p")),
        "kind": chance.choice(("fact", "fact", "preference")),
        "derived": chance.random() < 0.25,
    }
    if chance.random() < 0.6:
        told |= {"subject": who, "predicate": "is at", "value": place, "functional": chance.choice((None, True))}
    if chance.random() < 0.6:
        told["relations"] = [(who, "is at", place)]
    if chance.random() < 0.4:
        told["valid_from"] = chance.choice((_EARLIER, _LATER))
    if chance.random() < 0.2:
        told["expires_at"] = from_ms(clock.now_ms()) + timedelta(hours=chance.randint(1, 9))
    return told


def _revision(chance: random.Random, clock: SimulatedClock) -> dict[str, Any]:
    now = from_ms(clock.now_ms())
    return chance.choice(
        (
            {"text": f"{chance.choice(('Ana', 'Bo'))} was seen {chance.randint(1, 9)} times"},
            {"tags": ["work"]},
            {"tags": [], "project": "p"},
            {"kind": "preference"},
            {"entities": [chance.choice(_PLACES)]},
            {"valid_from": _LATER},
            {"valid_to": _LATER},
            {"expires_at": now + timedelta(hours=chance.randint(1, 9))},
            {"importance": 0.9, "confidence": 0.4},
        )
    )
