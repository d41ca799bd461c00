"""Every method gives the result of brute force, in order, for any items, support, memory, threads and blocks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.frequent.budget import CountingBudget
from lookalike.frequent.definitions import apriori, naive, pcy
from lookalike.frequent.pairs import FrequentPairs
from lookalike.frequent.passes import METHODS, Method, count_pairs
from lookalike.frequent.support import Support
from lookalike.io.baskets import open_baskets

numbers = st.integers(0, 12) | st.integers(-(2**63), 2**63 - 1)
words = st.sampled_from(["a", "b", "milk", "rolls/buns", "other vegetables", "other vegetablez", "ä", ""]) | st.text(
    st.characters(codec="utf-8"), max_size=12
)
baskets_of_numbers = st.lists(st.lists(numbers, max_size=12), max_size=40)
baskets_of_words = st.lists(st.lists(words, max_size=12), max_size=40)
any_baskets = baskets_of_numbers | baskets_of_words
methods = st.sampled_from(METHODS)

tiny = st.builds(
    CountingBudget,
    memory=st.just(1 << 20),
    tables=st.just(1 << 20),
    dictionary=st.integers(0, 3000),
    buckets=st.sampled_from([0, 8, 64, 1000, 1 << 16]),
    pairs=st.integers(0, 10_000),
    waiting=st.sampled_from([0, 16, 4096]),
    block=st.integers(16, 200),
)
"""Very small budgets: items and pairs that do not fit are counted in another pass."""


def expected(baskets: Any, support: int) -> list[tuple[Any, Any, int]]:
    found = naive(baskets, support)
    return sorted(((left, right, count) for (left, right), count in found.items()), key=lambda row: (-row[2], *row[:2]))


def found_by(baskets: Any, support: Any, method: Method, budget: CountingBudget, threads: int) -> FrequentPairs:
    return count_pairs(open_baskets(baskets), Support(support), method=method, budget=budget, threads=threads)


@given(any_baskets, st.integers(1, 5), methods, tiny, st.sampled_from([1, 2, 3]))
def test_every_method_equals_brute_force_in_any_memory(
    baskets: Any, support: int, method: Method, budget: CountingBudget, threads: int
) -> None:
    result = found_by(baskets, support, method, budget, threads)
    assert list(result) == expected(baskets, support)
    counts = Counter(item for basket in baskets for item in set(basket))
    frequent = {item: count for item, count in counts.items() if count >= support}
    assert dict(zip(result.items.to_pylist(), result.item_counts.tolist(), strict=True)) == frequent
    assert result.baskets == len(baskets)


@given(any_baskets, st.integers(1, 4), st.integers(1, 20))
def test_the_definitions_agree_with_one_another(baskets: Any, support: int, buckets: int) -> None:
    assert apriori(baskets, support) == naive(baskets, support)
    assert pcy(baskets, support, buckets, lambda a, b: hash((a, b))) == naive(baskets, support)


@given(baskets_of_numbers, st.decimals(0, 1, places=3).filter(lambda share: share > 0), methods)
def test_a_share_of_the_baskets_is_compared_exactly(baskets: Any, share: Any, method: Method) -> None:
    least = next(n for n in range(1, len(baskets) + 2) if n >= share * len(baskets))
    assert list(la.frequent_pairs(baskets, support=str(share), method=method)) == expected(baskets, least)


def zipf_baskets(seed: int, rows: int = 3000) -> list[list[int]]:
    random = np.random.default_rng(seed)
    return [(random.zipf(1.4, size) % 5000).tolist() for size in random.poisson(8, rows)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("support", [1, 3, 30])
def test_larger_data_agrees_with_brute_force_and_between_threads(method: Method, support: int) -> None:
    """Large enough for shards, for several blocks and, in the small memory, for several ranges of items and pairs."""
    baskets = zipf_baskets(support)
    wanted = expected(baskets, support)
    roomy = CountingBudget.of(64 << 20, hashing=True)
    tight = CountingBudget(1 << 20, 1 << 20, dictionary=20_000, buckets=4096, pairs=60_000, waiting=5000, block=4000)
    tables = []
    for budget in (roomy, tight):
        for threads in (1, 2, 3):
            result = found_by(baskets, support, method, budget, threads)
            tables.append(result.to_arrow())
            assert list(result) == wanted
    assert all(table.equals(tables[0]) for table in tables)
    assert any(note.code.endswith("-in-passes") for note in result.report.notes)


@pytest.mark.parametrize("method", METHODS)
def test_one_giant_basket_among_small_ones(method: Method) -> None:
    baskets = [list(range(700)), *[[i, i + 1] for i in range(0, 600, 3)]]
    result = la.frequent_pairs(baskets, support=2, method=method, memory="1MiB", threads=2)
    assert list(result) == expected(baskets, 2)


def test_counters_of_buckets_stop_at_their_largest_value() -> None:
    """A counter of one byte that wrapped from 255 to 0 would lose the pair."""
    baskets = [["a", "b"]] * 256 + [["a", "c"]] * 255
    assert list(la.frequent_pairs(baskets, support=200, method="pcy")) == [("a", "b", 256), ("a", "c", 255)]
    assert list(la.frequent_pairs(baskets * 300, support=60_000, method="pcy")) == [
        ("a", "b", 76_800),
        ("a", "c", 76_500),
    ]


@given(any_baskets, st.integers(1, 4) | st.sampled_from([0.1, 0.5]))
def test_the_reference_engine_gives_the_same_result(baskets: Any, support: Any) -> None:
    one, two = (la.frequent_pairs(baskets, support=support, engine=engine) for engine in ("local", "reference"))
    assert one.to_arrow().equals(two.to_arrow())
    assert one.items.equals(two.items) and np.array_equal(one.item_counts, two.item_counts)
    assert (one.baskets, one.least) == (two.baskets, two.least)


lines = st.text(st.sampled_from("a1-0, \t\v") | st.characters(codec="utf-8", exclude_characters='\n\r"'), max_size=12)


@given(
    st.lists(lines | st.sampled_from(["1 2", "-5 1", "1, 2", "0 -0", "05 5"]), max_size=8),
    st.sampled_from(["dat", "csv", "tsv"]),
)
def test_the_reference_engine_reads_basket_files_the_same_way(
    tmp_path_factory: pytest.TempPathFactory, content: list[str], suffix: str
) -> None:
    path = tmp_path_factory.mktemp("baskets") / f"b.{suffix}"
    path.write_text("".join(f"{line}\n" for line in content), encoding="utf-8")
    one, two = (la.frequent_pairs(path, support=1, engine=engine) for engine in ("local", "reference"))
    assert one.to_arrow().equals(two.to_arrow()) and one.baskets == two.baskets and one.items.equals(two.items)
