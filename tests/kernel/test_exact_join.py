"""Exact joins find the same pairs as brute force, for every measure and any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.flow import Shingles
from lookalike.kernel import Cpu
from lookalike.kernel.values import ExactPairs
from tests.kernel.tables import table

Rows = list[list[int]]

REACHED: dict[str, Callable[[int, int, int, int, int], bool]] = {
    "jaccard": lambda a, b, o, n, d: o > 0 and o * d >= n * (a + b - o),
    "dice": lambda a, b, o, n, d: o > 0 and 2 * o * d >= n * (a + b),
    "cosine": lambda a, b, o, n, d: o > 0 and o * o * d * d >= n * n * a * b,
    "containment": lambda a, b, o, n, d: o > 0 and o * d >= n * a,
    "overlap": lambda a, b, o, n, d: o >= n,
    "hamming": lambda a, b, o, n, d: a + b - 2 * o <= n,
}
"""The definitions, for sets of sizes a and b with o common elements, and a threshold n/d (or a count n)."""

SIMILARITY: dict[str, Callable[[int, int, int], Fraction]] = {
    "jaccard": lambda a, b, o: Fraction(o, a + b - o),
    "dice": lambda a, b, o: Fraction(2 * o, a + b),
    "cosine": lambda a, b, o: Fraction(o * o, a * b),  # squared, which does not change the order
    "containment": lambda a, b, o: Fraction(o, a),
    "overlap": lambda a, b, o: Fraction(o),
    "hamming": lambda a, b, o: Fraction(2 * o - a - b),
}


def brute_force(left: Rows, right: Rows | None, measure: str, n: int, d: int) -> list[tuple[int, int, int]]:
    found = []
    for i, j in product(range(len(left)), range(len(left if right is None else right))):
        if right is None and (i == j or (i > j and measure != "containment")):
            continue
        x, y = set(left[i]), set((left if right is None else right)[j])
        if REACHED[measure](len(x), len(y), len(x & y), n, d):
            found.append((i, j, len(x & y)))
    return found


def brute_top(left: Rows, right: Rows | None, measure: str, n: int, d: int, top: int) -> list[tuple[int, int, int]]:
    found = []
    for i, row in enumerate(left):
        x, near = set(row), []
        for j, other in enumerate(left if right is None else right):
            y = set(other)
            o = len(x & y)
            if o and (right is not None or i != j) and REACHED[measure](len(x), len(y), o, n, d):
                near.append((-SIMILARITY[measure](len(x), len(y), o), j, o))
        found += [(i, j, o) for _, j, o in sorted(near)[:top]]
    return found


COLLIDING = pow(0x9E3779B97F4A7C15, -1, 2**64)
"""The fingerprint of a set of small multiples of this number is their sum, so different sets often have equal ones."""


def triples(found: ExactPairs) -> list[tuple[int, int, int]]:
    return list(zip(found.left.tolist(), found.right.tolist(), found.intersection.tolist(), strict=True))


@st.composite
def collections(draw: st.DrawFn) -> Rows:
    """Collections of similar, unrelated, equal, tiny and empty sets, of large and small numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    universe = draw(st.sampled_from([4, 12, 40, 400]))
    size = draw(st.sampled_from([1, 3, 10, 30]))
    scale = draw(st.sampled_from([1, 2**40 + 1, 0x9E3779B97F4A7C15, COLLIDING]))
    families = [rng.integers(0, universe, size) for _ in range(draw(st.integers(1, 3)))]
    rows: Rows = []
    for _ in range(draw(st.integers(0, 25))):
        kind = rng.random()
        if kind < 0.1 and rows:
            rows.append(rows[rng.integers(len(rows))])
        elif kind < 0.2:
            rows.append([])
        elif kind < 0.4:
            rows.append(rng.integers(0, universe, rng.integers(1, size + 1)).tolist())
        else:
            family = families[rng.integers(len(families))]
            kept = family[rng.random(size) < rng.uniform(0.6, 1.2)]
            rows.append([*kept.tolist(), *rng.integers(0, universe, rng.integers(0, 3)).tolist()])
    return [sorted({element * scale % 2**64 for element in row}) for row in rows]


