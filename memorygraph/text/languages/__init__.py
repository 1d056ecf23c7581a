"""What the text functions know about each language: one TOML file per language in this folder, and nothing elsewhere.

A language without a file is still tokenised and split; it only lacks stop words and stems.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = [
    "Courtesies",
    "Language",
    "TimeWords",
    "all_abbreviations",
    "all_contents_headings",
    "all_languages",
    "all_name_particles",
    "all_openers",
    "all_small_talk",
    "all_verbs",
    "language_of_script",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWords:
    """How a language speaks of time. Words and phrases are regular expressions, a space any white space."""

    spaced: bool  # words are separated, so that a phrase never begins or ends within one
    numbers: dict[int, str]
    units: dict[str, str]  # day, week, month, year, as they are counted
    periods: dict[str, str]  # week, month, year, as "last" stands before them
    weekdays: dict[int, str]  # 1 is Monday
    months: dict[int, str]
    parts: dict[str, str]  # morning, afternoon, evening, night
    years: dict[int, str]  # a year's name by its distance from this one: last year is -1
    phrases: tuple[tuple[str, str, int], ...]  # pattern, what it means, how far away
    beside: str  # what may stand beside a phrase without changing it: "on", a comma
    since: str  # what stands before a time from which on something holds
    starting: str  # the like, where the words of "onwards" have to follow
    onwards: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Courtesies:
    """What people say without saying anything: "thanks so much", "haha"."""

    phrases: frozenset[str]  # words separated by single spaces
    fillers: frozenset[str]  # words that may stand among the phrases
    syllables: frozenset[str]  # said twice or more, they are a laugh


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionWords:
    """What words and phrases do in a sentence that asserts something; see :mod:`memorygraph.text.assertions`."""

    negations: dict[str, str]  # what denies, with what is said without it ("" for nothing)
    contractions: dict[str, str]  # what follows an apostrophe, with the word it stands for ("" for none)
    opposites: dict[str, str]  # of one thing at one time only the word or its opposite holds
    numbers: dict[str, int]
    roles: dict[str, frozenset[str]]  # by the name of the role, words and phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language's data; every word is NFKC and case-folded."""

    code: str  # ISO 639-1, the name of the file
    scripts: frozenset[str]  # the scripts whose words are taken to be in this language
    stemmer: str | None  # name of the Snowball algorithm
    stems: dict[str, str]  # words that the stemmer gets wrong, with their stem
    stop_words: frozenset[str]
    abbreviations: frozenset[str]  # without their last full stop
    abbreviations_before_numbers: frozenset[str]  # abbreviations only when a number follows
    openers: frozenset[str]  # capitalised, at the beginning of a sentence or anywhere, and yet no name; they say little
    opening_words: frozenset[str]  # the like that say something
    name_particles: frozenset[str]  # small words within a name
    verbs: frozenset[str]  # what often follows a name at the beginning of a sentence
    contents: frozenset[str]  # headings of a table of contents
    times: TimeWords | None
    courtesies: Courtesies | None
    assertions: AssertionWords


def _words(data: dict[str, Any], table: str) -> frozenset[str]:
    groups: dict[str, str] = data.get(table, {})
    return frozenset(word for group in groups.values() for word in group.split())


def _times(data: dict[str, Any]) -> TimeWords:
    def numbered(table: str) -> dict[int, str]:
        return {int(number): words for number, words in data.get(table, {}).items()}

    return TimeWords(
        spaced=data["spaced"],
        numbers=numbered("numbers"),
        units=data["units"],
        periods=data["periods"],
        weekdays=numbered("weekdays"),
        months=numbered("months"),
        parts=data["parts"],
        years=numbered("years"),
        phrases=tuple((pattern, meaning, distance) for pattern, meaning, distance in data["phrases"]),
        beside=data["beside"],
        since=data["since"],
        starting=data["starting"],
        onwards=data["onwards"],
    )


def _courtesies(data: dict[str, Any]) -> Courtesies:
    return Courtesies(
        phrases=frozenset(phrase for group in data["phrases"].values() for phrase in group),
        fillers=_words(data, "fillers"),
        syllables=frozenset(data["syllables"].split()),
    )


def _assertions(data: dict[str, Any]) -> AssertionWords:
    def phrases(words: str) -> list[str]:
        return [word.replace("_", " ") for word in words.split()]

    return AssertionWords(
        negations={
            phrase: rest.replace("_", "")
            for rest, words in data.get("negations", {}).items()
            for phrase in phrases(words)
        },
        contractions=data.get("contractions", {}),
        opposites=data.get("opposites", {}),
        numbers=data.get("number_words", {}),
        roles={
            role: frozenset(phrase for words in groups.values() for phrase in phrases(words))
            for role, groups in data.get("roles", {}).items()
        },
    )


@cache
def all_languages() -> tuple[Language, ...]:
    """Every language that has a file, sorted by code."""
    import tomllib  # both are needed with the first text only, and slow to load
    from importlib import resources

    found = []
    for file in resources.files(__name__).iterdir():
        if not file.name.endswith(".toml"):
            continue
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        found.append(
            Language(
                code=file.name.removesuffix(".toml"),
                scripts=frozenset(data["scripts"]),
                stemmer=data.get("stemmer"),
                stems={word: stem for stem, words in data.get("stems", {}).items() for word in words.split()},
                stop_words=_words(data, "stop_words"),
                abbreviations=_words(data, "abbreviations"),
                abbreviations_before_numbers=_words(data, "abbreviations_before_numbers"),
                openers=_words(data, "openers"),
                opening_words=_words(data, "opening_words"),
                name_particles=_words(data, "name_particles"),
                verbs=_words(data, "verbs"),
                contents=frozenset(data.get("contents", {}).get("headings", ())),
                times=_times(data["times"]) if "times" in data else None,
                courtesies=_courtesies(data["courtesies"]) if "courtesies" in data else None,
                assertions=_assertions(data.get("assertions", {})),
            )
        )
    return tuple(sorted(found, key=lambda language: language.code))


@cache
def language_of_script(script: str) -> Language | None:
    """The language whose words are written in ``script`` (``"Latin"``, ``"Han"``), ``None`` without data.

    The script decides word by word, not the text as a whole: a short question and a long memory
    would be guessed differently, and their stems would no longer meet.
    """
    return next((language for language in all_languages() if script in language.scripts), None)


@cache
def all_abbreviations(*, before_number: bool) -> frozenset[str]:
    """The abbreviations of all languages; ``before_number`` adds those that are ones only before a number."""
    words = frozenset[str]().union(*(language.abbreviations for language in all_languages()))
    if before_number:
        words = words.union(*(language.abbreviations_before_numbers for language in all_languages()))
    return words


@cache
def all_openers() -> frozenset[str]:
    """Openers and stop words of all languages: what a capital letter at a sentence's start does not make a name."""
    return all_small_talk().union(*(language.opening_words for language in all_languages()))


@cache
def all_small_talk() -> frozenset[str]:
    """Words of all languages that say little of what a sentence is about: greetings, praise, linking words."""
    return frozenset[str]().union(*(language.openers | language.stop_words for language in all_languages()))


@cache
def all_name_particles() -> frozenset[str]:
    """The name particles of all languages."""
    return frozenset[str]().union(*(language.name_particles for language in all_languages()))


@cache
def all_verbs() -> frozenset[str]:
    """The verbs of all languages."""
    return frozenset[str]().union(*(language.verbs for language in all_languages()))


@cache
def all_contents_headings() -> frozenset[str]:
    """What stands above a table of contents, in all languages."""
    return frozenset[str]().union(*(language.contents for language in all_languages()))
