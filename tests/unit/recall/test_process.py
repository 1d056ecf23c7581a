from __future__ import annotations

import gc
import random
import sys
import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorygraph.recall import process
from memorygraph.recall.index import Filters, IndexRow, Ranking
from memorygraph.recall.process import ProcessIndex
from memorygraph.text import query_tokens, tokenise
from tests.unit.recall.rows import NOW, WORDS, PlainIndex, filters, ids, index_rows, passes, row, texts, unit, vectors

ACTIVE = Filters(now=NOW)
EVERYTHING = Filters(now=0, statuses=("active", "superseded"), trusts=("accepted", "candidate"))
EAST, NORTH, WEST = (1, 0, 0, 0), (0, 1, 0, 0), (-1, 0, 0, 0)


def index_of(*rows: IndexRow) -> ProcessIndex:
    index = ProcessIndex()
    index.apply(rows, (), 1)
    return index


def found(ranking: Ranking) -> list[str]:
    return [hit.id for hit in ranking.hits]


def test_a_shared_word_is_found() -> None:
    index = index_of(row("tea", "green tea", WEST), row("milk", "milk", WEST))
    assert found(index.search(["tea"], None, ACTIVE, 10)) == ["tea"]


def test_as_many_are_found_as_are_asked_for() -> None:
    index = index_of(*(row(f"tea {n}", "green tea", EAST) for n in range(450)))
    for limit in (5, 150, 400):
        assert len(found(index.search(["tea"], unit(EAST), ACTIVE, limit))) == limit


def test_a_near_vector_is_found_without_a_shared_word() -> None:
    index = index_of(row("near", "milk", EAST), row("far", "milk", NORTH))
    assert found(index.search(["tea"], unit(EAST), ACTIVE, 10)) == ["near"]


def test_words_weigh_more_than_vectors() -> None:
    index = index_of(row("word", "tea", WEST), row("vector", "milk", EAST))
    ranking = index.search(["tea"], unit(EAST), ACTIVE, 10)
    assert found(ranking) == ["word", "vector"]
    assert [hit.score for hit in ranking.hits] == pytest.approx([0.6, 0.4])
    assert [hit.dense for hit in ranking.hits] == pytest.approx([-1, 1])
    assert ranking.hits[0].lexical > ranking.hits[1].lexical == 0


def test_an_identifier_finds_its_one_row_among_near_identical_ones() -> None:
    rows = [row(f"{n}", "the deploy failed again", EAST) for n in range(50)]
    rows[17] = row("17", "the deploy failed again with ERR_7F3A", EAST)
    assert found(index_of(*rows).search(query_tokens("ERR_7F3A"), unit(EAST), ACTIVE, 50))[0] == "17"


@pytest.mark.parametrize("query", ["a/b", '"', "AND", "*", "foo/bar (x", " ".join(f"word{n}" for n in range(10_000))])
def test_no_query_is_an_error(query: str) -> None:
    index = index_of(row("tea", "tea and foo/bar (x"))
    assert found(index.search([*query_tokens(query), "tea"], unit(NORTH), ACTIVE, 5)) == ["tea"]
    assert index.search(query_tokens(query), unit(NORTH), ACTIVE, 5).searched == 1


def test_limit_is_a_ceiling_and_not_filled_up() -> None:
    index = index_of(*(row(f"tea {n}", "tea", NORTH) for n in range(100)), row("milk", "milk", NORTH))
    assert len(index.search(["tea"], unit(EAST), ACTIVE, 5).hits) == 5
    assert found(index.search(["milk"], unit(EAST), ACTIVE, 5)) == ["milk"]
    assert index.search(["milk"], unit(EAST), ACTIVE, 0).hits == ()


@pytest.mark.parametrize(("floor", "count"), [(0.59, 2), (0.61, 1), (1.1, 0)])
def test_the_floor_decides_what_is_found_without_a_word(floor: float, count: int) -> None:
    index = index_of(row("same", "milk", EAST), row("near", "milk", (0.6, 0.8, 0, 0)))
    assert len(index.search(["tea"], unit(EAST), ACTIVE, 10, floor=floor).hits) == count


def test_what_expired_is_out_the_millisecond_it_expires() -> None:
    index = index_of(row("tea", expires_at=500))
    assert found(index.search(["tea"], None, Filters(now=499), 10)) == ["tea"]
    assert found(index.search(["tea"], None, Filters(now=500), 10)) == []


def test_a_filter_never_starves_the_answer() -> None:
    rows = [row(f"{n}", "tea tea tea", EAST) for n in range(2_000)]
    rows += [row(f"tagged {n}", "tea and milk", (1, 1, 0, 0), tags=("work",)) for n in range(10)]
    ranking = index_of(*rows).search(["tea"], unit(EAST), Filters(now=NOW, tags=("work",)), 10)
    assert sorted(found(ranking)) == sorted(f"tagged {n}" for n in range(10))
    assert (ranking.searched, ranking.passed) == (2_010, 10)


