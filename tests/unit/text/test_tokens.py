from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph.text import query_tokens, scope_token, search_text, tokenise

ANY_TEXT = st.text(max_size=200)


def test_words_are_folded_stemmed_and_freed_of_stop_words() -> None:
    assert tokenise("She was Running to the Races") == ["run", "race"]


def test_words_that_the_stemmer_gets_wrong_are_put_right() -> None:
    assert tokenise("added adding add") == ["add"] * 3
    assert tokenise("organization") == tokenise("organised") != tokenise("organ")


def test_a_text_of_stop_words_alone_keeps_them() -> None:
    assert tokenise("To be or not to be") == ["to", "be", "or", "not", "to", "be"]


@pytest.mark.parametrize("text", ["", "  \n", "?!… —", "§§§"])
def test_a_text_without_words_gives_no_tokens(text: str) -> None:
    assert tokenise(text) == []


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("It failed with ERR_7F3A.", "err_7f3a", ["err", "7f3a"]),
        ("release v2.3.1, today", "v2.3.1", ["v2", "3", "1"]),
        ("write to ana@example.org's desk", "ana@example.org", ["ana", "exampl", "org"]),
        ("see PROJ-1234", "proj-1234", ["proj", "1234"]),
        ("call __init__ first", "__init__", ["init"]),
        ("she works for AT&T", "at&t", []),
        ("meet at 10:30", "10:30", ["10", "30"]),
    ],
)
def test_an_identifier_is_kept_whole_and_in_parts(text: str, whole: str, parts: list[str]) -> None:
    tokens = tokenise(text)
    assert whole in tokens
    assert tokens[tokens.index(whole) + 1 :][: len(parts)] == parts


def test_joined_words_are_no_identifier() -> None:
    assert tokenise("and/or well-known") == ["well", "known"]


def test_languages_whose_names_are_signs_stay_apart() -> None:
    assert "c++" in tokenise("written in C++")
    assert "c++" not in tokenise("written in C")
    assert "c#" in tokenise("written in C#")
    assert "c#" not in tokenise("the tag #c")


def test_a_possessive_is_cut_and_a_name_with_an_apostrophe_is_not() -> None:
    assert tokenise("Ana's book") == tokenise("Ana’s book") == ["ana", "book"]
    assert "brien" in tokenise("O'Brien")


def test_a_contraction_is_a_stop_word() -> None:
    assert tokenise("I won't move") == ["move"]
    assert tokenise("we won") == ["won"]


def test_chinese_is_found_by_a_word_within_a_sentence() -> None:
    tea, sport = tokenise("我喜欢普洱茶"), tokenise("我喜欢健身")
    assert set(query_tokens("普洱")) <= set(tea)
    assert not set(query_tokens("普洱")) & set(sport)
    assert set(query_tokens("茶")) <= set(tea)
    assert "的" not in tokenise("我的茶")
    assert "我们" not in tokenise("我们喝茶")


def test_one_character_of_a_chinese_word_is_not_looked_for() -> None:
    assert "普" in tokenise("普洱")
    assert "普" not in query_tokens("普洱")


def test_korean_words_run_together_meet_the_same_words_apart() -> None:
    apart = set(tokenise("스코프 랩스"))
    assert len(apart & set(query_tokens("스코프랩스"))) == 3
    assert not apart & set(query_tokens("푸른 하늘"))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Die Katze schläft auf dem Sofa", "schläft"),
        ("المدينة القديمة جميلة", "القديمة"),
        ("私は寿司を食べる", "寿司"),
        ("हिन्दी में लिखा है", "हिन्दी"),
        ("ประเทศไทยสวยงาม", "ไทย"),
        ("Party 🎉 tonight", "🎉"),
        ("Москва красивый город", "город"),
        ("日本語のERR_7F3A에서", "err_7f3a"),
    ],
)
def test_every_script_is_found_by_its_words(text: str, word: str) -> None:
    assert set(query_tokens(word)) <= set(tokenise(text))
    assert query_tokens(word)


def test_composed_and_decomposed_forms_are_one() -> None:
    assert tokenise(unicodedata.normalize("NFC", "café")) == tokenise(unicodedata.normalize("NFD", "café")) == ["café"]


@given(ANY_TEXT)
def test_tokens_are_stable_under_normal_forms(text: str) -> None:
    assert (
        tokenise(unicodedata.normalize("NFC", text))
        == tokenise(unicodedata.normalize("NFD", text))
        == tokenise(unicodedata.normalize("NFKC", text))
    )


@given(ANY_TEXT)
def test_tokens_hold_no_white_space_and_never_begin_with_the_scope_mark(text: str) -> None:
    for token in tokenise(text) + query_tokens(text):
        assert token.split() == [token]
        assert not token.startswith("§")


@given(ANY_TEXT)
def test_what_a_text_asks_for_is_among_what_it_is_indexed_under(text: str) -> None:
    assert set(query_tokens(text)) <= set(tokenise(text))


@given(ANY_TEXT, ANY_TEXT)
def test_no_text_produces_the_scope_token(text: str, end_user_id: str) -> None:
    scope = scope_token(end_user_id)
    assert scope not in tokenise(text) + tokenise(scope) + tokenise(f"{text} {scope} {text}")
    assert search_text(end_user_id, scope + text).split().count(scope) == 1


@given(ANY_TEXT, ANY_TEXT)
def test_two_users_have_two_scope_tokens(one: str, other: str) -> None:
    assert (scope_token(one) == scope_token(other)) == (one == other)


def test_search_text_begins_with_the_scope_and_adds_what_names_say_beyond_the_text() -> None:
    stored = search_text("alice", "Ana works at Acme", speaker="Bob", names=["Acme", "Acme Corporation", "Ana"])
    assert stored == f"{scope_token('alice')} ana work acm bob corpor"


def test_search_text_of_a_text_without_words_is_the_scope_alone() -> None:
    assert search_text("alice", "?!") == scope_token("alice")


def test_an_endless_word_is_cut_and_an_endless_identifier_left_to_its_parts() -> None:
    assert tokenise("x" * 500) == ["x" * 64]
    assert tokenise("_".join(["ab"] * 200)) == ["ab"] * 200
