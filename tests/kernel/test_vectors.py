"""The vector functions of the kernel agree with their definitions, in every implementation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.joins.vectors import definitions
from lookalike.kernel import Cpu
from lookalike.kernel import vectors as kernel

seeds = st.integers(0, 2**64 - 1)


def made(rows: int, d: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal((rows, d)).astype(np.float32)


@given(st.integers(0, 40), st.integers(1, 200), st.integers(1, 9), st.integers(1, 32), seeds)
def test_hyperplane_keys(n: int, d: int, bands: int, rows: int, seed: int) -> None:
    x = kernel.padded(made(n, d))
    keys = Cpu().keys_of_vectors(x, bands=bands, rows=rows, seed=seed)
    assert np.array_equal(keys, definitions.hyperplane_keys(x, bands, rows, seed))


@given(st.integers(1, 40), st.integers(1, 200), st.integers(1, 9), st.integers(1, 12), seeds, st.floats(0.01, 100))
def test_line_keys(n: int, d: int, bands: int, rows: int, seed: int, width: float) -> None:
    x = kernel.padded(made(n, d))
    keys = Cpu().keys_of_vectors(x, bands=bands, rows=rows, seed=seed, width=width)
    assert np.array_equal(keys, definitions.line_keys(x, bands, rows, seed, width))


@given(st.integers(0, 40), st.integers(1, 300), st.integers(1, 9), st.integers(1, 32), seeds)
def test_bit_keys(n: int, size: int, bands: int, rows: int, seed: int) -> None:
    bits = np.random.default_rng(1).integers(0, 2**64, (n, -(-size // 64)), np.uint64)
    keys = Cpu().keys_of_bits(bits, size, bands=bands, rows=rows, seed=seed)
    assert np.array_equal(keys, definitions.bit_keys(bits, size, bands, rows, seed))


@given(st.integers(1, 20), st.integers(1, 70), st.sampled_from([np.float32, np.float64]), st.sampled_from([1, 2]))
def test_products_and_distances_are_summed_in_a_fixed_order(n: int, d: int, kind: type, threads: int) -> None:
    x: Any = made(n, d, 1).astype(kind)
    y: Any = made(n, d, 2).astype(kind)
    rows = np.arange(n)
    a, b = x.astype(np.float64), y.astype(np.float64)
    back = rows[::-1].copy()
    sums: dict[kernel.Term, Any] = {
        "product": a * b[::-1],
        "squared difference": (a - b[::-1]) ** 2,
        "minimum": np.minimum(a, b[::-1]),
        "maximum": np.maximum(a, b[::-1]),
    }
    for term, terms in sums.items():
        assert np.array_equal(Cpu(threads).measured(term, x, y, rows, back), definitions.eight_sums(terms))


@given(
    st.integers(0, 300), st.integers(1, 40), st.integers(0, 5), st.integers(0, 3), st.sampled_from(kernel.KINDS),
    st.sampled_from([1, 2]),
)  # fmt: skip
def test_pairs_of_vectors_are_those_that_share_a_key_and_are_near(
    n: int, d: int, bands: int, values: int, kind: kernel.Kind, threads: int
) -> None:
    """Without bands, all vectors share a bucket."""
    rng = np.random.default_rng(n + d)
    x = kernel.padded(rng.integers(-3, 4, (n, d)).astype(np.float32))  # whole numbers: no rounding
    keys = rng.integers(0, values + 1, (bands, n), dtype=np.uint32)
    own = rng.integers(0, 3, n).astype(np.float32)
    found = Cpu(threads).pairs_of_vectors(kernel.Table(x, own), keys, kind, 2.0)
    bound = 2 + own[:, None] + own[None, :]
    near = {
        "products": x @ x.T >= bound,
        "differences": ((x[:, None] - x[None]) ** 2).sum(axis=2) <= bound**2,
        "minima": np.minimum(x[:, None], x[None]).sum(axis=2) >= bound,
    }[kind]
    share = (keys[:, :, None] == keys[:, None, :]).any(axis=0) if bands else np.ones((n, n), bool)
    left, right = np.nonzero(np.triu(share & near, 1))
    assert np.array_equal(found.left, left) and np.array_equal(found.right, right)


@given(st.integers(0, 300), st.integers(1, 11), st.integers(0, 4), st.sampled_from([1, 2]))
def test_pairs_of_bits_are_those_that_share_a_key_and_differ_little(
    n: int, words: int, bands: int, threads: int
) -> None:
    rng = np.random.default_rng(n)
    bits = rng.integers(0, 2**64, (n, words), np.uint64)
    keys = rng.integers(0, 3, (bands, n), dtype=np.uint32)
    most = rng.integers(20 * words, 34 * words, n).astype(np.uint32)
    found = Cpu(threads).pairs_of_bits(bits, keys, most)
    whole = np.unpackbits(bits.view(np.uint8), axis=1).astype(np.int64)
    differing = whole @ (1 - whole).T + (1 - whole) @ whole.T
    share = (keys[:, :, None] == keys[:, None, :]).any(axis=0) if bands else np.ones((n, n), bool)
    left, right = np.nonzero(np.triu(share & (differing <= most[:, None]), 1))
    assert np.array_equal(found.left, left) and np.array_equal(found.right, right)
    common = Cpu(threads).common_ones(bits, bits, left, right)
    assert np.array_equal(common, (whole @ whole.T)[left, right])


@given(
    st.integers(1, 120), st.integers(0, 40), st.integers(1, 20), st.integers(1, 4), st.integers(1, 6),
    st.sampled_from([1, 2]), st.sampled_from([np.float32, np.float64]),
)  # fmt: skip
def test_the_nearest_are_those_that_share_a_key_in_order_of_distance_then_of_rows(
    n: int, asked: int, d: int, bands: int, top: int, threads: int, kind: type
) -> None:
    """With whole numbers, many distances are equal."""
    rng = np.random.default_rng(n * d)
    x: Any
    y: Any
    x, y = (rng.integers(1, 4, (rows, d)).astype(kind) for rows in (n, asked))
    keys = (rng.integers(0, 3, (bands, n), np.uint32), rng.integers(0, 3, (bands, asked), np.uint32))
    share = (keys[1][:, :, None] == keys[0][:, None, :]).any(axis=0)
    pairs: Any = [axis.ravel() for axis in np.indices((asked, n))]

    tables = kernel.Table(kernel.padded(x)), kernel.Table(kernel.padded(y))
    near = Cpu(threads).nearest_by_distance(tables, keys, (x, y), scale=1.000001, top=top)
    far = np.sqrt(Cpu().measured("squared difference", y, x, *pairs)).reshape(asked, n)
    assert np.array_equal(near.rows, _sorted(far, share, top))

    squares = tuple(Cpu().measured("product", z, z, np.arange(len(z)), np.arange(len(z))) for z in (x, y))
    units = tuple(kernel.Table(kernel.padded(z / np.sqrt(s)[:, None])) for z, s in zip((x, y), squares, strict=True))
    near = Cpu(threads).nearest_by_cosine(units, keys, (x, y), squares, margin=1e-5, top=top)  # type: ignore[arg-type]
    product = Cpu().measured("product", y, x, *pairs).reshape(asked, n)
    cosine = np.clip(product / np.sqrt(squares[1][:, None] * squares[0][None, :]), -1, 1)
    assert np.array_equal(near.rows, _sorted(-cosine, share, top))


def _sorted(far: Any, share: Any, top: int) -> Any:
    out = np.full((len(far), top), -1)
    for query, (here, met) in enumerate(zip(far, share, strict=True)):
        best = sorted(np.flatnonzero(met), key=lambda row: (here[row], row))[:top]
        out[query, : len(best)] = best
    return out


@given(
    st.integers(1, 200), st.integers(0, 40), st.integers(1, 20), st.integers(1, 9), st.integers(1, 60),
    st.sampled_from([1, 2]), st.sampled_from([np.float32, np.float64]),
)  # fmt: skip
def test_the_nearest_in_lists_are_in_order_of_distance_then_of_rows(
    n: int, asked: int, d: int, count: int, top: int, threads: int, kind: type
) -> None:
    rng = np.random.default_rng(n * d)
    x: Any
    y: Any
    x, y = (rng.integers(1, 4, (rows, d)).astype(kind) for rows in (n, asked))
    list_of, first = rng.integers(0, count, n), rng.integers(0, count, asked)
    ids = np.argsort(list_of, kind="stable")
    searched = rng.integers(0, 2, (asked, count)).astype(bool)
    searched[np.arange(asked), first] = False
    starts = np.searchsorted(list_of[ids], np.arange(count + 1))
    lists = kernel.Lists(starts, ids, first, *np.nonzero(searched))
    share = searched[:, list_of] | (first[:, None] == list_of)
    pairs: Any = [axis.ravel() for axis in np.indices((asked, n))]

    tables = kernel.Table(kernel.padded(x)[ids]), kernel.Table(kernel.padded(y))
    near = Cpu(threads).nearest_in_lists(tables, lists, (x, y), None, scale=1.000001, margin=1e-6, top=top)
    far = np.sqrt(Cpu().measured("squared difference", y, x, *pairs)).reshape(asked, n)
    assert np.array_equal(near.rows, _sorted(far, share, top)) and near.checked == share.sum()

    squares = tuple(Cpu().measured("product", z, z, np.arange(len(z)), np.arange(len(z))) for z in (x, y))
    units = [kernel.padded(z / np.sqrt(s)[:, None]) for z, s in zip((x, y), squares, strict=True)]
    tables = kernel.Table(units[0][ids]), kernel.Table(units[1])
    near = Cpu(threads).nearest_in_lists(tables, lists, (x, y), squares, margin=1e-5, top=top)  # type: ignore[arg-type]
    product = Cpu().measured("product", y, x, *pairs).reshape(asked, n)
    cosine = np.clip(product / np.sqrt(squares[1][:, None] * squares[0][None, :]), -1, 1)
    assert np.array_equal(near.rows, _sorted(-cosine, share, top))
    for query, row in np.argwhere(near.rows >= 0):
        assert near.far[query, row] == -cosine[query, near.rows[query, row]]


def test_impossible_lists_are_refused() -> None:
    x: Any = made(3, 16)
    table, ids, none = kernel.Table(x), np.arange(3), np.zeros(0, np.int64)
    good = kernel.Lists(np.array([0, 2, 3]), ids, np.array([0, 0, 1]), none, none)
    bad = [
        good._replace(starts=np.array([0, 2, 4])),
        good._replace(starts=np.array([0, 3, 2, 3])),
        good._replace(ids=np.array([0, 1, 3])),
        good._replace(first=np.array([0, 1, 2])),
        good._replace(queries=np.array([3]), lists=np.array([1])),
        good._replace(queries=np.array([0]), lists=np.array([2])),
        good._replace(queries=np.array([0])),
    ]
    assert Cpu().nearest_in_lists((table, table), good, (x, x), None, top=2).rows.shape == (3, 2)
    for lists in bad:
        with pytest.raises(ValueError, match=r"list|contain"):
            Cpu().nearest_in_lists((table, table), lists, (x, x), None, top=2)


def test_sketches_exclude_pairs_that_differ_too_much() -> None:
    x = kernel.padded(np.ones((3, 4), np.float32))
    sketches = np.array([[0, 0], [7, 0], [0, 15]], np.uint64)
    keys = np.zeros((1, 3), np.uint32)
    found = Cpu().pairs_of_vectors(kernel.Table(x), keys, "products", 4.0, sketches=sketches, differing=4)
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(0, 1), (0, 2)]


def test_too_many_pairs_are_refused() -> None:
    x = kernel.padded(np.ones((200, 4), np.float32))
    with pytest.raises(OverflowError):
        Cpu().pairs_of_vectors(kernel.Table(x), np.zeros((1, 200), np.uint32), "products", 4.0, most=100)
