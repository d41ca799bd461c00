"""Algorithms from Mining of Massive Datasets, chapter 3: sets → characteristic matrix → signature matrix.

They explain MinHash, but are too slow or need too much memory for a real corpus: permutations of all rows, a scan over
the rows, merging the signatures of several chunks of rows, and the comparison of all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby
from typing import TypeVar

from lookalike.distances import jaccard, jaccard_fraction
from lookalike.flow.threshold import Threshold

T = TypeVar("T", bound=Hashable)
Matrix = list[list[float]]
"""A signature matrix: one row per hash function, one column per set. An entry is ∞ if no element was seen yet."""
Hash = Callable[[int], int]


def characteristic_matrix(universe: Sequence[T], sets: Sequence[set[T]]) -> list[list[int]]:
    """Returns the matrix with elements as rows and sets as columns; an entry is 1 if the element is in the set (3.3.1).

    >>> characteristic_matrix("abc", [{"a"}, {"a", "c"}])
    [[1, 1], [0, 0], [0, 1]]
    """
    return [[int(element in members) for members in sets] for element in universe]


def columns(matrix: Sequence[Sequence[int]]) -> list[set[int]]:
    """Returns, for each column of a characteristic matrix, the set of row numbers with a 1."""
    width = len(matrix[0]) if matrix else 0
    return [{row for row, values in enumerate(matrix) if values[column]} for column in range(width)]


def minhash(members: set[T], order: Iterable[T]) -> T | None:
    """Returns the first element of a permutation that is in the set (3.3.2); None if no element is in the set.

    >>> minhash({"a", "d"}, "beadc")
    'a'
    """
    return next((element for element in order if element in members), None)


def signature_matrix(sets: Sequence[set[T]], permutations: Iterable[Mapping[T, int]]) -> Matrix:
    """Returns, for each permutation and set, the first position of an element of the set (3.3.4).

    A permutation maps each element to its position.
    """
    return [[min((place[e] for e in members), default=math.inf) for members in sets] for place in permutations]


def agreement(signatures: Matrix, i: int, j: int) -> Fraction:
    """Returns the share of hash functions on which two columns of a signature matrix agree."""
    return Fraction(sum(row[i] == row[j] for row in signatures), len(signatures))


def universal(a: int, b: int, p: int, n: int) -> Hash:
    """Returns the hash function x → ((ax + b) mod p) mod n, for a prime p ≥ n. It simulates a permutation of n rows.

    >>> [universal(3, 1, p=5, n=5)(row) for row in range(5)]
    [1, 4, 2, 0, 3]
    """
    return lambda x: (a * x + b) % p % n


def sorted_pairs(sets: Iterable[set[int]]) -> list[tuple[int, int]]:
    """Returns the (shingle, document) pairs, sorted by shingle (3.4.3, step 2).

    These are the entries 1 of the characteristic matrix, row by row.
    """
    return sorted((shingle, document) for document, members in enumerate(sets) for shingle in members)


def row_scan(pairs: Iterable[tuple[int, int]], documents: int, hashes: Sequence[Hash]) -> Matrix:
    """Computes the signature matrix in one pass over the rows, given as sorted (shingle, document) pairs (3.3.5)."""
    *_, signatures = row_scan_steps(pairs, documents, hashes)
    return signatures


def row_scan_steps(pairs: Iterable[tuple[int, int]], documents: int, hashes: Sequence[Hash]) -> Iterator[Matrix]:
    """Yields the signature matrix before the scan (∞ everywhere) and after each scanned row, as in Example 3.8."""
    signatures: Matrix = [[math.inf] * documents for _ in hashes]
    yield [list(line) for line in signatures]
    for shingle, row in groupby(pairs, key=lambda pair: pair[0]):
        values = [h(shingle) for h in hashes]  # once per row, not once per document
        for _, document in row:
            for i, value in enumerate(values):
                signatures[i][document] = min(signatures[i][document], value)
        yield [list(line) for line in signatures]


def merge(chunks: Iterable[Matrix]) -> Matrix:
    """Merges signature matrices of the same documents, each over some of the rows, by taking the minimum.

    This is the reduce step of Exercise 3.3.7: each map task scans its rows, and only the matrices are exchanged.

    >>> merge([[[1, 4], [2, 2]], [[3, 0], [math.inf, 1]]])
    [[1, 0], [2, 1]]
    """
    return [[min(values) for values in zip(*rows, strict=True)] for rows in zip(*chunks, strict=True)]


def all_pairs(sets: Sequence[set[T]], threshold: Threshold) -> dict[tuple[int, int], float]:
    """Returns the similarity of every pair that reaches the threshold, found by comparing all pairs.

    Faster methods are tested against this function.

    >>> all_pairs([{1, 2, 3}, {1, 2}, {4}], Threshold("0.5"))
    {(0, 1): 0.6666666666666666}
    """
    return {
        (i, j): jaccard(sets[i], sets[j])
        for i, j in combinations(range(len(sets)), 2)
        if threshold.reached(len(sets[i] & sets[j]), len(sets[i] | sets[j]))
    }


def expected_jaccard(n: int, m: int) -> Fraction:
    """Returns the expected Jaccard similarity of two random subsets with m of n elements (Exercise 3.1.3).

    It is a sum over all sizes of the overlap, and differs from m / (2n − m), the similarity at the expected overlap.

    >>> expected_jaccard(3, 2), Fraction(2, 2 * 3 - 2)
    (Fraction(5, 9), Fraction(1, 2))
    """
    ways = math.comb(n, m)
    return sum(
        (
            Fraction(math.comb(m, overlap) * math.comb(n - m, m - overlap), ways)
            * jaccard_fraction(range(m), range(m - overlap, 2 * m - overlap))
            for overlap in range(max(0, 2 * m - n), m + 1)
        ),
        Fraction(0),
    )
