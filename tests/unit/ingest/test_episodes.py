"""What of an episode is its own, what of it is written word for word, and what is looked at together."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memorygraph.extraction.local import LocalExtractor
from memorygraph.ingest.drafts import claim_draft, turn_draft
from memorygraph.ingest.echoes import blank_recalled, fenced, strip_recalled
from memorygraph.ingest.episodes import KeptEpisode, chunks_of
from memorygraph.validation import MAX_TEXT

FENCE = fenced(["Ana lives in Leeds.", "Ana has\ntwo cats."])
WORDS = st.text(st.sampled_from("abcde .!?\n\t#>-`|é🦊"), max_size=60)
TEXTS = st.lists(WORDS | st.just(f"\n{FENCE}\n"), min_size=1, max_size=5).map("".join).filter(str.strip)


def episode(text: str, *, document: bool = False, **told: Any) -> KeptEpisode:
    metadata = {"has_headings": "#" in text, "title": "Notes"} if document else {}
    return KeptEpisode.from_properties(
        {
            "id": "e",
            "text": text,
            "session_id": "s",
            "position": 0,
            "occurred_at": 0,
            "zone": "UTC",
            "metadata": json.dumps(metadata),
            **told,
        }
    )


@given(TEXTS)
def test_own_words_stand_where_they_stood(text: str) -> None:
    blanked = blank_recalled(text)
    assert len(blanked) == len(text)
    assert "".join(blanked.split()) == "".join(strip_recalled(text)[0].split())
    start, own = episode(text).own
    assert blanked[start : start + len(own)] == own
    assert not blanked[:start].strip()
    assert not blanked[start + len(own) :].strip()


@given(TEXTS, st.booleans())
async def test_passages_and_claims_stand_in_the_text_and_leave_out_what_was_recalled(text: str, document: bool) -> None:
    of = episode(text * 40, document=document)
    blanked = blank_recalled(of.text)
    for chunk in chunks_of([of], limit=300):
        for passage in chunk.passages:
            assert blanked[passage.start : passage.start + len(passage.text)] == passage.text
        for claim in (await LocalExtractor().extract(chunk)).claims:
            draft = claim_draft(claim, chunk, of, model="local", derived=False, derived_trust="candidate")
            assert draft is not None
            assert draft.evidence is not None
            evidence = blanked[draft.evidence.start : draft.evidence.end]
            assert set(letters(claim.text)) <= set(letters(evidence))
            assert "Leeds" not in claim.text


def letters(text: str) -> list[str]:
    return [character for character in text if character.isalnum()]


@given(TEXTS)
def test_a_turn_is_one_statement_word_for_word_or_is_cut_for_its_length_and_never_both(text: str) -> None:
    of = episode(text, role="user")
    for chunk in chunks_of([of]):
        assert [passage.kept_whole for passage in chunk.passages] == [of.is_turn]
    draft = turn_draft(of) if of.is_turn else None
    if draft is None:
        return
    said = draft.request.text
    assert (said == text) if blank_recalled(text) == text else (said == strip_recalled(text)[0].strip())
    assert draft.evidence is not None
    evidence = text[draft.evidence.start : draft.evidence.end]
    assert (evidence[0], evidence[-1]) == (said[0], said[-1])


def test_a_turn_with_a_long_fence_is_its_own_words() -> None:
    long = fenced([f"Memory number {number} of the many that were recalled." for number in range(100)])
    assert len(long) > MAX_TEXT
    draft = turn_draft(episode(f"{long}\n\n  My phone is a Fairphone.\n", speaker="Ana"))
    assert draft is not None
    assert draft.request.text == "My phone is a Fairphone."
    assert turn_draft(episode(f"{long}\nok, thanks")) is None


def test_courtesies_are_shown_to_nobody_unless_something_was_said_beside_them() -> None:
    thanks, fact = episode("ok, thanks"), episode("My phone is a Fairphone.", id="f", position=1)
    assert chunks_of([thanks]) == []
    (chunk,) = chunks_of([thanks, fact])
    assert [passage.episode_id for passage in chunk.passages] == ["e", "f"]


def test_an_episode_whose_zone_was_erased_is_read_in_utc() -> None:
    assert episode("Tea at four.", zone="Asia/Tokyo").zone == "Asia/Tokyo"
    assert episode("Tea at four.", zone=None).zone == "UTC"
