from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorygraph_forgetting import FusablePair, Grouping, group_pairs


def pairs_of(
    mentions: dict[str, str], *, cold: dict[str, int] | None = None, project: str | None = None
) -> list[FusablePair]:
    """``{"s1": "Ana Leeds"}``: statement s1 mentions Ana and Leeds. Statements are cold in the order given."""
    order = cold or {statement: i for i, statement in enumerate(mentions)}
    return [
        FusablePair(
            statement_id=statement,
            entity_id=entity,
            entity_name=entity.title(),
            cold_at=order[statement],
            fusable_at=order[statement],
            project=project,
        )
        for statement, entities in mentions.items()
        for entity in entities.split()
    ]


def shape(grouping: Grouping) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for group in grouping.groups:
        found.setdefault(group.entity_id, []).append(list(group.statement_ids))
    return found


def test_statements_about_one_entity_are_one_group_coldest_first() -> None:
    pairs = pairs_of({"a": "ana", "b": "ana", "c": "ana"}, cold={"a": 30, "b": 10, "c": 20})
    grouping = group_pairs(pairs, min_group=2, group_limit=20)
    assert shape(grouping) == {"ana": [["b", "c", "a"]]}
    assert grouping.groups[0].entity_name == "Ana"
    assert grouping.alone == ()


def test_a_statement_goes_to_the_most_specific_entity_that_fills_a_group() -> None:
    pairs = pairs_of({"a": "ana leeds", "b": "ben leeds", "c": "ana", "d": "ana", "e": "ben", "f": "ben"})
    grouping = group_pairs(pairs, min_group=2, group_limit=20)
    assert shape(grouping) == {"leeds": [["a", "b"]], "ana": [["c", "d"]], "ben": [["e", "f"]]}


def test_too_few_statements_about_an_entity_stay_alone() -> None:
    grouping = group_pairs(pairs_of({"a": "ana", "b": "ben", "c": "ben"}), min_group=2, group_limit=20)
    assert shape(grouping) == {"ben": [["b", "c"]]}
    assert grouping.alone == ("a",)


def test_a_leftover_joins_the_group_whose_members_all_share_its_entity() -> None:
    pairs = pairs_of({"a": "ana leeds", "b": "ana leeds", "c": "ana"})
    grouping = group_pairs(pairs, min_group=2, group_limit=20)
    assert shape(grouping) == {"ana": [["a", "b", "c"]]}
    assert grouping.alone == ()


def test_a_leftover_is_given_companions_that_a_larger_group_can_spare() -> None:
    # Ana takes a, b and d; c is left with Cal, of whom a and b speak too.
    pairs = pairs_of({"a": "cal ana", "b": "cal ana", "c": "cal", "d": "ana"})
    assert shape(group_pairs(pairs, min_group=2, group_limit=20)) == {"cal": [["a", "c"]], "ana": [["b", "d"]]}
    tight = pairs_of({"a": "cal ana", "b": "cal", "d": "ana", "e": "cal"})
    assert shape(group_pairs(tight, min_group=3, group_limit=20)) == {"cal": [["a", "b", "e"]]}


def test_a_leftover_stays_alone_rather_than_break_a_group() -> None:
    pairs = pairs_of({"a": "leeds ana", "b": "leeds ben", "c": "ana"})
    grouping = group_pairs(pairs, min_group=2, group_limit=20)
    assert len(grouping.groups) == 1
    assert len(grouping.alone) == 1


def test_a_large_group_is_split_evenly_from_the_coldest_on() -> None:
    statements = {f"s{i:02}": "ana" for i in range(21)}
    grouping = group_pairs(pairs_of(statements), min_group=2, group_limit=20)
    sizes = [len(group.statement_ids) for group in grouping.groups]
    assert sizes == [11, 10]
    assert grouping.groups[0].statement_ids[0] == "s00"
    assert grouping.groups[1].statement_ids == tuple(f"s{i:02}" for i in range(11, 21))


def test_what_no_division_can_hold_stays_alone() -> None:
    statements = {f"s{i:02}": "ana" for i in range(21)}
    grouping = group_pairs(pairs_of(statements), min_group=15, group_limit=20)
    assert [len(group.statement_ids) for group in grouping.groups] == [20]
    assert grouping.alone == ("s20",)


def test_the_first_groups_are_not_all_of_one_entity() -> None:
    mentions = {f"a{i}": "hub" for i in range(6)} | {"x": "leeds", "y": "leeds"}
    grouping = group_pairs(pairs_of(mentions), min_group=2, group_limit=2)
    assert [group.entity_id for group in grouping.groups] == ["hub", "leeds", "hub", "hub"]


def test_one_statement_can_be_a_group_when_the_minimum_is_one() -> None:
    grouping = group_pairs(pairs_of({"a": "ana"}), min_group=1, group_limit=20)
    assert shape(grouping) == {"ana": [["a"]]}


def test_statements_of_two_projects_are_never_in_one_group() -> None:
    mine, yours = {"a": "ana", "b": "ana", "c": "leeds"}, {"d": "ana", "e": "ana", "f": "leeds"}
    grouping = group_pairs([*pairs_of(mine, project="p"), *pairs_of(yours)], min_group=2, group_limit=20)
    assert shape(grouping) == {"ana": [["a", "b"], ["d", "e"]]}
    assert grouping.alone == ("c", "f")
    assert shape(group_pairs(pairs_of(mine | yours), min_group=2, group_limit=20))["leeds"] == [["c", "f"]]


