"""A census leaves out only documents that have no partner, and leaves out most of those."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.engines.stages.pruning import share_to_count
from lookalike.flow import Documents, Shingling, Tokens, Words
from lookalike.flow.sketches import EMPTY
from lookalike.flow.threshold import Threshold
from lookalike.kernel import Cpu
from tests.parity import strategies as our

thresholds = st.sampled_from(["0.1", "0.333333333", "0.5", "0.75", "0.8", "0.9", "1"]).map(Threshold)
shares = st.sampled_from([1e-9, 0.1, 0.5, 1.0])
texts = st.lists(st.text(st.sampled_from("abé字 "), max_size=12) | st.text(max_size=20), max_size=40)
lists = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), max_size=40)


def census_of(
    documents: Documents, shingling: Shingling, threshold: Threshold, *, share: float, batch: int = 7, threads: int = 1
) -> tuple[list[bool], list[set[int]]]:
    """Whether each document can match, and the sets of those that were counted; copies and empty ones are left out."""
    kernel = Cpu(threads)
    census = kernel.census(share)
    rows = range(0, max(len(documents), 1), batch)
    added = [census.add(Documents(documents.texts[at : at + batch], at), shingling) for at in rows]
    flags = np.concatenate([some.flags for some in added])
    windows = np.concatenate([some.windows for some in added])
    prints = np.concatenate([some.fingerprints for some in added])
    is_empty = flags & EMPTY != 0
    left_out = is_empty | (kernel.copies(prints, is_empty) != np.arange(len(flags)))
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
