"""MMDS, section 3.3: minhashing by permutations, by hash functions in one pass, and in chunks."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from lookalike.distances import jaccard_fraction
from lookalike.engines.reference import definitions
from lookalike.engines.reference.textbook import (
    Matrix,
    agreement,
    columns,
    merge,
    minhash,
    row_scan,
    row_scan_steps,
    signature_matrix,
    sorted_pairs,
    universal,
)

oo = math.inf
EXAMPLE_3_6 = [set("ad"), set("c"), set("bde"), set("acd")]
EXAMPLE_3_8 = [{0, 3}, {2}, {1, 3, 4}, {0, 2, 3}]  # the same with rows numbered
SEVEN_ROWS = columns([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 1, 0]])
SIMILARITIES = [(0, 2, "3/4", "2/3"), (1, 3, "3/4", "1"), (0, 1, "0", "0"), (2, 3, "0", "0")]


def places(*order: int) -> dict[int, int]:
    """A permutation, given by the position of row 0, of row 1, …"""
    return dict(enumerate(order))


def test_example_3_7() -> None:
    """Example 3.7: in the order b, e, a, d, c the four sets hash to a, c, b, a."""
    assert [minhash(members, "beadc") for members in EXAMPLE_3_6] == ["a", "c", "b", "a"]


def test_slide_28_an_input_matrix_with_its_rows_permuted() -> None:
    """Slide 28: the minhash of each document is the first row of the permuted matrix with a 1: 2, 4, 1 and 3.

    The slide is preserved without its layout; this matrix has as many ones, and gives the same minhash values.
    """
    permuted = [[0, 0, 1, 0], [1, 0, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]]
    assert sum(map(sum, permuted)) == 12
    order = [3, 0, 6, 1, 5, 2, 4]  # row i of the permuted matrix is row order[i] of the input
    given = [permuted[order.index(row)] for row in range(7)]
    places = {row: order.index(row) + 1 for row in range(7)}
    assert signature_matrix(columns(given), [places]) == [[2, 4, 1, 3]]
    assert [minhash(members, order) for members in columns(given)] == [order[1], order[3], order[0], order[2]]


# The 7-row example, with the permutations and the rows of the signature matrix in different orders.
COPIES: dict[str, tuple[list[dict[int, int]], Matrix]] = {
    "one order": (
        [places(3, 4, 7, 6, 1, 2, 5), places(4, 2, 1, 3, 6, 7, 5), places(1, 3, 7, 6, 2, 5, 4)],
        [[2, 1, 2, 1], [2, 1, 4, 1], [1, 2, 1, 2]],
    ),
    "another order": (
        [places(2, 3, 7, 6, 1, 5, 4), places(4, 2, 1, 3, 6, 7, 5), places(3, 4, 7, 2, 6, 1, 5)],
        [[2, 1, 2, 1], [2, 1, 4, 1], [1, 2, 1, 2]],
    ),
    "a third order": (
        [places(4, 2, 1, 3, 6, 7, 5), places(3, 4, 7, 2, 6, 1, 5), places(2, 3, 7, 6, 1, 5, 4)],
        [[2, 1, 4, 1], [1, 2, 1, 2], [2, 1, 2, 1]],
    ),
}


@pytest.mark.parametrize("copy", COPIES)
def test_signature_matrix_of_the_7_row_example(copy: str) -> None:
    """Three permutations give three rows of the signature matrix."""
    given, wanted = COPIES[copy]
    assert signature_matrix(SEVEN_ROWS, given) == wanted


@pytest.mark.parametrize("copy", COPIES)
def test_both_similarity_rows_of_the_7_row_example(copy: str) -> None:
    """Col/Col 3/4, 3/4, 0, 0 and Sig/Sig 2/3, 3/3, 0, 0 for 1-3, 2-4, 1-2, 3-4."""
    signatures = COPIES[copy][1]
    for i, j, by_columns, by_signatures in SIMILARITIES:
        assert jaccard_fraction(SEVEN_ROWS[i], SEVEN_ROWS[j]) == Fraction(by_columns)
        assert agreement(signatures, i, j) == Fraction(by_signatures)


def test_minhashes_agree_as_often_as_the_sets_are_similar() -> None:
    """3.3.3: over all permutations the share of equal minhashes is the similarity."""
    every = [dict(zip("abcde", order, strict=True)) for order in permutations(range(5))]
    signatures = signature_matrix(EXAMPLE_3_6, every)
    for i in range(4):
        for j in range(i):
            assert agreement(signatures, i, j) == jaccard_fraction(EXAMPLE_3_6[i], EXAMPLE_3_6[j])


def test_example_3_8_step_by_step() -> None:
    """Example 3.8: x + 1 and 3x + 1 mod 5 over the rows, from ∞ to the signatures."""
    h1, h2 = universal(1, 1, p=5, n=5), universal(3, 1, p=5, n=5)
    assert [h1(x) for x in range(5)] == [1, 2, 3, 4, 0]
    assert [h2(x) for x in range(5)] == [1, 4, 2, 0, 3]
    assert list(row_scan_steps(sorted_pairs(EXAMPLE_3_8), 4, [h1, h2])) == [
        [[oo, oo, oo, oo], [oo, oo, oo, oo]],
        [[1, oo, oo, 1], [1, oo, oo, 1]],
        [[1, oo, 2, 1], [1, oo, 4, 1]],
        [[1, 3, 2, 1], [1, 2, 4, 1]],
        [[1, 3, 2, 1], [0, 2, 0, 0]],
        [[1, 3, 0, 1], [0, 2, 0, 0]],
    ]


def test_example_3_8_is_the_same_as_by_permutations() -> None:
    """Example 3.8, its closing note: both hash functions permute the rows, so the first 1 gives the same signatures."""
    hashes = [universal(1, 1, p=5, n=5), universal(3, 1, p=5, n=5)]
    orders = [{x: h(x) for x in range(5)} for h in hashes]
    scanned = row_scan(sorted_pairs(EXAMPLE_3_8), 4, hashes)
    assert scanned == signature_matrix(EXAMPLE_3_8, orders)
    assert agreement(scanned, 0, 3) == 1  # of S1 and S4, whose similarity is 2/3: two functions are few
    assert agreement(scanned, 0, 2) == Fraction(1, 2)  # similarity 1/4
    assert agreement(scanned, 0, 1) == 0 == jaccard_fraction(EXAMPLE_3_8[0], EXAMPLE_3_8[1])


def test_exercise_3_3_3() -> None:
    """Exercise 3.3.3 on the matrix of MMDS: only 5x + 2 mod 6 is a permutation."""
    sets = [{2, 5}, {0, 1}, {3, 4}, {0, 2, 4}]
    h1, h2, h3 = (universal(a, b, p=6, n=6) for a, b in ((2, 1), (3, 2), (5, 2)))
    assert [len({h(x) for x in range(6)}) == 6 for h in (h1, h2, h3)] == [False, False, True]
    signatures = row_scan(sorted_pairs(sets), 4, [h1, h2, h3])
    assert signatures == [[5, 1, 1, 1], [2, 2, 2, 2], [0, 1, 4, 0]]
    true = {(0, 1): 0, (0, 2): 0, (0, 3): 1 / 4, (1, 2): 0, (1, 3): 1 / 4, (2, 3): 1 / 4}
    estimated = {(0, 1): 1 / 3, (0, 2): 1 / 3, (0, 3): 2 / 3, (1, 2): 2 / 3, (1, 3): 2 / 3, (2, 3): 2 / 3}
    for i, j in true:
        assert float(jaccard_fraction(sets[i], sets[j])) == true[i, j]
        assert float(agreement(signatures, i, j)) == estimated[i, j]


def test_exercise_3_3_5_by_permutations() -> None:
    """Exercise 3.3.5: columns of similarity 0 do not agree under any permutation."""
    c1, c2 = {0, 2}, {1, 3}
    for order in permutations(range(5)):
        assert minhash(c1, order) != minhash(c2, order)


@pytest.mark.parametrize("sketch", ["fast", "classic"])
@pytest.mark.parametrize("size", [1, 3, 40])
def test_exercise_3_3_5_by_our_sketches(sketch: str, size: int) -> None:
    """Exercise 3.3.5: signatures of disjoint sets do not agree in any slot, in either sketch."""
    rng = random.Random(size)
    values = [rng.getrandbits(64) for _ in range(2 * size)]
    make = definitions.SKETCHES[sketch]
    one, other = make(values[:size], 64, 0), make(values[size:], 64, 0)
    assert not any(a == b for a, b in zip(one, other, strict=True))


def test_exercise_3_3_6() -> None:
    """Exercise 3.3.6: averaged over cyclic permutations alone, {0} and {0, 1} of three rows agree in 2/3, not 1/2."""
    c1, c2, n = {0}, {0, 1}, 3
    cyclic = [[(start + i) % n for i in range(n)] for start in range(n)]
    agree = Fraction(sum(minhash(c1, order) == minhash(c2, order) for order in cyclic), n)
    every = list(permutations(range(n)))
    assert agree == Fraction(2, 3)
    assert jaccard_fraction(c1, c2) == Fraction(1, 2)
    assert Fraction(sum(minhash(c1, order) == minhash(c2, order) for order in every), len(every)) == Fraction(1, 2)


@pytest.mark.parametrize("chunks", [1, 2, 5, 40])
def test_exercise_3_3_7_rows_in_chunks(chunks: int) -> None:
    """Exercise 3.3.7: map tasks scan some rows each, reduce takes minima; same result as by columns or in one pass."""
    rng = random.Random(337)
    p = 10_007
    sets = [set(rng.sample(range(1000), rng.randint(1, 60))) for _ in range(12)]
    hashes = [universal(rng.randrange(1, p), rng.randrange(p), p=p, n=1000) for _ in range(20)]
    pairs = sorted_pairs(sets)
    one_pass = row_scan(pairs, 12, hashes)
    by_rows = merge(row_scan([pair for pair in pairs if pair[0] % chunks == c], 12, hashes) for c in range(chunks))
    by_columns = [[min(h(x) for x in members) for members in sets] for h in hashes]
    assert by_rows == one_pass == by_columns


@pytest.mark.parametrize("sketch", ["fast", "classic"])
@pytest.mark.parametrize("size", [2, 30, 400])
def test_exercise_3_3_7_with_our_sketches(sketch: str, size: int) -> None:
    """Exercise 3.3.7 for this library: the minimum of the signatures of two halves is the signature of the whole."""
    rng = random.Random(size)
    values = [rng.getrandbits(64) for _ in range(size)]
    make = definitions.SKETCHES[sketch]
    halves = np.array([make(values[: size // 2], 64, 3), make(values[size // 2 :], 64, 3)], dtype=np.uint64)
    assert halves.min(axis=0).tolist() == make(values, 64, 3)


def test_a_signature_of_100_numbers_is_small() -> None:
    """100 minhashes of four bytes take 400 bytes, regardless of the size of the column."""
    signature = definitions.classic(range(1, 2000), 100, 0)
    assert len(signature) == 100
    assert np.array(signature, dtype=np.uint64).astype(np.uint32).nbytes == 400