def test_a_statement_without_entities_is_alone() -> None:
    bare = FusablePair(statement_id="z", entity_id=None, entity_name=None, cold_at=5, fusable_at=5)
    grouping = group_pairs([bare, *pairs_of({"a": "ana", "b": "ana"})], min_group=1, group_limit=20)
    assert shape(grouping) == {"ana": [["a", "b"]]}
    assert grouping.alone == ("z",)


def test_a_summary_is_no_group_by_itself_even_when_the_minimum_is_one() -> None:
    def pairs(*, is_summary: bool) -> list[FusablePair]:
        return [replace(pair, is_summary=is_summary) for pair in pairs_of({"s": "ana"})]

    assert group_pairs(pairs(is_summary=True), min_group=1, group_limit=20).alone == ("s",)
    assert shape(group_pairs(pairs(is_summary=False), min_group=1, group_limit=20)) == {"ana": [["s"]]}
    beside = [*pairs(is_summary=True), *pairs_of({"a": "ana"})]
    assert shape(group_pairs(beside, min_group=1, group_limit=20)) == {"ana": [["a", "s"]]}


def test_groups_beyond_the_most_asked_for_are_left_and_their_statements_are_not_alone() -> None:
    statements = {"a": "ana", "b": "ana", "c": "ben", "d": "ben", "e": "cal"}
    grouping = group_pairs(pairs_of(statements), min_group=2, group_limit=20, most_groups=1)
    assert shape(grouping) == {"ana": [["a", "b"]]}
    assert grouping.alone == ("e",)
    assert len(group_pairs(pairs_of(statements), min_group=2, group_limit=20, most_groups=2).groups) == 2
    assert group_pairs(pairs_of(statements), min_group=2, group_limit=20, most_groups=0).groups == ()
    with pytest.raises(ValueError, match="most_groups"):
        group_pairs([], min_group=2, group_limit=20, most_groups=-1)


def test_many_leftovers_and_many_groups_are_placed_in_a_blink() -> None:
    # Twenty thousand of each: were every group looked at for every leftover, this would take minutes.
    paired = {f"p{i:05}": f"e{i // 2}" for i in range(20_000)}
    alone = {f"q{i:05}": f"own{i}" for i in range(20_000)}
    grouping = group_pairs(pairs_of(paired | alone), min_group=2, group_limit=20)
    assert (len(grouping.groups), len(grouping.alone)) == (10_000, 20_000)


def test_no_pairs_make_no_groups() -> None:
    assert group_pairs([], min_group=2, group_limit=20) == Grouping(groups=(), alone=())


@pytest.mark.parametrize(("low", "high"), [(0, 5), (6, 5)])
def test_impossible_sizes_are_refused(low: int, high: int) -> None:
    with pytest.raises(ValueError, match="min_group"):
        group_pairs([], min_group=low, group_limit=high)


@st.composite
def mentions(draw: st.DrawFn) -> list[FusablePair]:
    table = draw(
        st.dictionaries(
            st.integers(0, 60).map(lambda i: f"s{i}"),
            st.tuples(
                st.integers(0, 50), st.sets(st.sampled_from("ABCDEFGH"), max_size=4), st.sampled_from([None, "p", "q"])
            ),
            max_size=60,
        )
    )
    return [
        FusablePair(
            statement_id=statement,
            entity_id=entity,
            entity_name=entity,
            cold_at=cold,
            fusable_at=cold,
            project=project,
        )
        for statement, (cold, entities, project) in table.items()
        for entity in (*sorted(entities), *([] if entities else [None]))
    ]


sizes = st.tuples(st.integers(1, 6), st.integers(0, 10)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(pairs=mentions(), sizes=sizes)
def test_each_statement_is_in_one_group_or_alone_and_every_group_is_legal(
    pairs: list[FusablePair], sizes: tuple[int, int]
) -> None:
    min_group, group_limit = sizes
    grouping = group_pairs(pairs, min_group=min_group, group_limit=group_limit)
    mentioned = {(pair.statement_id, pair.entity_id) for pair in pairs}
    cold = {pair.statement_id: pair.cold_at for pair in pairs}
    project = {pair.statement_id: pair.project for pair in pairs}
    seen = Counter(statement for group in grouping.groups for statement in group.statement_ids)
    seen.update(grouping.alone)
    assert seen == Counter({pair.statement_id for pair in pairs})
    for group in grouping.groups:
        assert min_group <= len(group.statement_ids) <= group_limit
        assert len({project[statement] for statement in group.statement_ids}) == 1
        assert all((statement, group.entity_id) in mentioned for statement in group.statement_ids)
        assert list(group.statement_ids) == sorted(group.statement_ids, key=lambda s: (cold[s], s))


@given(pairs=mentions(), sizes=sizes, seed=st.integers(0, 1_000))
def test_the_order_of_the_pairs_does_not_matter(pairs: list[FusablePair], sizes: tuple[int, int], seed: int) -> None:
    shuffled = list(pairs)
    random.Random(seed).shuffle(shuffled)
    min_group, group_limit = sizes
    assert group_pairs(shuffled, min_group=min_group, group_limit=group_limit) == group_pairs(
        pairs, min_group=min_group, group_limit=group_limit
    )


@given(pairs=mentions(), limit=st.integers(3, 10))
def test_statements_left_alone_could_not_have_formed_pairs_among_themselves_where_every_size_fits(
    pairs: list[FusablePair], limit: int
) -> None:
    grouping = group_pairs(pairs, min_group=2, group_limit=limit)
    alone = set(grouping.alone)
    left = (pair for pair in pairs if pair.statement_id in alone and pair.entity_id is not None)
    by_entity = Counter((pair.project, pair.entity_id) for pair in left)
    assert all(count < 2 for count in by_entity.values())