FRACTIONS = st.sampled_from([(9, 10), (1, 1), (4, 5), (1, 2), (19, 20), (2, 3), (1, 1000), (123456789, 10**9)])
SIMILARITIES = st.sampled_from(["jaccard", "dice", "cosine", "containment"])
COUNTED = st.sampled_from(["overlap", "hamming"])
THRESHOLDS = st.one_of(
    st.tuples(SIMILARITIES, FRACTIONS).map(lambda drawn: (drawn[0], *drawn[1])),
    st.tuples(COUNTED, st.integers(1, 40), st.just(1)),
    st.tuples(st.just("hamming"), st.just(0), st.just(1)),
)


@given(rows=collections(), threshold=THRESHOLDS, threads=st.sampled_from([1, 2, 3]))
def test_a_self_join_finds_exactly_the_brute_force_pairs(
    rows: Rows, threshold: tuple[str, int, int], threads: int
) -> None:
    measure, n, d = threshold
    found = Cpu(threads).exact_pairs(table(rows), measure=measure, numerator=n, denominator=d)
    assert triples(found) == brute_force(rows, None, measure, n, d)


@given(left=collections(), right=collections(), threshold=THRESHOLDS, threads=st.sampled_from([1, 2, 3]))
def test_a_join_of_two_collections_finds_exactly_the_brute_force_pairs(
    left: Rows, right: Rows, threshold: tuple[str, int, int], threads: int
) -> None:
    measure, n, d = threshold
    right = right + left[::3]
    found = Cpu(threads).exact_pairs(table(left), table(right), measure=measure, numerator=n, denominator=d)
    assert triples(found) == brute_force(left, right, measure, n, d)


@given(
    left=collections(),
    right=st.none() | collections(),
    threshold=THRESHOLDS,
    top=st.integers(1, 5),
    threads=st.sampled_from([1, 2, 3]),
)
def test_a_top_join_finds_exactly_the_most_similar_ones(
    left: Rows, right: Rows | None, threshold: tuple[str, int, int], top: int, threads: int
) -> None:
    measure, n, d = threshold
    right = None if right is None else right + left[::3]
    others = None if right is None else table(right)
    found = Cpu(threads).exact_top(table(left), others, measure=measure, numerator=n, denominator=d, top=top)
    assert triples(found) == brute_top(left, right, measure, n, d, top)


@given(
    sharing=st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=80),
    measure=SIMILARITIES,
    top=st.integers(1, 3),
    two=st.booleans(),
)
def test_among_equally_similar_sets_the_first_rows_are_kept(sharing: Rows, measure: str, top: int, two: bool) -> None:
    """Sets of one to four elements, all but one from a tiny universe, so that many pairs are equally similar."""
    rows = [sorted({*row, 100 + i}) for i, row in enumerate(sharing)]
    right = rows[::-1] if two else None
    found = Cpu().exact_top(
        table(rows), table(right) if right else None, measure=measure, numerator=1, denominator=1000, top=top
    )
    assert triples(found) == brute_top(rows, right, measure, 1, 1000, top)


def test_sets_that_are_all_equally_similar_are_not_all_compared() -> None:
    count, top = 5000, 3
    found = Cpu().exact_top(table([[0, i] for i in range(1, count + 1)]), numerator=1, denominator=10, top=top)
    assert found.right.tolist() == [j for i in range(count) for j in [k for k in range(top + 1) if k != i][:top]]
    assert found.compared < 100 * count


def test_different_sets_with_equal_fingerprints_are_not_taken_for_copies() -> None:
    rows = [sorted(x * COLLIDING % 2**64 for x in row) for row in ([1, 4], [2, 3], [1, 4], [2, 3], [1, 4])]
    found = Cpu().exact_pairs(table(rows), numerator=19, denominator=20)
    assert triples(found) == [(0, 2, 2), (0, 4, 2), (1, 3, 2), (2, 4, 2)]
    assert found.records == 2


def zipf(count: int, seed: int = 3) -> Shingles:
    rng = np.random.default_rng(seed)
    rows: Rows = []
    for _ in range(count):
        drawn = set(rng.zipf(1.3, rng.integers(1, 60)).tolist())
        if rows and rng.random() < 0.3:
            drawn = set(rows[rng.integers(len(rows))][1:]) | set(list(drawn)[:2])
        rows.append(sorted(drawn))
    return table(rows)


