"""Behaviour 27 for ingesting: what is beyond a limit, or no text, is refused by name, and nothing of it is kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from memorygraph import MemoryEngine
from memorygraph.errors import InvalidInput, NaiveTime
from tests.support.ingestions import finished
from tests.support.raw_graph import RawGraph

GOOD = {"text": "The mill stands in Otley."}
MEGABYTE = "all work and no play " * 50_000
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"

# What is asked, and the argument that the refusal names.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "turns"),
    "two sources": ({"turns": [GOOD], "document": "x"}, "document"),
    "no turns": ({"turns": []}, "turns"),
    "no list of turns": ({"turns": "The mill stands in Otley."}, "turns"),
    "bytes for turns": ({"turns": b"The mill"}, "turns"),
    "20,001 turns": ({"turns": ["a mill"] * 20_001}, "turns"),
    "20,001 turns in a file": (
        {"data": '{"role": "user", "content": "a mill"}\n' * 20_001, "format": "messages"},
        "data",
    ),
    "10 MB in turns": ({"turns": [MEGABYTE] * 10}, "turns"),
    "10 MB in one turn": ({"turns": [MEGABYTE * 10]}, "turns"),
    "10 MB of a document": ({"document": MEGABYTE * 10}, "document"),
    "10 MB of a file": ({"data": MEGABYTE.encode() * 10}, "data"),
    "an empty turn": ({"turns": [GOOD, ""]}, "turns"),
    "a turn that nobody sees": ({"turns": [GOOD, " \u200b\n"]}, "turns"),
    "an empty document": ({"document": "\n \u00a0"}, "document"),
    "an empty file": ({"data": b""}, "data"),
    "a lone surrogate": ({"turns": [GOOD, {"text": "a \ud800 mill"}]}, "turns"),
    "a lone surrogate in a document": ({"document": "a \udfff mill"}, "document"),
    "a control character": ({"turns": ["a\x07mill"]}, "turns"),
    "a PDF": ({"data": PDF}, "data"),
    "a PDF by its name": ({"data": "text", "name": "report.pdf"}, "data"),
    "another encoding": ({"data": "Müller".encode("latin-1"), "name": "a.txt"}, "data"),
    "a document of bytes": ({"document": b"A mill."}, "document"),
    "an unknown key": ({"turns": [GOOD | {"tone": "glad"}]}, "turns"),
    "text and content": ({"turns": [{"text": "A mill.", "content": "A well."}]}, "turns"),
    "a number for a turn": ({"turns": [GOOD, 7]}, "turns"),
    "no text in a turn": ({"turns": [{"speaker": "Ana"}]}, "turns"),
    "the same position twice": ({"turns": [GOOD | {"position": 1}, {"text": "A well.", "position": 1}]}, "turns"),
    "positions for some": ({"turns": [GOOD | {"position": 1}, {"text": "A well."}]}, "turns"),
    "a position below 0": ({"turns": [GOOD | {"position": -1}]}, "turns"),
    "a position of 2^53": ({"turns": [GOOD | {"position": 2**53}]}, "turns"),
    "a speaker of 201 characters": ({"turns": [GOOD | {"speaker": "A" * 201}]}, "turns"),
    "a role of 101 characters": ({"turns": [GOOD | {"role": "A" * 101}]}, "turns"),
    "a naive time of a turn": ({"turns": [GOOD | {"occurred_at": "2026-03-01T00:30:00"}]}, "turns"),
    "a title of turns": ({"turns": [GOOD], "title": "Mills"}, "title"),
    "a title of 201 characters": ({"document": "A mill.", "title": "A" * 201}, "title"),
    "a name without data": ({"document": "A mill.", "name": "a.md"}, "name"),
    "a format that is none": ({"data": "A mill.", "format": "docx"}, "format"),
    "11 tags": ({"turns": [GOOD], "tags": [str(number) for number in range(11)]}, "tags"),
    "a text for tags": ({"turns": [GOOD], "tags": "mill"}, "tags"),
    "a session of two lines": ({"turns": [GOOD], "session_id": "a\nb"}, "session_id"),
    "a project of 201 characters": ({"turns": [GOOD], "project": "A" * 201}, "project"),
    "an unknown zone": ({"turns": [GOOD], "zone": "Mars/Olympus"}, "zone"),
    "no zone": ({"turns": [GOOD], "zone": None}, "zone"),
    "a day that the zone does not know": (
        {"turns": [GOOD], "occurred_at": "9999-12-31T23:00:00Z", "zone": "Pacific/Kiritimati"},
        "occurred_at",
    ),
    "a day of a turn that the zone does not know": (
        {"turns": [GOOD | {"occurred_at": "0001-01-01T01:00:00Z"}], "zone": "America/New_York"},
        "occurred_at",
    ),
}


async def test_behaviour_27_what_is_beyond_a_limit_is_refused_by_name_and_leaves_nothing(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    await finished(engine, memory, await memory.ingest([GOOD], session_id="s"))
    before = await raw.everything(user)
    for what, (asked, field) in REFUSED.items():
        with pytest.raises(InvalidInput) as refused:
            await memory.ingest(**asked)
        assert refused.value.field == field, what
    assert await raw.everything(user) == before
    assert len(await memory.jobs.list()) == 1
    nobody = engine.memory(f"{user}-nobody")
    with pytest.raises(InvalidInput):
        await nobody.ingest([])
    assert await raw.everything(nobody.end_user_id) == []


async def test_behaviour_22_a_naive_time_is_refused_and_one_with_an_offset_is_taken(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    for naive in ("2026-03-01T00:30:00", datetime(2026, 3, 1, 0, 30)):  # noqa: DTZ001
        with pytest.raises(NaiveTime):
            await memory.ingest([GOOD], occurred_at=naive)
    assert await raw.everything(user) == []
    job = await memory.ingest([GOOD], occurred_at="2026-03-01T00:30:00+14:00", zone="Pacific/Kiritimati")
    assert (await finished(engine, memory, job)).state == "succeeded"
    assert str((await memory.recall("mill")).hits[0].memory.occurred_at) == "2026-02-28 10:30:00+00:00"


async def test_behaviour_27_what_is_just_within_the_limits_is_taken(
    engine: MemoryEngine, user: str, raw: RawGraph
) -> None:
    memory = engine.memory(user)
    turns = [
        {"text": "The mill stands in Otley. " * 150, "speaker": "A" * 200, "role": "user", "position": 2**53 - 1},
        {"text": "\tA well\r\nand a 🦊 fox\u2028", "role": "R" * 100, "position": 0},
    ]
    job = await memory.ingest(
        turns, session_id="s" * 200, tags=[f"{n}" * 50 for n in range(10)], project="p" * 200, source="q" * 200
    )
    done = await finished(engine, memory, job)
    # The longer of the two is too long for one statement, and says one thing.
    assert (done.state, done.result) == ("succeeded", {"episodes": 2, "created": 2})
    kept = await raw.run("MATCH (p:Episode {end_user_id: $u}) RETURN p.text AS t, p.position AS n ORDER BY n", u=user)
    assert [(row["t"], row["n"]) for row in kept] == [
        (turns[1]["text"], 0),
        (turns[0]["text"], 2**53 - 1),
    ]
