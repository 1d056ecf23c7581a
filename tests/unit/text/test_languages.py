from __future__ import annotations

from memorygraph.text.languages import Language, all_languages, language_of_script
from memorygraph.text.normalise import fold


def words_of(language: Language) -> list[str]:
    return [
        *language.stop_words,
        *language.stems,
        *language.abbreviations,
        *language.abbreviations_before_numbers,
        *language.openers,
        *language.contents,
    ]


def test_english_and_chinese_have_data() -> None:
    assert [language.code for language in all_languages()] == ["en", "zh"]
    assert all(language.stop_words for language in all_languages())


def test_every_word_is_in_the_form_that_texts_are_compared_in() -> None:
    words = [word for language in all_languages() for word in words_of(language)]
    assert len(words) > 500
    assert [word for word in words if fold(word) != word] == []


def test_a_script_belongs_to_one_language() -> None:
    scripts = [script for language in all_languages() for script in language.scripts]
    assert sorted(scripts) == sorted(set(scripts))
    assert [language_of_script(script) for script in ("Latin", "Han")] == list(all_languages())
    assert language_of_script("Cyrillic") is None