@pytest.mark.parametrize("measure", ["jaccard", "dice", "cosine", "containment"])
def test_the_answer_and_the_counters_are_the_same_for_any_number_of_threads(measure: str) -> None:
    sets = zipf(3000)
    joins: list[Callable[[Cpu], ExactPairs]] = [
        lambda kernel: kernel.exact_pairs(sets, measure=measure, numerator=7, denominator=10),
        lambda kernel: kernel.exact_top(sets, measure=measure, numerator=1, denominator=1000, top=3),
    ]
    for join in joins:
        one, two, three = (join(Cpu(threads)) for threads in (1, 2, 3))
        assert len(one.left) > 1000
        for other in (two, three):
            assert triples(other) == triples(one)
            assert (other.records, other.index_hits, other.candidates, other.compared) == (
                one.records, one.index_hits, one.candidates, one.compared,
            )  # fmt: skip


def test_nine_tenths_of_sets_of_ten_is_reached_in_integers() -> None:
    """In floating point 0.9 · 10 is not always 9, and 1 − 0.9 is never 0.1."""
    ten, nine, ones = list(range(10)), list(range(9)), list(range(1, 11))
    found = Cpu().exact_pairs(table([ten, nine, ones]), numerator=9, denominator=10)
    assert triples(found) == [(0, 1, 9)]
    found = Cpu().exact_pairs(table([ten, nine, ones]), measure="dice", numerator=9, denominator=10)
    assert triples(found) == [(0, 1, 9), (0, 2, 9)]


def test_hamming_finds_disjoint_sets_that_are_small_enough() -> None:
    rows: Rows = [[], [1], [2], [3, 4], []]
    found = Cpu().exact_pairs(table(rows), measure="hamming", numerator=2)
    assert triples(found) == brute_force(rows, None, "hamming", 2, 1)
    assert (0, 4, 0) in triples(found) and (1, 2, 0) in triples(found)


def test_equal_sets_are_one_record() -> None:
    found = Cpu().exact_pairs(table([[1, 2]] * 50 + [[3]]), numerator=1)
    assert (found.records, found.compared, len(found.left)) == (2, 0, 50 * 49 // 2)


def test_too_many_nearest_pairs_are_refused_but_any_top_is_accepted() -> None:
    four = table([[1, 2, 3]] * 4)
    assert len(Cpu().exact_top(four, numerator=1, top=2**80, most=12).left) == 12
    with pytest.raises(OverflowError):
        Cpu().exact_top(four, numerator=1, top=3, most=11)
    assert len(Cpu().exact_top(four, four, numerator=1, top=4, most=16).left) == 16
    with pytest.raises(OverflowError):
        Cpu().exact_top(four, four, numerator=1, top=4, most=15)


def test_too_many_pairs_are_refused_before_they_are_allocated() -> None:
    many = table([[1, 2, 3]] * 200_000)
    with pytest.raises(OverflowError):
        Cpu().exact_pairs(many, numerator=1, denominator=2, most=10**6)
    few = table([[1, 2, 3]] * 4)
    assert len(Cpu().exact_pairs(few, numerator=1, most=6).left) == 6
    with pytest.raises(OverflowError):
        Cpu().exact_pairs(few, numerator=1, most=5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "edit", "numerator": 1}, "measure must be jaccard, dice, cosine, overlap, containment or hamming"),
        ({"measure": "jaccard", "numerator": 0}, "fraction in"),
        ({"measure": "overlap", "numerator": 0}, "a count for overlap must lie in 1"),
        ({"measure": "hamming", "numerator": -1}, "a count for hamming must lie in 0"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Cpu().exact_pairs(table([[1]]), **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        Cpu().exact_top(table([[1]]), top=1, **options)  # type: ignore[arg-type]


def test_a_kernel_without_threads_is_refused() -> None:
    with pytest.raises(ValueError, match="threads must lie in"):
        Cpu(0).exact_pairs(table([[1]]), numerator=1)
