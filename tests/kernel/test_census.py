"""A census leaves out only documents that have no partner, and leaves out most of those."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.flow import Documents, Shingling, Tokens, Words
from lookalike.flow.sketches import EMPTY
from lookalike.flow.threshold import Threshold
from lookalike.kernel import Cpu
from lookalike.planning.costs import share_to_count
from tests.kernel.tables import table
from tests.parity import strategies as our

thresholds = st.sampled_from(["0.1", "0.333333333", "0.5", "0.75", "0.8", "0.9", "1"]).map(Threshold)
shares = st.sampled_from([1e-9, 0.1, 0.5, 1.0])
texts = st.lists(st.text(st.sampled_from("abé字 "), max_size=12) | st.text(max_size=20), max_size=40)
lists = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), max_size=40)


def temporary() -> BinaryIO:
    return cast(BinaryIO, tempfile.TemporaryFile(buffering=0))


def census_of(
    documents: Documents,
    shingling: Shingling,
    threshold: Threshold,
    *,
    share: float,
    batch: int = 7,
    threads: int = 1,
    most: int | None = None,
) -> tuple[list[bool], list[set[int]]]:
    """Whether each document can match, and the sets of those that were counted; copies and empty ones are left out.

    With `most`, at most about that many bytes are in memory after the first batch.
    """
    kernel = Cpu(threads)
    census = kernel.census(share)
    added = []
    for at in range(0, max(len(documents), 1), batch):
        added.append(census.add(Documents(documents.texts[at : at + batch], at), shingling))
        if most is not None and at == 0:
            census.spill(temporary(), most)
    flags = np.concatenate([some.flags for some in added])
    windows = np.concatenate([some.windows for some in added])
    hashes = np.concatenate([some.words for some in added])
    is_empty = flags & EMPTY != 0
    left_out = is_empty | (kernel.copies(hashes, is_empty) != np.arange(len(flags)))
    can = census.can_match(windows, left_out, threshold.numerator, threshold.denominator)
    sets = [set(values.tolist()) for values in kernel.shingle(documents, shingling)]
    return can.tolist(), [set() if out else elements for elements, out in zip(sets, left_out, strict=True)]


def check(
    documents: Documents, shingling: Shingling, threshold: Threshold, share: float, batch: int, threads: int
) -> None:
    can, sets = census_of(documents, shingling, threshold, share=share, batch=batch, threads=threads)
    for a, b in combinations(range(len(sets)), 2):
        if threshold.reached(len(sets[a] & sets[b]), len(sets[a] | sets[b])):
            assert can[a] and can[b]
    assert not any(can[i] for i, elements in enumerate(sets) if not elements)
    # The definition leaves out more: it counts all elements, exactly, until nothing changes.
    definition = definitions.can_match(sets, Fraction(threshold.numerator, threshold.denominator))
    assert all(mine or not theirs for mine, theirs in zip(can, definition, strict=True))


@given(texts, our.shinglings, thresholds, shares, st.integers(1, 40), st.integers(1, 3))
def test_no_text_with_a_partner_is_left_out(
    rows: list[str], shingling: Shingling, threshold: Threshold, share: float, batch: int, threads: int
) -> None:
    check(Documents.from_texts(rows), shingling, threshold, share, batch, threads)


@given(lists, st.booleans(), thresholds, shares, st.integers(1, 40))
def test_no_list_with_a_partner_is_left_out(
    rows: list[list[str]], bag: bool, threshold: Threshold, share: float, batch: int
) -> None:
    check(Documents.from_texts(rows), Tokens(1, bag=bag), threshold, share, batch, 1)


@given(texts, our.shinglings, thresholds, shares, st.integers(1, 40), st.sampled_from([0, 10, 1000, 10**6]))
def test_a_census_in_a_file_leaves_out_the_same_texts(
    rows: list[str], shingling: Shingling, threshold: Threshold, share: float, batch: int, most: int
) -> None:
    documents = Documents.from_texts(rows)
    in_memory = census_of(documents, shingling, threshold, share=share, batch=batch)
    assert census_of(documents, shingling, threshold, share=share, batch=batch, threads=2, most=most) == in_memory


def test_a_census_in_a_file_takes_little_memory() -> None:
    census = Cpu().census(1.0)
    documents = Documents.from_texts(words(3000, 300))
    census.add(documents, Words(5))
    before = census.nbytes
    census.spill(temporary(), before // 10)
    assert before > 4 * 3000 * 296 and census.nbytes <= before // 10 + 4 * 1025 * 4
    can = census.can_match(np.full(3000, 296, np.uint32), np.zeros(3000, bool), 4, 5)
    assert not can.any()


def test_a_file_that_is_full_is_an_error_of_the_system() -> None:
    census = Cpu().census(1.0)
    census.add(Documents.from_texts(words(100, 300)), Words(5))
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(OSError, match="No space"):
        census.spill(cast(BinaryIO, full), 0)


@given(st.lists(st.sets(st.integers(0, 30), max_size=8), max_size=40), thresholds, st.integers(1, 3))
def test_pruned_sets_are_those_that_the_definition_keeps_or_more(
    rows: list[set[int]], threshold: Threshold, threads: int
) -> None:
    distinct = [*dict.fromkeys(frozenset(row) for row in rows)]  # copies would make each other's elements look shared
    kept, left = Cpu(threads).prune_sets(table(distinct), threshold.numerator, threshold.denominator)
    definition = definitions.can_match([*map(set, distinct)], Fraction(threshold.numerator, threshold.denominator))
    assert all(mine or not theirs for mine, theirs in zip(kept.tolist(), definition, strict=True))
    assert [set(values.tolist()) for values in left] == [{*row} for row, can in zip(distinct, kept, strict=True) if can]


def words(count: int, size: int, seed: int = 0) -> list[str]:
    vocabulary = np.random.default_rng(seed).integers(0, 10**9, (count, size))
    return [" ".join(f"w{number}" for number in row) for row in vocabulary]


@pytest.mark.parametrize(("size", "threshold"), [(300, "0.8"), (60, "0.8"), (12, "0.8"), (300, "0.5"), (300, "0.95")])
def test_nearly_all_unlike_texts_are_left_out(size: int, threshold: str) -> None:
    rows = words(500, size)
    near = [row.rsplit(" ", 1)[0] + " changed" for row in rows[:20]]  # one word of 12 or more
    share = share_to_count(Threshold(threshold), size - 4)
    can, _ = census_of(Documents.from_texts(rows + near), Words(5), Threshold(threshold), share=share)
    assert (all(can[:20]) and all(can[500:])) or size == 12  # of 8 shingles, 7 are shared: a similarity of 0.78
    assert sum(can[20:500]) <= 24


def test_texts_whose_partners_were_left_out_are_left_out_too() -> None:
    """Half of the second text is only in the first, which has no partner, and half of it is all of the third."""
    first = words(1, 100)[0].split()
    rows = [" ".join(first), " ".join(first[:40] + words(1, 40, 1)[0].split()), words(1, 40, 1)[0]]
    can, sets = census_of(Documents.from_texts(rows), Words(5), Threshold("0.8"), share=1.0)
    assert can == [False, False, False]
    assert definitions.can_match(sets, Fraction(4, 5)) == can


def test_one_text_repeated_is_one_text() -> None:
    can, _ = census_of(Documents.from_texts(words(1, 50) * 30), Words(5), Threshold("0.8"), share=1.0)
    assert not any(can)


def test_shingles_repeated_within_a_text_count_as_shared() -> None:
    """Sets are not formed, so a repeated shingle looks shared. That keeps a document, and never loses one."""
    can, _ = census_of(Documents.from_texts(["la " * 50, words(1, 50)[0]]), Words(5), Threshold("0.8"), share=1.0)
    assert can == [True, False]


@given(st.data(), st.sampled_from(["0.5", "0.8"]))
def test_batches_may_be_counted_in_any_order_before_their_rows_are_known(data: st.DataObject, threshold: str) -> None:
    """Workers that parse blocks of one file do not know how many rows there are in the blocks before theirs."""
    vocabulary = st.sampled_from("a b c d e f g".split())
    texts = [" ".join(some) for some in data.draw(st.lists(st.lists(vocabulary, max_size=12), min_size=1, max_size=20))]
    cuts = sorted({0, *data.draw(st.lists(st.integers(0, len(texts)), max_size=4)), len(texts)})
    batches = [Documents.from_texts(texts[low:high]) for low, high in pairwise(cuts)]
    numbers = data.draw(st.permutations(range(len(batches))))
    at_once, census = Cpu().census(1.0), Cpu(2).census(1.0)
    sketches = at_once.add(Documents.from_texts(texts), Words(2))
    for number in numbers:
        census.add(batches[number], Words(2), number)
    for number, start in enumerate(cuts[:-1]):
        census.place(number, start)
    left_out, limit = sketches.flags & EMPTY != 0, Threshold(threshold)
    wanted = at_once.can_match(sketches.windows, left_out, limit.numerator, limit.denominator)
    found = census.can_match(sketches.windows, left_out, limit.numerator, limit.denominator)
    assert found.tolist() == wanted.tolist()


def test_a_batch_whose_first_row_is_not_known_is_refused() -> None:
    census = Cpu().census(1.0)
    for number in range(3):
        census.add(Documents.from_texts(["a b c"]), Words(2), number)
    census.place(2, 0)
    with pytest.raises(ValueError, match="batch 0 has no first row"):
        census.can_match(np.ones(3, np.uint32), np.zeros(3, bool), 4, 5)


def test_a_census_that_counted_other_rows_is_refused() -> None:
    census = Cpu().census(1.0)
    census.add(Documents.from_texts(["a b c"], 5), Words(2))
    with pytest.raises(ValueError, match="more rows than 2"):
        census.can_match(np.ones(2, np.uint32), np.zeros(2, bool), 4, 5)


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, float("nan")])
def test_a_share_is_above_0_and_at_most_1(share: float) -> None:
    with pytest.raises(ValueError, match="share must lie in"):
        Cpu().census(share)


@given(thresholds, st.integers(1, 5000))
def test_a_share_leaves_out_texts_of_unique_shingles(threshold: Threshold, size: int) -> None:
    share = share_to_count(threshold, size)
    may_be_unique = size - -(-size * threshold.numerator // threshold.denominator)
    assert 0 < share <= 1
    assert share == 1 or share * size > may_be_unique
