"""MMDS, section 3.4: bands, buckets, the S-curve, and the seven steps from documents to similar pairs."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from lookalike.distances import jaccard
from lookalike.engines.reference import definitions
from lookalike.engines.reference.engine import Reference
from lookalike.engines.reference.textbook import Matrix, agreement, all_pairs, row_scan, sorted_pairs, universal
from lookalike.families.amplify import Banded
from lookalike.flow import Chars, Documents
from lookalike.flow.threshold import Threshold
from lookalike.planning.plan import Plan
from lookalike.storage.parts import MemoryParts
from lookalike.testing import Rows

TEXTBOOK = Banded(bands=20, rows=5)


def candidate_columns(matrix: list[list[int]], bands: int, rows: int) -> set[tuple[int, int]]:
    """The candidate pairs among the columns of a signature matrix, numbered from 1."""
    signatures = np.array(matrix, dtype=np.uint64).T
    keys = definitions.band_keys(signatures, bands, rows)
    found = definitions.candidates(keys, [False] * len(keys))
    return {(i + 1, j + 1) for i, j in found.to_set()}


def test_example_3_9() -> None:
    """Example 3.9: a million signatures of 250 × 4 bytes take 1 GB; half a trillion pairs at 1 µs take six days."""
    documents = 1_000_000
    assert documents * 250 * 4 == 10**9
    pairs = math.comb(documents, 2)
    assert 0.49e12 < pairs < 0.5e12
    assert 5.7 < pairs * 1e-6 / 86_400 < 6


def test_all_pairs_take_days_then_years() -> None:
    """At 10⁵ seconds per day and 10⁶ pairs per second, a million documents take 5 days, 10 million a year."""
    days = [math.comb(n, 2) / 10**6 / 10**5 for n in (10**6, 10**7)]
    assert round(days[0]) == 5
    assert days[1] > 365


def test_seven_items_have_21_pairs_of_which_buckets_leave_3() -> None:
    """4.4.1: the naive approach compares C(7, 2) = 21 pairs; one hash function with three shared buckets leaves 3."""
    assert math.comb(7, 2) == 21
    assert len(candidate_columns([[1, 2, 1, 3, 2, 3, 4]], bands=1, rows=1)) == 3


def test_example_3_10() -> None:
    """Example 3.10, figure 3.6: columns 2 and 4 are [0, 2, 1] in the first of four bands: a candidate pair."""
    band_1 = [[1, 0, 0, 0, 2], [3, 2, 1, 2, 2], [0, 1, 3, 1, 1]]
    others = [[100 * row + column for column in range(5)] for row in range(9)]
    assert candidate_columns(band_1 + others, bands=4, rows=3) == {(2, 4)}


def test_other_bands_are_further_chances() -> None:
    """Example 3.10: columns that do not agree in band 1 may still be identical in another band."""
    band_1 = [[1, 0, 0, 0, 2], [3, 2, 1, 2, 2], [0, 1, 3, 1, 1]]
    others = [[100 * row + column for column in range(5)] for row in range(9)]
    for row in range(6, 9):  # the fourth band
        others[row][0] = others[row][4]
    assert candidate_columns(band_1 + others, bands=4, rows=3) == {(2, 4), (1, 5)}


def test_every_band_has_its_own_buckets() -> None:
    """3.4.1: columns with the same vector in different bands do not hash to the same bucket."""
    assert candidate_columns([[7, 1], [8, 2], [3, 7], [4, 8]], bands=2, rows=2) == set()
    assert candidate_columns([[7, 7], [8, 8], [3, 1], [4, 2]], bands=2, rows=2) == {(1, 2)}


def test_banding_example_of_eight_columns() -> None:
    """Three bands give the candidates (2,4), (1,6) and (3,8)."""
    matrix = [
        [1, 3, 2, 3, 4, 5, 6, 7], [2, 2, 1, 2, 5, 6, 7, 8], [4, 1, 3, 1, 6, 7, 8, 9],  # 2 and 4
        [2, 4, 3, 5, 1, 2, 6, 7], [1, 1, 4, 2, 2, 1, 3, 5], [5, 5, 2, 4, 3, 5, 4, 3],  # 1 and 6
        [2, 5, 1, 1, 3, 4, 6, 1], [2, 2, 5, 1, 1, 2, 2, 5], [2, 1, 1, 2, 2, 5, 1, 1],  # 3 and 8
    ]  # fmt: skip
    assert candidate_columns(matrix, bands=3, rows=3) == {(2, 4), (1, 6), (3, 8)}


EIGHT_COLUMNS = [
    # 1 2 3 4 5 6 7 8; the rows of three bands. In every band, columns 5 and 7 agree in two of three rows.
    [1, 3, 2, 3, 4, 5, 4, 7], [2, 2, 1, 2, 5, 2, 5, 8], [4, 1, 3, 1, 6, 4, 7, 9],  # 2 and 4
    [2, 4, 3, 4, 1, 2, 1, 7], [1, 1, 4, 1, 2, 1, 3, 5], [5, 5, 2, 4, 3, 5, 3, 6],  # 1 and 6
    [2, 5, 1, 5, 3, 4, 6, 1], [2, 3, 5, 3, 4, 2, 4, 5], [3, 1, 1, 2, 7, 3, 7, 1],  # 3 and 8
]  # fmt: skip


def test_slides_55_to_58_true_and_false_positives_and_negatives() -> None:
    """Slides 55 to 58: of the candidates (2,4), (1,6) and (3,8), two are similar and one is not; one pair is missed.

    The slides are preserved without their layout; in this matrix, the same columns share a bucket in each band.
    """
    candidates = candidate_columns(EIGHT_COLUMNS, bands=3, rows=3)
    assert candidates == {(2, 4), (1, 6), (3, 8)}
    pairs = set(combinations(range(1, 9), 2))
    signatures: Matrix = [[*row] for row in EIGHT_COLUMNS]
    shares = {(i, j): agreement(signatures, i - 1, j - 1) for i, j in pairs}
    similar = {pair for pair, share in shares.items() if share >= Fraction(2, 3)}
    assert candidates & similar == {(2, 4), (1, 6)}  # true positives
    assert candidates - similar == {(3, 8)} and shares[3, 8] == Fraction(1, 3)  # a false positive: the check rejects it
    assert similar - candidates == {(5, 7)} and shares[5, 7] == Fraction(2, 3)  # a false negative: it is never checked
    assert len(pairs - candidates - similar) == 24  # true negatives, which cost nothing
    assert max(shares[pair] for pair in pairs - candidates - similar) < Fraction(1, 2)


def test_columns_2_and_6_share_a_bucket_and_7_does_not() -> None:
    """Identical parts of columns share a bucket, different ones do not."""
    matrix = [[1, 2, 3, 4, 5, 2, 6], [1, 9, 3, 4, 5, 9, 6]]
    assert candidate_columns(matrix, bands=1, rows=2) == {(2, 6)}


def test_100_000_signatures_of_100_integers_take_40_megabytes() -> None:
    """20 bands of 5 rows use all 100."""
    assert 100_000 * 100 * 4 == 40 * 10**6
    assert TEXTBOOK.hashes == 100


def test_pairs_of_similarity_80_percent() -> None:
    """At similarity .8: .8⁵ = .328; missed with .00035; found with .99965, which is rounded: exactly .999644."""
    assert round(Banded(bands=1, rows=5).collision_probability(0.8), 3) == 0.328
    assert round(1 - TEXTBOOK.collision_probability(0.8), 5) == pytest.approx(0.00036)
    assert round((1 - 0.328) ** 20, 5) == 0.00035
    assert round(TEXTBOOK.collision_probability(0.8), 6) == 0.999644
    assert 1 / (1 - TEXTBOOK.collision_probability(0.8)) == pytest.approx(3000, rel=0.1)  # "about 1/3000th"


def test_pairs_of_similarity_30_percent() -> None:
    """At similarity .3: .3⁵ = .00243; candidates with .0474, exactly .047494."""
    assert round(Banded(bands=1, rows=5).collision_probability(0.3), 5) == 0.00243
    assert round(TEXTBOOK.collision_probability(0.3), 6) == 0.047494


@pytest.mark.parametrize(
    ("similarity", "probability"),
    [(0.2, "0.006"), (0.3, "0.047"), (0.4, "0.186"), (0.5, "0.470"), (0.6, "0.802"), (0.7, "0.975"), (0.8, "0.9996")],
)
def test_s_curve_table(similarity: float, probability: str) -> None:
    """1 − (1 − s⁵)²⁰ to the precision of the table."""
    places = len(probability) - 2
    assert f"{TEXTBOOK.collision_probability(similarity):.{places}f}" == probability


def test_15_bands_against_20() -> None:
    """With 15 bands of 5 rows false positives go down and false negatives go up."""
    fewer = Banded(bands=15, rows=5)
    for s in (0.1, 0.3, 0.5, 0.7, 0.8, 0.9):
        assert fewer.collision_probability(s) < TEXTBOOK.collision_probability(s)
    assert round(fewer.collision_probability(0.3), 4) == 0.0358
    assert round(1 - fewer.collision_probability(0.8), 5) == 0.00259


# Exercise 3.4.1: the probability of a candidate at similarities 0.1, 0.2, …, 0.9, by bands and rows.
EXERCISE_3_4_1 = {
    (10, 3): [0.0100, 0.0772, 0.2394, 0.4839, 0.7369, 0.9123, 0.9850, 0.9992, 1.0000],
    (20, 6): [0.0000, 0.0013, 0.0145, 0.0788, 0.2702, 0.6154, 0.9182, 0.9977, 1.0000],
    (50, 5): [0.0005, 0.0159, 0.1145, 0.4023, 0.7956, 0.9825, 0.9999, 1.0000, 1.0000],
}


@pytest.mark.parametrize(("bands", "rows"), EXERCISE_3_4_1)
def test_exercise_3_4_1(bands: int, rows: int) -> None:
    """Exercise 3.4.1: the S-curve at .1, .2, …, .9."""
    banded = Banded(bands=bands, rows=rows)
    found = [round(banded.collision_probability(s / 10), 4) for s in range(1, 10)]
    assert found == EXERCISE_3_4_1[bands, rows]


def test_three_thresholds_of_the_curve() -> None:
    """3.4.2 calls three things the threshold. For 20 × 5: half point .509, steepest point .526, (1/b)^(1/r) = .549."""
    assert round(TEXTBOOK.half_point(), 3) == 0.509
    assert round(TEXTBOOK.steepest_point(), 3) == 0.526
    assert round(TEXTBOOK.rule_of_thumb(), 3) == 0.549
    assert TEXTBOOK.collision_probability(TEXTBOOK.half_point()) == pytest.approx(0.5)
    assert round(TEXTBOOK.collision_probability(TEXTBOOK.rule_of_thumb()), 2) == 0.64

    def slope(s: float) -> float:
        return TEXTBOOK.collision_probability(s + 1e-3) - TEXTBOOK.collision_probability(s - 1e-3)

    assert all(
        slope(s) < slope(TEXTBOOK.steepest_point())
        for s in (0.45, 0.5, TEXTBOOK.half_point(), TEXTBOOK.rule_of_thumb(), 0.6)
    )


def test_fifty_hash_functions() -> None:
    """r = 5 and b = 10 put the rise at about (1/10)^(1/5) = .631."""
    banded = Banded(bands=10, rows=5)
    assert banded.hashes == 50
    assert round(banded.rule_of_thumb(), 3) == 0.631


def test_one_band_of_one_row_is_a_straight_line() -> None:
    """The probability of equal hash values is the similarity."""
    for s in (0.0, 0.25, 0.5, 1.0):
        assert Banded(bands=1, rows=1).collision_probability(s) == pytest.approx(s)


@pytest.mark.parametrize("n", [2, 5, 20])
@pytest.mark.parametrize("p", [0.1, 0.6, 0.9])
def test_and_and_or_of_hash_functions(n: int, p: float) -> None:
    """'AND/OR of Hash Functions': AND gives p^r; OR gives 1 − (1 − p)^b."""
    assert Banded(bands=1, rows=n).collision_probability(p) == pytest.approx(p**n)
    assert Banded(bands=n, rows=1).collision_probability(p) == pytest.approx(1 - (1 - p) ** n)


CORPUS = [
    "Suppose we need to find near duplicate documents among a million documents that we keep",
    "Suppose we need to find near duplicate documents among ten million documents that we keep",
    "There are enough buckets that columns are unlikely to hash to the same bucket by accident",
    "There are enough buckets that columns are most unlikely to hash to the same bucket by accident",
    "The set of strings of length k that appear in the document stands for the document",
    "It may not be obvious but regardless of the chosen constants this function is a curve",
]


def test_the_seven_steps_of_3_4_3() -> None:
    """3.4.3: from documents to truly similar pairs, one step at a time; our engine finds the same pairs."""
    # 1. Pick k and construct from each document its set of k-shingles, hashed to four bytes.
    shingling, threshold = Chars(5, bits=32), Threshold("0.7")
    plan = Plan(shingles=shingling, threshold=threshold)
    sets = [set(s.tolist()) for s in Reference().shingle(Documents.from_texts(CORPUS), plan.resolve())]
    # 2. Sort the (shingle, document) pairs to order them by shingle.
    pairs = sorted_pairs(sets)
    assert pairs == sorted(pairs)
    # 3. Pick n and feed the sorted list to the row scan.
    n, p, rng = 100, 2**89 - 1, random.Random(343)
    hashes = [universal(rng.randrange(1, p), rng.randrange(p), p=p, n=2**61) for _ in range(n)]
    signatures = row_scan(pairs, len(CORPUS), hashes)
    # 4. Choose a threshold t, and b and r with br = n and (1/b)^(1/r) below it, to avoid false negatives.
    banded = Banded(bands=20, rows=5)
    assert banded.hashes == n
    assert banded.rule_of_thumb() < float(threshold)
    # 5. Construct candidate pairs.
    matrix = [[int(value) for value in row] for row in signatures]
    candidates = {(i - 1, j - 1) for i, j in candidate_columns(matrix, banded.bands, banded.rows)}
    assert candidates < set(combinations(range(len(CORPUS)), 2))
    # 6. Keep those whose signatures agree in at least a share t (here with some slack: an estimate may be low).
    likely = {(i, j) for i, j in candidates if agreement(signatures, i, j) >= float(threshold) - 0.1}
    # 7. Go to the documents themselves.
    similar = {(i, j): jaccard(sets[i], sets[j]) for i, j in sorted(likely)}
    similar = {pair: s for pair, s in similar.items() if s >= float(threshold)}

    assert similar.keys() == {(0, 1), (2, 3)}
    assert similar == all_pairs(sets, threshold)
    found = Reference().run(plan, Rows(CORPUS), MemoryParts()).pairs
    assert found is not None
    assert {(i, j): s for i, j, s in found} == similar