def test_the_answer_tells_no_match_from_filtered_out() -> None:
    index = index_of(row("tea", vector=NORTH))
    no_match = index.search(["milk"], unit(EAST), ACTIVE, 10)
    assert (no_match.hits, no_match.searched, no_match.passed) == ((), 1, 1)
    filtered = index.search(["tea"], unit(EAST), Filters(now=NOW, kinds=("turn",)), 10)
    assert (filtered.hits, filtered.searched, filtered.passed) == ((), 1, 0)


def test_an_empty_index_finds_nothing() -> None:
    assert ProcessIndex().search(["tea"], unit(EAST), ACTIVE, 10) == Ranking((), 0, 0)


def test_of_equal_rows_the_later_comes_first() -> None:
    index = index_of(row("first"), row("second"), row("third"))
    assert found(index.search(["tea"], unit(EAST), ACTIVE, 10)) == ["third", "second", "first"]


def test_a_changed_row_is_found_by_its_new_words_only() -> None:
    index = index_of(row("a", "tea", WEST), row("b", "tea", WEST))
    index.apply([row("a", "milk", WEST)], (), 2)
    assert found(index.search(["milk"], None, ACTIVE, 10)) == ["a"]
    assert found(index.search(["tea"], None, ACTIVE, 10)) == ["b"]
    assert (len(index), index.seq) == (2, 2)


def test_a_removed_row_is_gone_and_may_come_back() -> None:
    index = index_of(row("a"), row("b"))
    index.apply((), ["a", "unknown"], 2)
    assert found(index.search(["tea"], unit(EAST), ACTIVE, 10)) == ["b"]
    index.apply([row("a")], (), 3)
    assert found(index.search(["tea"], unit(EAST), ACTIVE, 10)) == ["a", "b"]


def test_embeddings_of_two_dimensions_are_refused_and_nothing_is_taken_in() -> None:
    index = index_of(row("a"))
    with pytest.raises(ValueError, match="b has an embedding of 12 bytes among others of 16"):
        index.apply([row("c", "milk"), row("b", vector=(1, 0, 0))], ["a"], 2)
    assert found(index.search(["tea"], None, ACTIVE, 10)) == ["a"]
    assert (len(index), index.seq) == (1, 1)


def assert_same_ranking(one: Ranking, other: Ranking) -> None:
    assert (one.searched, one.passed, found(one)) == (other.searched, other.passed, found(other))
    for hit, twin in zip(one.hits, other.hits, strict=True):
        assert (hit.score, hit.lexical, hit.dense) == pytest.approx((twin.score, twin.lexical, twin.dense), abs=1e-5)


Step = tuple[list[IndexRow], list[str]]


@given(
    st.lists(st.tuples(st.lists(index_rows, max_size=8), st.lists(ids, max_size=4)), max_size=12),
    texts,
    vectors,
    filters,
    st.sampled_from([0, 3, 256]),
)
def test_an_index_kept_up_to_date_equals_one_freshly_built(
    steps: list[Step], text: str, vector: Sequence[float], wanted: Filters, dead_rows_kept: int
) -> None:
    index, plain = ProcessIndex(), PlainIndex()
    for seq, (rows, removed) in enumerate(steps, start=1):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(process, "_DEAD_BEFORE_COMPACTION", dead_rows_kept)
            index.apply(rows, removed, seq)
        # What is taken in again counts as later than what was there.
        plain.apply((), [*removed, *(r.id for r in rows)])
        plain.apply(rows, ())
    fresh = index_of(*plain.rows.values())
    assert len(index) == len(plain.rows)
    for question in (wanted, EVERYTHING):
        assert_same_ranking(
            index.search(tokenise(text), unit(vector), question, 50),
            fresh.search(tokenise(text), unit(vector), question, 50),
        )


@given(st.lists(index_rows, max_size=30), filters)
def test_filters_let_through_what_each_row_says(rows: list[IndexRow], wanted: Filters) -> None:
    index, plain = ProcessIndex(), PlainIndex()
    index.apply(rows, (), 1)
    plain.apply(rows, ())
    ranking = index.search(WORDS, unit(EAST), wanted, 100, floor=-2)
    expected = sorted(row_id for row_id, r in plain.rows.items() if passes(r, wanted))
    assert sorted(found(ranking)) == expected
    assert (ranking.searched, ranking.passed) == (len(plain.rows), len(expected))


