"""list, get as of earlier, history, revert and audit."""

from __future__ import annotations

import asyncio
import re

import pytest

from memorygraph.settings import Settings
from tests.integration.cli.conftest import CommandLine
from tests.support.raw_graph import raw_graph

pytestmark = pytest.mark.only_on("embedded")


def test_what_happened_is_told_and_undone_and_verified(memorygraph: CommandLine, settings: Settings, user: str) -> None:
    assert memorygraph("list").out == "No memories.\n"
    assert memorygraph("audit", "events").out == "No events.\n"
    id = memorygraph("remember", "Tea at four.", "--importance", "4", "--json").answer["id"]
    before = memorygraph("get", id, "--json").answer["recorded_at"]
    memorygraph("revise", id, "--importance", "9", "--valid-from", "2026-03-01T00:00:00Z", "--title", "Tea")
    told = memorygraph("history", id, "--json").answer
    assert told["id"] == id
    newest, oldest = told["events"]
    assert (newest["action"], oldest["action"]) == ("revise", "remember:created")
    assert (newest["actor"], newest["before"]["importance"], newest["after"]["importance"]) == ("cli", 4, 9)
    assert newest["after"]["valid_from"] == "2026-03-01T00:00:00+00:00"
    people = " ".join(memorygraph("history", id, "--limit", "1").out.split())
    assert "importance: 4 → 9" in people
    assert "remember:created" not in people
    assert memorygraph("get", id, "--as-of-recorded", before, "--json").answer["title"] is None

    undone = memorygraph("revert", str(newest["seq"]), "--reason", "Too early.", "--json")
    assert (undone.code, undone.answer["reverts"]) == (0, newest["seq"])
    assert memorygraph("get", id, "--json").answer["importance"] == 4
    again = memorygraph("revert", str(newest["seq"]), "--json")
    assert (again.code, again.out, again.error["code"]) == (1, "", "conflict")
    assert f"undoes event {newest['seq']}" in " ".join(memorygraph("audit", "events").out.split())
    numbers = [event["seq"] for event in memorygraph("audit", "events", "--before", "3", "--json").answer["events"]]
    assert numbers == [2, 1]
    whole = memorygraph("audit", "verify", "--json")
    head = whole.answer["head_hash"]
    assert re.fullmatch("[0-9a-f]{64}", head)
    assert (whole.code, whole.answer) == (
        0,
        {"ok": True, "checked": 3, "head_hash": head, "broken_seq": None, "reason": None},
    )
    assert memorygraph("audit", "verify").out == "The chain is whole: 3 events.\n"
    asyncio.run(_edit_first_event(settings, user))
    broken = memorygraph("audit", "verify", "--json")
    assert (broken.code, broken.err, broken.answer["ok"], broken.answer["broken_seq"]) == (1, "", False, 1)
    assert memorygraph("audit", "verify").out.startswith("Broken at event 1: ")
    for words, code in (
        (("history", "no-such-id"), "not_found"),
        (("revert", "99"), "not_found"),
        (("revert", "1"), "conflict"),
        (("get", id, "--as-of-recorded", "2020-01-01T00:00:00Z"), "not_found"),
        (("audit", "events", "--limit", "0"), "invalid_input"),
    ):
        refused = memorygraph(*words, "--json")
        assert (refused.code, refused.out, refused.error["code"]) == (1, "", code)


async def _edit_first_event(settings: Settings, user: str) -> None:
    async with raw_graph(settings) as graph:
        await graph.run("MATCH (e:Event {end_user_id: $user, seq: 1}) SET e.actor = 'somebody else'", user=user)


def test_memories_are_listed_by_pages_and_narrowed(memorygraph: CommandLine) -> None:
    for text, words in (
        ("Tea at four.", ["--tag", "tea", "--project", "home"]),
        ("A red boat.", ["--kind", "observation"]),
        ("Cake at five.", ["--tag", "tea", "--derived"]),
    ):
        memorygraph("remember", text, *words)

    def texts(*words: str) -> list[str]:
        return [item["text"] for item in memorygraph("list", *words, "--json").answer["items"]]

    assert texts() == ["A red boat.", "Tea at four."]
    assert texts("--include", "candidate") == ["Cake at five.", "A red boat.", "Tea at four."]
    assert texts("--tag", "tea", "--project", "home") == ["Tea at four."]
    assert texts("--kind", "observation") == ["A red boat."]
    page = memorygraph("list", "--limit", "1")
    assert page.out.startswith("A red boat.\n")
    assert memorygraph("list", "--cursor", page.out.split("--cursor ")[1].strip()).out.startswith("Tea at four.\n")
    refused = memorygraph("list", "--cursor", "nonsense", "--json")
    assert (refused.code, refused.out, refused.error["code"]) == (1, "", "invalid_input")
