"""MMDS, section 3.1: Jaccard similarity of sets and bags."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest

from lookalike.distances import bag_jaccard, bag_jaccard_fraction, jaccard, jaccard_fraction
from lookalike.engines.reference.textbook import characteristic_matrix, columns, expected_jaccard, minhash


def test_three_in_the_intersection_and_eight_in_the_union() -> None:
    """Similarity 3/8, distance 5/8."""
    left, right = set(range(5)), set(range(2, 8))
    assert (len(left & right), len(left | right)) == (3, 8)
    assert jaccard_fraction(left, right) == Fraction(3, 8)
    assert 1 - jaccard(left, right) == 5 / 8


def test_similarity_of_columns() -> None:
    """'Example: Jaccard Similarity of Columns': 2/5."""
    c1, c2 = columns([[0, 1], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]])
    assert jaccard_fraction(c1, c2) == Fraction(2, 5)
    assert jaccard(c1, c2) == 0.4


def test_similarity_of_bit_vectors() -> None:
    """10111 and 10011 have similarity 3/4 and distance 1/4."""
    c1, c2 = ({i for i, bit in enumerate(bits) if bit == "1"} for bits in ("10111", "10011"))
    assert jaccard_fraction(c1, c2) == Fraction(3, 4)
    assert 1 - jaccard(c1, c2) == 0.25


def test_similarity_of_two_columns_that_share_three_of_six_rows() -> None:
    """3/6, and the distance is 3/6 as well."""
    c1, c2 = columns([[1, 1], [1, 0], [0, 1], [0, 0], [1, 1], [1, 0], [1, 1]])
    assert jaccard_fraction(c1, c2) == Fraction(3, 6) == 1 - jaccard_fraction(c1, c2)


def test_four_types_of_rows() -> None:
    """'Four Types of Rows': the similarity is a / (a + b + c), whatever the number of rows of type d."""
    for d in (0, 1, 10):
        c1, c2 = columns([[1, 1]] * 2 + [[1, 0]] * 3 + [[0, 1]] * 4 + [[0, 0]] * d)
        assert jaccard_fraction(c1, c2) == Fraction(2, 2 + 3 + 4)


def test_example_3_2_bags() -> None:
    """Example 3.2: {a,a,a,b} and {a,a,b,b,c} have similarity 1/3, or 1/2 if the union takes the greater count."""
    assert bag_jaccard_fraction("aaab", "aabbc", union="sum") == Fraction(1, 3)
    assert bag_jaccard_fraction("aaab", "aabbc", union="max") == Fraction(1, 2)


def test_highest_bag_similarity_is_a_half() -> None:
    """Example 3.2, footnote: a bag has similarity 1/2 to itself, unless the union takes the greater count."""
    assert bag_jaccard("aaab", "aaab", union="sum") == 0.5
    assert bag_jaccard("aaab", "aaab", union="max") == 1.0


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [
        ({1, 2, 3, 4}, {2, 3, 5, 7}, Fraction(1, 3)),
        ({1, 2, 3, 4}, {2, 4, 6}, Fraction(2, 5)),
        ({2, 3, 5, 7}, {2, 4, 6}, Fraction(1, 6)),
    ],
)
def test_exercise_3_1_1(a: set[int], b: set[int], similarity: Fraction) -> None:
    """Exercise 3.1.1: the Jaccard similarities of three sets."""
    assert jaccard_fraction(a, b) == similarity


@pytest.mark.parametrize(
    ("a", "b", "by_sum", "by_max"),
    [
        ([1, 1, 1, 2], [1, 1, 2, 2, 3], Fraction(1, 3), Fraction(1, 2)),
        ([1, 1, 1, 2], [1, 2, 3, 4], Fraction(1, 4), Fraction(1, 3)),
        ([1, 1, 2, 2, 3], [1, 2, 3, 4], Fraction(1, 3), Fraction(1, 2)),
    ],
)
def test_exercise_3_1_2(a: list[int], b: list[int], by_sum: Fraction, by_max: Fraction) -> None:
    """Exercise 3.1.2: the bag similarities of three bags, in both definitions of the union."""
    assert bag_jaccard_fraction(a, b, union="sum") == by_sum
    assert bag_jaccard_fraction(a, b, union="max") == by_max
    assert by_sum == by_max / (1 + by_max)


@pytest.mark.parametrize(("n", "m"), [(3, 2), (4, 2), (5, 3), (6, 1), (6, 6)])
def test_exercise_3_1_3(n: int, m: int) -> None:
    """Exercise 3.1.3: the mean over all pairs of m-subsets, which is a sum over overlaps and not m/(2n − m)."""
    subsets = [set(chosen) for chosen in combinations(range(n), m)]
    similarities = [jaccard_fraction(s, t) for s in subsets for t in subsets]
    assert expected_jaccard(n, m) == sum(similarities) / len(similarities)
    if 1 < m < n:
        assert expected_jaccard(n, m) > Fraction(m, 2 * n - m)


@pytest.mark.parametrize(("n", "m"), [(4, 2), (5, 3), (6, 2)])
def test_exercise_3_3_4(n: int, m: int) -> None:
    """Exercise 3.3.4: by MinHash, this is the probability that two random subsets have the same first element.

    All subsets are equally likely, so one permutation of the rows is as good as all of them.
    """
    subsets = [set(chosen) for chosen in combinations(range(n), m)]
    agree = sum(minhash(s, range(n)) == minhash(t, range(n)) for s in subsets for t in subsets)
    assert Fraction(agree, len(subsets) ** 2) == expected_jaccard(n, m)


def test_exercise_3_3_4_on_random_subsets() -> None:
    """Exercise 3.3.4: the mean similarity of 4,000 random pairs is within four standard errors of the sum."""
    rng, n, m = random.Random(334), 40, 10
    found = [jaccard(rng.sample(range(n), m), rng.sample(range(n), m)) for _ in range(4000)]
    mean = sum(found) / len(found)
    error = (sum((x - mean) ** 2 for x in found) / len(found) ** 2) ** 0.5
    assert abs(mean - float(expected_jaccard(n, m))) < 4 * error


def test_example_3_6() -> None:
    """Example 3.6: the characteristic matrix of four sets; S1 and S4 have similarity 2/3."""
    sets = [set("ad"), set("c"), set("bde"), set("acd")]
    matrix = characteristic_matrix("abcde", sets)
    assert matrix == [[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1], [0, 0, 1, 0]]
    assert [{"abcde"[row] for row in column} for column in columns(matrix)] == sets
    assert jaccard_fraction(sets[0], sets[3]) == Fraction(2, 3)