@given(st.lists(index_rows, min_size=1, max_size=30), texts, vectors)
def test_scores_are_the_sum_of_both_arms_brought_to_one_scale(
    rows: list[IndexRow], text: str, vector: Sequence[float]
) -> None:
    index, plain = ProcessIndex(), PlainIndex()
    index.apply(rows, (), 1)
    plain.apply(rows, ())
    tokens = tokenise(text)
    lexical, dense = plain.bm25(tokens), plain.cosines(unit(vector))
    pool = [row_id for row_id, r in plain.rows.items() if passes(r, EVERYTHING)]
    ranking = index.search(tokens, unit(vector), EVERYTHING, 100, floor=-2)
    assert sorted(found(ranking)) == sorted(pool)

    def scaled(scores: dict[str, float], row_id: str) -> float:
        low, high = min(scores[i] for i in pool), max(scores[i] for i in pool)
        if high - low > 1e-6:
            return (scores[row_id] - low) / (high - low)
        return 1.0 if high > 0 else 0.0

    for hit in ranking.hits:
        assert hit.lexical == pytest.approx(lexical[hit.id], abs=1e-4)
        assert hit.dense == pytest.approx(dense[hit.id], abs=1e-5)
        assert hit.type == plain.rows[hit.id].type
    spread = [max(s[i] for i in pool) - min(s[i] for i in pool) for s in (lexical, dense)] if pool else []
    if all(width > 1e-3 or width < 1e-9 for width in spread):
        for hit in ranking.hits:
            expected = 0.6 * scaled(lexical, hit.id) + 0.4 * scaled(dense, hit.id)
            assert hit.score == pytest.approx(expected, abs=1e-3)
    assert [hit.score for hit in ranking.hits] == sorted((hit.score for hit in ranking.hits), reverse=True)


def test_dead_rows_are_cleared_away_and_leave_no_trace() -> None:
    index = ProcessIndex()
    source = random.Random(7)
    texts_now: list[str] = []
    for seq in range(40):
        texts_now = [" ".join(source.choices(WORDS, k=4)) + f" unique{seq}x{n}" for n in range(50)]
        index.apply([row(f"{n}", text, EAST, tags=(f"t{n}",)) for n, text in enumerate(texts_now)], (), seq)
    fresh = index_of(*(row(f"{n}", text, EAST, tags=(f"t{n}",)) for n, text in enumerate(texts_now)))
    assert index.nbytes < 12 * fresh.nbytes  # of 2,000 rows taken in, 1,950 are dead
    for n in (0, 49):
        word = tokenise(f"unique39x{n}")
        assert found(index.search(word, None, ACTIVE, 5)) == found(fresh.search(word, None, ACTIVE, 5)) == [f"{n}"]
        assert found(index.search(WORDS, None, Filters(now=NOW, tags=(f"t{n}",)), 5)) == [f"{n}"]
    assert index.search(tokenise("unique5x3"), None, ACTIVE, 5).hits == ()


def test_an_index_emptied_to_the_last_row_can_be_filled_again() -> None:
    index = index_of(*(row(f"{n}") for n in range(600)))
    index.apply((), [f"{n}" for n in range(600)], 2)
    assert (len(index), index.search(["tea"], unit(EAST), ACTIVE, 5)) == (0, Ranking((), 0, 0))
    index.apply([row("new")], (), 3)
    assert found(index.search(["tea"], unit(EAST), ACTIVE, 5)) == ["new"]


def test_the_size_it_tells_is_the_memory_it_holds() -> None:
    source = random.Random(3)
    vector = np.random.default_rng(3).standard_normal(384).tolist()

    def made(n: int) -> IndexRow:
        text = " ".join([*source.choices(WORDS, k=8), f"word{source.randrange(3_000)}", f"number{n}"])
        return row(f"0192f3b0-0000-7000-8000-{n:012d}", text, vector, tags=(f"tag{n % 50}",), session_id=f"s{n // 30}")

    rows = [made(n) for n in range(2_000)]
    # What is there once and for all is not the index's, above all Python's own table of interned words, which grows by
    # megabytes when it does.
    words = index_of(*rows)._postings._entries.keys()
    tracemalloc.start(20)  # frames: enough to reach from where memory is taken to this test
    try:
        index = ProcessIndex()
        for first in range(0, 2_000, 500):
            index.apply(rows[first : first + 500], (), 1)
        gc.collect()
        # What other threads of this process take meanwhile is not the index's either.
        own = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, __file__, all_frames=True)])
        held = sum(trace.size for trace in own.traces)
        held += sum(map(sys.getsizeof, [*words, *(row.id for row in rows)]))  # taken before, and kept by the index too
    finally:
        tracemalloc.stop()
    assert 0.8 * held < index.nbytes < 1.25 * held


@settings(max_examples=20)
@given(st.integers(101, 300))
def test_many_equal_rows_are_ranked_without_favour(count: int) -> None:
    index = index_of(*(row(f"{n}") for n in range(count)))
    assert found(index.search(["tea"], unit(EAST), ACTIVE, 3)) == [f"{count - n}" for n in (1, 2, 3)]
