"""Which names a text names, which predicates are one, and how alike two entities are."""

import numpy as np
import pytest

from memorygraph.entities.named_in import named_in
from memorygraph.entities.suggestions import Candidate, likeness, suggest
from memorygraph.records import EntityRef
from memorygraph.text.normalise import normalise_predicate


def candidate(name: str, kind: str = "person", *aliases: str) -> Candidate:
    return Candidate(ref=EntityRef(id=f"{name}/{kind}", name=name, kind=kind), names=(name, *aliases))


@pytest.mark.parametrize(
    ("text", "keys", "named"),
    [
        ("Bob called.", ["bob", "rob"], {"bob"}),
        ("Bobby called Robert's wife", ["bob", "robert"], {"robert"}),
        ("BOB SMITH called", ["bob", "bob smith"], {"bob smith"}),
        ("Bob and Bob Smith", ["bob", "bob smith"], {"bob", "bob smith"}),
        ("我在上海工作", ["上海", "北京"], {"上海"}),
        ("a c++ file", ["c++", "c"], {"c++"}),
        ("nothing", [], set()),
    ],
)
def test_a_text_names_what_it_says_as_whole_words(text: str, keys: list[str], named: set[str]) -> None:
    assert named_in(text, keys) == named


def test_two_spellings_of_a_predicate_are_one_and_others_are_not() -> None:
    assert normalise_predicate("works_at") == normalise_predicate("Works  at") == "works at"
    assert normalise_predicate("non-compliant") != normalise_predicate("compliant")
    assert normalise_predicate("_") == "_"
    assert normalise_predicate("由…组成")


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        (candidate("Catherine Jones"), candidate("Katherine Jones"), 0.8, 1.0),
        (candidate("Jones, Kate"), candidate("Kate Jones"), 0.8, 1.0),
        (candidate("Robert", "person", "Bob"), candidate("Bob"), 1.0, 1.0),
        (candidate("DGIA", "office"), candidate("Direction Générale des Impôts Agricoles", "office"), 0.0, 0.7),
        (candidate("WHO", "office"), candidate("World Health Organization", "office"), 0.7, 0.8),
        (candidate("Bob"), candidate("Bob Smith"), 0.6, 0.75),
        (candidate("Bob", "unknown"), candidate("Bob"), 0.8, 0.95),
        (candidate("Jordan"), candidate("Jordan", "city"), 0.0, 0.5),
        (candidate("Tarea 5", "task"), candidate("Tarea 6", "task"), 0.0, 0.3),
        (candidate("iPhone", "thing"), candidate("iPhone 5", "thing"), 0.0, 0.3),
        (candidate("Plan A", "plan"), candidate("Plan B", "plan"), 0.0, 0.3),
        (candidate("Phase I", "phase"), candidate("Phase II", "phase"), 0.0, 0.3),
        (candidate("Ana"), candidate("Boris"), 0.0, 0.1),
    ],
)
def test_likeness_is_high_for_one_thing_spelled_twice_and_low_for_two_things(
    one: Candidate, other: Candidate, least: float, most: float
) -> None:
    score, why = likeness(one, other, None)
    assert least <= score <= most
    assert likeness(other, one, None)[0] == score
    assert bool(why) == (score > 0)


def test_meaning_speaks_for_two_names_but_not_against_their_numbers() -> None:
    score, why = likeness(candidate("car", "thing"), candidate("automobile", "thing"), 0.9)
    assert score == pytest.approx(0.72)
    assert "cosine 0.90" in why[-1]
    assert likeness(candidate("Tarea 5"), candidate("Tarea 6"), 0.99)[0] <= 0.3
    assert likeness(candidate("car", "thing"), candidate("sky", "thing"), 0.3) == (0.0, [])


def test_suggestions_are_the_best_first_and_only_about_the_one_that_is_asked_for() -> None:
    names = ["Ana Lopez", "Anna Lopez", "car", "automobile", "World Health Organization", "W.H.O.", "Boris"]
    candidates = [candidate(name) for name in names]
    vectors = np.eye(4, dtype=np.float32)
    vectors[3] = vectors[2]
    found = suggest(candidates, vectors, about=None, least=0.6)
    assert [(one.first.name, one.second.name) for one in found] == [
        ("Ana Lopez", "Anna Lopez"),
        ("car", "automobile"),
        ("World Health Organization", "W.H.O."),
    ]
    about = suggest(candidates, vectors, about="W.H.O./person", least=0.6)
    assert [one.second.name for one in about] == ["W.H.O."]
    assert suggest(candidates, vectors, about="Boris/person", least=0.0) == []
    assert suggest([], np.empty((0, 4), dtype=np.float32), about=None, least=0.0) == []
