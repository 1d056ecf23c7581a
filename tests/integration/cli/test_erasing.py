"""erase: looked at first, asked for, and done."""

from __future__ import annotations

import io
import sys

import pytest

from tests.integration.cli.conftest import CommandLine

pytestmark = pytest.mark.only_on("embedded")


class Keyboard(io.StringIO):
    """Somebody at a terminal who types."""

    def isatty(self) -> bool:
        return True


def test_what_is_erased_is_looked_at_asked_for_and_gone(
    memorygraph: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = memorygraph("remember", "The word is Quillfeather.", "--json").answer["id"]
    kept = memorygraph("remember", "Tea at four.", "--json").answer["id"]
    planned = memorygraph("erase", secret, "--dry-run", "--json").answer
    assert (planned["id"], planned["dry_run"], planned["statements"]) == (None, True, [secret])
    shown = memorygraph("erase", "--match", "quillfeather", "--dry-run")
    assert (shown.code, shown.out.splitlines()[0]) == (0, "Would be erased:")
    assert secret in shown.out

    for typed in ("n\n", ""):
        monkeypatch.setattr(sys, "stdin", Keyboard(typed))
        declined = memorygraph("erase", secret)
        assert (declined.code, declined.out.splitlines()[-1]) == (1, "Nothing was erased.")
        assert "Erase it for good?" in declined.err
    assert memorygraph("get", secret, "--json").code == 0
    monkeypatch.setattr(sys, "stdin", Keyboard("y\n"))
    done = memorygraph("erase", secret)
    assert done.code == 0
    assert "Erased, as " in done.out
    lost = memorygraph("get", secret, "--json")
    assert (lost.code, lost.error["code"]) == (1, "not_found")
    assert memorygraph("get", kept, "--json").code == 0

    again = memorygraph("remember", "The word is Quillfeather.", "--json")
    assert (again.code, again.answer["outcome"], again.answer["refusal"]["kind"]) == (1, "refused", "erased")
    by_words = memorygraph("erase", "--match", "four", "--yes", "--json").answer
    assert (by_words["dry_run"], by_words["statements"]) == (False, [kept])
    assert memorygraph("list", "--json").answer["items"] == []


def test_nothing_is_erased_where_nobody_can_be_asked_or_nothing_was_named(memorygraph: CommandLine) -> None:
    id = memorygraph("remember", "Tea at four.", "--json").answer["id"]
    for words, code, field in (
        ((id,), "invalid_input", "yes"),
        (("--yes",), "invalid_input", "id"),
        ((id, "--match", "tea", "--yes"), "invalid_input", "id"),
        (("no-such-id", "--yes"), "not_found", None),
    ):
        refused = memorygraph("erase", *words, "--json")
        assert (refused.code, refused.out) == (1, "")
        assert (refused.error["code"], refused.error.get("field")) == (code, field)
    assert memorygraph("get", id, "--json").code == 0
