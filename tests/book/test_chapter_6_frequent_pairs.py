"""MMDS, chapter 6: A-Priori, PCY, and data structures for counting pairs."""

from __future__ import annotations

from itertools import combinations

import pytest

import lookalike as la
from lookalike.frequent.definitions import apriori, naive, pairs_of, pcy, triangle_pays, triangular_place

BASKETS = [[1, 2, 3], [1, 2, 4]]
"""The two baskets of the PCY example."""


def test_the_pairs_of_the_example_baskets() -> None:
    assert list(pairs_of(BASKETS[0])) == [(1, 2), (1, 3), (2, 3)]
    assert list(pairs_of(BASKETS[1])) == [(1, 2), (1, 4), (2, 4)]
    assert list(pairs_of([2, 1, 2])) == [(1, 2)]


@pytest.mark.parametrize("method", ["apriori", "pcy", "multihash", "multistage"])
def test_the_example_has_one_frequent_pair(method: str) -> None:
    assert naive(BASKETS, 2) == apriori(BASKETS, 2) == {(1, 2): 2}
    assert la.frequent_pairs(BASKETS, support=2, method=method).top() == [(1, 2, 2)]  # type: ignore[arg-type]


def test_a_candidate_needs_frequent_singletons_and_a_frequent_bucket() -> None:
    """Three baskets for which A-Priori counts three pairs, and PCY with these buckets only the frequent one."""
    baskets = [[1, 2, 3], [1, 2], [3], [1, 3, 4]]
    support = 2
    asked: list[tuple[int, int]] = []

    def bucket(i: int, j: int) -> int:
        asked.append((i, j))
        return i * j

    found = pcy(baskets, support, 1000, bucket)
    assert found == naive(baskets, support) == {(1, 2): 2, (1, 3): 2}
    in_second_pass = asked[sum(1 for basket in baskets for _ in pairs_of(basket)) :]
    assert set(in_second_pass) == {(1, 2), (1, 3), (2, 3)}  # 4 is not frequent
    report = la.frequent_pairs(baskets, support=support, method="apriori").report
    assert report.passes[1].counts == {"candidate pairs": 3, "frequent pairs": 2}
    report = la.frequent_pairs(baskets, support=support, method="pcy").report
    assert report.passes[1].counts == {"candidate pairs": 2, "frequent pairs": 2}


@pytest.mark.parametrize("n", [2, 3, 5, 20])
def test_the_triangular_matrix_has_one_entry_per_pair_and_no_gap(n: int) -> None:
    """Pairs in the order {1,2}, {1,3} … {1,n}, {2,3} … have the index k = (i − 1)(n − i/2) + j − i."""
    places = [triangular_place(i, j, n) for i, j in combinations(range(1, n + 1), 2)]
    assert places == list(range(1, n * (n - 1) // 2 + 1))


def test_the_formula_with_numbers() -> None:
    assert triangular_place(1, 2, 5) == 1
    assert triangular_place(2, 3, 5) == 5
    assert triangular_place(4, 5, 5) == 10
    with pytest.raises(ValueError, match="i < j"):
        triangular_place(2, 2, 5)


def test_triples_are_smaller_if_less_than_a_third_of_the_pairs_occur() -> None:
    """4 bytes per possible pair against 12 bytes per pair that occurs."""
    assert triangle_pays(15, 10)
    assert not triangle_pays(14, 10)
    assert 100_000 * 99_999 // 2 * 4 > 19 * 10**9  # a hundred thousand items: about 20 GB
