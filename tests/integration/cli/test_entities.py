"""entities: found, changed, merged and split, related."""

from __future__ import annotations

import pytest

from tests.integration.cli.conftest import CommandLine

pytestmark = pytest.mark.only_on("embedded")


def test_entities_are_found_changed_merged_and_split(memorygraph: CommandLine) -> None:
    assert memorygraph("entities", "list").out == "No entities.\n"
    memorygraph("remember", "Ana Torres moved to Leeds.", "--entity", "Ana Torres|person", "--entity", "Leeds|city")
    memorygraph("remember", "Anna Torres likes tea.", "--entity", "Anna Torres|person")
    listed = memorygraph("entities", "list", "torres", "--kind", "person", "--json").answer
    ana, anna = (entity["id"] for entity in listed["entities"])
    assert [entity["name"] for entity in listed["entities"]] == ["Ana Torres", "Anna Torres"]
    first = memorygraph("entities", "list", "torres", "--limit", "1").out
    assert "Ana Torres" in first
    assert (
        "Anna Torres" in memorygraph("entities", "list", "torres", "--cursor", first.split("--cursor ")[1].strip()).out
    )

    words = ["--description", "She bakes.", "--importance", "8", "--pin", "--json"]
    revised = memorygraph("entities", "revise", "ana torres", *words).answer
    assert (revised["id"], revised["importance"], revised["pinned"]) == (ana, 8, True)
    assert memorygraph("entities", "alias", ana, "Baker", "--json").answer["aliases"] == ["Baker"]
    card = memorygraph("entities", "show", "baker")
    assert card.out.startswith("Ana Torres (person), pinned\n")
    assert "She bakes." in card.out
    assert "Ana Torres moved to Leeds." in card.out
    assert memorygraph("entities", "alias", ana, "Baker", "--remove").out.startswith("Alias removed\nAna Torres")

    (pair,) = memorygraph("entities", "suggest", ana, "--json").answer["suggestions"]
    assert {pair["first"]["id"], pair["second"]["id"]} == {ana, anna}
    assert "spelled" in memorygraph("entities", "suggest").out
    merged = memorygraph("entities", "merge", ana, anna, "--reason", "One person.", "--json").answer
    assert (merged["entity"]["id"], merged["merged_id"]) == (ana, anna)
    shown = memorygraph("entities", "show", anna, "--json").answer
    assert {memory["text"] for memory in shown["statements"]} == {
        "Ana Torres moved to Leeds.",
        "Anna Torres likes tea.",
    }
    assert "merged" in memorygraph("entities", "show", ana).out
    split = memorygraph("entities", "split", ana, str(merged["seq"]))
    assert (split.code, split.out.splitlines()[0]) == (0, "Split")
    assert memorygraph("entities", "list", "torres", "--json").answer["entities"][1]["id"] == anna
    for words, code in (
        (["show", "Nobody"], "not_found"),
        (["split", ana, str(merged["seq"])], "conflict"),
        (["merge", ana, ana], "conflict"),
        (["alias", ana, "Anna Torres"], "conflict"),
        (["revise", ana, "--importance", "11"], "invalid_input"),
        (["suggest", "--least", "2"], "invalid_input"),
    ):
        refused = memorygraph("entities", *words, "--json")
        assert (refused.code, refused.out, refused.error["code"]) == (1, "", code), words


def test_entities_are_related_and_what_was_believed_can_be_read(memorygraph: CommandLine) -> None:
    told = memorygraph("remember", "Ana works at Acme.", "--relation", "Ana|works at|Acme", "--json").answer
    (id,) = told["relations"]
    since = ["--valid-from", "2024-01-01T00:00:00Z", "--weight", "0.5", "--create-missing"]
    ended = memorygraph("entities", "relate", "Ana", "lives in", "Leeds|city", *since, "--json").answer
    assert (ended["valid_from"], ended["weight"]) == ("2024-01-01T00:00:00+00:00", 0.5)
    assert ended["object"]["kind"] == "city"
    found = memorygraph("entities", "relations", "Ana", "--json").answer["relations"]
    assert {(of["id"], of["predicate"]) for of in found} == {(id, "works at"), (ended["id"], "lives in")}
    assert "Ana works at Acme\n" in memorygraph("entities", "relations", "Acme").out
    assert memorygraph("entities", "unrelate", id, "--reason", "She left.").out.startswith(
        "Not believed any more\nAna w"
    )
    assert memorygraph("entities", "relations", "Acme").out == "No relations.\n"
    assert "retired" in memorygraph("entities", "relations", "Acme", "--include-retired").out
    before = ["--as-of-valid", "2023-01-01T00:00:00Z", "--json"]
    assert memorygraph("entities", "relations", "Leeds", *before).answer == {"relations": []}
    changes = memorygraph("entities", "relation", id, "--json").answer
    assert changes["relation_id"] == id
    assert changes["changes"][-1]["action"] == "relate:retired"
    assert changes["changes"][-1]["after"]["retired_at"].endswith("+00:00")
    assert "She left." in " ".join(memorygraph("entities", "relation", id).out.split())
    for words, code in (
        (["relate", "Ana", "knows", "Nobody"], "not_found"),
        (["relate", "Ana", "knows", "Leeds", "--weight", "0"], "invalid_input"),
        (["unrelate", id], "conflict"),
        (["relation", "no-such-relation"], "not_found"),
        (["relations", "Nobody"], "not_found"),
    ):
        refused = memorygraph("entities", *words, "--json")
        assert (refused.code, refused.out, refused.error["code"]) == (1, "", code), words
