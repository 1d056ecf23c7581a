"""The numbers in the prose of the pages on writing, and on what belongs to it, are those of the code."""

from __future__ import annotations

import inspect
import re

import pytest

from memorygraph import confidence
from memorygraph.background import _LEASE_SECONDS
from memorygraph.entities.entities import _MOST_COMPARED, _MOST_EMBEDDED, _MOST_SUMMARIES, Entities
from memorygraph.entities.naming import MOST_ALIASES
from memorygraph.entities.suggestions import _MOST_PAIRS
from memorygraph.erasing import erasing, sweep
from memorygraph.extraction.chunking import CHUNK_CHARACTERS
from memorygraph.graph import driver
from memorygraph.ingest.running import _TURNS_AT_ONCE
from memorygraph.ingest.small_talk import _LONGEST
from memorygraph.jobs import DEFAULT_BACKOFF
from memorygraph.ledger.job_turns import MAX_TAKEOVERS
from memorygraph.ledger.jobs import OUTAGE_LIMIT_SECONDS
from memorygraph.memory import contesting, writing
from memorygraph.memory.auditing import Auditing
from memorygraph.settings import Settings
from memorygraph.store_opening import _MIGRATION_TTL
from memorygraph.validation import MAX_TEXT
from memorygraph.writing import confirming, mutation, surroundings
from memorygraph.writing.neighbours import MOST_NEIGHBOURS
from memorygraph_cypher import statements
from tests.support.checkout import CHECKOUT

NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"] + [""] * 9 + ["twenty"]
DAY = 24 * 3600


def default(function: object, name: str) -> object:
    assert callable(function)
    return inspect.signature(function).parameters[name].default


def limit_of(statement: str, what: str) -> int:
    """The LIMIT of the part ``what`` of a statement."""
    found = re.search(r"LIMIT (\d+)\s*\} AS " + what, statements[statement].text)
    assert found is not None
    return int(found[1])


HELD = {
    "writing.md": [
        f"`similar` are at most {NUMBERS[surroundings._MOST_SIMILAR]} live memories near to it",
        f"whose value it says again, at most {NUMBERS[limit_of('begin_writing', 'forgotten')]}.",
        f"are not among the {confirming._MOST_SOURCE_KEYS} that said it last",
        f"other values of its slot (the {limit_of('read_places', 'slot')} newest",
        f"nearest live memories of the user, at most {NUMBERS[surroundings.MOST_LINKS]}, whose cosine is `link_floor`",
        f"{Settings().link_floor} fits the bundled model",
        (
            f"among the {NUMBERS[MOST_NEIGHBOURS]} live memories nearest to it in meaning "
            f"(cosine {surroundings._QUESTION_FLOOR} or more"
        ),
        f"`memory.remember_many(items)` takes up to {writing.MAX_BATCH:,} mappings",
        (
            f"`confidence · ({confidence._STANDING:.2f} + {confidence._EVIDENCE:.2f} · min(source_count / "
            f"{confidence._ENOUGH_SOURCES}, 1) + {confidence._RECENCY:.2f} · exp(−days / {confidence._DAYS:.0f}))`"
        ),
    ],
    "entities.md": [
        f"at most {default(Entities.suggestions, 'limit')}, from {default(Entities.suggestions, 'least')} on",
        f"among the {_MOST_COMPARED:,} entities used last",
        f"among the {_MOST_EMBEDDED} used last",
        f"the {_MOST_PAIRS:,} most alike are looked at closely",
        f"at most {_MOST_SUMMARIES} summaries",
        f"at most {MOST_ALIASES} are given to one",
    ],
    "ingesting.md": [
        f"**Turns** of up to {MAX_TEXT:,} characters",
        f"a text of up to {_LONGEST} characters, of greetings",
        f"those above all of its part ({CHUNK_CHARACTERS:,} characters at most)",
        (
            f"After every {_TURNS_AT_ONCE} turns and every chunk of a document or conversation "
            f"({CHUNK_CHARACTERS:,} characters at most"
        ),
        (
            f"after a random time of at most {DEFAULT_BACKOFF.bound(1):.0f}, {DEFAULT_BACKOFF.bound(2):.0f}, "
            f"{DEFAULT_BACKOFF.bound(3):.0f} … seconds, at most {DEFAULT_BACKOFF.cap_seconds / 60:.0f} minutes"
        ),
        f"its worker vanished more than {MAX_TAKEOVERS} times without progress",
    ],
    "auditing.md": [f"`limit` of them ({default(Auditing.events, 'limit')}; 1–1,000)"],
    "erasing.md": [
        f"transactions of {erasing._BATCH} statements each",
        f"the words by the way in pages of {sweep._PAGE}",
    ],
    "architecture.md": [
        f"at most {mutation._MOST_AT_ONCE} transactions run at once",
        f"starts again after {driver._JITTER[0] * 1000:.0f} to {driver._JITTER[1] * 1000:.0f} ms",
        f"another one may go on after {_MIGRATION_TTL:.0f} seconds",
        f"hashed, the newest {confirming._MOST_SOURCE_KEYS}:",
    ],
}


@pytest.mark.parametrize(("page", "sentence"), [(page, told) for page, held in HELD.items() for told in held])
def test_the_numbers_of_the_page_are_those_of_the_code(page: str, sentence: str) -> None:
    words = re.sub(r"\s+", " ", (CHECKOUT / "docs" / page).read_text(encoding="utf-8"))
    assert sentence in words


def test_the_instants_that_the_page_on_ingesting_has_in_words_are_those_of_the_code() -> None:
    words = re.sub(r"\s+", " ", (CHECKOUT / "docs" / "ingesting.md").read_text(encoding="utf-8"))
    assert "A worker holds a job by a lease of a minute" in words
    assert _LEASE_SECONDS == 60
    assert "Dead after a week of this without any progress" in words
    assert OUTAGE_LIMIT_SECONDS == 7 * DAY


def test_as_many_values_of_a_slot_are_asked_about_when_one_holds_again_as_when_it_is_told() -> None:
    assert limit_of("read_places", "slot") == contesting._MOST_ASKED
