"""The verbs of a memory's life: supersede, retract, reinstate, pin, unpin, link, unlink."""

from __future__ import annotations

import pytest

from tests.integration.cli.conftest import CommandLine

pytestmark = pytest.mark.only_on("embedded")


def test_a_memory_is_superseded_retracted_and_reinstated(memorygraph: CommandLine) -> None:
    old, new = (memorygraph("remember", f"Tea at {hour}.", "--json").answer["id"] for hour in ("four", "five"))
    done = memorygraph("supersede", old, new, "--reason", "It was moved.", "--json")
    assert (done.code, done.answer["id"], done.answer["status"]) == (0, old, "superseded")

    def texts() -> set[str]:
        return {hit["memory"]["text"] for hit in memorygraph("recall", "tea", "--json").answer["hits"]}

    assert texts() == {"Tea at five."}
    shown = memorygraph("retract", new, "--reason", "Nobody came.")
    assert shown.out.splitlines()[:2] == ["Retracted", "Tea at five."]
    assert "retracted" in shown.out
    assert memorygraph("reinstate", old, "--json").answer["status"] == "active"
    assert texts() == {"Tea at four."}
    again = memorygraph("reinstate", old, "--json")
    assert (again.code, again.out, again.error["code"]) == (1, "", "conflict")
    unreasoned = memorygraph("retract", old)
    assert (unreasoned.code, unreasoned.out) == (2, "")
    assert memorygraph("supersede", old, old, "--json").error["code"] == "invalid_input"


def test_a_memory_is_pinned_and_linked_by_hand(memorygraph: CommandLine) -> None:
    first, second = (memorygraph("remember", text, "--json").answer["id"] for text in ("Tea at four.", "A red boat."))
    pinned = memorygraph("pin", first)
    assert (pinned.code, pinned.out.splitlines()[:2]) == (0, ["Pinned", "Tea at four."])
    assert memorygraph("get", first, "--json").answer["pinned"] is True
    assert memorygraph("unpin", first, "--json").answer["pinned"] is False
    assert memorygraph("link", first, second).out.splitlines()[0] == f"Linked to {second}"
    assert memorygraph("unlink", second, first, "--json").answer["id"] == second
    for words, code in (
        (("unlink", first, second), "not_found"),
        (("link", first, "no-such-id"), "not_found"),
        (("pin", "no-such-id"), "not_found"),
    ):
        refused = memorygraph(*words, "--json")
        assert (refused.code, refused.out, refused.error["code"]) == (1, "", code)
