"""A join in blocks gives the same result as one join of everything, for any division into blocks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.flow import Shingles
from lookalike.joins import join_sets, nearest_sets, pair_limit, similarity_measure
from lookalike.joins.blocks import BlockPairs, in_blocks, join_blocks, put_together, size_of, smaller_first
from lookalike.joins.measures import Measure
from lookalike.joins.sets import STEPS, SetPairs
from tests.joins.strategies import collections, measures, names, shingles
from tests.refusals import refused

cuts = st.lists(st.integers(0, 14), max_size=4)


def cut(sets: list[list[int]], places: list[int]) -> list[Shingles]:
    """The same sets as tables of consecutive rows, cut at these positions; a table may be empty."""
    ends = [0, *sorted(min(place, len(sets)) for place in places), len(sets)]
    tables = ((low, shingles(sets[low:high])) for low, high in pairwise(ends))
    return [Shingles(table.offsets, table.values, low) for low, table in tables]


def as_list(found: SetPairs | BlockPairs) -> list[tuple[int, int, int]]:
    return list(zip(found.left.tolist(), found.right.tolist(), found.overlap.tolist(), strict=True))


@given(collections(), collections(), cuts, measures(), st.booleans(), st.integers(1, 2))
def test_a_join_in_blocks_of_either_side_equals_the_whole_join(
    left: list[list[int]], right: list[list[int]], places: list[int], measure: Measure, held_is_left: bool, threads: int
) -> None:
    held, streamed = (left, right) if held_is_left else (right, left)
    found = join_blocks(
        shingles(held), cut(streamed, places), measures=[measure], held_is_left=held_is_left, threads=threads
    )
    assert as_list(found) == as_list(join_sets(shingles(left), shingles(right), measure=measure))
    assert found.left_size.tolist() == [len({*left[i]}) for i in found.left]
    assert found.right_size.tolist() == [len({*right[j]}) for j in found.right]


@given(collections(), collections(), cuts, names, st.integers(1, 3), st.booleans())
def test_the_nearest_of_all_blocks_are_the_nearest_of_all(
    left: list[list[int]], right: list[list[int]], places: list[int], name: str, top: int, held_is_left: bool
) -> None:
    steps = [similarity_measure(name, step) for step in STEPS]
    held, streamed = (left, right) if held_is_left else (right, left)
    found = join_blocks(shingles(held), cut(streamed, places), measures=steps, top=top, held_is_left=held_is_left)
    assert as_list(found) == as_list(nearest_sets(shingles(left), shingles(right), top=top, measures=steps))


@given(collections(), collections(), cuts, measures(), st.integers(1, 3))
def test_the_nearest_within_a_threshold_do_not_depend_on_blocks(
    left: list[list[int]], right: list[list[int]], places: list[int], measure: Measure, top: int
) -> None:
    found = join_blocks(shingles(left), cut(right, places), measures=[measure], top=top)
    assert as_list(found) == as_list(nearest_sets(shingles(left), shingles(right), top=top, measures=[measure]))


@given(collections(), cuts, st.integers(1, 400))
def test_blocks_contain_the_same_rows_and_are_no_smaller_than_requested(
    sets: list[list[int]], places: list[int], size: int
) -> None:
    made = [*in_blocks(cut(sets, places), size)]
    assert all(size_of(block) >= size for block in made[:-1])
    assert [block.start for block in made] == np.cumsum([0, *map(len, made)])[:-1].tolist()
    whole = put_together(made)
    assert [one.tolist() for one in whole] == [sorted({*one}) for one in sets]


@given(collections(), collections(), cuts, cuts)
def test_the_collection_that_ends_first_is_returned_whole(
    left: list[list[int]], right: list[list[int]], one: list[int], two: list[int]
) -> None:
    tables = cut(left, one), cut(right, two)
    held, rest, held_is_left = smaller_first(*tables)
    sides = (left, right) if held_is_left else (right, left)
    assert [one.tolist() for one in held] == [sorted({*one}) for one in sides[0]]
    assert [one.tolist() for one in put_together([*rest])] == [sorted({*one}) for one in sides[1]]
    largest = max((size_of(table) for side in tables for table in side), default=0)
    assert size_of(held) <= sum(map(size_of, tables[held_is_left])) + largest + len(tables[0]) + 8


@given(collections(most=10), collections(most=10), measures(), st.none() | st.integers(1, 2))
def test_join_does_not_depend_on_the_block_size(
    left: list[list[int]], right: list[list[int]], measure: Measure, top: int | None
) -> None:
    """The verb reads both sides in batches of one row, and joins them in blocks of a few bytes."""
    asked: dict[str, Any] = {"threshold": f"{float(measure.threshold):.9f}"}
    if measure.is_distance:
        asked = {"distance": measure.numerator}
    elif measure.name == "shared":
        asked = {"threshold": measure.numerator}
    whole = la.join(left, right, measure=measure.name, top=top, **asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookalike.joins.sources.BLOCK", 1)
        patch.setattr("lookalike.joins.sources.size_of", lambda held: 1)
        cut = la.join(left, right, measure=measure.name, top=top, batch_rows=1, **asked)
    assert cut.to_arrow().equals(whole.to_arrow()) and cut.rules == whole.rules
    assert (cut.left_total, cut.right_total) == (len(left), len(right))
    assert cut.summary.empty == whole.summary.empty


def test_ids_of_a_streamed_side_are_returned() -> None:
    left = [{"key": f"l{i}", "text": ["x", str(i)]} for i in range(50)]
    right = [{"key": "r", "text": ["x", "7"]}]
    assert list(la.join(left, right, id="key", threshold=1, batch_rows=3)) == [("l7", "r", 1.0)]
    assert list(la.join(right, left, id="key", threshold=1, batch_rows=3)) == [("r", "l7", 1.0)]


def test_too_many_pairs_are_refused_even_if_no_block_has_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_limit, "MOST_PAIRS", 5)
    sets = shingles([[1]] * 3)
    with refused("too-many-matches", most=5, pairs=6):
        join_blocks(sets, cut([[1]] * 2, [1]), measures=[similarity_measure("jaccard", 1)])
