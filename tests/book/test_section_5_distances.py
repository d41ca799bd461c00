"""MMDS, section 3.5: Jaccard and edit distance, angles and hyperplanes."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from lookalike.distances import angle, cosine, edit, euclidean, hamming, jaccard_fraction, lcs, lr_norm


@pytest.mark.parametrize(
    ("s", "t"), [("abcdef", "bcdef"), ("abcdef", "cdef"), ("bcdef", "cdef"), ("acd", "ace"), ("ab", "cd")]
)
def test_jaccard_distance_of_sets_as_strings(s: str, t: str) -> None:
    """'Jaccard Distance and Edit Distance': 1 − J = C / (C + E) and J = E / (C + E).

    C is the length of the longest (not "least") common subsequence of the sets, each as a string in one fixed
    order, and E is the number of insertions and deletions.
    """
    c, e = lcs(s, t), edit(s, t)
    similarity = jaccard_fraction(s, t)
    assert similarity == Fraction(c, c + e)
    assert 1 - similarity == Fraction(e, c + e)


def test_length_based_bound() -> None:
    """'Length-Based Indexing': sets within Jaccard distance J have lengths L(1 − J) ≤ M ≤ L/(1 − J)."""
    words = ["abcdef", "bcdef", "cdef", "def", "ef", "f", "abcdefghij"]
    for s in words:
        for t in words:
            j = 1 - jaccard_fraction(s, t)
            if j < 1:
                assert len(s) * (1 - j) <= len(t) <= len(s) / (1 - j)


def test_random_hyperplanes_separate_vectors_in_proportion_to_their_angle() -> None:
    """'LSH Family for Cosine Distance': Pr[h(x) = h(y)] = 1 − θ/180°, θ being the angle."""
    x, y, trials, rng = [1.0, 2.0, -1.0], [2.0, 1.0, 1.0], 4000, random.Random(180)
    assert round(angle(x, y), 9) == 60

    def side(v: list[float], plane: list[float]) -> bool:
        return sum(a * b for a, b in zip(v, plane, strict=True)) > 0

    planes = [[rng.gauss(0, 1) for _ in x] for _ in range(trials)]
    agree = sum(side(x, plane) == side(y, plane) for plane in planes) / trials
    expected = 1 - angle(x, y) / 180
    assert abs(agree - expected) < 4 * math.sqrt(expected * (1 - expected) / trials)


def test_the_measures_of_section_3_5() -> None:
    """'Distance Measures': Euclidean and other norms, cosine, edit and Hamming distance, on the examples of MMDS."""
    assert euclidean([2, 7], [6, 4]) == 5
    assert lr_norm([2, 7], [6, 4], 1) == 7
    assert lr_norm([2, 7], [6, 4], math.inf) == 4
    assert round(cosine([1, 2, -1], [2, 1, 1]), 12) == 0.5
    assert edit("abcde", "acfdeg") == 3
    assert hamming("10101", "11110") == 3
